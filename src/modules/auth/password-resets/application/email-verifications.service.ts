import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../kernel/clock';
import { DomainError } from '../../../../kernel/domain-error';
import { anonymousActor, Device } from '../../../../platform/audit/audit-trail';
import { Database } from '../../../../platform/database/database';
import { SharedLimit } from '../../../../platform/database/shared-limit';
import { Mailer } from '../../../../platform/mail/mailer';
import { EmailVerifications, OwnEmail } from '../domain/email-verifications';

import { LoginSubject, LoginSubjects, SignInSubjects } from '../../domain/sign-in-subjects';
import { Principal } from '../../domain/principal';
import { Reauthentication } from '../../application/reauthentication';
import { EmailProofs } from '../../application/email-proofs';
import { Credential, CredentialsRepository } from '../../domain/credential';
import { CredentialListeners } from '../../domain/credential-listeners';
import { EmailedLink, hashToken } from '../domain/emailed-link';
import { EmailedLinksRepository } from '../domain/emailed-links.repository';
import { LinkAddresses } from '../domain/link-addresses';
import { IssuedLink } from '../domain/password-resets';

@Injectable()
export class EmailVerificationsService extends EmailVerifications {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly repository: EmailedLinksRepository,
    private readonly credentials: CredentialsRepository,
    private readonly listeners: CredentialListeners,
    private readonly proofs: EmailProofs,
    private readonly subjects: LoginSubjects,
    private readonly signInSubjects: SignInSubjects,
    private readonly reauthentication: Reauthentication,
    private readonly mailer: Mailer,
    private readonly addresses: LinkAddresses,
    private readonly limit: SharedLimit,
  ) {
    super();
  }

  async list(caller: Principal): Promise<OwnEmail[]> {
    const found = await this.findOwn(caller);
    return Promise.all(
      found.map(async ({ kind, subjectId, emailKey, isEmailVerified, emailVerifiedAt }) => {
        const email = (await this.signInSubjects.describe(kind, subjectId))?.email ?? emailKey;
        return { subjectId, email, isEmailVerified, emailVerifiedAt };
      }),
    );
  }

  async request(caller: Principal): Promise<boolean> {
    if (!this.mailer.configured) {
      throw new DomainError(
        'invalid_request',
        'This service sends no email (SMTP_URL is not set). Its operator sets SMTP_URL, or REQUIRE_VERIFIED_EMAIL=false.',
      );
    }
    const unverified = (await this.findOwn(caller)).filter(({ emailVerifiedAt }) => emailVerifiedAt === null);
    if (unverified.length === 0) return false;
    const seconds = await this.limit.use(caller.subjectId);
    if (seconds !== null)
      throw new DomainError('rate_limited', `Too many requests. Retry in ${seconds} seconds.`, seconds);
    await this.database.transaction(async (tx, now) => {
      for (const credential of unverified) this.listeners.notify('emailUnverified', tx, credential, now);
    });
    return true;
  }

  async issueLink(subjectId: string, emailKey: string): Promise<IssuedLink | null> {
    const subject = await this.subjects.describe(subjectId);
    if (subject === null) return null;
    return this.database.transaction(async (tx, now) => {
      const credential = await this.proofs.lock(tx, subject);
      if (credential === null || credential.emailKey !== emailKey || credential.emailVerifiedAt !== null)
        return null;
      const { token, record } = EmailedLink.issue(subjectId, 'email_verification', now);
      this.repository.add(tx, record);
      return { subject, link: this.addresses.to('email_verification', token) };
    });
  }

  async findSubject(token: string): Promise<LoginSubject | null> {
    const now = this.clock.now();
    const subjectId = await this.repository.findSubjectId(hashToken(token), 'email_verification', now);
    return subjectId === null ? null : this.subjects.describe(subjectId);
  }

  async verify(token: string, password: string, device: Device): Promise<boolean> {
    const subject = await this.findSubject(token);
    if (subject === null) return false;
    await this.reauthentication.confirmPassword(subject.id, password, device);
    return this.database.transaction(async (tx, now) => {
      const credential = await this.proofs.lock(tx, subject);
      const hash = hashToken(token);
      if (credential === null || !(await this.repository.isValid(tx, hash, 'email_verification', now)))
        return false;
      this.repository.deleteOf(tx, subject.id);
      this.proofs.verify(tx, anonymousActor(device), credential, now);
      return true;
    });
  }

  private findOwn({ userId, openedAccountId, accountId, membershipRole }: Principal): Promise<Credential[]> {
    const ids = [userId, openedAccountId, membershipRole === 'owner' ? accountId : null];
    return this.credentials.findBySubjects([...new Set(ids.filter((id) => id !== null))]);
  }
}
