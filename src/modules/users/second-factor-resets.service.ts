import { Injectable } from '@nestjs/common';
import { DomainError } from '../../kernel/domain-error';
import { isId } from '../../kernel/ids';
import { AuditTrail } from '../../platform/audit/audit-trail';
import { Database } from '../../platform/database/database';
import { assertAdmin, Credentials, Principal, RecentLogin, SubjectKind } from '../auth';
import { Approvals } from '../back-office';

const prefixes = { user: 'usr', account: 'acc' } as const;

const LOST_BY_ADMIN =
  'That admin uses a recovery code. Without one, suspend that admin, and make a new one with an approval.';

/** Resets of second factors whose owners have lost their authenticator app and their recovery codes. */
@Injectable()
export class SecondFactorResets {
  constructor(
    private readonly database: Database,
    private readonly credentials: Credentials,
    private readonly recentLogin: RecentLogin,
    private readonly approvals: Approvals,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Switches the second factor of a user or an account off, and ends the sessions that were opened with its password.
   * @throws DomainError `forbidden` unless the caller is an admin, and for the caller's own factor, and for that
   * of another admin where approvals are required; `unauthorized` without a recent login; `not_found`
   */
  async reset(caller: Principal, kind: SubjectKind, subjectId: string): Promise<void> {
    assertAdmin(caller, 'Only admins may reset a second factor.');
    if (caller.userId === subjectId) {
      throw new DomainError(
        'forbidden',
        'Switch your own second factor off with a code: DELETE /v1/auth/otp. Another admin can reset it.',
      );
    }
    this.recentLogin.assert(caller);
    await this.database.transaction(async (tx, now) => {
      const isWellFormed = isId(prefixes[kind], subjectId);
      const ended = isWellFormed ? await this.credentials.endOwnSessions(tx, subjectId, now) : null;
      if (ended === null) throw new DomainError('not_found', `There is no such ${kind}.`);
      const { accountId, role } = ended;
      this.approvals.assertMayChangeLogin(caller, { id: subjectId, role }, LOST_BY_ADMIN);
      await this.credentials.resetSecondFactor(tx, subjectId, now);
      this.audit.record(tx, caller, { action: 'second_factor.reset', objectId: subjectId, accountId });
    });
  }
}
