import type { Page, PageRequest } from '../../../kernel/pages';
import type { Precondition } from '../../../kernel/domain-error';
import type { Actor } from '../../../platform/audit/audit-trail';
import type { IdempotentOperation, StoredResponse } from '../../../platform/database/database';
import type { Tx } from '../../../platform/database/tx';
import type { Principal, SignUpClient } from '../../auth';
import type { Account, AccountChange, AccountSettings, AccountType, ReadonlyAccount } from './account';
import type { AccountFilter } from './accounts.repository';

export interface NewAccount {
  readonly email: string;
  readonly name: string;
  readonly type: AccountType;
  readonly password: string;
  readonly settings?: Partial<AccountSettings>;
}

/** Which accounts a list has. */
export type AccountSearch = AccountFilter & { readonly email?: string };

export abstract class Accounts {
  /**
   * Interface 4.3. The account signs in with its own email and password. A caller of role `user` without an account
   * becomes the owner, and its current token acts for the account from then on.
   * @throws DomainError `invalid_request`, `email_exists`, `rate_limited`
   */
  abstract create(
    client: SignUpClient,
    request: NewAccount,
    operation: IdempotentOperation<Account>,
  ): Promise<StoredResponse>;

  /**
   * @throws DomainError `forbidden` for callers other than the back office and platform systems; `invalid_request` if too
   * many names begin as the filter says
   */
  abstract list(caller: Principal, filter: AccountSearch, page: PageRequest): Promise<Page<ReadonlyAccount>>;

  /** Reads all of the list, newest first, a part at a time. A part may be empty. @throws DomainError like `list` */
  abstract walk(caller: Principal, filter: AccountSearch): AsyncIterable<ReadonlyAccount[]>;

  /** Returns the account of the token. @throws DomainError `forbidden` for a token without an account */
  abstract own(caller: Principal): Promise<ReadonlyAccount>;

  /**
   * Records that the back office reads the account.
   * @throws DomainError `forbidden` for callers other than the back office and platform systems; `not_found`
   */
  abstract get(caller: Principal, id: string): Promise<ReadonlyAccount>;

  /** Returns the account with this id or email that the caller may see, like `get` and `own`; null if there is none. */
  abstract search(caller: Principal, text: string): Promise<ReadonlyAccount | null>;

  /**
   * @throws DomainError `unauthorized` for callers other than the owner; `forbidden` while the account is suspended;
   * `invalid_request`, `email_exists`, `precondition_failed`; `rate_limited` for too many new emails from the network
   */
  abstract updateOwn(
    caller: Principal,
    change: AccountChange,
    precondition: Precondition,
  ): Promise<ReadonlyAccount>;

  /**
   * @throws DomainError `forbidden` for callers other than admins; `unauthorized` for an email or a status without a
   * recent login; `not_found`, `conflict`, `invalid_request`, `email_exists`, `precondition_failed`
   */
  abstract updateAny(
    caller: Principal,
    id: string,
    change: AccountChange,
    precondition: Precondition,
    reason?: string | null,
  ): Promise<ReadonlyAccount>;

  /**
   * Removes what gives access to an account that a stranger may have opened: API keys, webhook endpoints, users and
   * sessions.
   * @returns false when there were too many users for one database transaction: call it again in another one
   */
  abstract revokeAccess(tx: Tx, actor: Actor, id: string, now: Date): Promise<boolean>;
}
