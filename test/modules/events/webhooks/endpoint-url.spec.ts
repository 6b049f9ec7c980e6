import { endpointUrl } from '../../../../src/modules/events/webhooks/endpoint-addresses';

describe('The URL of a webhook endpoint', () => {
  it.each([
    ['https://example.com/hooks?tenant=7', 'https://example.com/hooks?tenant=7'],
    ['https://example.com:443/', 'https://example.com/'],
    ['https://example.com:8443/a', 'https://example.com:8443/a'],
    // The normal form shows the address that is checked before each connection.
    ['https://2130706433/', 'https://127.0.0.1/'],
    ['https://0x7f.1/', 'https://127.0.0.1/'],
  ])('%s is taken as %s', (text, normal) => expect(endpointUrl(text, false)).toBe(normal));

  it.each([
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://example.com:6379/_FLUSHALL',
    'example.com/hooks',
    'https://',
    'https://user@example.com/',
    'https://:password@example.com/',
    'https://example.com/#fragment',
    'https://example.com:22/',
    'https://example.com:25/',
    `https://example.com/${'a'.repeat(2_048)}`,
    `https://example.com/${'ü'.repeat(2_000)}`,
    '',
  ])('%s is rejected', (text) => {
    expect(() => endpointUrl(text, false)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('may have the scheme http during development', () => {
    expect(endpointUrl('http://localhost:4000/hooks', true)).toBe('http://localhost:4000/hooks');
  });
});

describe('The limits of the URL', () => {
  const accepts = (url: string): boolean => {
    try {
      endpointUrl(url, true);
      return true;
    } catch {
      return false;
    }
  };

  it.each([
    ['https://example.com:1024/', true],
    ['https://example.com:1023/', false],
    ['https://example.com:80/', true],
    ['http://example.com:443/', true],
    ['http://example.com:22/', false],
    [`https://example.com/${'a'.repeat(2_048 - 20)}`, true],
    [`https://example.com/${'a'.repeat(2_049 - 20)}`, false],
    // Its normal form is longer by the slash.
    [`https://example.com?${'a'.repeat(2_048 - 20)}`, false],
  ])('%.40s: %s', (url, isAccepted) => expect(accepts(url)).toBe(isAccepted));
});
