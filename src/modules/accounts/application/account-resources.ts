import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { IdPrefix } from '../../../kernel/ids';
import { AccountOwned } from '../../../platform/database/account-owned-repository';
import { Database, IdempotentOperation, StoredResponse } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { AccountScopedReader, isAdmin, isOperator, mayActFor, Principal } from '../../auth';
import { Purpose, ReadonlyAccount } from '../domain/account';
import { AccountStore, noSuchAccount } from '../domain/account-store';

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

const defaultErrors = { noAccount: 'not_found', wrongCurrency: 'currency_mismatch' } as const;

/** Creates and changes what accounts own: transactions, payment requests, subscriptions and resources of extensions. */
@Injectable()
export class AccountResources {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountStore,
  ) {}

  /**
   * Checks the right to the account first: without it, nothing of the account is locked, no request waits in its queue
   * and no stored response is returned. Then locks the account, checks that it may own the new resource, and issues its
   * id. `create` decides and writes; the account is saved afterwards. All of it, and the response for repeats, is one
   * database transaction.
   * @throws DomainError `errors.noAccount` for an account that does not exist for the caller; `forbidden` by the
   * account's status; `errors.wrongCurrency`; and whatever `create` throws
   */
  async create<T>(
    caller: Principal,
    resource: NewResource,
    operation: IdempotentOperation<T>,
    create: (tx: Tx, account: ReadonlyAccount, issued: { id: string; at: Date }) => Promise<T>,
  ): Promise<StoredResponse> {
    const { accountId, idPrefix, purpose, currency, errors = defaultErrors } = resource;
    if (!mayActFor(caller, accountId)) throw noSuchAccount(errors.noAccount);
    const work = async (tx: Tx, now: Date): Promise<T> => {
      const createUnder = async (account: ReadonlyAccount): Promise<T> => {
        account.assertOpenFor(purpose, isAdmin(caller));
        if (currency !== account.currency) {
          throw new DomainError(errors.wrongCurrency, `The account's currency is ${account.currency}.`);
        }
        return create(tx, account, account.issueId(idPrefix, now));
      };
      return this.accounts.update(tx, accountId, createUnder, errors.noAccount);
    };
    return this.database.idempotent(operation, work, accountId);
  }

  /**
   * Locks the account of an item and then the item, passes both to `change`, and saves the account. All of it is one
   * database transaction.
   * @param items finds and locks the item; `change` saves it
   * @throws DomainError `not_found` for an item that does not exist for the caller; `forbidden` while the account is
   * suspended, except for operators; and whatever `change` throws
   */
  async update<Item extends AccountOwned>(
    caller: Principal,
    items: Pick<AccountScopedReader<Item, never>, 'get' | 'lock'>,
    id: string,
    change: (tx: Tx, account: ReadonlyAccount, item: Readonly<Item>, now: Date) => Promise<void> | void,
  ): Promise<Readonly<Item>> {
    const { accountId } = await items.get(caller, id);
    const work = (tx: Tx, now: Date): Promise<Readonly<Item>> =>
      this.accounts.update(tx, accountId, async (account) => {
        if (!isOperator(caller)) account.assertNotSuspended();
        const item = await items.lock(tx, accountId, id);
        await change(tx, account, item, now);
        return item;
      });
    return this.database.transaction(work, accountId);
  }
}
