import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock';
import { Database } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { EmailProofs } from '../application/email-proofs';
import { Credential } from '../domain/credential';
import { LoginSubject, LoginSubjects } from '../domain/sign-in-subjects';
import { EmailedLink, EmailedLinks, hashToken, IssuedLink, LinkAddresses, LinkPurpose } from './emailed-link';
import { EmailedLinksRepository } from './emailed-links.repository';

/** A link that can be used, and the user or the account that it is for. */
export interface FoundLink {
  readonly purpose: LinkPurpose;
  readonly subject: LoginSubject;
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
    const needsLink = (credential: Credential): boolean => credential.emailVerifiedAt === null;
    return this.issueTo(subjectId, emailKey, 'email_verification', needsLink);
  }

  issueInvitation(subjectId: string, emailKey: string): Promise<IssuedLink | null> {
    const needsLink = (credential: Credential): boolean => credential.passwordSetByOther;
    return this.issueTo(subjectId, emailKey, 'invitation', needsLink);
  }

  /** @returns null where nobody may log in, and for a credential that has another email or needs no link */
  private async issueTo(
    subjectId: string,
    emailKey: string,
    purpose: LinkPurpose,
    needsLink: (credential: Credential) => boolean,
  ): Promise<IssuedLink | null> {
    const subject = await this.subjects.describe(subjectId);
    if (subject === null) return null;
    return this.database.transaction(async (tx, now) => {
      const credential = await this.proofs.lock(tx, subject);
      const isDue = credential !== null && credential.emailKey === emailKey && needsLink(credential);
      return isDue ? this.issue(tx, subject, purpose, now) : null;
    });
  }

  /** @returns the user or the account of a link of one of the purposes; null if the link cannot be used */
  async find(token: string, purposes: readonly LinkPurpose[]): Promise<FoundLink | null> {
    const link = await this.repository.find(hashToken(token), purposes, this.clock.now());
    const subject = link && (await this.subjects.describe(link.subjectId));
    return link && subject && { purpose: link.purpose, subject };
  }

  /**
   * Locks the user or the account of a link, and its credential. Whatever uses a link deletes all links of the credential
   * under that lock, so of several uses of a link, one succeeds.
   * @returns null if the link cannot be used any more
   */
  async lockCredential(
    tx: Tx,
    { subject, purpose }: FoundLink,
    token: string,
    now: Date,
  ): Promise<Credential | null> {
    const credential = await this.proofs.lock(tx, subject);
    if (credential === null || !(await this.repository.isValid(tx, hashToken(token), purpose, now)))
      return null;
    return credential;
  }

  private issue(tx: Tx, subject: LoginSubject, purpose: LinkPurpose, now: Date): IssuedLink {
    const { token, record } = EmailedLink.issue(subject.id, purpose, now);
    this.repository.add(tx, record);
    return { subject, link: this.addresses.to(purpose, token) };
  }
}
