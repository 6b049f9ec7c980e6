import { DAY_MS } from '../../../src/kernel/clock';
import { ScheduledEnd } from '../../../src/modules/processors';
import { PaymentRequest } from '../../../src/modules/payment-requests/domain/payment-request';

const noon = new Date('2026-01-31T12:00:00.000Z');
const after = (ms: number): Date => new Date(noon.getTime() + ms);

function aRequest(expiresAt: Date | null = null, simulated: ScheduledEnd | null = null): PaymentRequest {
  const fields = {
    id: 'pay_1',
    accountId: 'acc_1',
    amount: 1250,
    currency: 'USD',
    customerEmail: 'customer@example.com',
  };
  return PaymentRequest.create({ ...fields, reference: null, metadata: {} }, expiresAt, noon, simulated);
}

describe('A payment request', () => {
  it('is created pending and expires after 30 days', () => {
    expect(aRequest()).toMatchObject({
      status: 'pending',
      createdAt: noon,
      updatedAt: noon,
      expiresAt: after(30 * DAY_MS),
    });
  });

  it('has a random secret of 256 bits', () => {
    const secrets = Array.from({ length: 100 }, () => aRequest().secret);
    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets) expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
  });

  it.each([1, DAY_MS, 365 * DAY_MS])('can expire in %d ms', (ms) => {
    expect(aRequest(after(ms)).expiresAt).toEqual(after(ms));
  });

  it.each([0, -1, 367 * DAY_MS])('cannot expire in %d ms', (ms) => {
    expect(() => aRequest(after(ms))).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('can be canceled once', () => {
    const request = aRequest();
    request.cancel(after(5));
    expect(request).toMatchObject({ status: 'canceled', updatedAt: after(5), wasCanceledByExpiry: false });
    expect(() => request.cancel(after(9))).toThrow(expect.objectContaining({ code: 'not_cancellable' }));
    expect(request.updatedAt).toEqual(after(5));
  });

  it('says why it failed: five declines, a report or the sandbox', () => {
    const [declined, reported, simulated, reportedEarlier] = [
      aRequest(),
      aRequest(),
      aRequest(null, { settlesAt: after(5), outcome: 'failed' }),
      aRequest(null, { settlesAt: after(5), outcome: 'failed' }),
    ];
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      expect(declined.failureReason).toBeNull();
      declined.decline(after(attempt));
    }
    reported.fail(after(9));
    simulated.fail(after(5));
    reportedEarlier.fail(after(4));
    expect(declined.failureReason).toBe('The payment was declined 5 times.');
    expect(reported.failureReason).toBe('The payment was reported as failed.');
    expect(simulated.failureReason).toBe(
      'The sandbox let it fail: sandbox_outcome in its metadata is failed.',
    );
    expect(reportedEarlier.failureReason).toBe('The payment was reported as failed.');
  });

  it('is canceled when it expires, not before', () => {
    const request = aRequest(after(1000));
    request.expireIfDue(after(999));
    expect(request.status).toBe('pending');
    request.expireIfDue(after(1000));
    expect(request).toMatchObject({ status: 'canceled', wasCanceledByExpiry: true });
  });

  it('does not expire while its payment is being processed', () => {
    const request = aRequest(after(1000));
    request.startProcessing(after(999));
    request.startProcessing(after(1500));
    expect(request.processingSince).toEqual(after(999));
    request.expireIfDue(after(2000));
    expect(request.status).toBe('pending');
    request.stopProcessing();
    request.expireIfDue(after(2000));
    expect(request.status).toBe('canceled');
  });

  it.each(['pay', 'fail', 'cancel', 'decline'] as const)('is not being processed after %s', (change) => {
    const request = aRequest();
    request.startProcessing(noon);
    if (change === 'pay') request.pay('txn_1', after(1));
    else request[change](after(1));
    expect(request.processingSince).toBeNull();
  });
});
