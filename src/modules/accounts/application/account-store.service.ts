import { Injectable } from '@nestjs/common';
import { DomainError, ErrorCode } from '../../../kernel/domain-error';
import { IdPrefix } from '../../../kernel/ids';
import { AuditedMembers, AuditEvent, AuditTrail, changesBetween } from '../../../platform/audit/audit-trail';
import { AccountOwned } from '../../../platform/database/account-owned-repository';
import {
  CreateOnce,
  Database,
  IdempotentOperation,
  Locks,
  renderResponse,
  StoredResponse,
  Tx,
} from '../../../platform/database/database';
import { EventRecorder } from '../../../platform/events/event-recorder';
import { AccountScopedReader, isAdmin, isOperator, mayActFor, Principal } from '../../auth';
import type { LockedAccount, Purpose } from '../domain/account';
import type { LockedAccounts } from '../domain/account-hooks';
import { AccountsRepository } from '../domain/accounts.repository';

/** What a creation under an account requires. */
export interface NewResource {
  readonly accountId: string;
  readonly idPrefix: IdPrefix;
  /** What the audit log calls the creation by an operator, for example `transaction.create`. */
  readonly action: string;
  /** What the account's status must allow. */
  readonly purpose: Purpose;
  /** That of the amount, if the resource has one. */
  readonly currency?: string;
  /** Further accounts that take part: all must be open for transfers, and have the currency. */
  readonly otherAccountIds?: readonly string[];
  /** Accounts that it will send money to: as `otherAccountIds`, but read without a lock. */
  readonly receiverIds?: readonly string[];
  /** The interface gives the operations different codes for the same errors. By default, those of transactions. */
  readonly errors?: {
    readonly noAccount: 'not_found' | 'account_not_found';
    readonly wrongCurrency: 'currency_mismatch' | 'invalid_request';
  };
}

export interface ItemChange<Item extends AccountOwned> {
  readonly items: Pick<AccountScopedReader<Item, never>, 'get' | 'lock'>;
  readonly id: string;
  /**
   * What the audit log calls the change by an operator, for example `transaction.cancel`: it has an entry if the item's
   * `updatedAt` is another one afterwards, with what differs in its `audited` members. Null for a change that `work` records.
   */
  readonly action: string | null;
  /**
   * Further accounts that the change of an item may need, which never change: they are locked too.
   * @throws DomainError where the caller cannot make the change
   */
  readonly otherAccountIds?: (item: Readonly<Item>) => readonly string[];
  /** Further facts for the audit log, as JSON. */
  readonly details?: AuditEvent['details'];
}

type Created = Pick<AccountOwned, 'accountId' | 'id'>;

/** Decides on a new resource and writes it, under the locks of its account and of the others that take part. */
type CreateUnder<T> = (
  tx: Tx,
  account: LockedAccount,
  issued: { id: string; at: Date },
  accounts: LockedAccounts,
) => Promise<T>;

/** One of several creations in the same database transaction. */
export interface Creation<T> {
  readonly resource: NewResource;
  readonly operation: IdempotentOperation<T>;
  readonly work: CreateUnder<T>;
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
  async create<T extends Created>(
    caller: Principal,
    resource: NewResource,
    operation: IdempotentOperation<T>,
    work: CreateUnder<T>,
  ): Promise<StoredResponse> {
    assertMayCreate(caller, resource);
    const ids = participants(resource);
    const locks = this.locksOf(ids);
    const createIn = (tx: Tx, now: Date) => (accounts: LockedAccounts) =>
      this.createUnder(tx, caller, accounts, resource, work, now);
    const missing = resource.errors?.noAccount;
    if (operation.dryRun) {
      const tryIn = (tx: Tx, now: Date) => async (accounts: LockedAccounts) =>
        dryRunResponse(
          caller,
          renderResponse(operation, await createIn(tx, now)(accounts)),
          accounts.get(resource.accountId)!,
        );
      return this.database.dryRun((tx, now) => this.updateAll(tx, ids, tryIn(tx, now), missing), locks);
    }
    return this.database.idempotent(
      operation,
      (tx, now) => this.updateAll(tx, ids, createIn(tx, now), missing),
      locks,
    );
  }

  /**
   * Like `create` for several resources, of one account or several, in one database transaction: all of them, or none.
   * @param batch the request for all, whose key is bound to its content
   * @throws DomainError with the number of the item, from 0, in its message
   */
  async createAll<T extends Created>(
    caller: Principal,
    creations: readonly Creation<T>[],
    batch: IdempotentOperation<null>,
  ): Promise<StoredResponse[]> {
    await inTurn(creations, async ({ resource }) => assertMayCreate(caller, resource));
    const accountIds = [...new Set(creations.flatMap(({ resource }) => participants(resource)))];
    const locks = this.locksOf(accountIds);
    const createWith = (tx: Tx, now: Date, once: CreateOnce | null): Promise<StoredResponse[]> =>
      this.updateAll(tx, accountIds, async (accounts) => {
        await once?.(batch, () => Promise.resolve(null));
        return inTurn(creations, async ({ resource, operation, work }) => {
          const create = (): Promise<T> => this.createUnder(tx, caller, accounts, resource, work, now);
          return once === null
            ? dryRunResponse(
                caller,
                renderResponse(operation, await create()),
                accounts.get(resource.accountId)!,
              )
            : once(operation, create);
        });
      });
    if (batch.dryRun) return this.database.dryRun((tx, now) => createWith(tx, now, null), locks);
    return this.database.idempotentAll(
      [batch, ...creations.map(({ operation }) => operation)],
      createWith,
      locks,
    );
  }

  /**
   * Changes what an account owns: locks the account of an item and then the item, and passes both to `work`, which saves
   * the item. The audit log gets what an operator has changed, and the account is saved afterwards. All of it is one
   * database transaction.
   * @throws DomainError `not_found` for an item that does not exist for the caller; `forbidden` while the account is
   * suspended, except for operators; and whatever `work` throws
   */
  async change<Item extends AccountOwned & { readonly updatedAt: Date; audited?(): AuditedMembers }>(
    caller: Principal,
    { items, id, action, otherAccountIds, details }: ItemChange<Item>,
    work: (
      tx: Tx,
      account: LockedAccount,
      item: Readonly<Item>,
      now: Date,
      accounts: LockedAccounts,
    ) => Promise<void> | void,
  ): Promise<Readonly<Item>> {
    const found = await items.get(caller, id);
    const { accountId } = found;
    const others = otherAccountIds?.(found) ?? [];
    const ids = [accountId, ...others];
    const change = (tx: Tx, now: Date): Promise<Readonly<Item>> =>
      this.updateAll(tx, ids, async (accounts) => {
        const account = accounts.get(accountId)!;
        if (!isOperator(caller)) account.assertNotSuspended();
        const item = await items.lock(tx, accountId, id);
        const { updatedAt } = item;
        const before = item.audited?.();
        await work(tx, account, item, now, accounts);
        const changes = before && changesBetween(before, item.audited!());
        if (action !== null && item.updatedAt !== updatedAt)
          this.audit.recordByOperator(tx, caller, action, item, auditDetails(others, details), changes);
        return item;
      });
    return this.database.transaction(change, this.locksOf(ids));
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

  /**
   * Like `update` for several accounts, which are locked in the order of their ids: two such updates never wait for each
   * other.
   */
  updateAll<T>(
    tx: Tx,
    ids: readonly string[],
    work: (accounts: LockedAccounts) => Promise<T>,
    missing?: ErrorCode,
  ): Promise<T> {
    const locked = new Map<string, LockedAccount>();
    const lockNext = ([id, ...rest]: readonly string[]): Promise<T> =>
      id === undefined
        ? work(locked)
        : this.update(tx, id, (account) => (locked.set(id, account), lockNext(rest)), missing);
    return lockNext(ids.toSorted());
  }

  /** What a database transaction that updates the accounts locks first, so that it may share one with others. */
  locksOf(accountIds: readonly string[]): Locks {
    const [id, ...others] = accountIds;
    return others.length === 0 ? id! : accountIds.map((one) => this.repository.rowKey(one));
  }

  /** Creates under locked accounts, which the caller saves. */
  private async createUnder<T extends Created>(
    tx: Tx,
    caller: Principal,
    accounts: LockedAccounts,
    resource: NewResource,
    work: CreateUnder<T>,
    now: Date,
  ): Promise<T> {
    const { accountId, idPrefix, action, otherAccountIds = [], receiverIds = [] } = resource;
    const account = accounts.get(accountId)!;
    const others = otherAccountIds.map((id) => accounts.get(id)!);
    assertMayOwn(account, caller, resource);
    for (const other of others) assertMayTakePart(other, resource);
    if (receiverIds.length > 0) await this.assertMayReceive(tx, receiverIds, resource);
    const created = await work(tx, account, account.issueId(idPrefix, now, others), accounts);
    this.audit.recordByOperator(tx, caller, action, created, auditDetails(otherAccountIds));
    return created;
  }

  private async assertMayReceive(
    tx: Tx,
    receiverIds: readonly string[],
    resource: NewResource,
  ): Promise<void> {
    const { errors = defaultErrors } = resource;
    const receivers = await this.repository.read(tx, receiverIds);
    for (const id of receiverIds) {
      const receiver = receivers.get(id);
      if (receiver === undefined) throw noSuchAccount(errors.noAccount);
      assertMayTakePart(receiver, resource);
    }
  }
}

function auditDetails(
  otherAccountIds: readonly string[],
  details?: AuditEvent['details'],
): AuditEvent['details'] {
  return otherAccountIds.length === 0 ? details : { ...details, other_account_ids: otherAccountIds };
}

function participants({ accountId, otherAccountIds = [] }: NewResource): string[] {
  return [accountId, ...otherAccountIds];
}

/** @throws DomainError `forbidden` by the account's status; `errors.wrongCurrency` */
function assertMayOwn(account: LockedAccount, caller: Principal, resource: NewResource): void {
  const { purpose, currency, errors = defaultErrors } = resource;
  account.assertOpenFor(purpose, isAdmin(caller));
  if (currency !== undefined && currency !== account.currency)
    throw new DomainError(errors.wrongCurrency, `The account's currency is ${account.currency}.`);
}

/** The same for another account that takes part in a transfer: who does not see it does not learn its status and currency. */
function assertMayTakePart(account: LockedAccount, { currency, errors = defaultErrors }: NewResource): void {
  if (!account.isOpenFor('transfer'))
    throw new DomainError('forbidden', `The account ${account.id} takes no transfers now.`);
  if (currency !== undefined && currency !== account.currency)
    throw new DomainError(errors.wrongCurrency, `The account ${account.id} has another currency.`);
}

/** @throws DomainError the error of an account that does not exist, which for the caller it does not */
function assertMayCreate(caller: Principal, { accountId, errors = defaultErrors }: NewResource): void {
  if (!mayActFor(caller, accountId)) throw noSuchAccount(errors.noAccount);
}

/** What a creation would respond, and the balance that would be, for who may read it. Its id is not stored. */
function dryRunResponse(caller: Principal, response: object, account: LockedAccount): StoredResponse {
  const { posted, held, available, pendingIn } = account;
  const balance = { posted, held, available, pending_in: pendingIn };
  const mayRead = caller.scopes?.includes('transactions:read') ?? true;
  const body = { ...response, dry_run: true, ...(mayRead && { balance }) };
  return new StoredResponse(JSON.stringify(body), false, 200);
}

/** Works on items one after another. @throws DomainError with the number of the item, from 0, in its message */
async function inTurn<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [index, item] of items.entries()) {
    try {
      results.push(await work(item));
    } catch (error) {
      throw error instanceof DomainError ? error.inItem(index) : error;
    }
  }
  return results;
}

export function noSuchAccount(code: ErrorCode = 'not_found'): DomainError {
  return new DomainError(code, 'There is no such account.');
}
