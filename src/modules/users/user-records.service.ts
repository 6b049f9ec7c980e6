import { Injectable } from '@nestjs/common';
import {
  Actor,
  AuditedMembers,
  AuditEvent,
  AuditTrail,
  changesBetween,
  statusEvents,
} from '../../platform/audit/audit-trail';
import { Tx } from '../../platform/database/database';
import { Credentials, isOperator, Principal, Role } from '../auth';
import { User, UserChange } from './user';
import { UsersRepository } from './users.repository';

/** An update that was decided. */
interface UserUpdate {
  readonly change: UserChange;
  /** The hash of the new password, if there is one. */
  readonly passwordHash: string | null;
  /** The user before the update. */
  readonly before: AuditedMembers;
  /** Why, in the words of the caller. */
  readonly reason: string | null;
}

/** Stores users together with the credentials that they sign in with, and records what happens to them. */
@Injectable()
export class UserRecords {
  constructor(
    private readonly repository: UsersRepository,
    private readonly credentials: Credentials,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * @param passwordSetByOther whether somebody else than the user chose the password
   * @param isInvited whether nobody knows it, and the user is to set one
   */
  add(
    tx: Tx,
    actor: Actor,
    user: User,
    passwordHash: string,
    passwordSetByOther: boolean,
    isInvited = false,
  ): void {
    const { id, email, accountId, role, status, createdAt } = user;
    this.repository.add(tx, user);
    const credential = {
      subjectId: id,
      kind: 'user',
      email,
      passwordHash,
      passwordSetByOther,
      isInvited,
      accountId,
      role,
      membershipRole: accountId === null ? null : 'member',
      disabled: status !== 'active',
    } as const;
    this.credentials.create(tx, credential, createdAt);
    const details = { role, ...(isInvited && { invited: true }) };
    this.audit.record(tx, actor, { action: 'user.create', objectId: id, accountId, details });
  }

  /** Saves a changed user. A new password ends the other sessions, a status other than `active` all. */
  async update(tx: Tx, caller: Principal, user: User, update: UserUpdate, now: Date): Promise<void> {
    const { id } = user;
    const { role, status } = update.change;
    this.repository.save(tx, user);
    const isOwn = caller.userId === id;
    const [by, keptSession] = isOwn ? (['self', caller.sessionId] as const) : (['admin', null] as const);
    if (update.passwordHash !== null)
      await this.credentials.setPassword(tx, id, update.passwordHash, now, keptSession, by);
    if (role !== undefined) await this.credentials.setRole(tx, id, role);
    if (status !== undefined) await this.credentials.setDisabled(tx, id, user.status !== 'active', now);
    for (const event of describeUpdate(caller, user, update)) this.audit.record(tx, caller, event);
  }

  /** @param reason why, in the words of the actor */
  async setRole(
    tx: Tx,
    actor: Actor,
    user: User,
    role: Role,
    now: Date,
    reason: string | null = null,
  ): Promise<void> {
    const { id: objectId, role: from } = user;
    user.change({ role }, now);
    this.repository.save(tx, user);
    await this.credentials.setRole(tx, objectId, role);
    const changes = [{ member: 'role', from, to: role }];
    this.audit.record(tx, actor, { action: 'user.set_role', objectId, reason, details: { role }, changes });
  }

  /** Unlinks the owner of an account from it and ends the user's sessions. @returns false for a user who owns none */
  async unlinkOwner(tx: Tx, actor: Actor, user: User, now: Date): Promise<boolean> {
    const { id: objectId, accountId } = user;
    if (!(await this.credentials.unlinkOwner(tx, objectId, now))) return false;
    user.unlink(now);
    this.repository.save(tx, user);
    const changes = [{ member: 'account_id', from: accountId, to: null }];
    this.audit.record(tx, actor, { action: 'user.unlink', objectId, accountId, changes });
    return true;
  }

  async delete(tx: Tx, actor: Actor, user: User, now: Date): Promise<void> {
    const { id, accountId } = user;
    user.delete();
    this.repository.delete(tx, user);
    await this.credentials.delete(tx, id, now);
    this.audit.record(tx, actor, { action: 'user.delete', objectId: id, accountId });
  }
}

/** Users change their own name as often as they like, so that is not recorded. */
function describeUpdate(
  caller: Principal,
  user: User,
  { change: { name, status, password, role }, before, reason }: UserUpdate,
): AuditEvent[] {
  const { id: objectId, accountId } = user;
  const changesOf = (member: string) => changesBetween(before, user.audited(), [member]);
  const events: Omit<AuditEvent, 'objectId'>[] = [];
  if (name !== undefined && isOperator(caller))
    events.push({ action: 'user.update', details: { changed: ['name'] }, changes: changesOf('name') });
  if (role !== undefined)
    events.push({ action: 'user.set_role', details: { role }, changes: changesOf('role') });
  events.push(...statusEvents('user', before, status, reason));
  if (password !== undefined) events.push({ action: 'password.change' });
  return events.map((event) => ({ ...event, objectId, accountId, reason }));
}
