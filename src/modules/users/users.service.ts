import { Injectable } from '@nestjs/common';
import { DomainError } from '../../kernel/domain-error';
import { isId } from '../../kernel/ids';
import { Page, PageRequest } from '../../kernel/pages';
import { anonymousActor, AuditTrail, Device } from '../../platform/audit/audit-trail';
import { IdempotentOperation, StoredResponse } from '../../platform/database/database';
import {
  Credentials,
  insufficientPermission,
  isAdmin,
  isBackOffice,
  isOperator,
  Principal,
  RecentLogin,
  Role,
  SignUpClient,
  SignUps,
  UserLogin,
} from '../auth';
import { Approvals } from '../back-office';
import { User, UserFilter, UserStatus } from './user';
import { assertVisible, listedFilter, maySee, visibleUsers } from './user.policy';
import { UsersRepository } from './users.repository';
import { AccountUsers } from './account-users.service';
import { UserRecords } from './user-records.service';

/** Finds users on behalf of a caller. */
@Injectable()
export class Users {
  constructor(
    private readonly repository: UsersRepository,
    private readonly credentials: Credentials,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws DomainError `forbidden` unless the caller is of the back office, a platform system or an account owner */
  async list(caller: Principal, filter: UserFilter, page: PageRequest): Promise<Page<User>> {
    const listed = listedFilter(caller, filter);
    return listed === null ? { items: [], total: 0 } : this.repository.list(listed, page);
  }

  /** Reads all of the list, newest first, a part at a time. A part may be empty. @throws DomainError like `list` */
  async *walk(caller: Principal, filter: UserFilter): AsyncIterable<User[]> {
    const listed = listedFilter(caller, filter);
    if (listed !== null) yield* this.repository.walk(listed);
  }

  /** What whole users show besides their rows, by their ids. */
  logins(users: readonly User[]): Promise<ReadonlyMap<string, UserLogin>> {
    return this.credentials.userLogins(users.map(({ id }) => id));
  }

  /** Records that the back office reads another user. @throws DomainError `not_found` */
  async get(caller: Principal, id: string): Promise<User> {
    const found = isId('usr', id) ? await this.repository.find(id) : null;
    return this.recordRead(caller, assertVisible(caller, found));
  }

  /** Returns the user with this id or email whom the caller may see, like `get`; null if there is none. */
  async search(caller: Principal, text: string): Promise<User | null> {
    const id = isId('usr', text) ? text : await this.credentials.findSubject('user', text);
    const user = id === null ? null : await this.repository.find(id);
    return user !== null && maySee(caller, user) ? this.recordRead(caller, user) : null;
  }

  /** Returns users whose name or email contains the text, and whom the caller may see, newest first. */
  async searchParts(caller: Principal, part: string, limit: number): Promise<User[]> {
    const visible = visibleUsers(caller);
    return visible === null ? [] : this.repository.findParts(part, visible, limit);
  }

  private async recordRead(caller: Principal, user: User): Promise<User> {
    const { id: objectId, accountId } = user;
    const event = { action: 'user.read', objectId, accountId };
    if (isBackOffice(caller) && caller.userId !== objectId) await this.audit.recordRead(caller, event);
    return user;
  }
}

export interface NewUser {
  readonly email: string;
  /** Null for one who is invited. */
  readonly password: string | null;
  readonly name?: string | null;
  /** Only admins may set the role, the status and the account. */
  readonly role?: Role;
  readonly status?: UserStatus;
  readonly account_id?: string;
}

export type InvitedUser = Omit<NewUser, 'password' | 'status'>;

@Injectable()
export class UserCreation {
  constructor(
    private readonly signUps: SignUps,
    private readonly recentLogin: RecentLogin,
    private readonly approvals: Approvals,
    private readonly accountUsers: AccountUsers,
    private readonly records: UserRecords,
  ) {}

  /**
   * Creates a user (interface 4.2). An account's owner creates members of that account, an admin may set the role, the
   * status and the account, and for any other caller this is an open sign-up.
   * @throws DomainError `invalid_request`, `email_exists`, `unauthorized`, `rate_limited`; `forbidden` for the owner of a
   * suspended account, of one that has just been closed, or of one whose email must be verified first; `conflict` for an
   * account with too many users, and for an admin where a second admin has to approve
   */
  async create(
    client: SignUpClient,
    request: NewUser,
    operation: IdempotentOperation<User>,
  ): Promise<StoredResponse> {
    const { caller } = client;
    const { email, password, name = null, role = 'user', status = 'active' } = request;
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
    if (role === 'admin') this.approvals.assertNotRequired('make_admin');
    if (accountId !== null && role !== 'user')
      throw new DomainError('invalid_request', 'Only users with the role user can be linked to an account.');
    const signUp = { kind: 'user', email, name, password } as const;
    return this.signUps.create(signUp, client, operation, async (tx, now, passwordHash) => {
      const isOwn = request.account_id === undefined;
      if (accountId !== null) await this.accountUsers.assertMayAdd(tx, caller, accountId, isOwn, now);
      const user = User.create({ email, name, status, role, accountId }, now);
      const actor = caller ?? anonymousActor(client.device);
      this.records.add(tx, actor, user, passwordHash, caller !== null, password === null);
      return user;
    });
  }

  /**
   * Creates a user without a password, and sends a link to set one.
   * @throws DomainError like `create`; `forbidden` unless the caller is an admin or an account's owner; `invalid_request`
   * when the service sends no email
   */
  async invite(
    caller: Principal,
    device: Device,
    request: InvitedUser,
    operation: IdempotentOperation<User>,
  ): Promise<StoredResponse> {
    if (!isAdmin(caller) && (caller.membershipRole !== 'owner' || isOperator(caller)))
      throw new DomainError('forbidden', 'Only admins and account owners invite users.');
    return this.create({ caller, device }, { ...request, password: null }, operation);
  }
}
