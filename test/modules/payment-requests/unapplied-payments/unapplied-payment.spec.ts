import { CustomErrorCode, DomainError } from '../../../../src/kernel/domain-error';
import { MINUTE_MS } from '../../../../src/kernel/clock';
import {
  rejectsPayment,
  UnappliedPayment,
} from '../../../../src/modules/payment-requests/unapplied-payments/unapplied-payment';

const noon = new Date('2026-01-31T12:00:00.000Z');
const after = (minutes: number): Date => new Date(noon.getTime() + minutes * MINUTE_MS);

function aPayment(processorReference: string | null = 'pi_1'): UnappliedPayment {
  const payment = UnappliedPayment.create(
    {
      id: 'uap_1',
      accountId: 'acc_1',
      paymentRequestId: 'pay_1',
      amount: 1250,
      currency: 'USD',
      processorReference,
      reason: 'canceled',
    },
    noon,
  );
  return payment;
}

const report = (
  status: 'pending' | 'succeeded' | 'failed',
  round = 1,
  failureReason: string | null = null,
) => ({
  reference: 're_1',
  round,
  status,
  failureReason,
});

function eventsOf(payment: UnappliedPayment): string[] {
  return payment.takeEvents().map(({ type, accountId }) => {
    expect(accountId).toBeNull();
    return type;
  });
}

describe('A payment is rejected by', () => {
  it.each([
    [new DomainError('invalid_request', 'Too much.'), true],
    [new DomainError('forbidden', 'No.'), true],
    [new DomainError(new CustomErrorCode('vetoed', 422, 'Vetoed.'), 'No.'), true],
    [new DomainError('unavailable', 'Later.'), false],
    [new DomainError('rate_limited', 'Later.'), false],
    [new DomainError('internal_error', 'Oops.'), false],
    [new Error('a defect'), false],
  ])('%s: %s', (error, isRejected) => expect(rejectsPayment(error)).toBe(isRejected));
});

describe('An unapplied payment', () => {
  it('is returned at once by the processor that received it, and else by a person', () => {
    expect(aPayment()).toMatchObject({
      status: 'received',
      failureReason: null,
      dueAt: noon,
      attempts: 0,
      round: 1,
      createdAt: noon,
      updatedAt: noon,
      returnedAt: null,
    });
    expect(eventsOf(aPayment())).toEqual(['unapplied_payment.created']);
    expect([aPayment().isDue(after(-1)), aPayment().isDue(noon)]).toEqual([false, true]);
    expect(aPayment(null).isDue(noon)).toBe(false);
  });

  it('is tried after 1, 2, 4 minutes and so on, at most 6 hours, until the tenth attempt without a response', () => {
    const payment = aPayment();
    const delays = Array.from({ length: 10 }, () => {
      payment.recordFailedAttempt(noon);
      expect(payment.status).toBe('received');
      payment.beginAttempt(noon);
      return (payment.dueAt!.getTime() - noon.getTime()) / MINUTE_MS;
    });
    expect(delays).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 360]);
    payment.recordFailedAttempt(after(5));
    expect(payment).toMatchObject({
      status: 'needs_attention',
      failureReason: 'no_response',
      dueAt: null,
      updatedAt: after(5),
    });
    payment.recordFailedAttempt(after(6));
    expect(payment.updatedAt).toEqual(after(5));
  });

  it('is returned when the processor says so', () => {
    const payment = aPayment();
    payment.applyReport(report('succeeded'), after(5));
    payment.applyReport(report('succeeded'), after(6));
    expect(payment).toMatchObject({
      status: 'returned',
      dueAt: null,
      updatedAt: after(5),
      returnedAt: after(5),
    });
    expect(eventsOf(payment)).toEqual(['unapplied_payment.created', 'unapplied_payment.returned']);
  });

  it('is asked about again after six hours while the return is pending', () => {
    const payment = aPayment();
    payment.beginAttempt(noon);
    payment.applyReport(report('pending'), after(1));
    expect(payment).toMatchObject({ status: 'received', attempts: 0, dueAt: after(361) });
    payment.applyReport(report('succeeded'), after(2));
    payment.applyReport(report('pending'), after(3));
    expect(payment.dueAt).toBeNull();
  });

  it.each([
    ['expired_card', 'expired_card'],
    [null, 'failed'],
  ])('needs attention once its return fails for the reason %s, also later', (reason, code) => {
    const payment = aPayment();
    payment.applyReport(report('succeeded'), after(1));
    payment.applyReport(report('failed', 1, reason), after(2));
    payment.applyReport(report('failed', 1, 'another'), after(3));
    payment.applyReport(report('succeeded'), after(4));
    expect(payment).toMatchObject({
      status: 'needs_attention',
      failureReason: code,
      returnedAt: null,
      updatedAt: after(2),
    });
    expect(eventsOf(payment).at(-1)).toBe('unapplied_payment.needs_attention');
  });

  it('is returned by a late response after attempts without one', () => {
    const payment = aPayment();
    for (let attempt = 1; attempt <= 10; attempt += 1) payment.beginAttempt(noon);
    payment.recordFailedAttempt(noon);
    payment.applyReport(report('succeeded'), after(5));
    expect(payment).toMatchObject({ status: 'returned', failureReason: null });
  });

  it('is returned by a person, after which reports of the processor do not count', () => {
    const payment = aPayment();
    payment.resolveAsReturned(after(1));
    payment.resolveAsReturned(after(2));
    payment.applyReport(report('failed'), after(3));
    expect(payment).toMatchObject({ status: 'returned', round: 2, updatedAt: after(1) });
  });

  it('is returned in a new round when an operator retries it', () => {
    const payment = aPayment();
    payment.beginAttempt(noon);
    expect(() => payment.assertRetryable()).toThrow(expect.objectContaining({ code: 'conflict' }));
    payment.applyReport(report('failed'), after(1));
    payment.assertRetryable();
    payment.takeEvents();
    payment.retry(after(2));
    expect(payment).toMatchObject({
      status: 'received',
      failureReason: null,
      attempts: 0,
      round: 2,
      dueAt: after(2),
      updatedAt: after(2),
    });
    expect(eventsOf(payment)).toEqual(['unapplied_payment.updated']);
  });
});
