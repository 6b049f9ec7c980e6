import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import { Tx } from '../../platform/database/tx';
import type { DueItem, DueItemTask } from '../../platform/jobs/due-items';
import { Account, AccountStore } from '../accounts';
import { PaymentRequests } from '../payment-requests';
import { Subscription } from './subscription';
import { SubscriptionsRepository } from './subscriptions.repository';

/** How many periods one database transaction bills. */
const MAX_PERIODS = 100;

/** Creates a payment request for every period that has begun, including those that began during a downtime. */
@Injectable()
export class SubscriptionBilling implements DueItemTask {
  readonly name = 'subscription billing';
  readonly wokenBy = ['subscriptions'];
  /** Other requests for the account wait for one batch. */
  readonly batchSize = 16;

  constructor(
    private readonly database: Database,
    private readonly repository: SubscriptionsRepository,
    private readonly accounts: AccountStore,
    private readonly requests: PaymentRequests,
  ) {}

  findDue(now: Date, excludedIds: readonly string[], limit: number): Promise<readonly DueItem[]> {
    return this.repository.findDue(now, excludedIds, limit);
  }

  async process(accountId: string, ids: readonly string[]): Promise<void> {
    while ((await this.bill(accountId, ids)) === MAX_PERIODS);
  }

  /**
   * The number of billed periods is written in the same transaction as their payment requests, so no period is billed
   * twice and none is lost.
   * @returns how many periods were due, at most `MAX_PERIODS`
   */
  private bill(accountId: string, ids: readonly string[]): Promise<number> {
    return this.database.transaction((tx, now) =>
      this.accounts.update(tx, accountId, async (account) => {
        let periods = 0;
        for (const subscription of await this.repository.lockDue(tx, accountId, ids, now)) {
          if (periods === MAX_PERIODS) break;
          periods += this.billOne(tx, account, subscription, now, MAX_PERIODS - periods);
        }
        return periods;
      }),
    );
  }

  /** @returns how many periods were due, at most `limit` */
  private billOne(tx: Tx, account: Account, subscription: Subscription, now: Date, limit: number): number {
    const periods = subscription.periodsDue(now, limit);
    // Periods in which the account takes no payments are skipped and never billed later.
    const billed = account.isOpenFor('payment') ? periods : 0;
    for (let count = 0; count < billed; count += 1) this.requests.issue(tx, account, subscription, now);
    subscription.advance(periods, account.timeOf(now));
    this.repository.save(tx, subscription);
    return periods;
  }
}
