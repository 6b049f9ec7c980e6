import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { Database, Tx } from '../../../platform/database/database';
import { Reauthentication } from '../application/reauthentication';
import { Credentials } from '../domain/credentials';
import { Principal } from '../domain/principal';
import { SignInSubjects } from '../domain/sign-in-subjects';
import { VerifiedEmails } from '../domain/verified-emails';
import { newRecoveryCodes, otpRequired, SecondFactor, totpUri, wrongCode } from './second-factor';
import { SecondFactorCodes } from './second-factor-codes.service';
import { SecondFactorsRepository } from './second-factors.repository';

/** The caller's own second factor: that of the user of the session, or else of the account. */
@Injectable()
export class SecondFactors {
  constructor(
    private readonly database: Database,
    private readonly repository: SecondFactorsRepository,
    private readonly credentials: Credentials,
    private readonly verifiedEmails: VerifiedEmails,
    private readonly codes: SecondFactorCodes,
    private readonly audit: AuditTrail,
  ) {}

  /** @returns null before the first enrolment */
  find({ subjectId }: Principal): Promise<SecondFactor | null> {
    return this.repository.find(subjectId);
  }

  /**
   * Switches the factor off and ends the other sessions of the subject.
   * @throws DomainError `conflict` when it is off; `invalid_credentials`; `rate_limited`
   */
  disable(principal: Principal, code: string): Promise<void> {
    return this.change(principal, 'disable', async (tx, found, now) => {
      const factor = assertOn(found);
      if (typeof this.codes.use(tx, principal, [factor], code, now) === 'string') return false;
      this.repository.delete(tx, factor.subjectId);
      await this.credentials.setSecondFactor(tx, principal, false, now);
      return true;
    });
  }

  /**
   * Replaces all recovery codes.
   * @throws DomainError `conflict` when the factor is off; `invalid_credentials`; `rate_limited`
   */
  async replaceRecoveryCodes(principal: Principal, code: string): Promise<string[]> {
    const recoveryCodes = newRecoveryCodes();
    await this.change(principal, 'replace_recovery_codes', async (tx, found, now) => {
      const factor = assertOn(found);
      if (typeof this.codes.use(tx, principal, [factor], code, now) === 'string') return false;
      factor.setRecoveryCodes(recoveryCodes);
      this.repository.save(tx, factor);
      await this.credentials.recordSecondFactor(tx, principal.subjectId, 'self', now);
      return true;
    });
    return recoveryCodes;
  }

  /**
   * Runs `work` with the caller's factor, or null without one. A change of the password, an admin's reset or a concurrent
   * change of the factor either has committed before, or waits.
   * @param work returns false for a wrong code, which is committed because it is counted
   */
  async change(
    principal: Principal,
    action: string,
    work: (tx: Tx, factor: SecondFactor | null, now: Date) => boolean | Promise<boolean>,
  ): Promise<void> {
    const { subjectId, sessionId } = principal;
    const isAccepted = await this.database.transaction(async (tx, now) => {
      const credential = await this.credentials.lockForSession(tx, subjectId, now, sessionId);
      const { accountId } = credential;
      if (action === 'enrol' || action === 'confirm') this.verifiedEmails.assertVerified(credential);
      const [factor = null] = await this.repository.lock(tx, [subjectId]);
      const accepted = await work(tx, factor, now);
      this.audit.record(tx, principal, {
        action: `second_factor.${action}`,
        objectId: subjectId,
        accountId,
        outcome: accepted ? 'succeeded' : 'failed',
      });
      return accepted;
    });
    if (!isAccepted) throw wrongCode();
  }
}

/** Sets the second factor of the caller up. */
@Injectable()
export class SecondFactorEnrolments {
  constructor(
    private readonly factors: SecondFactors,
    private readonly repository: SecondFactorsRepository,
    private readonly codes: SecondFactorCodes,
    private readonly credentials: Credentials,
    private readonly reauthentication: Reauthentication,
    private readonly subjects: SignInSubjects,
  ) {}

  /**
   * Begins an enrolment, which `confirm` completes. It replaces one that is not confirmed. A factor that is on stays in
   * effect until then, and a code of it is required.
   * @returns what an authenticator app needs, which is never shown again: the secret in base32, to type it in, and the same
   * as an `otpauth://` URI, for a QR code
   * @throws DomainError `invalid_credentials` for a wrong password or code; `otp_required`; `forbidden` for an
   * email that must be verified first; `rate_limited`
   */
  async begin(
    principal: Principal,
    password: string,
    code: string | undefined,
  ): Promise<{ secret: string; uri: string }> {
    await this.reauthentication.confirm(principal, { password });
    const { subjectId } = principal;
    const { secret, encrypted } = this.codes.newSecret(subjectId);
    await this.factors.change(principal, 'enrol', (tx, found, now) => {
      if (found?.isOn) {
        if (code === undefined) throw otpRequired();
        if (typeof this.codes.use(tx, principal, [found], code, now) === 'string') return false;
      }
      const factor = found ?? SecondFactor.create(subjectId);
      factor.begin(encrypted);
      if (found === null) this.repository.add(tx, factor);
      else this.repository.save(tx, factor);
      return true;
    });
    const kind = principal.userId === null ? 'account' : 'user';
    const subject = await this.subjects.get(kind).describe(subjectId);
    return { secret, uri: totpUri(secret, subject?.email ?? subjectId) };
  }

  /**
   * Switches the enrolled factor on and ends the other sessions of the subject, which were opened without it.
   * @returns the recovery codes
   * @throws DomainError `conflict` when no enrolment was begun; `invalid_credentials`; `forbidden` for an email that
   * must be verified first; `rate_limited`
   */
  async confirm(principal: Principal, code: string): Promise<string[]> {
    const recoveryCodes = newRecoveryCodes();
    await this.factors.change(principal, 'confirm', async (tx, factor, now) => {
      if (factor === null || factor.pendingSecret === null) {
        throw new DomainError('conflict', 'Begin the enrolment first: POST /v1/auth/otp.');
      }
      factor.assertGuessAllowed(now);
      const step = this.codes.findStep(factor, factor.pendingSecret, code, now);
      if (step === null) factor.countWrongCode(now);
      else {
        factor.confirm(step, recoveryCodes, now);
        await this.credentials.setSecondFactor(tx, principal, true, now);
      }
      this.repository.save(tx, factor);
      return step !== null;
    });
    return recoveryCodes;
  }
}

/** @throws DomainError `conflict` */
function assertOn(factor: SecondFactor | null): SecondFactor {
  if (factor?.isOn) return factor;
  throw new DomainError('conflict', 'The second factor is off. Switch it on with POST /v1/auth/otp.');
}
