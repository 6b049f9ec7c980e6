import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { isId } from '../../../kernel/ids';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { Tx } from '../../../platform/database/tx';
import { Approval, ApprovalKind } from '../../approvals';
import { Credentials, Principal } from '../../auth';
import { User } from '../domain/user';
import { UsersRepository } from '../domain/users.repository';
import { UserRecords } from './user-records';

/** Makes a user an admin once a second admin has approved it. */
@Injectable()
export class AdminPromotions implements ApprovalKind {
  readonly name = 'make_admin';

  constructor(
    private readonly repository: UsersRepository,
    private readonly records: UserRecords,
    private readonly credentials: Credentials,
    private readonly audit: AuditTrail,
  ) {}

  async prepare(tx: Tx, id: string) {
    const { email, name } = await this.lock(tx, id);
    return { accountId: id, details: { email, name } };
  }

  async execute(tx: Tx, { objectId, reason, details }: Readonly<Approval>, approver: Principal, now: Date) {
    const user = await this.lock(tx, objectId);
    // Approvals of earlier releases have no email.
    if (details.email !== undefined && details.email !== user.email)
      throw new DomainError('conflict', 'The email of the user has changed. Reject it, and ask again.');
    user.change({ role: 'admin' }, now);
    this.records.save(tx, user);
    await this.credentials.setRole(tx, objectId, 'admin');
    this.audit.record(tx, approver, {
      action: 'user.set_role',
      objectId,
      reason,
      details: { role: 'admin' },
    });
    return true;
  }

  /**
   * @throws DomainError `not_found`; `conflict` for an admin, and for a user whose password somebody else may know;
   * `invalid_request` for a user who is linked to an account
   */
  private async lock(tx: Tx, id: string): Promise<User> {
    const user = isId('usr', id) ? await this.repository.lock(tx, id) : null;
    if (user === null) throw new DomainError('not_found', 'There is no such user.');
    if (user.role === 'admin') throw new DomainError('conflict', 'The user is an admin already.');
    user.assertMayHave('admin');
    if (await this.credentials.hasPasswordOfOther(tx, id))
      throw new DomainError(
        'conflict',
        'Somebody else has set the password of the user, who first sets an own one: with POST /v1/auth/password, or by the link of POST /v1/auth/password-reset.',
      );
    return user;
  }
}
