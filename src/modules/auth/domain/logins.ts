import type { Device } from '../../../platform/audit/audit-trail';
import type { MembershipRole, Role } from './principal';
import type { SubjectSummary } from './sign-in-subjects';

/** The result of a login or a refresh (interface 2.5). */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInSeconds: number;
  readonly user: SubjectSummary;
  readonly role: Role;
  /** The account that the session acts for, or null. */
  readonly accountId: string | null;
  readonly membershipRole: MembershipRole | null;
  /** Whether the user or the account has a second factor, or the provider of the session is responsible for it. */
  readonly secondFactor: boolean;
}

/** Logins and refreshes: everything that yields tokens. */
export abstract class Logins {
  /**
   * Opens one session for the user, the account or both whose email and password match (interface 4.1).
   * @param otp the code of the second factor, if there is one
   * @param consoleIdleSeconds after which a session of the console ends without a refresh; null for one of the API
   * @throws DomainError `invalid_credentials` when nothing matches, after the same time whether the email exists or not,
   * and for a wrong code; `otp_required` when only the code is missing; `unauthorized` when all that match are disabled or
   * sign in through a provider; `rate_limited` after too many failures
   */
  abstract logIn(
    email: string,
    password: string,
    otp: string | undefined,
    device: Device,
    consoleIdleSeconds?: number | null,
  ): Promise<Tokens>;

  /**
   * Exchanges a refresh token for new tokens of the same session.
   * @param consoleIdleSeconds as at the login: the console and the API accept only their own tokens
   * @throws DomainError `unauthorized` for a token that is unknown, belongs to a session that is not live or was opened
   * elsewhere, or was used before the grace period; in the last case the session ends. `rate_limited` for a token that is
   * used again too often
   */
  abstract refresh(refreshToken: string, consoleIdleSeconds?: number | null): Promise<Tokens>;

  /**
   * Ends the console session of a refresh token. Does nothing for any other token, or when the session has ended.
   * @returns the provider through which it was opened; null if there was none
   */
  abstract endConsoleSession(refreshToken: string, device: Device): Promise<string | null>;
}
