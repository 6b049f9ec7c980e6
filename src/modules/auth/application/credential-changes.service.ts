import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { Database } from '../../../platform/database/database';
import { Credentials } from '../domain/credentials';
import { assertPassword, PasswordHasher } from '../domain/passwords';
import { Principal } from '../domain/principal';
import { SignInSubjects } from '../domain/sign-in-subjects';
import { NewEmailLimit } from '../domain/sign-ups';
import { Proof, Reauthentication, wrongPassword } from './reauthentication';

/** Changes of the caller's own email. */
@Injectable()
export class EmailChanges {
  constructor(
    private readonly database: Database,
    private readonly reauthentication: Reauthentication,
    private readonly newEmails: NewEmailLimit,
    private readonly credentials: Credentials,
    private readonly subjects: SignInSubjects,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Changes the email of the user, the account or both that opened the session, and ends their other sessions.
   * @throws DomainError `invalid_credentials` when the current password or the code is wrong; `invalid_request` for a
   * code without a second factor; `email_exists`; `forbidden` while the account is suspended; `rate_limited` after too
   * many failures, or too many new emails from the network
   */
  async change(principal: Principal, proof: Proof, email: string): Promise<void> {
    const confirmed = await this.reauthentication.confirm(principal, proof);
    await this.newEmails.use(principal, principal.device);
    await this.database.transaction(async (tx, now) => {
      for (const { kind, subjectId, accountId } of confirmed) {
        const [source, subject] = [this.subjects.get(kind), { subjectId, accountId }];
        await source.assertNotSuspended(tx, subject);
        const from = await source.changeEmail(tx, subject, email, now);
        await this.credentials.changeOwnEmail(tx, subjectId, email, now, principal.sessionId);
        const changes = [{ member: 'email', from, to: email }];
        this.audit.record(tx, principal, { action: 'email.change', objectId: subjectId, accountId, changes });
      }
      this.credentials.recordConfirmation(tx, principal.sessionId, now);
    });
  }
}

/** Changes of the caller's own password. */
@Injectable()
export class PasswordChanges {
  constructor(
    private readonly database: Database,
    private readonly reauthentication: Reauthentication,
    private readonly credentials: Credentials,
    private readonly subjects: SignInSubjects,
    private readonly hasher: PasswordHasher,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Changes the password of the user, the account or both that opened the session, and ends their other sessions.
   * @throws DomainError `invalid_credentials` when the current password or the code is wrong; `invalid_request` for a
   * weak new password, and for a code without a second factor; `rate_limited` after too many failures
   */
  async change(principal: Principal, proof: Proof, next: string): Promise<void> {
    const confirmed = await this.reauthentication.confirm(principal, proof);
    for (const { kind, subjectId, emailKey } of confirmed) {
      const subject = await this.subjects.get(kind).describe(subjectId);
      assertPassword(next, emailKey, subject?.name);
    }
    const hash = await this.hasher.hash(next, principal.device.ip);
    await this.database.transaction(async (tx, now) => {
      for (const { subjectId, accountId, passwordHash } of confirmed) {
        const credential = await this.credentials.lockForSession(tx, subjectId, now, principal.sessionId);
        // Another change in the same session was faster.
        if (credential.passwordHash !== passwordHash) throw wrongPassword();
        this.credentials.replacePassword(tx, credential, hash, now, principal.sessionId, 'self');
        this.audit.record(tx, principal, { action: 'password.change', objectId: subjectId, accountId });
      }
      this.credentials.recordConfirmation(tx, principal.sessionId, now);
    });
  }
}
