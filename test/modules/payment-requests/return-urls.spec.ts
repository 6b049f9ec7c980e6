import {
  assertReturnUrls,
  fillReturnUrl,
  returnUrlMembers,
  returnUrlRule,
} from '../../../src/modules/payment-requests/domain/return-urls';

describe('A return URL', () => {
  const ofLength = (length: number): string => 'https://shop.example.com/'.padEnd(length, 'a');

  it.each([
    'https://shop.example.com',
    'HTTPS://shop.example.com/thanks?payment={PAYMENT_REQUEST_ID}#{PAYMENT_REQUEST_ID}',
    'http://localhost:3000/thanks',
    'http://127.0.0.1/thanks',
    'http://[::1]:3000/thanks',
    ofLength(2048),
  ])('may be %.80s', (url) => expect(returnUrlRule.isValid(url)).toBe(true));

  it.each([
    'http://shop.example.com/thanks',
    'http://localhost.example.com/thanks',
    'ftp://localhost/thanks',
    'javascript:alert(1)',
    '//shop.example.com/thanks',
    'https://',
    'https://user@shop.example.com/',
    'https://:password@shop.example.com/',
    'https://{PAYMENT_REQUEST_ID}.example.com/',
    ' https://shop.example.com/',
    'https://shop.example.com/ ',
    'https://shop.example.com/a b',
    'https://shop.example.com/ü',
    'https://shop.example.com/\n',
    '',
    ofLength(2049),
    null,
    ['https://shop.example.com/'],
  ])('is never %.80j', (url) => expect(returnUrlRule.isValid(url)).toBe(false));

  it.each([
    ['returnUrl', 'return_url'],
    ['cancelUrl', 'cancel_url'],
  ])('needs https as %s outside of test mode', (member, name) => {
    const urls = { returnUrl: null, cancelUrl: null, [member]: 'HTTP://localhost/' };
    expect(() => assertReturnUrls(urls, true)).not.toThrow();
    expect(() => assertReturnUrls(urls, false)).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: `${name} must be a URL with https.` }),
    );
    const secure = { returnUrl: null, cancelUrl: null, [member]: 'https://shop.example.com/' };
    expect(() => assertReturnUrls(secure, false)).not.toThrow();
  });

  it('gets the id of the payment request wherever it asks for it', () => {
    const url = 'https://shop.example.com/{PAYMENT_REQUEST_ID}?payment={PAYMENT_REQUEST_ID}';
    expect(fillReturnUrl(url, 'pay_1')).toBe('https://shop.example.com/pay_1?payment=pay_1');
    expect(fillReturnUrl('https://shop.example.com/"><b>', 'pay_1')).toBe(
      'https://shop.example.com/%22%3E%3Cb%3E',
    );
  });

  it('is in a response where it was given', () => {
    const [returnUrl, cancelUrl] = ['https://shop.example.com/thanks', 'https://shop.example.com/cart'];
    expect(returnUrlMembers({ returnUrl, cancelUrl: null })).toEqual({ return_url: returnUrl });
    expect(returnUrlMembers({ returnUrl: null, cancelUrl })).toEqual({ cancel_url: cancelUrl });
  });
});
