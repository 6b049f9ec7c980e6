import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { isId } from '../../../kernel/ids';
import { Page, PageRequest } from '../../../kernel/pages';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { assertSeesAllAccounts, Credentials, isBackOffice, Principal, seesAllAccounts } from '../../auth';
import type { Account } from '../domain/account';
import { AccountFilter, AccountsRepository } from '../domain/accounts.repository';
import { noSuchAccount } from './account-store.service';

/** Which accounts a list has. */
export type AccountSearch = AccountFilter & { readonly email?: string };

/** Reads accounts on behalf of callers, and records what the back office reads. */
@Injectable()
export class Accounts {
  constructor(
    private readonly repository: AccountsRepository,
    private readonly credentials: Credentials,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * @throws DomainError `forbidden` for callers other than the back office and platform systems; `invalid_request` if too
   * many names begin as the filter says
   */
  async list(caller: Principal, search: AccountSearch, page: PageRequest): Promise<Page<Readonly<Account>>> {
    const filter = await this.toFilter(caller, search);
    return filter === null ? { items: [], total: 0 } : this.repository.list(filter, page);
  }

  /** Reads all of the list, newest first, a part at a time. A part may be empty. @throws DomainError like `list` */
  async *walk(caller: Principal, search: AccountSearch): AsyncIterable<readonly Readonly<Account>[]> {
    const filter = await this.toFilter(caller, search);
    if (filter !== null) yield* this.repository.walk(filter);
  }

  /** Returns the account of the token. @throws DomainError `forbidden` for a token without an account */
  async own({ accountId }: Principal): Promise<Readonly<Account>> {
    const account = accountId === null ? null : await this.repository.find(accountId);
    if (account === null) throw new DomainError('forbidden', 'This token does not belong to an account.');
    return account;
  }

  /** @throws DomainError `forbidden` for callers other than the back office and platform systems; `not_found` */
  async get(caller: Principal, id: string): Promise<Readonly<Account>> {
    const message = 'Only the back office and platform systems can retrieve an account by its id.';
    assertSeesAllAccounts(caller, message);
    const account = isId('acc', id) ? await this.repository.find(id) : null;
    if (account === null) throw noSuchAccount();
    return this.recordRead(caller, account);
  }

  /** Returns the account with this id or email that the caller may see, like `get` and `own`; null if there is none. */
  async search(caller: Principal, text: string): Promise<Readonly<Account> | null> {
    const id = isId('acc', text) ? text : await this.credentials.findSubject('account', text);
    if (id === null || !(seesAllAccounts(caller) || caller.accountId === id)) return null;
    const account = await this.repository.find(id);
    return account && this.recordRead(caller, account);
  }

  /** Returns accounts whose name or email contains the text, and that the caller may see, newest first. */
  async searchParts(caller: Principal, part: string, limit: number): Promise<readonly Readonly<Account>[]> {
    if (seesAllAccounts(caller)) return this.repository.findParts(part, null, limit);
    return caller.accountId === null ? [] : this.repository.findParts(part, caller.accountId, limit);
  }

  /** @returns null where no account can match */
  private async toFilter(caller: Principal, search: AccountSearch): Promise<AccountFilter | null> {
    assertSeesAllAccounts(caller, 'Only the back office and platform systems can list accounts.');
    const { email, ...filter } = search;
    if (email === undefined) return filter;
    const id = await this.credentials.findSubject('account', email);
    return id === null || filter.ids?.includes(id) === false ? null : { ...filter, ids: [id] };
  }

  private async recordRead(caller: Principal, account: Readonly<Account>): Promise<Readonly<Account>> {
    const { id } = account;
    const event = { action: 'account.read', objectId: id, accountId: id };
    if (isBackOffice(caller)) await this.audit.recordRead(caller, event);
    return account;
  }
}
