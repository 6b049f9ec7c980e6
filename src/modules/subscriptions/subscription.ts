import { timeOfChange } from '../../kernel/clock';
import type { FieldsOf } from '../../kernel/entity';
import { EventSource } from '../../kernel/entity';
import type { Metadata } from '../../kernel/metadata';
import type { PaymentTerms, Split } from '../payment-requests';
import type { Interval } from './schedule';
import { startOfPeriod } from './schedule';
import type { SubscriptionStatus } from './subscription.lifecycle';
import { subscriptionLifecycle } from './subscription.lifecycle';

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
