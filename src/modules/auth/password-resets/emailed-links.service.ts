import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock';
import { Database, Tx } from '../../../platform/database/database';
import { PageAddress } from '../../../platform/pages/pages.settings';
import { EmailProofs } from '../application/email-proofs';
import { Credential } from '../domain/credential';
import { hashToken } from '../domain/secret-tokens';
import { LoginSubject, LoginSubjects } from '../domain/sign-in-subjects';
import { EmailedLink, EmailedLinks, IssuedLink, LinkPurpose, pageNames } from './emailed-link';
import { EmailedLinksRepository } from './emailed-links.repository';
import { passwordResetsSettings, PasswordResetsSettings } from './password-resets.settings';

/** There is more time to set a first password. */
const INVITATION_MINUTES = 7 * 24 * 60;

/** Builds links: the address of the page for their purpose, followed by the token. */
@Injectable()
export class LinkAddresses {
  constructor(
    private readonly pages: PageAddress,
    @Inject(passwordResetsSettings.token) private readonly settings: PasswordResetsSettings,
  ) {}

  to(purpose: LinkPurpose, token: string): string {
    const { pageAddress } = this.settings;
    if (purpose === 'password_reset' && pageAddress !== null) return `${pageAddress}${token}`;
    return this.pages.to(`/${pageNames[purpose]}/${token}`);
  }
}

@Injectable()
export class EmailedLinksService extends EmailedLinks {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly repository: EmailedLinksRepository,
    private readonly subjects: LoginSubjects,
    private readonly proofs: EmailProofs,
    private readonly addresses: LinkAddresses,
  ) {
    super();
  }

  async issuePasswordResets(emailKey: string): Promise<IssuedLink[]> {
    const subjects = await this.subjects.describeByEmail(emailKey);
    return this.database.transaction(async (tx, now) => {
      const locked = await this.proofs.lockByEmail(tx, emailKey);
      const current = subjects.filter(({ id }) => locked.some(({ subjectId }) => subjectId === id));
      return current.map((subject) => this.issue(tx, subject, 'password_reset', now));
    });
  }

  issueVerification(subjectId: string, emailKey: string): Promise<IssuedLink | null> {
    const isUnverified = (credential: Credential): boolean => credential.emailVerifiedAt === null;
    return this.issueIf(isUnverified, subjectId, emailKey, 'email_verification');
  }

  issueInvitation(subjectId: string, emailKey: string): Promise<IssuedLink | null> {
    const isInvited = (credential: Credential): boolean => credential.isInvited;
    return this.issueIf(isInvited, subjectId, emailKey, 'password_reset', INVITATION_MINUTES);
  }

  /** @returns null where nobody may log in, and for a credential that has another email or needs no link */
  private async issueIf(
    needsLink: (credential: Credential) => boolean,
    subjectId: string,
    emailKey: string,
    purpose: LinkPurpose,
    minutes?: number,
  ): Promise<IssuedLink | null> {
    const subject = await this.subjects.describe(subjectId);
    if (subject === null) return null;
    return this.database.transaction(async (tx, now) => {
      const credential = await this.proofs.lock(tx, subject);
      if (credential === null || credential.emailKey !== emailKey || !needsLink(credential)) return null;
      return this.issue(tx, subject, purpose, now, minutes);
    });
  }

  /** @returns the user or the account of the link; null if the link cannot be used */
  async findSubject(token: string, purpose: LinkPurpose): Promise<LoginSubject | null> {
    const subjectId = await this.repository.findSubjectId(hashToken(token), purpose, this.clock.now());
    return subjectId === null ? null : this.subjects.describe(subjectId);
  }

  /**
   * Locks the user or the account of a link, and its credential. Whatever uses a link deletes all links of the credential
   * under that lock, so of several uses of a link, one succeeds.
   * @returns null if the link cannot be used any more
   */
  async lockCredential(
    tx: Tx,
    subject: LoginSubject,
    token: string,
    purpose: LinkPurpose,
    now: Date,
  ): Promise<Credential | null> {
    const credential = await this.proofs.lock(tx, subject);
    if (credential === null || !(await this.repository.isValid(tx, hashToken(token), purpose, now)))
      return null;
    return credential;
  }

  private issue(
    tx: Tx,
    subject: LoginSubject,
    purpose: LinkPurpose,
    now: Date,
    minutes?: number,
  ): IssuedLink {
    const { token, record } = EmailedLink.issue(subject.id, purpose, now, minutes);
    this.repository.add(tx, record);
    return { subject, link: this.addresses.to(purpose, token) };
  }
}
