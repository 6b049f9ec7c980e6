import { Injectable } from '@nestjs/common';
import { signUpNetwork } from '../../../kernel/client-network';
import { DomainError, Precondition } from '../../../kernel/domain-error';
import { isId } from '../../../kernel/ids';
import { Page, PageRequest } from '../../../kernel/pages';
import { Actor, anonymousActor, AuditTrail } from '../../../platform/audit/audit-trail';
import { Database, IdempotentOperation, StoredResponse } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import {
  assertAdmin,
  assertSeesAllAccounts,
  Credentials,
  insufficientPermission,
  isAdmin,
  isBackOffice,
  isOperator,
  NewEmailLimit,
  owns,
  Principal,
  RecentLogin,
  seesAllAccounts,
  SignUpClient,
  SignUps,
} from '../../auth';
import { AccountUsers } from '../../users';
import { Account, AccountChange, ReadonlyAccount } from '../domain/account';
import { AccountAccess } from '../domain/account-access';
import { describeChange } from '../domain/account-events';
import { AccountStore, noSuchAccount } from '../domain/account-store';
import { Accounts, NewAccount, AccountSearch } from '../domain/accounts';
import { AccountFilter, AccountsRepository } from '../domain/accounts.repository';

@Injectable()
export class AccountsService extends Accounts {
  constructor(
    private readonly database: Database,
    private readonly repository: AccountsRepository,
    private readonly store: AccountStore,
    private readonly credentials: Credentials,
    private readonly signUps: SignUps,
    private readonly users: AccountUsers,
    private readonly access: AccountAccess,
    private readonly recentLogin: RecentLogin,
    private readonly newEmails: NewEmailLimit,
    private readonly audit: AuditTrail,
  ) {
    super();
  }

  async create(
    client: SignUpClient,
    request: NewAccount,
    operation: IdempotentOperation<Account>,
  ): Promise<StoredResponse> {
    const { caller } = client;
    return this.signUps.create(
      { ...request, kind: 'account' },
      client,
      operation,
      async (tx, now, passwordHash) => {
        const network = isOperator(caller) ? null : signUpNetwork(client.device.ip);
        const account = Account.create({ ...request, signUpNetwork: network }, now);
        this.repository.add(tx, account);
        const credential = {
          subjectId: account.id,
          kind: 'account',
          email: account.email,
          passwordHash,
          passwordSetByOther: isOperator(caller),
          accountId: account.id,
          membershipRole: 'owner',
          role: 'user',
          disabled: false,
        } as const;
        this.credentials.create(tx, credential, now);
        if (caller?.userId && !isOperator(caller) && caller.accountId === null)
          await this.users.linkOwner(tx, caller.userId, caller.sessionId, account.id, now);
        const event = { action: 'account.create', objectId: account.id, accountId: account.id };
        this.audit.record(tx, caller ?? anonymousActor(client.device), event);
        return account;
      },
    );
  }

  async list(caller: Principal, filter: AccountSearch, page: PageRequest): Promise<Page<ReadonlyAccount>> {
    const found = await this.filterOf(caller, filter);
    return found === null ? { items: [], total: 0 } : this.repository.list(found, page);
  }

  async *walk(caller: Principal, filter: AccountSearch): AsyncIterable<ReadonlyAccount[]> {
    const found = await this.filterOf(caller, filter);
    if (found !== null) yield* this.repository.walk(found);
  }

  async own(caller: Principal): Promise<ReadonlyAccount> {
    const account = caller.accountId === null ? null : await this.repository.find(caller.accountId);
    if (account === null) throw new DomainError('forbidden', 'This token does not belong to an account.');
    return account;
  }

  async get(caller: Principal, id: string): Promise<ReadonlyAccount> {
    const message = 'Only the back office and platform systems can retrieve an account by its id.';
    assertSeesAllAccounts(caller, message);
    const account = isId('acc', id) ? await this.repository.find(id) : null;
    if (account === null) throw noSuchAccount('not_found');
    return this.recordRead(caller, account);
  }

  async search(caller: Principal, text: string): Promise<ReadonlyAccount | null> {
    const id = isId('acc', text) ? text : await this.credentials.findSubject('account', text);
    if (id === null || !(seesAllAccounts(caller) || caller.accountId === id)) return null;
    const account = await this.repository.find(id);
    return account && this.recordRead(caller, account);
  }

  updateOwn(caller: Principal, change: AccountChange, precondition: Precondition): Promise<ReadonlyAccount> {
    const { accountId } = caller;
    if (accountId === null || !owns(caller, accountId)) {
      throw insufficientPermission(
        'only the owner may update its account. Admins use /v1/accounts/{account_id}.',
      );
    }
    return this.update(caller, accountId, change, precondition, null);
  }

  async updateAny(
    caller: Principal,
    id: string,
    change: AccountChange,
    precondition: Precondition,
    reason: string | null = null,
  ): Promise<ReadonlyAccount> {
    assertAdmin(caller, 'Only an admin can update an account by its id.');
    return this.update(caller, id, change, precondition, reason);
  }

  async revokeAccess(tx: Tx, actor: Actor, id: string, now: Date): Promise<boolean> {
    return this.store.update(tx, id, async (account) => {
      await this.access.revokeAll(tx, actor, account, now);
      this.credentials.endSessionsOfAccount(tx, id, now);
      return this.users.removeSome(tx, actor, id, now);
    });
  }

  /** @returns null where no account can match */
  private async filterOf(
    caller: Principal,
    { email, ...filter }: AccountSearch,
  ): Promise<AccountFilter | null> {
    assertSeesAllAccounts(caller, 'Only the back office and platform systems can list accounts.');
    if (email === undefined) return filter;
    const id = await this.credentials.findSubject('account', email);
    return id === null || filter.ids?.includes(id) === false ? null : { ...filter, ids: [id] };
  }

  private async recordRead(caller: Principal, account: ReadonlyAccount): Promise<ReadonlyAccount> {
    const { id } = account;
    const event = { action: 'account.read', objectId: id, accountId: id };
    if (isBackOffice(caller)) await this.audit.recordRead(caller, event);
    return account;
  }

  /**
   * The status that the account has already, which another admin may just have set, is no change; but the reason that
   * the caller gives for it is recorded.
   * @param reason why, for the audit log
   */
  private async update(
    caller: Principal,
    id: string,
    asked: AccountChange,
    precondition: Precondition,
    reason: string | null,
  ): Promise<ReadonlyAccount> {
    if (asked.email !== undefined || asked.status !== undefined) this.recentLogin.assert(caller);
    if (asked.email !== undefined) await this.newEmails.use(caller, caller.device);
    return this.database.transaction((tx, now) =>
      this.store.update(tx, id, async (account) => {
        precondition(account);
        const { status } = account;
        for (const event of describeChange(caller, { id, status }, asked, reason))
          this.audit.record(tx, caller, event);
        const change = asked.status === status ? { ...asked, status: undefined } : asked;
        if (Object.values(change).every((value) => value === undefined)) return account;
        if (!isAdmin(caller)) account.assertNotSuspended();
        account.change(change, now);
        if (change.email !== undefined) {
          const by = isAdmin(caller) ? 'admin' : 'self';
          await this.credentials.changeEmail(tx, id, change.email, by, now);
        }
        if (change.status === 'suspended') this.credentials.endSessionsOfAccount(tx, id, now);
        return account;
      }),
    );
  }
}
