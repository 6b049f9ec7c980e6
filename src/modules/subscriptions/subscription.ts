import { DAY_MS, timeOfChange } from '../../kernel/clock';
import { EventSource, type FieldsOf } from '../../kernel/entity';
import { lifecycle, type StateOf } from '../../kernel/lifecycle';
import type { Metadata } from '../../kernel/metadata';
import type { PaymentTerms, Split } from '../payment-requests';

/** A subscription bills its customer until it is canceled, which is final. */
export const subscriptionLifecycle = lifecycle({
  states: ['active', 'canceled'],
  initial: ['active'],
  transitions: {
    cancel: { from: ['active'], to: 'canceled', error: 'not_cancellable' },
  },
});

export type SubscriptionStatus = StateOf<typeof subscriptionLifecycle>;

export const intervals = ['day', 'week', 'month', 'year'] as const;
export type Interval = (typeof intervals)[number];

/**
 * Returns when period `n` begins; period 0 begins at `anchor`. Every period is counted from the anchor and not from the
 * period before: what began on the 31st returns to the 31st after a shorter month, and what began on 29 February to
 * that day in the next leap year. Days are UTC days, at the anchor's time of day.
 */
export function startOfPeriod(anchor: Date, interval: Interval, n: number): Date {
  switch (interval) {
    case 'day':
      return new Date(anchor.getTime() + n * DAY_MS);
    case 'week':
      return new Date(anchor.getTime() + n * 7 * DAY_MS);
    case 'month':
      return monthsAfter(anchor, n);
    case 'year':
      return monthsAfter(anchor, 12 * n);
  }
}

/** Returns the same day that many months later, or the last day of a shorter month. */
function monthsAfter(anchor: Date, months: number): Date {
  const start = new Date(anchor);
  start.setUTCDate(1);
  start.setUTCMonth(start.getUTCMonth() + months);
  start.setUTCDate(Math.min(anchor.getUTCDate(), lastDayOfMonth(start)));
  return start;
}

function lastDayOfMonth(day: Date): number {
  return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate();
}

/** Bills a customer the same amount each period, by a payment request. */
export class Subscription extends EventSource {
  readonly accountId: string;
  readonly id: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly customerEmail: string;
  readonly interval: Interval;
  readonly reference: string | null;
  readonly metadata: Metadata;
  /** Where the payment pages lead the customer, see ReturnUrls. */
  readonly returnUrl: string | null;
  readonly cancelUrl: string | null;
  /** The parts of each payment that go to other accounts; null for none. */
  readonly splits: readonly Split[] | null;
  status: SubscriptionStatus;
  /** How many periods are billed or skipped. Periods count from 0, so this is also the number of the next one. */
  periods: number;
  /** When the next period begins; null once the subscription is canceled. */
  nextPaymentAt: Date | null;
  /** The anchor of all periods (see startOfPeriod). */
  readonly createdAt: Date;
  updatedAt: Date;

  private constructor(fields: FieldsOf<Subscription>) {
    super();
    Object.assign(this, fields);
  }

  /** Period 0 begins at the creation; the caller bills it. */
  static create(
    terms: Pick<Subscription, 'id' | 'accountId' | 'interval'> & PaymentTerms,
    at: Date,
  ): Subscription {
    return new Subscription({
      ...terms,
      status: 'active',
      periods: 1,
      nextPaymentAt: startOfPeriod(at, terms.interval, 1),
      eventCount: 0,
      createdAt: at,
      updatedAt: at,
    }).addEvent('subscription.created', terms.accountId);
  }

  /** How many periods have begun by `now` and are neither billed nor skipped. Counts up to `limit`. */
  periodsDue(now: Date, limit: number): number {
    let due = 0;
    while (due < limit && this.status === 'active' && this.startOf(this.periods + due) <= now) due += 1;
    return due;
  }

  /** Records that the next periods are billed or skipped. */
  advance(periods: number, now: Date): void {
    this.periods += periods;
    this.nextPaymentAt = this.startOf(this.periods);
    this.updatedAt = timeOfChange(this.updatedAt, now);
    this.addEvent('subscription.updated', this.accountId);
  }

  /** @throws DomainError `not_cancellable` unless the subscription is active */
  cancel(now: Date): void {
    this.status = subscriptionLifecycle.transition('cancel', this.status);
    this.nextPaymentAt = null;
    this.updatedAt = timeOfChange(this.updatedAt, now);
    this.addEvent('subscription.canceled', this.accountId);
  }

  private startOf(period: number): Date {
    return startOfPeriod(this.createdAt, this.interval, period);
  }
}
