import { Injectable } from '@nestjs/common';
import { anonymousActor, Device } from '../../../platform/audit/audit-trail';
import { Database } from '../../../platform/database/database';
import { Mailer } from '../../../platform/mail/mailer';
import { EmailProofs } from '../application/email-proofs';
import { Reauthentication } from '../application/reauthentication';
import { Credential, CredentialListeners, CredentialsRepository } from '../domain/credential';
import { Principal } from '../domain/principal';
import { SignInSubjects } from '../domain/sign-in-subjects';
import { EmailedLinksRepository } from './emailed-links.repository';
import { EmailedLinksService } from './emailed-links.service';
import { EmailedLinkQuota } from './password-resets.service';

/** An email of a user or an account, as it was entered. */
export interface OwnEmail extends Pick<Credential, 'subjectId' | 'isEmailVerified' | 'emailVerifiedAt'> {
  readonly email: string;
}

/** The emails of the caller's user, of the account that the session opened, and of an account it owns. */
@Injectable()
export class OwnEmails {
  constructor(
    private readonly database: Database,
    private readonly credentials: CredentialsRepository,
    private readonly subjects: SignInSubjects,
    private readonly listeners: CredentialListeners,
    private readonly mailer: Mailer,
    private readonly quota: EmailedLinkQuota,
  ) {}

  async list(caller: Principal): Promise<OwnEmail[]> {
    const found = await this.find(caller);
    return Promise.all(
      found.map(async ({ kind, subjectId, emailKey, isEmailVerified, emailVerifiedAt }) => {
        const email = (await this.subjects.get(kind).describe(subjectId))?.email ?? emailKey;
        return { subjectId, email, isEmailVerified, emailVerifiedAt };
      }),
    );
  }

  /**
   * Sends links to those that are not verified.
   * @returns whether there are any
   * @throws DomainError `invalid_request` when the service sends no email; `rate_limited`
   */
  async requestVerification(caller: Principal): Promise<boolean> {
    this.mailer.assertConfigured('Its operator sets SMTP_URL, or REQUIRE_VERIFIED_EMAIL=false.');
    const unverified = (await this.find(caller)).filter(({ emailVerifiedAt }) => emailVerifiedAt === null);
    if (unverified.length === 0) return false;
    await this.quota.useVerification(caller.subjectId);
    await this.database.transaction(async (tx, now) => {
      for (const credential of unverified) this.listeners.notify('emailUnverified', tx, credential, now);
    });
    return true;
  }

  private find({ userId, openedAccountId, accountId, membershipRole }: Principal): Promise<Credential[]> {
    const ids = [userId, openedAccountId, membershipRole === 'owner' ? accountId : null];
    return this.credentials.findBySubjects([...new Set(ids.filter((id) => id !== null))]);
  }
}

/** Verifies emails by the links: the owner of a mailbox, who knows the password, proves that the email is theirs. */
@Injectable()
export class EmailVerifications {
  constructor(
    private readonly database: Database,
    private readonly links: EmailedLinksService,
    private readonly repository: EmailedLinksRepository,
    private readonly proofs: EmailProofs,
    private readonly reauthentication: Reauthentication,
  ) {}

  /**
   * Verifies the email of the user or the account of the link. It asks for the password, because the owner of the mailbox
   * of a stranger's account might open the link by mistake.
   * @returns false for a link that cannot be used
   * @throws DomainError `invalid_credentials` for a wrong password, and then the link stays valid; `rate_limited`
   */
  async verify(token: string, password: string, device: Device): Promise<boolean> {
    const subject = await this.links.findSubject(token, 'email_verification');
    if (subject === null) return false;
    await this.reauthentication.confirmPassword(subject.id, password, device);
    return this.database.transaction(async (tx, now) => {
      const credential = await this.links.lockCredential(tx, subject, token, 'email_verification', now);
      if (credential === null) return false;
      this.repository.deleteBySubject(tx, subject.id);
      this.proofs.verify(tx, anonymousActor(device), credential, now);
      return true;
    });
  }
}
