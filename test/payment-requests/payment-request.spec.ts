import { DAY_MS } from '../../src/kernel/clock';
import { PaymentRequest } from '../../src/modules/payment-requests/domain/payment-request';

const noon = new Date('2026-01-31T12:00:00.000Z');
const after = (ms: number): Date => new Date(noon.getTime() + ms);

function aRequest(expiresAt: Date | null = null, withMail = false): PaymentRequest {
  const fields = {
    id: 'pay_1',
    accountId: 'acc_1',
    amount: 1250,
    currency: 'USD',
    customerEmail: 'customer@example.com',
  };
  return PaymentRequest.create({ ...fields, reference: null, metadata: {} }, expiresAt, noon, withMail);
}

describe('A payment request', () => {
  it('is born pending and can be paid for 30 days', () => {
    expect(aRequest()).toMatchObject({
      status: 'pending',
      createdAt: noon,
      updatedAt: noon,
      expiresAt: after(30 * DAY_MS),
    });
  });

  it('has a secret of 256 bits of its own, not its id', () => {
    const secrets = Array.from({ length: 100 }, () => aRequest().secret);
    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets) expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
  });

  it.each([1, DAY_MS, 365 * DAY_MS])('may expire %d ms from now', (ms) => {
    expect(aRequest(after(ms)).expiresAt).toEqual(after(ms));
  });

  it.each([0, -1, 367 * DAY_MS])('may not expire %d ms from now', (ms) => {
    expect(() => aRequest(after(ms))).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('is canceled while it is pending, once', () => {
    const request = aRequest();
    request.cancel(after(5));
    expect(request).toMatchObject({ status: 'canceled', updatedAt: after(5) });
    expect(() => request.cancel(after(9))).toThrow(expect.objectContaining({ code: 'not_cancellable' }));
    expect(request.updatedAt).toEqual(after(5));
  });
});

describe('Mail about a payment request', () => {
  it('is due when it is made and again when it is paid, where there is mail', () => {
    const request = aRequest(null, true);
    expect([request.mailDueAt, request.mailKind(noon)]).toEqual([noon, 'request']);
    request.mailDueAt = null;
    request.pay('txn_1', after(1), true);
    expect([request.mailDueAt, request.mailKind(noon)]).toEqual([after(1), 'receipt']);
  });

  it('is never due where there is none', () => {
    const request = aRequest();
    request.pay('txn_1', after(1), false);
    expect([aRequest().mailDueAt, request.mailDueAt]).toEqual([null, null]);
  });

  it.each(['cancel', 'fail', 'expire'] as const)('is about nothing after %s', (end) => {
    const request = aRequest(null, true);
    request[end](after(1));
    expect(request.mailKind(after(1))).toBeNull();
  });

  it('does not ask for what has run out, though nothing has ended it yet', () => {
    const request = aRequest(after(1000), true);
    expect([request.mailKind(after(999)), request.mailKind(after(1000))]).toEqual(['request', null]);
  });
});
