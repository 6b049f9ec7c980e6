import { Injectable } from '@nestjs/common';
import { Actor, AuditTrail } from '../../../platform/audit/audit-trail';
import { Tx } from '../../../platform/database/tx';
import { Credentials } from '../../auth';
import { User } from '../domain/user';
import { UsersRepository } from '../domain/users.repository';

/** Stores users together with the credentials that they sign in with. */
@Injectable()
export class UserRecords {
  constructor(
    private readonly repository: UsersRepository,
    private readonly credentials: Credentials,
    private readonly audit: AuditTrail,
  ) {}

  /** @param passwordSetByOther whether somebody else than the user chose the password */
  add(tx: Tx, user: User, passwordHash: string, passwordSetByOther: boolean): void {
    const { id, email, accountId, role, status, createdAt } = user;
    this.repository.add(tx, user);
    const credential = {
      subjectId: id,
      kind: 'user',
      email,
      passwordHash,
      passwordSetByOther,
      accountId,
      role,
      membershipRole: accountId === null ? null : 'member',
      disabled: status !== 'active',
    } as const;
    this.credentials.create(tx, credential, createdAt);
  }

  /** Unlinks the owner of an account from it and ends the user's sessions. @returns false for a user who owns none */
  async unlinkOwner(tx: Tx, actor: Actor, user: User, now: Date): Promise<boolean> {
    const { id: objectId, accountId } = user;
    if (!(await this.credentials.unlinkOwner(tx, objectId, now))) return false;
    user.unlink(now);
    this.repository.save(tx, user);
    this.audit.record(tx, actor, { action: 'user.unlink', objectId, accountId });
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
