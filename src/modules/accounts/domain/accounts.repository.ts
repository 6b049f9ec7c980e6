import type { Page, PageRequest } from '../../../kernel/pages';
import type { CountedList } from '../../../platform/database/lists/list-counts';
import type { RowKey, Snapshot, Tx } from '../../../platform/database/database';
import type { Account, AccountType } from './account';
import type { AccountStatus } from './account.lifecycle';

export const accountCounts: CountedList = { table: 'accounts', view: 'account_counts', type: 'type' };

export interface AccountFilter {
  /** Those of the accounts, at most a hundred. */
  readonly ids?: readonly string[];
  /** How the name begins, case-insensitive. */
  readonly namePrefix?: string;
  readonly status?: AccountStatus;
  readonly type?: AccountType;
  /** Inclusive bounds. */
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
}

/** Reads accounts as they are committed, without a lock. */
export abstract class AccountReader {
  abstract find(id: string): Promise<Readonly<Account> | null>;
  /** Reads all accounts in batches, by the bytes of their ids. */
  abstract stream(snapshot: Snapshot): AsyncIterable<readonly Readonly<Account>[]>;
}

/** The accounts as this module uses them. */
export abstract class AccountsRepository extends AccountReader {
  /** @throws DomainError `invalid_request` if more than a thousand names begin so */
  abstract list(filter: AccountFilter, page: PageRequest): Promise<Page<Account>>;
  /**
   * Reads all that match, newest first, a part at a time. A part may be empty.
   * @throws DomainError like `list`
   */
  abstract walk(filter: AccountFilter): AsyncIterable<Account[]>;
  /** @param id the only account to look at; null looks in all @returns at most `limit`, newest first */
  abstract findParts(part: string, id: string | null, limit: number): Promise<Account[]>;
  /** Reads those that exist in `tx`, without a lock. */
  abstract read(tx: Tx, ids: readonly string[]): Promise<Map<string, Readonly<Account>>>;
  /** Locks the account until `tx` ends. Only `AccountStore.update` changes and saves it. */
  abstract lock(tx: Tx, id: string): Promise<Account | null>;
  /** What a transaction that locks several accounts names each by. */
  abstract rowKey(id: string): RowKey;
  abstract add(tx: Tx, account: Account): void;
  abstract save(tx: Tx, account: Account): void;
}
