import type { Device } from '../../../../platform/audit/audit-trail';
import type { LoginSubject } from '../../domain/sign-in-subjects';

/** A link, and the user or the account that it is for. */
export interface IssuedLink {
  readonly subject: LoginSubject;
  readonly link: string;
}

/** Forgotten passwords: a link by email with which a new password is set. */
export abstract class PasswordResets {
  /**
   * Sends links to the email: one for the user and one for the account that have it. Does the same work in any case, so
   * that neither the response nor its time tells. An email that was sent too many links gets no further one: those that it has are valid.
   * @param language of the client, BCP 47
   * @throws DomainError `invalid_request` when the service sends no email; `rate_limited`
   */
  abstract request(email: string, device: Device, language: string): Promise<void>;

  /**
   * Issues a link for the user and another for the account that have the email and may log in. Links that were issued
   * before stay valid. The locks keep a concurrent change of the email from leaving a link for the old mailbox.
   */
  abstract issueLinks(key: string): Promise<IssuedLink[]>;

  /** @returns the user or the account whose password the link sets; null if the link cannot be used */
  abstract findSubject(token: string): Promise<LoginSubject | null>;

  /**
   * Sets the password of the user or the account of the link, and ends its sessions. If the email was not verified before,
   * it removes what a stranger may have set up, since the link proves that the mailbox is one's own. Of several uses of a
   * link, one succeeds.
   * @throws DomainError `invalid_reset_token`; `invalid_request` for a weak password, and then the link stays valid
   */
  abstract reset(token: string, password: string, device: Device): Promise<void>;

  /** @returns whether there may be more */
  abstract deleteExpired(now: Date): Promise<boolean>;
}
