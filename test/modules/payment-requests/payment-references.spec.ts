import {
  PaymentLinks,
  readIdSuffix,
  transferReference,
} from '../../../src/modules/payment-requests/domain/payment-references';

const ID = 'pay_01k9x8v2t4e6rb3m5n7p9q1s0w';

describe('The reference of a bank transfer', () => {
  it("is short: the end of the request's id", () => {
    expect(transferReference(ID)).toBe('5N7P9-Q1S0W');
  });

  it.each(['5N7P9-Q1S0W', '5n7p9q1s0w', ' 5N7P9 Q1S0W ', '5N7P9–Q1S0W'])('is found in %j', (text) => {
    expect(readIdSuffix(text)).toBe('5n7p9q1s0w');
  });

  it.each(['', '5N7P9-Q1S0', '5N7P9-Q1S0WX', ID])('is not found in %j', (text) => {
    expect(readIdSuffix(text)).toBe('');
  });
});

describe('The link of a payment request', () => {
  it('ends with its secret', () => {
    const links = new PaymentLinks((path) => `https://pay.example.com${path}`);
    expect(links.to('secret')).toBe('https://pay.example.com/pay/secret');
  });
});
