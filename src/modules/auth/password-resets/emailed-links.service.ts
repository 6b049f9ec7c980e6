import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock';
import { Database } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { EmailProofs } from '../application/email-proofs';
import { Credential } from '../domain/credential';
import { LoginSubject, LoginSubjects } from '../domain/sign-in-subjects';
import { EmailedLink, EmailedLinks, hashToken, IssuedLink, LinkAddresses, LinkPurpose } from './emailed-link';
import { EmailedLinksRepository } from './emailed-links.repository';

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
      return current.map((subject) =>
        this.add(tx, subject, EmailedLink.issue(subject.id, 'password_reset', now)),
      );
    });
  }

  issueVerification(subjectId: string, emailKey: string): Promise<IssuedLink | null> {
    return this.issueTo(
      subjectId,
      (credential) => credential.emailKey === emailKey && credential.emailVerifiedAt === null,
      (now) => EmailedLink.issue(subjectId, 'email_verification', now),
    );
  }

  issueInvitation(subjectId: string, emailKey: string): Promise<IssuedLink | null> {
    return this.issueTo(
      subjectId,
      (credential) => credential.emailKey === emailKey && credential.isInvited,
      (now) => EmailedLink.invite(subjectId, now),
    );
  }

  /** @returns null where nobody may log in, or the credential needs no link */
  private async issueTo(
    subjectId: string,
    needsLink: (credential: Credential) => boolean,
    issue: (now: Date) => ReturnType<typeof EmailedLink.issue>,
  ): Promise<IssuedLink | null> {
    const subject = await this.subjects.describe(subjectId);
    if (subject === null) return null;
    return this.database.transaction(async (tx, now) => {
      const credential = await this.proofs.lock(tx, subject);
      return credential !== null && needsLink(credential) ? this.add(tx, subject, issue(now)) : null;
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

  private add(
    tx: Tx,
    subject: LoginSubject,
    { token, record }: ReturnType<typeof EmailedLink.issue>,
  ): IssuedLink {
    this.repository.add(tx, record);
    return { subject, link: this.addresses.to(record.purpose, token) };
  }
}
