import { DomainError } from '../../kernel/domain-error';
import { ExtensionPoint } from '../../kernel/extension-point';
import { isId } from '../../kernel/ids';
import type { Tx } from '../../platform/database/database';

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
    super(['accounts']);
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
