import { Injectable } from '@nestjs/common';
import { isId } from '../../../kernel/ids';
import { Page, PageRequest } from '../../../kernel/pages';
import { Refusal } from '../../../kernel/refusal';
import { Database } from '../../../platform/database/database';
import { Answer, Once } from '../../../platform/database/idempotency';
import { Tx } from '../../../platform/database/tx';
import {
  assertPassword,
  Credentials,
  isAdmin,
  isOperator,
  PasswordHasher,
  Principal,
  Role,
} from '../../auth';
import { AccountAdmission } from '../domain/account-admission';
import { User } from '../domain/user';
import { UserStatus } from '../domain/user.lifecycle';
import { mayDelete, maySee, mayUpdate } from '../domain/user.policy';
import { UserFilter, UsersRepository } from '../domain/users.repository';

export interface NewUser {
  readonly email: string;
  readonly password: string;
  readonly name?: string | null;
  /** These three are an admin's to give. */
  readonly role?: Role;
  readonly status?: UserStatus;
  readonly account_id?: string;
}

export interface UserChange {
  readonly name?: string | null;
  readonly status?: UserStatus;
  readonly password?: string;
  /** An admin's to give. */
  readonly role?: Role;
}

@Injectable()
export class Users {
  constructor(
    private readonly database: Database,
    private readonly repository: UsersRepository,
    private readonly credentials: Credentials,
    private readonly hasher: PasswordHasher,
    private readonly accounts: AccountAdmission,
  ) {}

  /**
   * Interface 4.2. Without a token, or with one of no special right, an open sign-up; an account's owner creates a
   * member of it; an admin may give role, status and account.
   * @throws Refusal `invalid_request`, `email_exists`, `unauthorized`
   */
  async create(caller: Principal | null, request: NewUser, once: Once<User>): Promise<Answer> {
    const { role = 'user', status = 'active' } = request;
    const privileged = request.role ?? request.status ?? request.account_id;
    if (privileged !== undefined && !isAdmin(caller))
      throw unauthorized('Only an admin gives role, status and account_id.');
    const accountId =
      request.account_id ?? (caller?.standing === 'owner' && !isOperator(caller) ? caller.accountId : null);
    if (accountId !== null && role !== 'user') {
      throw new Refusal('invalid_request', 'Only users of role user are tied to an account.');
    }
    assertPassword(request.password, request.email);
    const passwordHash = await this.hasher.hash(request.password);
    return this.database.atomically(once, async (tx, now) => {
      if (accountId !== null) await this.assertAdmitted(tx, accountId);
      const user = User.create(
        { email: request.email, name: request.name ?? null, status, role, accountId },
        now,
      );
      this.add(tx, user, passwordHash);
      return user;
    });
  }

  /** @throws Refusal `forbidden` for who may list nobody */
  async list(caller: Principal, filter: UserFilter, page: PageRequest): Promise<Page<User>> {
    if (isOperator(caller)) return this.repository.list(filter, page);
    if (caller.standing !== 'owner' || caller.accountId === null) {
      throw new Refusal('forbidden', 'Only admins, platform systems and account owners list users.');
    }
    return this.repository.list({ ...filter, accountId: caller.accountId }, page);
  }

  /** @throws Refusal `not_found` */
  async get(caller: Principal, id: string): Promise<User> {
    const user = isId('usr', id) ? await this.repository.find(id) : null;
    if (user === null || !maySee(caller, user)) throw notFound();
    return user;
  }

  /** @throws Refusal `invalid_request`, `unauthorized`, `not_found`; `forbidden` for what would leave no admin */
  async update(caller: Principal, id: string, change: UserChange): Promise<User> {
    const present = await this.get(caller, id);
    if (!mayUpdate(caller, present)) throw unauthorized('Only the user itself and an admin update a user.');
    if (change.role !== undefined && !isAdmin(caller)) throw unauthorized('Only an admin sets a role.');
    if (Object.values(change).every((value) => value === undefined)) return present;
    if (change.password !== undefined) assertPassword(change.password, present.email);
    const passwordHash = change.password === undefined ? null : await this.hasher.hash(change.password);
    return this.database.atomically(null, async (tx, now) => {
      const user = await this.lock(tx, present);
      const wasLastAdmin = await this.isLastAdmin(tx, user);
      user.change(change, now);
      if (wasLastAdmin && !user.isActiveAdmin) throw lastAdmin();
      if (user.role !== 'user' && user.accountId !== null) {
        throw new Refusal('invalid_request', 'A user tied to an account keeps the role user.');
      }
      this.repository.save(tx, user);
      const keptSession = caller.userId === id ? caller.sessionId : null;
      if (passwordHash !== null) await this.credentials.setPassword(tx, id, passwordHash, now, keptSession);
      if (change.role !== undefined) await this.credentials.setRole(tx, id, change.role);
      if (change.status !== undefined) await this.credentials.bar(tx, id, user.status !== 'active', now);
      return user;
    });
  }

  /** @throws Refusal `forbidden` without the right, whether the user exists or not; `not_found` */
  async delete(caller: Principal, id: string): Promise<void> {
    const present = isId('usr', id) ? await this.repository.find(id) : null;
    if (present === null && isAdmin(caller)) throw notFound();
    if (present === null || !mayDelete(caller, present))
      throw new Refusal('forbidden', 'You may not delete this user.');
    await this.database.atomically(null, async (tx, now) => {
      const user = await this.lock(tx, present);
      if (await this.isLastAdmin(tx, user)) throw lastAdmin();
      await this.remove(tx, user, now);
    });
  }

  /** Ties a user without an account to one, as its owner, with the sessions it has. No effect when it has one. */
  async tieOwner(tx: Tx, userId: string, accountId: string, now: Date): Promise<void> {
    const user = await this.repository.lock(tx, userId);
    if (user === null || !(await this.credentials.tie(tx, userId, accountId, 'owner'))) return;
    user.tieTo(accountId, now);
    this.repository.save(tx, user);
  }

  /** Deletes all users tied to an account, as its closing does (interface 3.2). */
  async deleteOfAccount(tx: Tx, accountId: string, now: Date): Promise<void> {
    for (const user of await this.repository.lockOfAccount(tx, accountId)) await this.remove(tx, user, now);
  }

  /**
   * Makes sure that this admin exists. Nothing changes when a user of that email does.
   * @returns whether it was created
   * @throws Refusal `invalid_request` for a weak password
   */
  async ensureAdmin(email: string, password: string): Promise<boolean> {
    assertPassword(password, email);
    const passwordHash = await this.hasher.hash(password);
    try {
      await this.database.atomically(null, async (tx, now) => {
        this.add(
          tx,
          User.create({ email, name: null, status: 'active', role: 'admin', accountId: null }, now),
          passwordHash,
        );
      });
      return true;
    } catch (error) {
      if (error instanceof Refusal && error.code === 'email_exists') return false;
      throw error;
    }
  }

  private add(tx: Tx, user: User, passwordHash: string): void {
    const { id, email, accountId, role, status } = user;
    this.repository.add(tx, user);
    this.credentials.create(tx, {
      subjectId: id,
      kind: 'user',
      email,
      passwordHash,
      accountId,
      role,
      standing: accountId === null ? null : 'member',
      barred: status !== 'active',
    });
  }

  private async remove(tx: Tx, user: User, now: Date): Promise<void> {
    this.repository.remove(tx, user.id);
    await this.credentials.forget(tx, user.id, now);
  }

  private async lock(tx: Tx, { id, isActiveAdmin }: User): Promise<User> {
    // Admins who remove each other wait in one line, not in a circle: all of them are locked first, in one order.
    if (isActiveAdmin) await this.repository.lockActiveAdmins(tx);
    const user = await this.repository.lock(tx, id);
    if (user === null) throw notFound();
    return user;
  }

  private async isLastAdmin(tx: Tx, user: User): Promise<boolean> {
    if (!user.isActiveAdmin) return false;
    const admins = await this.repository.lockActiveAdmins(tx);
    return admins.every((admin) => admin.id === user.id);
  }

  private async assertAdmitted(tx: Tx, accountId: string): Promise<void> {
    if (!isId('acc', accountId) || !(await this.accounts.admit(tx, accountId))) {
      throw new Refusal('invalid_request', 'account_id names no account that is open.');
    }
  }
}

function notFound(): Refusal {
  return new Refusal('not_found', 'There is no such user.');
}

function unauthorized(message: string): Refusal {
  return new Refusal('unauthorized', message);
}

function lastAdmin(): Refusal {
  return new Refusal('forbidden', 'The last active admin cannot be deleted, suspended or demoted.');
}
