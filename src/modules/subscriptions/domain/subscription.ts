import { timeOfChange } from '../../../kernel/clock';
import { Metadata } from '../../../kernel/metadata';
import { Interval, startOfPeriod } from './schedule';
import { subscriptionLifecycle, SubscriptionStatus } from './subscription.lifecycle';

/** Asks a customer for the same amount again and again: one payment request each period. */
export class Subscription {
  readonly accountId: string;
  readonly id: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly customerEmail: string;
  readonly interval: Interval;
  readonly reference: string | null;
  readonly metadata: Metadata;
  status: SubscriptionStatus;
  /** How many periods are dealt with, billed or skipped: also the number of the next one, since they count from 0. */
  periods: number;
  /** When the next one begins; null once it is canceled. */
  nextPaymentAt: Date | null;
  /** The anchor of all periods. */
  readonly createdAt: Date;
  updatedAt: Date;

  /** The period 0 begins at its creation, and whoever creates it bills that one too. */
  static create(
    terms: Pick<
      Subscription,
      'id' | 'accountId' | 'amount' | 'currency' | 'customerEmail' | 'interval' | 'reference' | 'metadata'
    >,
    at: Date,
  ): Subscription {
    const fields: Partial<Subscription> = {
      ...terms,
      status: 'active',
      periods: 1,
      nextPaymentAt: startOfPeriod(at, terms.interval, 1),
      createdAt: at,
      updatedAt: at,
    };
    return Object.assign(Object.create(Subscription.prototype) as Subscription, fields);
  }

  /** How many periods have begun by `now` and are not dealt with, counted up to `limit`. */
  periodsDue(now: Date, limit: number): number {
    let due = 0;
    while (due < limit && this.status === 'active' && this.startOf(this.periods + due) <= now) due += 1;
    return due;
  }

  /** So many periods are dealt with. */
  advance(periods: number, now: Date): void {
    this.periods += periods;
    this.nextPaymentAt = this.startOf(this.periods);
    this.updatedAt = timeOfChange(this.updatedAt, now);
  }

  /** @throws Refusal `not_cancellable` unless it is active */
  cancel(now: Date): void {
    this.status = subscriptionLifecycle.move('cancel', this.status);
    this.nextPaymentAt = null;
    this.updatedAt = timeOfChange(this.updatedAt, now);
  }

  private startOf(period: number): Date {
    return startOfPeriod(this.createdAt, this.interval, period);
  }
}
