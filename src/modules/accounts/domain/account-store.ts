import type { ErrorCode } from '../../../kernel/domain-error';
import { DomainError } from '../../../kernel/domain-error';
import type { IdPrefix } from '../../../kernel/ids';
import type { AuditEvent } from '../../../platform/audit/audit-trail';
import type { AccountOwned } from '../../../platform/database/account-owned-repository';
import type { IdempotentOperation, StoredResponse } from '../../../platform/database/database';
import type { Snapshot, Tx } from '../../../platform/database/tx';
import type { AccountScopedReader, Principal } from '../../auth';
import type { Purpose, ReadonlyAccount } from './account';

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

/** The accounts for other modules, and the one way to write what accounts own: every change locks the account first. */
export abstract class AccountStore {
  /** Reads the account as committed, without a lock. */
  abstract find(id: string): Promise<ReadonlyAccount | null>;
  /** Reads all accounts in batches, by the bytes of their ids. */
  abstract stream(snapshot: Snapshot): AsyncIterable<ReadonlyAccount[]>;

  /**
   * Creates what an account owns. Checks the right to the account first: without it, nothing of the account is locked, no
   * request waits in its queue and no stored response is returned. Then locks the account, checks that it may own the new
   * resource, and issues its id. `work` decides and writes; the audit log gets what an operator creates, and the account
   * is saved afterwards. All of it, and the response for repeats, is one database transaction.
   * @throws DomainError `errors.noAccount` for an account that does not exist for the caller; `forbidden` by the
   * account's status; `errors.wrongCurrency`; and whatever `work` throws
   */
  abstract create<T extends Pick<AccountOwned, 'accountId' | 'id'>>(
    caller: Principal,
    resource: NewResource,
    operation: IdempotentOperation<T>,
    work: (tx: Tx, account: ReadonlyAccount, issued: { id: string; at: Date }) => Promise<T>,
  ): Promise<StoredResponse>;

  /**
   * Changes what an account owns: locks the account of an item and then the item, and passes both to `work`, which saves
   * the item. The audit log gets what an operator has changed, and the account is saved afterwards. All of it is one
   * database transaction.
   * @throws DomainError `not_found` for an item that does not exist for the caller; `forbidden` while the account is
   * suspended, except for operators; and whatever `work` throws
   */
  abstract change<Item extends AccountOwned & { readonly updatedAt: Date }>(
    caller: Principal,
    change: ItemChange<Item>,
    work: (tx: Tx, account: ReadonlyAccount, item: Readonly<Item>, now: Date) => Promise<void> | void,
  ): Promise<Readonly<Item>>;

  /**
   * Locks the account until `tx` ends, passes it to `work` and then saves it. Updates of one account cannot be nested,
   * since the outer one would overwrite the changes of the inner one.
   * @returns the result of `work`
   * @throws DomainError with the code `missing`, by default `not_found`, when the account does not exist; Error when `tx`
   * is already updating it
   */
  abstract update<T>(
    tx: Tx,
    id: string,
    work: (account: ReadonlyAccount) => Promise<T>,
    missing?: ErrorCode,
  ): Promise<T>;
}

export function noSuchAccount(code: ErrorCode): DomainError {
  return new DomainError(code, 'There is no such account.');
}
