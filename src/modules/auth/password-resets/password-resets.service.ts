import { Injectable } from '@nestjs/common';
import { clientNetwork } from '../../../kernel/client-network';
import { rateLimited } from '../../../kernel/domain-error';
import { emailKey } from '../../../kernel/text';
import { anonymousActor, AuditTrail, Device } from '../../../platform/audit/audit-trail';
import { Database, Tx } from '../../../platform/database/database';
import { EmailLimits, SharedLimit } from '../../../platform/database/shared-limit';
import { Mailer } from '../../../platform/mail/mailer';
import { EmailProofs } from '../application/email-proofs';
import { KnownNetworks } from '../application/failed-logins';
import { CredentialListeners } from '../domain/credential';
import { Credentials } from '../domain/credentials';
import { assertPassword, PasswordHasher } from '../domain/passwords';
import { LoginSubject } from '../domain/sign-in-subjects';
import { resetTokenError } from './emailed-link';
import { EmailedLinksService } from './emailed-links.service';

/** Recorded in place of an email that gets no further links for now. No user or account has it. */
const NOBODY = '';

/**
 * Limits how many emails with links a network can cause and an email can receive, across all replicas. Owners in networks
 * that are known to them have their own allowance, which strangers cannot use up.
 */
export class EmailedLinkQuota {
  constructor(
    private readonly resets: EmailLimits,
    private readonly resetsOfOwner: SharedLimit,
    private readonly verifications: SharedLimit,
  ) {}

  /**
   * Counts one request of a link to set a password in the same way whether the email exists or not. It stops at the first
   * limit that is exceeded, so that requests beyond one limit do not count against the others.
   * @param owner the id of a user or an account with this email to whom the network is known, or null
   * @returns whether the recipient may get another email
   * @throws DomainError `rate_limited` for too many requests from the network
   */
  async useReset(emailKey: string, network: string, owner: string | null): Promise<boolean> {
    const seconds = await this.resets.useNetwork(emailKey, network);
    if (seconds !== null)
      throw rateLimited('Too many requests for this email or from this network.', seconds);
    const exceeded = owner === null ? this.resets.email.use(emailKey) : this.resetsOfOwner.use(owner);
    return (await exceeded) === null;
  }

  /** Counts one request of a link to verify an email. @throws DomainError `rate_limited` */
  async useVerification(subjectId: string): Promise<void> {
    const seconds = await this.verifications.use(subjectId);
    if (seconds !== null) throw rateLimited('Too many requests.', seconds);
  }
}

/** Requests of links to set a new password. */
@Injectable()
export class PasswordResetRequests {
  constructor(
    private readonly mailer: Mailer,
    private readonly knownNetworks: KnownNetworks,
    private readonly quota: EmailedLinkQuota,
    private readonly database: Database,
    private readonly listeners: CredentialListeners,
  ) {}

  /**
   * Sends links to the email: one for the user and one for the account that have it. Does the same work in any case, so
   * that neither the response nor its time tells. An email that was sent too many links gets no further one: those that it
   * has are valid.
   * @param language of the client, BCP 47
   * @throws DomainError `invalid_request` when the service sends no email; `rate_limited`
   */
  async create(email: string, device: Device, language: string): Promise<void> {
    this.mailer.assertConfigured('Ask an admin to set a new password.');
    const key = emailKey(email);
    const { ownerId } = await this.knownNetworks.findByEmail(key, device.ip);
    const recipient = (await this.quota.useReset(key, clientNetwork(device.ip), ownerId)) ? key : NOBODY;
    await this.database.transaction(async (tx, now) =>
      this.listeners.notifyResetRequested(tx, { emailKey: recipient, language }, now),
    );
  }
}

/** Sets new passwords by the links. */
@Injectable()
export class PasswordResets {
  constructor(
    private readonly database: Database,
    private readonly links: EmailedLinksService,
    private readonly proofs: EmailProofs,
    private readonly credentials: Credentials,
    private readonly hasher: PasswordHasher,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Sets the password of the user or the account of the link, and ends its sessions. If the email was not verified before,
   * it removes what a stranger may have set up, since the link proves that the mailbox is one's own.
   * @throws DomainError `invalid_reset_token`; `invalid_request` for a weak password, and then the link stays valid
   */
  async reset(token: string, password: string, device: Device): Promise<void> {
    const subject = await this.links.findSubject(token, 'password_reset');
    if (subject === null) throw resetTokenError();
    assertPassword(password, subject.email, subject.name);
    const hash = await this.hasher.hash(password, device.ip);
    for (let isDone = false; !isDone;)
      isDone = await this.database.transaction((tx, now) =>
        this.resetOrRemoveSome(tx, subject, token, hash, device, now),
      );
  }

  /**
   * The transactions before the last one leave the link valid, so that a repeat completes a reset that is interrupted.
   * @returns false when there was too much to remove for one database transaction: run it again in another one
   */
  private async resetOrRemoveSome(
    tx: Tx,
    subject: LoginSubject,
    token: string,
    passwordHash: string,
    device: Device,
    now: Date,
  ): Promise<boolean> {
    const actor = anonymousActor(device);
    const locked = await this.links.lockCredential(tx, subject, token, 'password_reset', now);
    if (locked === null) throw resetTokenError();
    const credential = await this.proofs.takeOver(tx, actor, locked, now);
    if (credential === null) return false;
    this.credentials.replacePassword(tx, credential, passwordHash, now, null, 'email_link');
    const { subjectId: objectId, accountId } = credential;
    this.audit.record(tx, actor, { action: 'password.reset', objectId, accountId });
    return true;
  }
}
