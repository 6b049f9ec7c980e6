import { Injectable } from '@nestjs/common';
import { DomainError, ErrorCode } from '../../../kernel/domain-error';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { AccountOwned } from '../../../platform/database/account-owned-repository';
import { Database, IdempotentOperation, StoredResponse } from '../../../platform/database/database';
import { Snapshot, Tx } from '../../../platform/database/tx';
import { EventRecorder } from '../../../platform/events/event-recorder';
import { isAdmin, isOperator, mayActFor, Principal } from '../../auth';
import { ReadonlyAccount } from '../domain/account';
import { AccountStore, ItemChange, NewResource, noSuchAccount } from '../domain/account-store';
import { AccountsRepository } from '../domain/accounts.repository';

const defaultErrors = { noAccount: 'not_found', wrongCurrency: 'currency_mismatch' } as const;

@Injectable()
export class AccountStoreService extends AccountStore {
  constructor(
    private readonly database: Database,
    private readonly repository: AccountsRepository,
    private readonly events: EventRecorder,
    private readonly audit: AuditTrail,
  ) {
    super();
  }

  find(id: string): Promise<ReadonlyAccount | null> {
    return this.repository.find(id);
  }

  stream(snapshot: Snapshot): AsyncIterable<ReadonlyAccount[]> {
    return this.repository.stream(snapshot);
  }

  async create<T extends Pick<AccountOwned, 'accountId' | 'id'>>(
    caller: Principal,
    resource: NewResource,
    operation: IdempotentOperation<T>,
    work: (tx: Tx, account: ReadonlyAccount, issued: { id: string; at: Date }) => Promise<T>,
  ): Promise<StoredResponse> {
    const { accountId, idPrefix, action, purpose, currency, errors = defaultErrors } = resource;
    if (!mayActFor(caller, accountId)) throw noSuchAccount(errors.noAccount);
    const create = async (tx: Tx, now: Date): Promise<T> => {
      const createUnder = async (account: ReadonlyAccount): Promise<T> => {
        account.assertOpenFor(purpose, isAdmin(caller));
        if (currency !== account.currency) {
          throw new DomainError(errors.wrongCurrency, `The account's currency is ${account.currency}.`);
        }
        const created = await work(tx, account, account.issueId(idPrefix, now));
        this.audit.recordByOperator(tx, caller, action, created);
        return created;
      };
      return this.update(tx, accountId, createUnder, errors.noAccount);
    };
    return this.database.idempotent(operation, create, accountId);
  }

  async change<Item extends AccountOwned & { readonly updatedAt: Date }>(
    caller: Principal,
    { items, id, action, details }: ItemChange<Item>,
    work: (tx: Tx, account: ReadonlyAccount, item: Readonly<Item>, now: Date) => Promise<void> | void,
  ): Promise<Readonly<Item>> {
    const { accountId } = await items.get(caller, id);
    const change = (tx: Tx, now: Date): Promise<Readonly<Item>> =>
      this.update(tx, accountId, async (account) => {
        if (!isOperator(caller)) account.assertNotSuspended();
        const item = await items.lock(tx, accountId, id);
        const { updatedAt } = item;
        await work(tx, account, item, now);
        if (action !== null && item.updatedAt !== updatedAt)
          this.audit.recordByOperator(tx, caller, action, item, details);
        return item;
      });
    return this.database.transaction(change, accountId);
  }

  async update<T>(
    tx: Tx,
    id: string,
    work: (account: ReadonlyAccount) => Promise<T>,
    missing: ErrorCode = 'not_found',
  ): Promise<T> {
    const account = await this.repository.lock(tx, id);
    if (account === null) throw noSuchAccount(missing);
    return this.events.whileUpdating(tx, account, async () => {
      const result = await work(account);
      this.repository.save(tx, account);
      return result;
    });
  }
}
