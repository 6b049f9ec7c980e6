import { Injectable } from '@nestjs/common';
import { clientNetwork } from '../../../../kernel/client-network';
import { Clock } from '../../../../kernel/clock';
import { DomainError } from '../../../../kernel/domain-error';
import { emailKey } from '../../../../kernel/text';
import { anonymousActor, AuditTrail, Device } from '../../../../platform/audit/audit-trail';
import { Database } from '../../../../platform/database/database';
import { Tx } from '../../../../platform/database/tx';
import { Mailer } from '../../../../platform/mail/mailer';
import { KnownNetworks } from '../../application/failed-logins';
import { EmailProofs } from '../../application/email-proofs';
import { Credentials } from '../../domain/credentials';
import { LoginSubject, LoginSubjects } from '../../domain/sign-in-subjects';
import { assertPassword, PasswordHasher } from '../../domain/passwords';
import { EmailedLink, hashToken, resetTokenError } from '../domain/emailed-link';
import { EmailedLinksRepository } from '../domain/emailed-links.repository';
import { LinkAddresses } from '../domain/link-addresses';
import { PasswordResetListeners } from '../domain/password-reset-listeners';
import { PasswordResets, IssuedLink } from '../domain/password-resets';
import { PasswordResetQuota } from './password-reset-quota';

const DELETE_BATCH = 1_000;

/** Recorded in place of an email that gets no further links for now. No user or account has it. */
const NOBODY = '';

@Injectable()
export class PasswordResetsService extends PasswordResets {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly repository: EmailedLinksRepository,
    private readonly credentials: Credentials,
    private readonly proofs: EmailProofs,
    private readonly subjects: LoginSubjects,
    private readonly mailer: Mailer,
    private readonly listeners: PasswordResetListeners,
    private readonly addresses: LinkAddresses,
    private readonly quota: PasswordResetQuota,
    private readonly knownNetworks: KnownNetworks,
    private readonly hasher: PasswordHasher,
    private readonly audit: AuditTrail,
  ) {
    super();
  }

  async request(email: string, device: Device, language: string): Promise<void> {
    if (!this.mailer.configured) {
      throw new DomainError(
        'invalid_request',
        'This service sends no email (SMTP_URL is not set). Ask an admin to set a new password.',
      );
    }
    const key = emailKey(email);
    const owner = await this.knownNetworks.findOwner(key, device.ip);
    const recipient = (await this.quota.use(key, clientNetwork(device.ip), owner)) ? key : NOBODY;
    await this.database.transaction(async (tx, now) =>
      this.listeners.notifyRequested(tx, { emailKey: recipient, language }, now),
    );
  }

  async issueLinks(key: string): Promise<IssuedLink[]> {
    const subjects = await this.subjects.describeByEmail(key);
    return this.database.transaction(async (tx, now) => {
      const locked = await this.proofs.lockByEmail(tx, key);
      const current = subjects.filter(({ id }) => locked.some(({ subjectId }) => subjectId === id));
      return current.map((subject) => {
        const { token, record } = EmailedLink.issue(subject.id, 'password_reset', now);
        this.repository.add(tx, record);
        return { subject, link: this.addresses.to('password_reset', token) };
      });
    });
  }

  async findSubject(token: string): Promise<LoginSubject | null> {
    const now = this.clock.now();
    const subjectId = await this.repository.findSubjectId(hashToken(token), 'password_reset', now);
    return subjectId === null ? null : this.subjects.describe(subjectId);
  }

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
    const locked = await this.proofs.lock(tx, subject);
    if (locked === null || !(await this.repository.isValid(tx, hashToken(token), 'password_reset', now)))
      throw resetTokenError();
    const credential = await this.proofs.takeOver(tx, actor, locked, now);
    if (credential === null) return false;
    this.credentials.replacePassword(tx, credential, passwordHash, now, null, 'email_link');
    const { subjectId: objectId, accountId } = credential;
    this.audit.record(tx, actor, { action: 'password.reset', objectId, accountId });
    return true;
  }

  async deleteExpired(now: Date): Promise<boolean> {
    return (await this.repository.deleteExpired(now, DELETE_BATCH)) === DELETE_BATCH;
  }
}
