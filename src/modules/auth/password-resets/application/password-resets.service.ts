import { Injectable } from '@nestjs/common';
import { clientNetwork } from '../../../../kernel/client-network';
import { Clock } from '../../../../kernel/clock';
import { DomainError } from '../../../../kernel/domain-error';
import { emailKey } from '../../../../kernel/text';
import { anonymousActor, AuditTrail, Device } from '../../../../platform/audit/audit-trail';
import { Database } from '../../../../platform/database/database';
import { Tx } from '../../../../platform/database/tx';
import { Mailer } from '../../../../platform/mail/mailer';
import { assertPassword } from '../../domain/password-policy';
import { Credentials } from '../../application/credentials.service';
import { KnownNetworks } from '../../application/known-networks';
import { LoginSubject } from '../../domain/sign-in-subjects';
import { LoginSubjects } from '../../application/login-subjects';
import { PasswordHasher } from '../../application/password-hasher';
import { VerifiedEmails } from '../../application/verified-emails.service';
import { EmailedLink, hashToken, resetTokenError } from '../domain/emailed-link';
import { EmailedLinksRepository } from '../domain/emailed-links.repository';
import { LinkAddresses } from '../domain/link-addresses';
import { PasswordResetListeners } from '../domain/password-reset-listeners';
import { PasswordResetQuota } from './password-reset-quota';

const DELETE_BATCH = 1_000;

/** Recorded in place of an email that gets no further links for now. No user or account has it. */
const NOBODY = '';

/** A link, and the user or the account that it is for. */
export interface IssuedLink {
  readonly subject: LoginSubject;
  readonly link: string;
}

/** Forgotten passwords: a link by email with which a new password is set. */
@Injectable()
export class PasswordResets {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly repository: EmailedLinksRepository,
    private readonly credentials: Credentials,
    private readonly verifiedEmails: VerifiedEmails,
    private readonly subjects: LoginSubjects,
    private readonly mailer: Mailer,
    private readonly listeners: PasswordResetListeners,
    private readonly addresses: LinkAddresses,
    private readonly quota: PasswordResetQuota,
    private readonly knownNetworks: KnownNetworks,
    private readonly hasher: PasswordHasher,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Sends links to the email: one for the user and one for the account that have it. Does the same work in any case, so
   * that neither the response nor its time tells. An email that was sent too many links gets no further one: those that it has are valid.
   * @param language of the client, BCP 47
   * @throws DomainError `invalid_request` when the service sends no email; `rate_limited`
   */
  async request(email: string, device: Device, language: string): Promise<void> {
    if (!this.mailer.configured) {
      throw new DomainError(
        'invalid_request',
        'This service sends no email (SMTP_URL is not set). Ask an admin to set a new password.',
      );
    }
    const key = emailKey(email);
    const owner = await this.knownNetworks.ownerOf(key, device.ip);
    const recipient = (await this.quota.use(key, clientNetwork(device.ip), owner)) ? key : NOBODY;
    await this.database.transaction(async (tx, now) =>
      this.listeners.notifyRequested(tx, { emailKey: recipient, language }, now),
    );
  }

  /**
   * Issues a link for the user and another for the account that have the email and may log in. Links that were issued
   * before stay valid. The locks keep a concurrent change of the email from leaving a link for the old mailbox.
   */
  async issueLinks(key: string): Promise<IssuedLink[]> {
    const subjects = await this.subjects.describeByEmail(key);
    return this.database.transaction(async (tx, now) => {
      const locked = await this.credentials.lockByEmail(tx, key);
      const current = subjects.filter(({ id }) => locked.some(({ subjectId }) => subjectId === id));
      return current.map((subject) => {
        const { token, record } = EmailedLink.issue(subject.id, 'password_reset', now);
        this.repository.add(tx, record);
        return { subject, link: this.addresses.to('password_reset', token) };
      });
    });
  }

  /** @returns the user or the account whose password the link sets; null if the link cannot be used */
  async findSubject(token: string): Promise<LoginSubject | null> {
    const now = this.clock.now();
    const subjectId = await this.repository.findSubjectId(hashToken(token), 'password_reset', now);
    return subjectId === null ? null : this.subjects.describe(subjectId);
  }

  /**
   * Sets the password of the user or the account of the link, and ends its sessions. If the email was not verified before,
   * it removes what a stranger may have set up, since the link proves that the mailbox is one's own. Of several uses of a
   * link, one succeeds.
   * @throws DomainError `invalid_reset_token`; `invalid_request` for a weak password, and then the link stays valid
   */
  async reset(token: string, password: string, device: Device): Promise<void> {
    const subject = await this.findSubject(token);
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
    const locked = await this.verifiedEmails.lock(tx, subject);
    if (locked === null || !(await this.repository.isValid(tx, hashToken(token), 'password_reset', now)))
      throw resetTokenError();
    const credential = await this.verifiedEmails.takeOver(tx, actor, locked, now);
    if (credential === null) return false;
    this.credentials.replacePassword(tx, credential, passwordHash, now, null, 'email_link');
    const { subjectId: objectId, accountId } = credential;
    this.audit.record(tx, actor, { action: 'password.reset', objectId, accountId });
    return true;
  }

  /** @returns whether there may be more */
  async deleteExpired(now: Date): Promise<boolean> {
    return (await this.repository.deleteExpired(now, DELETE_BATCH)) === DELETE_BATCH;
  }
}
