import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import { emailKey } from '../../../kernel/text';
import {
  anonymousActor,
  AuditEvent,
  AuditOutcome,
  AuditTrail,
  Device,
} from '../../../platform/audit/audit-trail';
import { Database } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { Credential } from '../domain/credential';
import { CredentialsRepository } from '../domain/credentials.repository';
import { Logins, Tokens } from '../domain/logins';

import { otpRequired, SecondFactorCheck, wrongCode } from '../domain/second-factor-check';
import { SignInSubjects } from '../domain/sign-in-subjects';
import { AccessTokens } from './access-tokens';
import { FailedLogins } from './failed-logins';
import { KnownNetworks } from './known-networks';
import { PasswordHasher } from '../domain/password-hasher';
import { OpenSession, Sessions } from '../domain/sessions';

/** The number of attempts when a password change interferes with a login. */
const MAX_ATTEMPTS = 3;

/** Why the right password opens no session. */
const rejections = {
  disabled: () => new DomainError('unauthorized', 'The user or account is suspended, pending or closed.'),
  otp_required: otpRequired,
  wrong_code: wrongCode,
  used_code: wrongCode,
};

@Injectable()
export class LoginsService extends Logins {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly credentials: CredentialsRepository,
    private readonly sessions: Sessions,
    private readonly hasher: PasswordHasher,
    private readonly failedLogins: FailedLogins,
    private readonly knownNetworks: KnownNetworks,
    private readonly secondFactors: SecondFactorCheck,
    private readonly accessTokens: AccessTokens,
    private readonly subjects: SignInSubjects,
    private readonly audit: AuditTrail,
  ) {
    super();
  }

  async logIn(
    email: string,
    password: string,
    otp: string | undefined,
    device: Device,
    consoleIdleSeconds: number | null = null,
  ): Promise<Tokens> {
    const key = emailKey(email);
    const client = { address: device.ip, owner: await this.knownNetworks.ownerOf(key, device.ip) };
    let compared: readonly Credential[] = [];
    const candidates = async () => {
      compared = await this.failedLogins.permitted(key, device.ip, await this.credentials.findByEmail(key));
      return compared;
    };
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const matched = await this.hasher.matching(password, client, candidates);
      if (matched.length === 0) break;
      const permitted = await this.failedLogins.permitted(key, device.ip, matched);
      const open = await this.openSession(permitted, otp, device, consoleIdleSeconds);
      if (open === 'changed') continue;
      if (typeof open === 'string') {
        if (open === 'wrong_code') await this.failedLogins.count(key, device.ip, permitted);
        throw rejections[open]();
      }
      await this.rehashOutdated(matched, password, device);
      return this.tokens(open);
    }
    await this.failedLogins.count(key, device.ip, compared);
    await this.database.transaction(async (tx) => this.recordFailures(tx, compared, 'failed', device));
    throw new DomainError('invalid_credentials', 'The email or the password is incorrect.');
  }

  async refresh(refreshToken: string, consoleIdleSeconds: number | null = null): Promise<Tokens> {
    return this.tokens(await this.sessions.refresh(refreshToken, consoleIdleSeconds));
  }

  /**
   * Hashes are compared outside of a transaction because that is slow, so the credentials are locked and checked again
   * here. A concurrent suspension or password change either has committed before, or waits and ends the new session.
   * @returns `changed` when a password hash has changed since the comparison; `disabled` when nothing may log in
   */
  private openSession(
    matched: readonly Credential[],
    otp: string | undefined,
    device: Device,
    consoleIdleSeconds: number | null,
  ): Promise<OpenSession | 'changed' | keyof typeof rejections> {
    return this.database.transaction(async (tx, now) => {
      const locked = await this.credentials.lockForLogin(
        tx,
        matched.map((credential) => credential.subjectId),
      );
      const compared = new Set(matched.map((credential) => credential.passwordHash));
      if (locked.length < matched.length || locked.some(({ passwordHash }) => !compared.has(passwordHash)))
        return 'changed';
      const allowed = locked.filter((credential) => !credential.disabled);
      if (allowed.length === 0) {
        this.recordFailures(tx, locked, 'refused', device);
        return 'disabled';
      }
      const admission = await this.secondFactors.admit(tx, anonymousActor(device), allowed, otp, now);
      if (typeof admission === 'object')
        return this.sessions.open(tx, admission, device, now, consoleIdleSeconds);
      this.recordFailures(tx, allowed, 'failed', device, { cause: admission });
      return admission;
    });
  }

  /** Records a login that opened no session. An unknown email is left out: people type passwords in that field. */
  private recordFailures(
    tx: Tx,
    candidates: readonly Credential[],
    outcome: AuditOutcome,
    device: Device,
    details?: AuditEvent['details'],
  ): void {
    const objects = candidates.length > 0 ? candidates : [{ subjectId: null, accountId: null }];
    for (const { subjectId: objectId, accountId } of objects)
      this.audit.record(tx, anonymousActor(device), {
        action: 'login',
        objectId,
        accountId,
        outcome,
        details,
      });
  }

  /** Rehashes passwords whose hash was computed with a lower cost than is configured now. */
  private async rehashOutdated(
    matched: readonly Credential[],
    password: string,
    { ip }: Device,
  ): Promise<void> {
    for (const { subjectId, passwordHash } of matched) {
      if (!this.hasher.isOutdated(passwordHash)) continue;
      try {
        await this.credentials.rehash(subjectId, passwordHash, await this.hasher.hash(password, ip));
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        return; // The hash queue is full. The session is open, and the next login tries again.
      }
    }
  }

  private async tokens({ session, refreshToken }: OpenSession): Promise<Tokens> {
    const user = session.userId
      ? await this.subjects.describe('user', session.userId)
      : await this.subjects.describe('account', session.subjectId);
    if (user === null) throw new DomainError('unauthorized', 'The user or account has been deleted.');
    return {
      accessToken: this.accessTokens.sign(
        { subjectId: session.subjectId, sessionId: session.id },
        this.clock.now(),
      ),
      refreshToken,
      expiresInSeconds: this.accessTokens.lifetimeSeconds,
      user,
      role: session.role,
      secondFactor: session.secondFactor,
    };
  }
}
