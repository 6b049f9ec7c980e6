import { endpointUrl } from '../../../../src/modules/events/webhooks/endpoint-url';

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
