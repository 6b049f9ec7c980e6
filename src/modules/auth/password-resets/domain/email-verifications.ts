import type { Device } from '../../../../platform/audit/audit-trail';
import type { Credential } from '../../domain/credential';
import type { Principal } from '../../domain/principal';
import type { LoginSubject } from '../../domain/sign-in-subjects';
import type { IssuedLink } from './password-resets';

/** An email of a user or an account, as it was entered. */
export interface OwnEmail extends Pick<Credential, 'subjectId' | 'isEmailVerified' | 'emailVerifiedAt'> {
  readonly email: string;
}

/** Links with which the owner of a mailbox, who knows the password, proves that the email is theirs. */
export abstract class EmailVerifications {
  /** Returns the emails of the caller's user, of the account that the session opened, and of an account it owns. */
  abstract list(caller: Principal): Promise<OwnEmail[]>;

  /**
   * Sends links to those of the caller's emails that are not verified.
   * @returns whether there are any
   * @throws DomainError `invalid_request` when the service sends no email; `rate_limited`
   */
  abstract request(caller: Principal): Promise<boolean>;

  /**
   * Issues a link, unless the user or the account may not log in, has another email by now, or its email is verified.
   * Links that were issued before stay valid.
   */
  abstract issueLink(subjectId: string, emailKey: string): Promise<IssuedLink | null>;

  /** @returns the user or the account whose email the link verifies; null if the link cannot be used */
  abstract findSubject(token: string): Promise<LoginSubject | null>;

  /**
   * Verifies the email of the user or the account of the link. It asks for the password, because the owner of the mailbox
   * of a stranger's account might open the link by mistake. Of several uses of a link, one succeeds.
   * @returns false for a link that cannot be used
   * @throws DomainError `invalid_credentials` for a wrong password, and then the link stays valid; `rate_limited`
   */
  abstract verify(token: string, password: string, device: Device): Promise<boolean>;
}
