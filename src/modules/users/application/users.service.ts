import { Injectable } from '@nestjs/common';
import { DomainError, Precondition } from '../../../kernel/domain-error';
import { isId } from '../../../kernel/ids';
import { Page, PageRequest } from '../../../kernel/pages';
import { anonymousActor, AuditTrail } from '../../../platform/audit/audit-trail';
import { Database, IdempotentOperation, StoredResponse } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import {
  assertPassword,
  Credentials,
  insufficientPermission,
  isAdmin,
  isBackOffice,
  isOperator,
  MembershipRole,
  PasswordHasher,
  Principal,
  RecentLogin,
  SignInSubject,
  SignUpClient,
  SignUps,
  VerifiedEmails,
} from '../../auth';
import { Users, NewUser } from '../domain/users';

import { LinkedAccounts } from '../domain/linked-accounts';
import { User } from '../domain/user';
import { describeChange, UserChange } from '../domain/user-change';

import { assertMayUpdate, listedFilter, mayDelete, maySee } from '../domain/user.policy';
import { UserFilter, UsersRepository } from '../domain/users.repository';
import { AccountUsers } from '../domain/account-users';
import { Admins } from '../domain/admins';
import { UserRecords } from './user-records';

@Injectable()
export class UsersService extends Users {
  constructor(
    private readonly database: Database,
    private readonly repository: UsersRepository,
    private readonly credentials: Credentials,
    private readonly hasher: PasswordHasher,
    private readonly signUps: SignUps,
    private readonly linkedAccounts: LinkedAccounts,
    private readonly verifiedEmails: VerifiedEmails,
    private readonly recentLogin: RecentLogin,
    private readonly records: UserRecords,
    private readonly admins: Admins,
    private readonly accountUsers: AccountUsers,
    private readonly audit: AuditTrail,
  ) {
    super();
  }

  async create(
    client: SignUpClient,
    request: NewUser,
    operation: IdempotentOperation<User>,
  ): Promise<StoredResponse> {
    const { caller } = client;
    const { email, name = null, role = 'user', status = 'active' } = request;
    const privileged = request.role ?? request.status ?? request.account_id;
    if (privileged !== undefined && !isAdmin(caller))
      throw caller === null
        ? new DomainError('unauthorized', 'Only admins may set role, status and account_id. Send a token.')
        : insufficientPermission('only admins may set role, status and account_id.');
    const accountId =
      request.account_id ??
      (caller?.membershipRole === 'owner' && !isOperator(caller) ? caller.accountId : null);
    if (caller !== null && (role !== 'user' || request.account_id !== undefined))
      this.recentLogin.assert(caller);
    this.admins.assertMayCreate(role);
    if (accountId !== null && role !== 'user') {
      throw new DomainError('invalid_request', 'Only users with the role user can be linked to an account.');
    }
    const signUp = { kind: 'user', email, name, password: request.password } as const;
    return this.signUps.create(signUp, client, operation, async (tx, now, passwordHash) => {
      if (accountId !== null) {
        await this.linkedAccounts.assertLinkable(tx, accountId, request.account_id === undefined);
        if (caller !== null && !isOperator(caller)) {
          await this.linkedAccounts.assertNotSuspended(tx, accountId);
          await this.verifiedEmails.assertMayGrantAccess(tx, caller, accountId, now);
        }
        await this.accountUsers.assertFewerThanMax(tx, accountId);
      }
      const user = User.create({ email, name, status, role, accountId }, now);
      this.records.add(tx, user, passwordHash, caller !== null);
      const event = { action: 'user.create', objectId: user.id, accountId, details: { role } };
      this.audit.record(tx, caller ?? anonymousActor(client.device), event);
      return user;
    });
  }

  async list(caller: Principal, filter: UserFilter, page: PageRequest): Promise<Page<User>> {
    const listed = listedFilter(caller, filter);
    return listed === null ? { items: [], total: 0 } : this.repository.list(listed, page);
  }

  async *walk(caller: Principal, filter: UserFilter): AsyncIterable<User[]> {
    const listed = listedFilter(caller, filter);
    if (listed !== null) yield* this.repository.walk(listed);
  }

  membershipRoles(users: readonly User[]): Promise<ReadonlyMap<string, MembershipRole | null>> {
    return this.credentials.membershipRoles(users.map(({ id }) => id));
  }

  async get(caller: Principal, id: string): Promise<User> {
    return this.recordRead(caller, await this.find(caller, id));
  }

  async search(caller: Principal, text: string): Promise<User | null> {
    const id = isId('usr', text) ? text : await this.credentials.findSubject('user', text);
    const user = id === null ? null : await this.repository.find(id);
    return user !== null && maySee(caller, user) ? this.recordRead(caller, user) : null;
  }

  async update(
    caller: Principal,
    id: string,
    change: UserChange,
    precondition: Precondition,
    reason: string | null = null,
  ): Promise<User> {
    const found = await this.find(caller, id);
    assertMayUpdate(caller, found, change);
    if (Object.values(change).every((value) => value === undefined)) return found;
    const setsStatusOfOther = change.status !== undefined && caller.userId !== id;
    if (change.password !== undefined || change.role !== undefined || setsStatusOfOther)
      this.recentLogin.assert(caller);
    const passwordHash = await this.hashNewPassword(caller, found, change);
    const changesOnlyPassword = change.name === undefined && change.status === undefined;
    return this.database.transaction(async (tx, now) => {
      if (found.accountId !== null && !isOperator(caller) && !changesOnlyPassword)
        await this.linkedAccounts.assertNotSuspended(tx, found.accountId);
      const user = await this.lock(tx, found);
      precondition(user);
      this.admins.assertMayChange(caller, user, change);
      const { status } = user;
      await this.admins.keepOne(tx, user, () => {
        user.change(change, now);
        return user.isActiveAdmin;
      });
      this.repository.save(tx, user);
      const isOwn = caller.userId === id;
      const keptSession = isOwn ? caller.sessionId : null;
      if (passwordHash !== null)
        await this.credentials.setPassword(tx, id, passwordHash, now, keptSession, isOwn ? 'self' : 'admin');
      if (change.role !== undefined) await this.credentials.setRole(tx, id, change.role);
      if (change.status !== undefined)
        await this.credentials.setDisabled(tx, id, user.status !== 'active', now);
      for (const event of describeChange(caller, user, status, change, reason))
        this.audit.record(tx, caller, event);
      return user;
    });
  }

  async changeEmail(
    tx: Tx,
    { subjectId: id, accountId }: SignInSubject,
    email: string,
    now: Date,
  ): Promise<void> {
    if (accountId !== null) await this.linkedAccounts.assertNotSuspended(tx, accountId);
    const user = await this.repository.lock(tx, id);
    if (user === null) throw notFound();
    user.changeEmail(email, now);
    this.repository.save(tx, user);
  }

  async delete(caller: Principal, id: string, precondition: Precondition): Promise<void> {
    const found = isId('usr', id) ? await this.repository.find(id) : null;
    if (found === null && isAdmin(caller)) throw notFound();
    if (found === null || !mayDelete(caller, found))
      throw new DomainError('forbidden', 'You may not delete this user.');
    if (isAdmin(caller) && caller.userId !== id) this.recentLogin.assert(caller);
    await this.database.transaction(async (tx, now) => {
      if (found.accountId !== null && !isOperator(caller))
        await this.linkedAccounts.assertNotSuspended(tx, found.accountId);
      const user = await this.lock(tx, found);
      precondition(user);
      await this.admins.keepOne(tx, user, () => false);
      await this.records.delete(tx, caller, user, now);
    });
  }

  private async recordRead(caller: Principal, user: User): Promise<User> {
    const { id: objectId, accountId } = user;
    const event = { action: 'user.read', objectId, accountId };
    if (isBackOffice(caller) && caller.userId !== objectId) await this.audit.recordRead(caller, event);
    return user;
  }

  /** @returns null for a change of something else @throws DomainError `invalid_request` for a weak password */
  private async hashNewPassword(
    { device }: Principal,
    user: User,
    { password, name = user.name }: UserChange,
  ): Promise<string | null> {
    if (password === undefined) return null;
    assertPassword(password, user.email, name);
    return this.hasher.hash(password, device.ip);
  }

  private async find(caller: Principal, id: string): Promise<User> {
    const user = isId('usr', id) ? await this.repository.find(id) : null;
    if (user === null || !maySee(caller, user)) throw notFound();
    return user;
  }

  private async lock(tx: Tx, found: User): Promise<User> {
    const user = await this.admins.lock(tx, found);
    if (user === null) throw notFound();
    return user;
  }
}

function notFound(): DomainError {
  return new DomainError('not_found', 'There is no such user.');
}
