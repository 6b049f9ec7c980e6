import { DomainError } from '../../../kernel/domain-error';
import { ExtensionPoint } from '../../../kernel/extension-point';
import { isId } from '../../../kernel/ids';
import type { Actor } from '../../../platform/audit/audit-trail';
import type { Tx } from '../../../platform/database/tx';
import type { Principal } from '../../auth';

/** What the opening and the closing of an account change in its users. */
export abstract class AccountUsers {
  /**
   * Links a user, including live sessions, to an account as its owner. Has no effect when the user cannot be linked.
   * @param apiVersion to which the account is pinned
   * @throws DomainError `unauthorized` when the user's session has ended since the request began
   */
  abstract linkOwner(
    tx: Tx,
    userId: string,
    sessionId: string | null,
    accountId: string,
    apiVersion: string | null,
    now: Date,
  ): Promise<void>;

  /**
   * Deletes some of the users linked to an account that is about to be closed, if it has too many for one database
   * transaction. Its first user is the owner, who may have to repeat the request: the newest are deleted first.
   * @returns whether it has deleted some
   */
  abstract deletePart(tx: Tx, caller: Principal, accountId: string, now: Date): Promise<boolean>;

  /** Deletes the users linked to an account that is being closed (interface 3.2): those that `deletePart` leaves. */
  abstract deleteRest(tx: Tx, caller: Principal, accountId: string, now: Date): Promise<void>;

  /**
   * Removes the users of an account whose email its owner has not verified: deletes the members and unlinks an owner, who
   * has signed up with their own email.
   * @returns whether none is left; otherwise run it again in another database transaction
   */
  abstract removeSome(tx: Tx, actor: Actor, accountId: string, now: Date): Promise<boolean>;
}

/** What the users module asks about an account. Each question locks the account until the transaction ends. */
interface LinkedAccountsSource {
  readonly name: 'accounts';
  /** Whether users can be linked to the account: it exists and is not closed. */
  allowsLinking(tx: Tx, accountId: string): Promise<boolean>;
  /** @throws DomainError `forbidden` while the account is suspended: its users may only read */
  assertNotSuspended(tx: Tx, accountId: string): Promise<void>;
}

/** The extension point through which the accounts module decides about users who are linked to an account. */
export class LinkedAccounts extends ExtensionPoint<LinkedAccountsSource> {
  constructor() {
    super('LinkedAccounts', ['accounts']);
  }

  /**
   * @param isOwn whether it is the account of the caller, not one that the request names
   * @throws DomainError when users cannot be linked to the account: `invalid_request`, or `forbidden` for the own one,
   * which was closed after the request had been authenticated
   */
  async assertLinkable(tx: Tx, accountId: string, isOwn: boolean): Promise<void> {
    if (isId('acc', accountId) && (await this.get('accounts').allowsLinking(tx, accountId))) return;
    throw isOwn
      ? new DomainError('forbidden', 'The account is closed.')
      : new DomainError('invalid_request', 'account_id must be the id of an account that is not closed.');
  }

  /** @throws DomainError `forbidden` while the account is suspended */
  assertNotSuspended(tx: Tx, accountId: string): Promise<void> {
    return this.get('accounts').assertNotSuspended(tx, accountId);
  }
}
