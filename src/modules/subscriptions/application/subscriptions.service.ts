import { Injectable } from '@nestjs/common';
import { Metadata } from '../../../kernel/metadata';
import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { Refusal } from '../../../kernel/refusal';
import { Database } from '../../../platform/database/database';
import { Answer, Once } from '../../../platform/database/idempotency';
import { Tx } from '../../../platform/database/tx';
import { Account, Accounts } from '../../accounts';
import { mayActFor, OwnedByAccounts, Principal } from '../../auth';
import { PaymentRequests } from '../../payment-requests';
import { Interval } from '../domain/schedule';
import { Subscription } from '../domain/subscription';
import { SubscriptionFilter, SubscriptionsRepository } from '../domain/subscriptions.repository';

export interface NewSubscription {
  readonly account_id: string;
  readonly amount: number;
  readonly currency: string;
  readonly customer_email: string;
  readonly interval: Interval;
  readonly reference?: string | null;
  readonly metadata?: Metadata | null;
}

@Injectable()
export class Subscriptions {
  private readonly owned: OwnedByAccounts<Subscription, SubscriptionFilter>;

  constructor(
    private readonly database: Database,
    private readonly repository: SubscriptionsRepository,
    private readonly accounts: Accounts,
    private readonly requests: PaymentRequests,
  ) {
    this.owned = new OwnedByAccounts('sub', 'subscription', repository);
  }

  /**
   * The first payment request is made with it; those of later periods are the sweep's.
   * @throws Refusal `account_not_found` for an account that is not there for the caller; `forbidden` by the account's
   * status; `invalid_request` for another currency
   */
  create(caller: Principal, request: NewSubscription, once: Once<Subscription>): Promise<Answer> {
    return this.database.atomically(once, async (tx, now) => {
      const { account_id: accountId, customer_email: customerEmail, amount, currency, interval } = request;
      const account = mayActFor(caller, accountId) ? await this.accounts.lock(tx, accountId) : null;
      if (account === null) throw new Refusal('account_not_found', 'There is no such account.');
      const { id, at } = account.issueId('sub', now);
      const { reference = null, metadata } = request;
      const subscription = Subscription.create(
        { id, accountId, amount, currency, customerEmail, interval, reference, metadata: metadata ?? {} },
        at,
      );
      this.requests.issue(tx, account, subscription, at);
      this.repository.add(tx, subscription);
      this.accounts.save(tx, account);
      return subscription;
    });
  }

  /** @throws Refusal `invalid_request` for a cursor that is no subscription of the caller's */
  list(
    caller: Principal,
    filter: SubscriptionFilter,
    request: CursorRequest,
  ): Promise<CursorPage<Subscription>> {
    return this.owned.list(caller, filter, request);
  }

  /** @throws Refusal `not_found` */
  get(caller: Principal, id: string): Promise<Subscription> {
    return this.owned.get(caller, id);
  }

  /** Ends the billing. What has been asked for stays asked for. @throws Refusal `not_found`, `not_cancellable` */
  async cancel(caller: Principal, id: string): Promise<Subscription> {
    const { accountId } = await this.get(caller, id);
    return this.database.atomically(null, async (tx, now) => {
      const subscription = this.owned.present(await this.repository.lock(tx, accountId, id));
      subscription.cancel(now);
      this.repository.save(tx, subscription);
      return subscription;
    });
  }

  /** Interface 3.2: an account with active subscriptions is not closed. @throws Refusal `active_subscriptions` */
  async assertNoneActive(tx: Tx, { id }: Account): Promise<void> {
    const active = await this.repository.countActive(tx, id);
    if (active === 0) return;
    throw new Refusal(
      'active_subscriptions',
      `Active subscriptions of the account: ${active}. Cancel each with DELETE /v1/subscriptions/{subscription_id}; GET /v1/subscriptions?status=active lists them.`,
    );
  }
}
