import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { AuditTrail, systemActor } from '../../../platform/audit/audit-trail';
import { Database } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { assertPassword, Credentials, PasswordHasher, Principal, Role } from '../../auth';
import { Approvals } from '../../back-office';
import { Admins } from '../domain/admins';
import { User } from '../domain/user';
import { UserChange } from '../domain/user-change';
import { UsersRepository } from '../domain/users.repository';
import { UserRecords } from './user-records';

@Injectable()
export class AdminsService extends Admins {
  constructor(
    private readonly database: Database,
    private readonly repository: UsersRepository,
    private readonly records: UserRecords,
    private readonly credentials: Credentials,
    private readonly hasher: PasswordHasher,
    private readonly approvals: Approvals,
    private readonly audit: AuditTrail,
  ) {
    super();
  }

  async ensure(email: string, password: string): Promise<boolean> {
    if ((await this.credentials.findSubject('user', email)) !== null) return false;
    assertPassword(password, email);
    const passwordHash = await this.hasher.hash(password, email);
    try {
      await this.database.transaction(async (tx, now) => {
        const role = 'admin';
        const user = User.create({ email, name: null, status: 'active', role, accountId: null }, now);
        this.records.add(tx, user, passwordHash, false);
        this.audit.record(tx, systemActor, { action: 'user.create', objectId: user.id, details: { role } });
      });
      return true;
    } catch (error) {
      // Another replica that starts at the same time has created it.
      if (error instanceof DomainError && error.code === 'email_exists') return false;
      throw error;
    }
  }

  assertMayCreate(role: Role): void {
    if (role === 'admin') this.approvals.assertNotRequired('make_admin');
  }

  assertMayChange(caller: Principal, user: User, { password, role }: UserChange): void {
    if (password !== undefined)
      this.approvals.assertMayChangeLogin(
        caller,
        user,
        'That admin asks for a link by email: POST /v1/auth/password-reset.',
      );
    if (role !== undefined && user.role !== 'admin') this.assertMayCreate(role);
  }

  async lock(tx: Tx, { id, isActiveAdmin }: User): Promise<User | null> {
    // Locks all admins in a fixed order first, so that admins who delete each other cannot deadlock.
    if (isActiveAdmin) await this.repository.lockActiveAdmins(tx);
    return this.repository.lock(tx, id);
  }

  async keepOne(tx: Tx, user: User, change: () => boolean): Promise<void> {
    const admins = user.isActiveAdmin ? await this.repository.lockActiveAdmins(tx) : [];
    const isLast = user.isActiveAdmin && admins.every(({ id }) => id === user.id);
    if (!change() && isLast)
      throw new DomainError('forbidden', 'The last active admin cannot be deleted, suspended or demoted.');
  }
}
