import type { Device } from '../../../platform/audit/audit-trail';
import type { Role } from './principal';
import type { SubjectSummary } from './sign-in-subjects';

/** The result of a login or a refresh (interface 2.5). */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInSeconds: number;
  readonly user: SubjectSummary;
  readonly role: Role;
  /** Whether the user or the account has a second factor. */
  readonly secondFactor: boolean;
}

/** Logins and refreshes: everything that yields tokens. */
export abstract class Logins {
  /**
   * Opens one session for the user, the account or both whose email and password match (interface 4.1).
   * @param otp the code of the second factor, if there is one
   * @param consoleIdleSeconds after which a session of the console ends without a refresh; null for one of the API
   * @throws DomainError `invalid_credentials` when nothing matches, after the same time whether the email exists or not,
   * and for a wrong code; `otp_required` when only the code is missing; `unauthorized` when all that match are disabled;
   * `rate_limited` after too many failures
   */
  abstract logIn(
    email: string,
    password: string,
    otp: string | undefined,
    device: Device,
    consoleIdleSeconds?: number | null,
  ): Promise<Tokens>;

  /**
   * @param consoleIdleSeconds as at the login
   * @throws DomainError `unauthorized` for an invalid refresh token
   */
  abstract refresh(refreshToken: string, consoleIdleSeconds?: number | null): Promise<Tokens>;
}
