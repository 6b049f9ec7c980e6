import { timeOfChange } from '../../../kernel/clock';
import { newId } from '../../../kernel/ids';
import { Role } from '../../auth';
import { moveTo, userLifecycle, UserStatus } from './user.lifecycle';

/** A person or a system that signs in (interface 2.1). */
export class User {
  readonly id: string;
  readonly email: string;
  name: string | null;
  status: UserStatus;
  role: Role;
  /** The account it is tied to, or null. Admin and platform users are never tied. */
  accountId: string | null;
  readonly createdAt: Date;
  updatedAt: Date;

  static create(
    { email, name, status, role, accountId }: Pick<User, 'email' | 'name' | 'status' | 'role' | 'accountId'>,
    now: Date,
  ): User {
    const fields: Partial<User> = {
      id: newId('usr', now),
      email,
      name,
      status,
      role,
      accountId,
      createdAt: now,
      updatedAt: now,
    };
    return Object.assign(Object.create(User.prototype) as User, fields);
  }

  change(change: { name?: string | null; status?: UserStatus; role?: Role }, now: Date): void {
    if (change.name !== undefined) this.name = change.name;
    if (change.status !== undefined) this.status = userLifecycle.move(moveTo[change.status], this.status);
    if (change.role !== undefined) this.role = change.role;
    this.touch(now);
  }

  tieTo(accountId: string, now: Date): void {
    this.accountId = accountId;
    this.touch(now);
  }

  touch(now: Date): void {
    this.updatedAt = timeOfChange(this.updatedAt, now);
  }

  get isActiveAdmin(): boolean {
    return this.role === 'admin' && this.status === 'active';
  }
}
