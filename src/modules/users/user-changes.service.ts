import { Injectable } from '@nestjs/common';
import { DomainError, Precondition } from '../../kernel/domain-error';
import { isId } from '../../kernel/ids';
import { Actor } from '../../platform/audit/audit-trail';
import { Database, Tx } from '../../platform/database/database';
import {
  assertPassword,
  isAdmin,
  isOperator,
  PasswordHasher,
  Principal,
  ProvidedRole,
  ProvidedUser,
  RecentLogin,
} from '../auth';
import { Approvals } from '../back-office';
import { LinkedAccounts } from './linked-accounts';
import { User, UserChange, userNotFound } from './user';
import { assertMayUpdate, assertVisible, mayDelete } from './user.policy';
import { UsersRepository } from './users.repository';
import { UserRecords } from './user-records.service';

/**
 * What changes of users respect: an account may be suspended, one admin stays active, and where approvals are required, no
 * admin alone makes another one or takes another one's place.
 */
@Injectable()
export class UserChangeRules {
  constructor(
    private readonly repository: UsersRepository,
    private readonly linkedAccounts: LinkedAccounts,
    private readonly approvals: Approvals,
  ) {}

  /** @throws DomainError `forbidden` while the account of the user is suspended, unless the caller is an operator */
  async assertNotSuspended(tx: Tx, caller: Principal, { accountId }: User): Promise<void> {
    if (accountId !== null && !isOperator(caller))
      await this.linkedAccounts.assertNotSuspended(tx, accountId);
  }

  /** Locks a user, who may be an admin. @throws DomainError `not_found` when there is no such user any more */
  async lock(tx: Tx, { id, isActiveAdmin }: User): Promise<User> {
    // Locks all admins in a fixed order first, so that admins who delete each other cannot deadlock.
    if (isActiveAdmin) await this.repository.lockActiveAdmins(tx);
    const user = await this.repository.lock(tx, id);
    if (user === null) throw userNotFound();
    return user;
  }

  /**
   * @throws DomainError `forbidden` for the password of another admin, and `conflict` for making an admin, where approvals
   * are required
   */
  assertMayChange(caller: Principal, user: User, { password, role }: UserChange): void {
    if (password !== undefined)
      this.approvals.assertMayChangeLogin(
        caller,
        user,
        'That admin asks for a link by email: POST /v1/auth/password-reset.',
      );
    if (role === 'admin' && user.role !== 'admin') this.approvals.assertNotRequired('make_admin');
  }

  /**
   * Runs the change of a locked user.
   * @param change returns whether the user is an active admin after it
   * @throws DomainError `forbidden` when no active admin would remain
   */
  async assertAdminRemains(tx: Tx, user: User, change: () => boolean): Promise<void> {
    const isLast = await this.isLastAdmin(tx, user);
    if (!change() && isLast)
      throw new DomainError('forbidden', 'The last active admin cannot be deleted, suspended or demoted.');
  }

  /** Whether a locked user is the only active admin. */
  async isLastAdmin(tx: Tx, user: User): Promise<boolean> {
    const admins = user.isActiveAdmin ? await this.repository.lockActiveAdmins(tx) : [];
    return user.isActiveAdmin && admins.every(({ id }) => id === user.id);
  }
}

@Injectable()
export class UserChanges {
  constructor(
    private readonly database: Database,
    private readonly repository: UsersRepository,
    private readonly records: UserRecords,
    private readonly rules: UserChangeRules,
    private readonly recentLogin: RecentLogin,
    private readonly hasher: PasswordHasher,
  ) {}

  /**
   * @param reason why, for the audit log
   * @throws DomainError `invalid_request`, `unauthorized`, `not_found`; `forbidden` when no active admin would remain,
   * for anything but a password while the account of the user is suspended, and for the password of another admin where
   * approvals are required; `conflict` for the role of an admin where a second admin has to approve;
   * `precondition_failed`
   */
  async update(
    caller: Principal,
    id: string,
    change: UserChange,
    precondition: Precondition,
    reason: string | null = null,
  ): Promise<User> {
    const found = assertVisible(caller, isId('usr', id) ? await this.repository.find(id) : null);
    assertMayUpdate(caller, found, change);
    if (Object.values(change).every((value) => value === undefined)) return found;
    const setsStatusOfOther = change.status !== undefined && caller.userId !== id;
    if (change.password !== undefined || change.role !== undefined || setsStatusOfOther)
      this.recentLogin.assert(caller);
    const passwordHash = await this.hashNewPassword(caller, found, change);
    const changesOnlyPassword = change.name === undefined && change.status === undefined;
    return this.database.transaction(async (tx, now) => {
      if (!changesOnlyPassword) await this.rules.assertNotSuspended(tx, caller, found);
      const user = await this.rules.lock(tx, found);
      precondition(user);
      this.rules.assertMayChange(caller, user, change);
      const before = user.audited();
      await this.rules.assertAdminRemains(tx, user, () => {
        user.change(change, now);
        return user.isActiveAdmin;
      });
      await this.records.update(tx, caller, user, { change, passwordHash, before, reason }, now);
      return user;
    });
  }

  /**
   * @throws DomainError `not_found` for admins; `forbidden` for other callers, whether the user exists or not, and while
   * the account of the user is suspended; `unauthorized` for an admin without a recent login; `precondition_failed`
   */
  async delete(caller: Principal, id: string, precondition: Precondition): Promise<void> {
    const found = isId('usr', id) ? await this.repository.find(id) : null;
    if (found === null && isAdmin(caller)) throw userNotFound();
    if (found === null || !mayDelete(caller, found))
      throw new DomainError('forbidden', 'You may not delete this user.');
    if (isAdmin(caller) && caller.userId !== id) this.recentLogin.assert(caller);
    await this.database.transaction(async (tx, now) => {
      await this.rules.assertNotSuspended(tx, caller, found);
      const user = await this.rules.lock(tx, found);
      precondition(user);
      await this.rules.assertAdminRemains(tx, user, () => false);
      await this.records.delete(tx, caller, user, now);
    });
  }

  /** Creates a user as a provider of single sign-on says. Its groups take the place of an admin, and of approvals. */
  createProvided(tx: Tx, actor: Actor, { passwordHash, ...fields }: ProvidedUser, now: Date): string {
    const user = User.create({ ...fields, status: 'active', accountId: null }, now);
    this.records.add(tx, actor, user, passwordHash, false);
    return user.id;
  }

  /** Sets the role that a provider gives, in the same way. @returns whether it has changed */
  async setProvidedRole(
    tx: Tx,
    actor: Actor,
    id: string,
    role: ProvidedRole | null,
    now: Date,
  ): Promise<boolean> {
    // The admins first, as in every change that may take one away: those who change each other cannot deadlock.
    if (role !== 'admin') await this.repository.lockActiveAdmins(tx);
    const user = await this.repository.lock(tx, id);
    if (user === null) throw userNotFound();
    if (user.role === (role ?? 'user')) return false;
    if (role !== 'admin' && (await this.rules.isLastAdmin(tx, user))) return false;
    await this.records.setRole(tx, actor, user, role ?? 'user', now);
    return true;
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
}
