import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database';
import { Log } from '../../../platform/telemetry/log';
import { Accounts } from '../../accounts';
import { PaymentRequests } from '../../payment-requests';
import { SubscriptionKey, SubscriptionsRepository } from '../domain/subscriptions.repository';

/** Subscriptions that one round looks at, and periods of one of them that it deals with at a time. */
const SUBSCRIPTIONS_PER_ROUND = 100;
const PERIODS_AT_A_TIME = 100;

/** The sweep that makes a payment request for every period that has begun, those of a downtime included. */
@Injectable()
export class DueSubscriptions {
  /** Subscriptions that could not be billed in this sweep. They wait for the next, and nobody for them. */
  private readonly setAside = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly repository: SubscriptionsRepository,
    private readonly accounts: Accounts,
    private readonly requests: PaymentRequests,
    private readonly log: Log,
  ) {}

  /** Bills what is due, a subscription at a time. @returns whether more may be due */
  async run(now: Date): Promise<boolean> {
    const due = await this.repository.due(now, [...this.setAside], SUBSCRIPTIONS_PER_ROUND);
    let more = due.length === SUBSCRIPTIONS_PER_ROUND;
    for (const subscription of due) more = (await this.bill(subscription)) || more;
    if (!more) this.setAside.clear();
    return more;
  }

  /** One subscription's trouble keeps no other waiting. @returns whether more of its periods may be due */
  private async bill(subscription: SubscriptionKey): Promise<boolean> {
    try {
      const periods = await this.billPieceOf(subscription);
      if (periods === 0) this.setAside.add(subscription.id);
      return periods === PERIODS_AT_A_TIME;
    } catch (error) {
      this.log.failure('A subscription could not be billed', error);
      this.setAside.add(subscription.id);
      return false;
    }
  }

  /**
   * Another process may have been faster, so what is due is looked up again under the lock. The count of periods is
   * written with their payment requests: no period gets two, and none is lost.
   */
  private billPieceOf({ accountId, id }: SubscriptionKey): Promise<number> {
    return this.database.atomically(null, async (tx, now) => {
      const account = await this.accounts.lock(tx, accountId);
      const subscription = account && (await this.repository.lock(tx, accountId, id));
      const periods = subscription?.periodsDue(now, PERIODS_AT_A_TIME) ?? 0;
      if (account === null || subscription === null || periods === 0) return 0;
      // Nobody is asked for money while the account takes none, nor afterwards for that time.
      const billed = account.status === 'active' || account.status === 'pending' ? periods : 0;
      for (let count = 0; count < billed; count += 1) this.requests.issue(tx, account, subscription, now);
      subscription.advance(periods, account.timeOf(now));
      this.repository.save(tx, subscription);
      this.accounts.save(tx, account);
      return periods;
    });
  }
}
