import type { IdPrefix } from '../../../kernel/ids';
import type { AccountOwned } from '../../../platform/database/account-owned-repository';
import type { IdempotentOperation, StoredResponse } from '../../../platform/database/database';
import type { Tx } from '../../../platform/database/tx';
import type { AccountScopedReader, Principal } from '../../auth';
import type { Purpose, ReadonlyAccount } from './account';

/** What a creation under an account requires. */
export interface NewResource {
  readonly accountId: string;
  readonly idPrefix: IdPrefix;
  /** What the account's status must allow. */
  readonly purpose: Purpose;
  readonly currency: string;
  /** The interface gives the operations different codes for the same errors. By default, those of transactions. */
  readonly errors?: {
    readonly noAccount: 'not_found' | 'account_not_found';
    readonly wrongCurrency: 'currency_mismatch' | 'invalid_request';
  };
}

/** Creates and changes what accounts own: transactions, payment requests, subscriptions and resources of extensions. */
export abstract class AccountResources {
  /**
   * Checks the right to the account first: without it, nothing of the account is locked, no request waits in its queue
   * and no stored response is returned. Then locks the account, checks that it may own the new resource, and issues its
   * id. `create` decides and writes; the account is saved afterwards. All of it, and the response for repeats, is one
   * database transaction.
   * @throws DomainError `errors.noAccount` for an account that does not exist for the caller; `forbidden` by the
   * account's status; `errors.wrongCurrency`; and whatever `create` throws
   */
  abstract create<T>(
    caller: Principal,
    resource: NewResource,
    operation: IdempotentOperation<T>,
    create: (tx: Tx, account: ReadonlyAccount, issued: { id: string; at: Date }) => Promise<T>,
  ): Promise<StoredResponse>;

  /**
   * Locks the account of an item and then the item, passes both to `change`, and saves the account. All of it is one
   * database transaction.
   * @param items finds and locks the item; `change` saves it
   * @throws DomainError `not_found` for an item that does not exist for the caller; `forbidden` while the account is
   * suspended, except for operators; and whatever `change` throws
   */
  abstract update<Item extends AccountOwned>(
    caller: Principal,
    items: Pick<AccountScopedReader<Item, never>, 'get' | 'lock'>,
    id: string,
    change: (tx: Tx, account: ReadonlyAccount, item: Readonly<Item>, now: Date) => Promise<void> | void,
  ): Promise<Readonly<Item>>;
}
