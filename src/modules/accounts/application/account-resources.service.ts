import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { AccountResources, NewResource } from '../domain/account-resources';

import { AccountOwned } from '../../../platform/database/account-owned-repository';
import { Database, IdempotentOperation, StoredResponse } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { AccountScopedReader, isAdmin, isOperator, mayActFor, Principal } from '../../auth';
import { ReadonlyAccount } from '../domain/account';
import { AccountStore, noSuchAccount } from '../domain/account-store';

const defaultErrors = { noAccount: 'not_found', wrongCurrency: 'currency_mismatch' } as const;

@Injectable()
export class AccountResourcesService extends AccountResources {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountStore,
  ) {
    super();
  }

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
