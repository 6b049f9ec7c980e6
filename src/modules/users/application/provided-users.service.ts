import { Injectable } from '@nestjs/common';
import { Actor } from '../../../platform/audit/audit-trail';
import { Tx } from '../../../platform/database/tx';
import { ProvidedRole, ProvidedUser } from '../../auth';
import { User, userNotFound } from '../domain/user';
import { UsersRepository } from '../domain/users.repository';
import { UserChangeRules } from './user-changes.service';
import { UserRecords } from './user-records';

/** Creates and changes users as a provider of single sign-on says. Its groups take the place of an admin, and of approvals. */
@Injectable()
export class ProvidedUsersService {
  readonly name = 'users';

  constructor(
    private readonly repository: UsersRepository,
    private readonly rules: UserChangeRules,
    private readonly records: UserRecords,
  ) {}

  create(tx: Tx, actor: Actor, { passwordHash, ...fields }: ProvidedUser, now: Date): string {
    const user = User.create({ ...fields, status: 'active', accountId: null }, now);
    this.records.add(tx, actor, user, passwordHash, false);
    return user.id;
  }

  async setRole(tx: Tx, actor: Actor, id: string, role: ProvidedRole | null, now: Date): Promise<boolean> {
    // The admins first, as in every change that may take one away: those who change each other cannot deadlock.
    if (role !== 'admin') await this.repository.lockActiveAdmins(tx);
    const user = await this.repository.lock(tx, id);
    if (user === null) throw userNotFound();
    if (user.role === (role ?? 'user')) return false;
    if (role !== 'admin' && (await this.rules.isLastAdmin(tx, user))) return false;
    await this.records.setRole(tx, actor, user, role ?? 'user', now);
    return true;
  }
}
