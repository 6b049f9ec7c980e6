import { clientNetwork } from '../../../kernel/client-network';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../../kernel/clock';
import type { FieldsOf } from '../../../kernel/entity';
import { newId } from '../../../kernel/ids';
import type { AuditEvent, Device } from '../../../platform/audit/audit-trail';
import type { Credential } from './credential';
import type { MembershipRole, Principal, Role } from './principal';
import { hashToken, newToken } from './secret-tokens';

/** A session of the API expires this long after its last refresh. */
const SLIDING_DAYS = 30;
/** A session expires this long after its login, even if it is refreshed. */
const ABSOLUTE_MS = 90 * DAY_MS;
/** One through a provider ends after a day's work, because only a sign-in finds out that the provider ended the access. */
const PROVIDED_MS = 12 * HOUR_MS;

export interface ProvidedSignIn {
  readonly provider: string;
  /** When the person signed in at the provider; null if it does not say. */
  readonly authenticatedAt: Date | null;
}

/** A login. Tokens are valid only while this row is live, so ending it takes effect at once on every replica. */
export class Session {
  readonly id: string;
  readonly userId: string | null;
  readonly openedAccountId: string | null;
  accountId: string | null;
  membershipRole: MembershipRole | null;
  role: Role;
  /** Whether the subject of the session has a second factor, which the login then required. */
  secondFactor: boolean;
  /** Whether it was opened in the console. Then it ends without activity, and only the console refreshes it. */
  readonly isConsole: boolean;
  /** The provider through which the user signed in; null with a password. */
  readonly provider: string | null;
  readonly ip: string;
  /** The network of the address; null in sessions of releases before it was stored. */
  readonly network: string | null;
  readonly userAgent: string | null;
  readonly createdAt: Date;
  /** When the password or the second factor was last confirmed after the login, or the login at the provider; or null. */
  readonly authenticatedAt: Date | null;
  /** The version of the API to which the account is pinned; null for the newest, and without an account. */
  apiVersion: string | null;
  lastUsedAt: Date;
  expiresAt: Date;
  /** An hour after a session expires, a periodic task sets it to the time of the expiry. */
  endedAt: Date | null;

  private constructor(fields: FieldsOf<Session, 'subjectId' | 'hasSecondFactor'>) {
    Object.assign(this, fields);
  }

  /**
   * Opens a session for all credentials that the password matched. It acts for the account whose own password matched,
   * or else for the account that the user is linked to.
   * @param consoleIdleSeconds after which a session of the console ends without a refresh; null for one of the API
   * @param provided the sign-in through a provider; null for one with a password
   */
  static open(
    matched: readonly Credential[],
    device: Device,
    now: Date,
    secondFactor: boolean,
    consoleIdleSeconds: number | null,
    provided: ProvidedSignIn | null = null,
  ): Session {
    const user = matched.find((credential) => credential.kind === 'user');
    const account = matched.find((credential) => credential.kind === 'account');
    const acting = account ?? user;
    const provider = provided?.provider ?? null;
    return new Session({
      id: newId('ses', now),
      userId: user?.subjectId ?? null,
      openedAccountId: account?.subjectId ?? null,
      accountId: acting?.accountId ?? null,
      membershipRole: acting?.membershipRole ?? null,
      role: user?.role ?? 'user',
      secondFactor,
      isConsole: consoleIdleSeconds !== null,
      provider,
      ip: device.ip,
      network: clientNetwork(device.ip),
      userAgent: device.userAgent,
      createdAt: now,
      authenticatedAt: provided?.authenticatedAt ?? null,
      apiVersion: account?.apiVersion ?? null,
      lastUsedAt: now,
      expiresAt: expiry(now, now, consoleIdleSeconds, provider),
      endedAt: null,
    });
  }

  /** The id of the user, or of the account when there is no user. */
  get subjectId(): string {
    return (this.userId ?? this.openedAccountId)!;
  }

  /** Whether a second factor was asked for, which is up to the provider if there is one. */
  get hasSecondFactor(): boolean {
    return this.secondFactor || this.provider !== null;
  }

  /** Records a refresh and extends the session. @param consoleIdleSeconds as when it was opened */
  use(now: Date, consoleIdleSeconds: number | null): void {
    this.lastUsedAt = now;
    this.expiresAt = expiry(this.createdAt, now, consoleIdleSeconds, this.provider);
  }

  pinTo(apiVersion: string | null): void {
    this.apiVersion = apiVersion;
  }

  setSecondFactor(secondFactor: boolean): void {
    this.secondFactor = secondFactor;
  }

  end(now: Date): void {
    this.endedAt = now;
  }

  isLive(now: Date): boolean {
    return this.endedAt === null && now < this.expiresAt;
  }

  /** The principal of a request with a token of this session. */
  principal(device: Device): Principal {
    const { id, userId, openedAccountId, accountId, membershipRole, role, subjectId } = this;
    return {
      sessionId: id,
      userId,
      openedAccountId,
      accountId,
      membershipRole,
      role,
      secondFactor: this.hasSecondFactor,
      subjectId,
      device,
      authenticatedAt: this.authenticatedAt ?? this.createdAt,
      scopes: null,
      // Sessions of releases before there were versions have one in any case.
      pinnedVersion: accountId === null ? null : this.apiVersion,
    };
  }

  /** Whether this session and the principal's were opened with the password of the same user or account. */
  belongsTo(principal: Principal): boolean {
    const sameUser = this.userId !== null && this.userId === principal.userId;
    const sameAccount = this.openedAccountId !== null && this.openedAccountId === principal.openedAccountId;
    return sameUser || sameAccount;
  }
}

/** The end of a session for the audit log. @param cause unless its owner or an admin ends it */
export function describeEnd({ id: objectId, accountId }: Session, cause?: string): AuditEvent {
  return { action: 'session.end', objectId, accountId, details: { cause } };
}

function expiry(
  createdAt: Date,
  lastUsedAt: Date,
  consoleIdleSeconds: number | null,
  provider: string | null,
): Date {
  const idleMs = consoleIdleSeconds === null ? SLIDING_DAYS * DAY_MS : consoleIdleSeconds * SECOND_MS;
  const sliding = lastUsedAt.getTime() + idleMs;
  const absolute = createdAt.getTime() + (provider === null ? ABSOLUTE_MS : PROVIDED_MS);
  return new Date(Math.min(sliding, absolute));
}

/** The record of one refresh token of a session. Only a hash is stored; the token itself is sent once. */
export class RefreshToken {
  readonly hash: string;
  readonly sessionId: string;
  readonly createdAt: Date;
  usedAt: Date | null;

  private constructor(fields: FieldsOf<RefreshToken>) {
    Object.assign(this, fields);
  }

  /** @returns the token for the client, and its record to store */
  static issue(sessionId: string, now: Date): { token: string; record: RefreshToken } {
    const token = newToken();
    const record = new RefreshToken({
      hash: hashToken(token),
      sessionId,
      createdAt: now,
      usedAt: null,
    });
    return { token, record };
  }

  /**
   * Marks the token as used. Reuse within the grace period is allowed: a response was lost, or two browser tabs share
   * the token. Later reuse indicates a stolen token, and the caller must end the session.
   * @returns whether the token is accepted
   */
  use(now: Date, graceSeconds: number): boolean {
    if (this.usedAt !== null) return now.getTime() - this.usedAt.getTime() <= graceSeconds * SECOND_MS;
    this.usedAt = now;
    return true;
  }
}
