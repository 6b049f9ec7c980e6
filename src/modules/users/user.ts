import { timeOfChange } from '../../kernel/clock';
import { DomainError } from '../../kernel/domain-error';
import { EventSource, type FieldsOf } from '../../kernel/entity';
import { newId } from '../../kernel/ids';
import { lifecycle, type StateOf } from '../../kernel/lifecycle';
import type { AuditedMembers } from '../../platform/audit/audit-trail';
import type { Role } from '../auth';

const states = ['active', 'suspended', 'pending'] as const;

/** Interface 3.1: every state can be set from every state. Only active users can log in. */
export const userLifecycle = lifecycle({
  states,
  initial: states,
  transitions: {
    activate: { from: states, to: 'active' },
    suspend: { from: states, to: 'suspended' },
    makePending: { from: states, to: 'pending' },
  },
});

export type UserStatus = StateOf<typeof userLifecycle>;

/** The transition that leads to each status. */
export const transitionTo = { active: 'activate', suspended: 'suspend', pending: 'makePending' } as const;

/** What an update of a user changes. */
export interface UserChange {
  readonly name?: string | null;
  readonly status?: UserStatus;
  readonly password?: string;
  /** Only admins may set the role. */
  readonly role?: Role;
}

/** Which users a list has. */
export interface UserFilter {
  /** Returns only users linked to this account. */
  readonly accountId?: string;
  readonly role?: Role;
  readonly status?: UserStatus;
  /** A substring of the name or the email, case-insensitive. */
  readonly search?: string;
}

/** A person or a system that logs in (interface 2.1). Only operators see its events. */
export class User extends EventSource {
  readonly id: string;
  email: string;
  name: string | null;
  status: UserStatus;
  role: Role;
  /** The account that the user is linked to, or null. Users of role `admin` or `platform` are never linked. */
  accountId: string | null;
  readonly createdAt: Date;
  updatedAt: Date;

  private constructor(fields: FieldsOf<User, 'isActiveAdmin'>) {
    super();
    Object.assign(this, fields);
  }

  static create(fields: Pick<User, 'email' | 'name' | 'status' | 'role' | 'accountId'>, now: Date): User {
    const id = newId('usr', now);
    return new User({ ...fields, id, eventCount: 0, createdAt: now, updatedAt: now }).addEvent(
      'user.created',
      null,
    );
  }

  /** @throws DomainError `invalid_request` for another role than `user`, if the user is linked to an account */
  assertMayHave(role: Role): void {
    if (role !== 'user' && this.accountId !== null)
      throw new DomainError('invalid_request', 'A user who is linked to an account must have the role user.');
  }

  /** @throws DomainError like `assertMayHave` */
  change(change: Omit<UserChange, 'password'>, now: Date): void {
    if (change.name !== undefined) this.name = change.name;
    if (change.status !== undefined)
      this.status = userLifecycle.transition(transitionTo[change.status], this.status);
    if (change.role !== undefined) {
      this.assertMayHave(change.role);
      this.role = change.role;
    }
    this.touch(now);
  }

  changeEmail(email: string, now: Date): void {
    this.email = email;
    this.touch(now);
  }

  linkTo(accountId: string, now: Date): void {
    this.accountId = accountId;
    this.touch(now);
  }

  unlink(now: Date): void {
    this.accountId = null;
    this.touch(now);
  }

  /** What the audit log shows of changes. */
  audited(): AuditedMembers {
    const { name, status, role } = this;
    return { name, status, role };
  }

  delete(): void {
    this.addEvent('user.deleted', null);
  }

  get isActiveAdmin(): boolean {
    return this.role === 'admin' && this.status === 'active';
  }

  private touch(now: Date): void {
    this.updatedAt = timeOfChange(this.updatedAt, now);
    this.addEvent('user.updated', null);
  }
}

export function userNotFound(): DomainError {
  return new DomainError('not_found', 'There is no such user.');
}
