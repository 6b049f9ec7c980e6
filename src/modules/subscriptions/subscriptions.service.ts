import { Injectable } from '@nestjs/common';
import { DomainError } from '../../kernel/domain-error';
import { IdempotentOperation, StoredResponse } from '../../platform/database/database';
import { ReadTx } from '../../platform/database/tx';
import { Account, AccountStore } from '../accounts';
import { AccountScopedReader, Principal } from '../auth';
import { NewPaymentRequest, PaymentRequests, paymentTerms, splitAccountIds } from '../payment-requests';
import { Interval } from './schedule';
import { Subscription } from './subscription';
import { SubscriptionFilter, SubscriptionsRepository } from './subscriptions.repository';

interface NewSubscription extends Omit<NewPaymentRequest, 'expires_at'> {
  readonly interval: Interval;
}

@Injectable()
export class Subscriptions extends AccountScopedReader<Subscription, SubscriptionFilter> {
  constructor(
    private readonly repository: SubscriptionsRepository,
    private readonly requests: PaymentRequests,
    private readonly accounts: AccountStore,
  ) {
    super('sub', 'subscription', repository);
  }

  /**
   * Creates a subscription and its first payment request. SubscriptionBilling creates those of later periods.
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
}
