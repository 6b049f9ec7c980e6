import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import { emailKey } from '../../../kernel/text';
import { Tx } from '../../../platform/database/database';
import { Device } from '../../../platform/audit/audit-trail';
import { Credential, CredentialsRepository } from '../domain/credential';
import { Logins, Tokens } from '../domain/logins';
import { PasswordHasher } from '../domain/passwords';
import { SignInSubjects } from '../domain/sign-in-subjects';
import { otpRequired, wrongCode } from '../second-factors/second-factor';
import { AccessTokens } from './access-tokens';
import { FailedLogins, KnownNetworks } from './failed-logins';
import { LoginRejection, LoginSessions, OpenSession } from './login-sessions';

/** The number of attempts when a password change interferes with a login. */
const MAX_ATTEMPTS = 3;

const rejections: Readonly<Record<LoginRejection, () => DomainError>> = {
  disabled: disabledSubject,
  password_refused: () =>
    new DomainError(
      'unauthorized',
      'This user signs in to the console through a provider, without a password.',
    ),
  otp_required: otpRequired,
  wrong_code: wrongCode,
  used_code: wrongCode,
};

export function disabledSubject(): DomainError {
  return new DomainError('unauthorized', 'The user or account is suspended, pending or closed.');
}

/** Issues the tokens of a session. */
@Injectable()
export class TokenIssuer {
  constructor(
    private readonly accessTokens: AccessTokens,
    private readonly subjects: SignInSubjects,
    private readonly clock: Clock,
  ) {}

  async issue({ session, refreshToken }: OpenSession): Promise<Tokens> {
    const { id, userId, subjectId, role, accountId, membershipRole } = session;
    const user = await this.subjects.get(userId ? 'user' : 'account').describe(subjectId);
    if (user === null) throw new DomainError('unauthorized', 'The user or account has been deleted.');
    return {
      accessToken: this.accessTokens.sign({ subjectId, sessionId: id }, this.clock.now()),
      refreshToken,
      expiresInSeconds: this.accessTokens.lifetimeSeconds,
      user,
      role,
      accountId,
      membershipRole,
      secondFactor: session.hasSecondFactor,
    };
  }
}

@Injectable()
export class LoginsService extends Logins {
  constructor(
    private readonly credentials: CredentialsRepository,
    private readonly hasher: PasswordHasher,
    private readonly failedLogins: FailedLogins,
    private readonly knownNetworks: KnownNetworks,
    private readonly sessions: LoginSessions,
    private readonly tokens: TokenIssuer,
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
    let compared: readonly Credential[] = [];
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const { found, ownerId } = await this.knownNetworks.findByEmail(key, device.ip);
      const client = { address: device.ip, owner: ownerId };
      const matched = await this.hasher.matching(password, client, async () => {
        compared = await this.failedLogins.filterAllowed(key, device.ip, found);
        return compared;
      });
      if (matched.length === 0) break;
      let allowed = matched;
      const filterAllowed = async (tx: Tx): Promise<readonly Credential[]> =>
        (allowed = await this.failedLogins.filterAllowed(key, device.ip, matched, tx));
      const open = await this.sessions.open(matched, filterAllowed, otp, device, consoleIdleSeconds);
      if (open === 'changed') continue;
      if (typeof open === 'string') {
        if (open === 'wrong_code') await this.failedLogins.count(key, device.ip, allowed);
        throw rejections[open]();
      }
      await this.rehashOutdated(matched, password, device);
      return this.tokens.issue(open);
    }
    await this.failedLogins.count(key, device.ip, compared);
    await this.sessions.recordMismatch(compared, device);
    throw new DomainError('invalid_credentials', 'The email or the password is incorrect.');
  }

  async refresh(refreshToken: string, consoleIdleSeconds: number | null = null): Promise<Tokens> {
    return this.tokens.issue(await this.sessions.refresh(refreshToken, consoleIdleSeconds));
  }

  endConsoleSession(refreshToken: string, device: Device): Promise<string | null> {
    return this.sessions.endConsoleSession(refreshToken, device);
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
}
