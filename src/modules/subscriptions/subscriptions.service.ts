import { Injectable } from '@nestjs/common';
import { DomainError } from '../../kernel/domain-error';
import { Database, IdempotentOperation, ReadTx, StoredResponse, Tx } from '../../platform/database/database';
import type { DueItemTask } from '../../platform/jobs/due-items';
import { Account, AccountStore } from '../accounts';
import { AccountScopedReader, Principal } from '../auth';
import { NewPaymentRequest, PaymentRequests, paymentTerms, splitAccountIds } from '../payment-requests';
import { Interval, Subscription } from './subscription';
import { SubscriptionFilter, SubscriptionsRepository } from './subscriptions.repository';

interface NewSubscription extends Omit<NewPaymentRequest, 'expires_at'> {
  readonly interval: Interval;
}

/** How many periods one database transaction bills. */
const MAX_PERIODS = 100;

@Injectable()
export class Subscriptions extends AccountScopedReader<Subscription, SubscriptionFilter> {
  /** Creates a payment request for every period that has begun, including those that began during a downtime. */
  readonly billing: DueItemTask = {
    name: 'subscription billing',
    wokenBy: ['subscriptions'],
    batchSize: 16, // other requests for the account wait for one batch
    findDue: (...due) => this.repository.findDue(...due),
    process: async (accountId, ids) => {
      while ((await this.bill(accountId, ids)) === MAX_PERIODS);
    },
  };

  constructor(
    private readonly database: Database,
    private readonly repository: SubscriptionsRepository,
    private readonly requests: PaymentRequests,
    private readonly accounts: AccountStore,
  ) {
    super('sub', 'subscription', repository);
  }

  /**
   * Creates a subscription and its first payment request. Its billing creates those of later periods.
   * @throws DomainError `account_not_found`; `forbidden` by the account's status; `invalid_request` for another currency or
   * a wrong return URL; the same for the accounts that get parts
   */
  create(
    caller: Principal,
    request: NewSubscription,
    operation: IdempotentOperation<Subscription>,
  ): Promise<StoredResponse> {
    const { account_id: accountId, currency, interval } = request;
    const terms = paymentTerms(caller, request);
    return this.accounts.create(
      caller,
      {
        accountId,
        receiverIds: splitAccountIds(terms),
        idPrefix: 'sub',
        action: 'subscription.create',
        purpose: 'payment',
        currency,
        errors: { noAccount: 'account_not_found', wrongCurrency: 'invalid_request' },
      },
      operation,
      async (tx, account, { id, at }) => {
        const subscription = Subscription.create({ id, accountId, interval, ...terms }, at);
        this.requests.issue(tx, account, subscription, at);
        this.repository.add(tx, subscription);
        return subscription;
      },
    );
  }

  /**
   * Ends the billing; existing payment requests stay as they are.
   * @throws DomainError `not_found`, `not_cancellable`; `forbidden` while the account is suspended
   */
  cancel(caller: Principal, id: string): Promise<Readonly<Subscription>> {
    const change = { items: this, id, action: 'subscription.cancel' };
    return this.accounts.change(caller, change, (tx, _account, subscription, now) => {
      subscription.cancel(now);
      this.repository.save(tx, subscription);
    });
  }

  /**
   * Interface 3.2: an account with active subscriptions cannot be closed.
   * @throws DomainError `active_subscriptions`
   */
  async assertNoneActive(tx: ReadTx, { id }: Readonly<Account>): Promise<void> {
    const active = await this.repository.countActive(tx, id);
    if (active === 0) return;
    throw new DomainError(
      'active_subscriptions',
      `Active subscriptions of the account: ${active}. Cancel each with DELETE /v1/subscriptions/{subscription_id}; GET /v1/subscriptions?status=active lists them.`,
    );
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
