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
    ['http://example.com/', 'an https URL of at most 2048 characters'],
    ['ftp://example.com/', 'an https URL of at most 2048 characters'],
    ['file:///etc/passwd', 'an https URL of at most 2048 characters'],
    ['gopher://example.com:6379/_FLUSHALL', 'an https URL of at most 2048 characters'],
    ['example.com/hooks', 'an https URL of at most 2048 characters'],
    ['https://', 'an https URL of at most 2048 characters'],
    ['https://user@example.com/', 'without a user name and a password'],
    ['https://:password@example.com/', 'without a user name and a password'],
    ['https://example.com/#fragment', 'without a fragment'],
    ['https://example.com:22/', 'on port 80, 443 or one from 1024'],
    ['https://example.com:25/', 'on port 80, 443 or one from 1024'],
    [`https://example.com/${'a'.repeat(2_048)}`, 'of at most 2048 characters'],
    [`https://example.com/${'ü'.repeat(2_000)}`, 'of at most 2048 characters'],
    ['', 'an https URL of at most 2048 characters'],
  ])('%s is rejected: it must be %s', (text, expected) => {
    const error = { code: 'invalid_request', message: `url must be ${expected}.` };
    expect(() => endpointUrl(text, false)).toThrow(expect.objectContaining(error));
  });

  it('may have the scheme http during development', () => {
    expect(endpointUrl('http://localhost:4000/hooks', true)).toBe('http://localhost:4000/hooks');
    expect(() => endpointUrl('ftp://localhost/', true)).toThrow(/be an http or https URL/);
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
