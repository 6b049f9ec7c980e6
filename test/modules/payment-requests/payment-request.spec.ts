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
  return PaymentRequest.create(
    { ...fields, reference: null, metadata: {}, returnUrl: null, cancelUrl: null, splits: null },
    expiresAt,
    noon,
    simulated,
  );
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

  it.each([1, DAY_MS, 366 * DAY_MS])('can expire in %d ms', (ms) => {
    expect(aRequest(after(ms)).expiresAt).toEqual(after(ms));
  });

  it.each([0, -1, 366 * DAY_MS + 1])('cannot expire in %d ms', (ms) => {
    expect(() => aRequest(after(ms))).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('can be canceled once', () => {
    const request = aRequest();
    request.cancel(after(5));
    expect(request).toMatchObject({ status: 'canceled', updatedAt: after(5), wasCanceledByExpiry: false });
    expect(() => request.cancel(after(9))).toThrow(expect.objectContaining({ code: 'not_cancellable' }));
    expect(request.updatedAt).toEqual(after(5));
  });

  it('records its attempts with what ended them', () => {
    const request = aRequest();
    const declined = { method: 'hosted_checkout', reason: 'insufficient_funds' } as const;
    request.decline(after(1), declined);
    request.pay('txn_1', after(2), { method: 'simulation', reason: null });
    expect(() => request.decline(after(3), declined)).toThrow();
    expect(request.attempts).toEqual([
      { ...declined, createdAt: after(1).toISOString(), outcome: 'declined' },
      { createdAt: after(2).toISOString(), method: 'simulation', outcome: 'succeeded', reason: null },
    ]);
  });

  it('says why it failed: five declines, a report or the sandbox', () => {
    const [declined, reported, unexpected, simulated, reportedEarlier] = [
      aRequest(),
      aRequest(),
      aRequest(null, { settlesAt: after(5), outcome: 'succeeded' }),
      aRequest(null, { settlesAt: after(5), outcome: 'failed' }),
      aRequest(null, { settlesAt: after(5), outcome: 'failed' }),
    ];
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      expect(declined.failureReason).toBeNull();
      declined.decline(after(attempt));
    }
    reported.fail(after(9));
    unexpected.fail(after(9));
    simulated.fail(after(5));
    reportedEarlier.fail(after(4));
    expect(declined.failureReason).toBe('The payment was declined 5 times.');
    expect(reported.failureReason).toBe('The payment was reported as failed.');
    expect(reported.attempts).toMatchObject([{ outcome: 'failed' }]);
    expect(unexpected.failureReason).toBe('The payment was reported as failed.');
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
    const paid = aRequest(after(1000));
    paid.pay('txn_1', after(1000));
    paid.expireIfDue(after(1001));
    expect(paid).toMatchObject({ status: 'succeeded', wasCanceledByExpiry: false });
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

describe('A payment of a request', () => {
  const paid = { amount: 1250, currency: 'USD' };
  const afterChange = (change: (request: PaymentRequest) => void): PaymentRequest => {
    const request = aRequest(after(1000));
    change(request);
    return request;
  };

  it.each<[string | null, PaymentRequest, object, boolean, number]>([
    [null, aRequest(after(1000)), paid, false, 999],
    ['expired', aRequest(after(1000)), paid, false, 1000],
    ['account_closed', aRequest(after(1000)), paid, true, 0],
    ['amount_mismatch', aRequest(after(1000)), { ...paid, amount: 1249 }, false, 0],
    ['amount_mismatch', aRequest(after(1000)), { ...paid, currency: 'EUR' }, false, 0],
    ['already_paid', afterChange((its) => its.pay('txn_1', after(5))), paid, false, 9],
    ['failed', afterChange((its) => its.fail(after(5))), paid, false, 9],
    ['canceled', afterChange((its) => its.cancel(after(5))), paid, false, 2000],
    ['expired', afterChange((its) => its.expireIfDue(after(1000))), paid, false, 1000],
    [null, afterChange((its) => its.startProcessing(after(999))), paid, false, 2000],
  ])('is rejected with the reason %s (case %#)', (reason, request, payment, isPayeeClosed, ms) => {
    expect(request.rejectionReason(payment as typeof paid, isPayeeClosed, after(ms))).toBe(reason);
  });
});

describe('The status of a payment request', () => {
  it('counts as expired before it is stored', () => {
    const request = aRequest(after(1000));
    expect([request.statusAt(after(999)), request.statusAt(after(1000))]).toEqual(['pending', 'expired']);
    request.cancel(after(5));
    expect(request.statusAt(after(1000))).toBe('canceled');
  });

  it('changes with an event', () => {
    const changes: [string, (request: PaymentRequest) => void][] = [
      ['succeeded', (its) => its.pay('txn_1', after(5))],
      ['failed', (its) => its.fail(after(5))],
      ['canceled', (its) => its.cancel(after(5))],
      ['updated', (its) => its.decline(after(5))],
    ];
    for (const [action, change] of changes) {
      const request = aRequest();
      change(request);
      const events = ['created', action].map((name) => ({
        type: `payment_request.${name}`,
        accountId: 'acc_1',
      }));
      expect(request.takeEvents()).toEqual(events);
      expect(request.updatedAt).toEqual(after(5));
    }
  });

  it('fails with the fifth decline, and then changes no more', () => {
    const request = aRequest();
    const left = Array.from({ length: 5 }, () => {
      request.decline(after(5));
      return [request.attemptsLeft, request.status];
    });
    expect(left.map(([attempts]) => attempts)).toEqual([4, 3, 2, 1, 0]);
    expect(left.map(([, status]) => status)).toEqual([...Array(4).fill('pending'), 'failed']);
    expect(() => request.decline(after(6))).toThrow(expect.objectContaining({ code: 'conflict' }));
    expect(request.declines).toBe(5);
    request.startProcessing(after(7));
    expect(request.processingSince).toBeNull();
  });

  it('says which parts have stayed with the account that was paid', () => {
    const request = aRequest();
    request.recordSplits([]);
    expect(request.splits).toBeNull();
    const [one, two] = ['acc_2', 'acc_3'].map((accountId) => ({ accountId, amount: 1 }));
    Object.assign(request, { splits: [one, two] });
    request.recordSplits(['acc_2']);
    expect(request.splits).toEqual([one, { ...two, skipped: true }]);
  });

  it('names the transaction of the payment', () => {
    const request = aRequest();
    expect(request).toMatchObject({ transactionId: null, declines: 0, processingSince: null });
    request.pay('txn_1', after(5));
    expect(request).toMatchObject({ status: 'succeeded', transactionId: 'txn_1' });
  });
});

describe('A simulated payment', () => {
  const end = { settlesAt: after(500), outcome: 'succeeded' } as const;

  it('is due at its time, before the expiry', () => {
    const request = aRequest(after(1000), end);
    expect(request).toMatchObject({ settlesAt: after(500), dueOutcome: 'succeeded' });
    expect([request.isSimulationDue(after(499)), request.isSimulationDue(after(500))]).toEqual([false, true]);
    expect(request.isSimulationDue(after(2000))).toBe(true);
    expect(aRequest(after(500), end).isSimulationDue(after(500))).toBe(false);
    expect(aRequest().isSimulationDue(after(500))).toBe(false);
    request.cancel(after(5));
    expect(request.isSimulationDue(after(500))).toBe(false);
  });
});

describe('The secret of a payment request', () => {
  it.each([
    [aRequest().secret, true],
    ['a'.repeat(42), false],
    ['a'.repeat(44), false],
    [`${'a'.repeat(42)}'`, false],
    ['', false],
  ])('%s: %s', (text, isSecret) => expect(PaymentRequest.isSecret(text)).toBe(isSecret));
});
