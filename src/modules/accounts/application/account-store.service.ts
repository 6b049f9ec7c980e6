import { Injectable } from '@nestjs/common';
import { DomainError, ErrorCode } from '../../../kernel/domain-error';
import { IdPrefix } from '../../../kernel/ids';
import { AuditEvent, AuditTrail } from '../../../platform/audit/audit-trail';
import { AccountOwned } from '../../../platform/database/account-owned-repository';
import { Database, IdempotentOperation, StoredResponse } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { EventRecorder } from '../../../platform/events/event-recorder';
import { AccountScopedReader, isAdmin, isOperator, mayActFor, Principal } from '../../auth';
import type { LockedAccount, Purpose } from '../domain/account';
import { AccountsRepository } from '../domain/accounts.repository';

/** What a creation under an account requires. */
export interface NewResource {
  readonly accountId: string;
  readonly idPrefix: IdPrefix;
  /** What the audit log calls the creation by an operator, for example `transaction.create`. */
  readonly action: string;
  /** What the account's status must allow. */
  readonly purpose: Purpose;
  readonly currency: string;
  /** The interface gives the operations different codes for the same errors. By default, those of transactions. */
  readonly errors?: {
    readonly noAccount: 'not_found' | 'account_not_found';
    readonly wrongCurrency: 'currency_mismatch' | 'invalid_request';
  };
}

/** A change of what an account owns. */
export interface ItemChange<Item extends AccountOwned> {
  /** Finds and locks the item. */
  readonly items: Pick<AccountScopedReader<Item, never>, 'get' | 'lock'>;
  readonly id: string;
  /**
   * What the audit log calls the change by an operator, for example `transaction.cancel`: it has an entry if the item's
   * `updatedAt` is another one afterwards. Null for a change that `work` records.
   */
  readonly action: string | null;
  /** Further facts for the audit log, as JSON. */
  readonly details?: AuditEvent['details'];
}

const defaultErrors = { noAccount: 'not_found', wrongCurrency: 'currency_mismatch' } as const;

/** The one way to write an account and what it owns: every change locks the account first. */
@Injectable()
export class AccountStore {
  constructor(
    private readonly database: Database,
    private readonly repository: AccountsRepository,
    private readonly events: EventRecorder,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Creates what an account owns. Checks the right to the account first: without it, nothing of the account is locked, no
   * request waits in its queue and no stored response is returned. Then locks the account, checks that it may own the new
   * resource, and issues its id. `work` decides and writes; the audit log gets what an operator creates, and the account
   * is saved afterwards. All of it, and the response for repeats, is one database transaction.
   * @throws DomainError `errors.noAccount` for an account that does not exist for the caller; `forbidden` by the
   * account's status; `errors.wrongCurrency`; and whatever `work` throws
   */
  async create<T extends Pick<AccountOwned, 'accountId' | 'id'>>(
    caller: Principal,
    { accountId, idPrefix, action, purpose, currency, errors = defaultErrors }: NewResource,
    operation: IdempotentOperation<T>,
    work: (tx: Tx, account: LockedAccount, issued: { id: string; at: Date }) => Promise<T>,
  ): Promise<StoredResponse> {
    if (!mayActFor(caller, accountId)) throw noSuchAccount(errors.noAccount);
    const create = (tx: Tx, now: Date): Promise<T> => {
      const createUnder = async (account: LockedAccount): Promise<T> => {
        account.assertOpenFor(purpose, isAdmin(caller));
        if (currency !== account.currency)
          throw new DomainError(errors.wrongCurrency, `The account's currency is ${account.currency}.`);
        const created = await work(tx, account, account.issueId(idPrefix, now));
        this.audit.recordByOperator(tx, caller, action, created);
        return created;
      };
      return this.update(tx, accountId, createUnder, errors.noAccount);
    };
    return this.database.idempotent(operation, create, accountId);
  }

  /**
   * Changes what an account owns: locks the account of an item and then the item, and passes both to `work`, which saves
   * the item. The audit log gets what an operator has changed, and the account is saved afterwards. All of it is one
   * database transaction.
   * @throws DomainError `not_found` for an item that does not exist for the caller; `forbidden` while the account is
   * suspended, except for operators; and whatever `work` throws
   */
  async change<Item extends AccountOwned & { readonly updatedAt: Date }>(
    caller: Principal,
    { items, id, action, details }: ItemChange<Item>,
    work: (tx: Tx, account: LockedAccount, item: Readonly<Item>, now: Date) => Promise<void> | void,
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

  /**
   * Locks the account until `tx` ends, passes it to `work` and then saves it. Updates of one account cannot be nested,
   * since the outer one would overwrite the changes of the inner one.
   * @returns the result of `work`
   * @throws DomainError with the code `missing`, by default `not_found`, when the account does not exist; Error when `tx`
   * is already updating it
   */
  async update<T>(
    tx: Tx,
    id: string,
    work: (account: LockedAccount) => Promise<T>,
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

export function noSuchAccount(code: ErrorCode = 'not_found'): DomainError {
  return new DomainError(code, 'There is no such account.');
}
