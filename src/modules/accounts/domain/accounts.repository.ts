import { Page, PageRequest } from '../../../kernel/pages';
import { Snapshot } from '../../../platform/database/snapshot';
import { Tx } from '../../../platform/database/tx';
import { Account, AccountType } from './account';
import { AccountStatus } from './account.lifecycle';

export interface AccountFilter {
  readonly status?: AccountStatus;
  readonly type?: AccountType;
  /** Inclusive bounds. */
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
}

export abstract class AccountsRepository {
  abstract find(id: string): Promise<Account | null>;
  abstract list(filter: AccountFilter, page: PageRequest): Promise<Page<Account>>;
  abstract lock(tx: Tx, id: string): Promise<Account | null>;
  abstract stream(snapshot: Snapshot): AsyncIterable<Account[]>;
  abstract add(tx: Tx, account: Account): void;
  abstract save(tx: Tx, account: Account): void;
}
