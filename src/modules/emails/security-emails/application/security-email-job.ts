import { Injectable } from '@nestjs/common';
import { Clock, MINUTE_MS } from '../../../../kernel/clock';
import { chooseLanguage } from '../../../../platform/i18n/messages';
import { JobHandler } from '../../../../platform/jobs/job-queue';
import { Mailer, MailFailure } from '../../../../platform/mail/mailer';
import { Log } from '../../../../platform/telemetry/log';
import { EmailVerifications, IssuedLink, LINK_MINUTES, LoginSubjects, PasswordResets } from '../../../auth';
import { SecurityEmail } from '../domain/security-email';
import { SecurityEmailsRepository } from '../domain/security-emails.repository';
import { NoticeQuota } from './notice-quota';
import { renderSecurityEmail } from './security-email-content';

/** Sends one email about a login, and then deletes its row. */
@Injectable()
export class SecurityEmailJob implements JobHandler<{ readonly id: string }> {
  /** Queued jobs contain this name, so it must not change. */
  readonly name = 'security-mail';
  /** With delays of up to six hours, the attempts take about a day. */
  readonly attempts = 13;

  constructor(
    private readonly repository: SecurityEmailsRepository,
    private readonly subjects: LoginSubjects,
    private readonly resets: PasswordResets,
    private readonly verifications: EmailVerifications,
    private readonly mailer: Mailer,
    private readonly noticeQuota: NoticeQuota,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** @throws MailFailure when a retry may succeed */
  async run({ id }: { readonly id: string }, signal: AbortSignal): Promise<void> {
    const email = await this.repository.find(id);
    if (email === null) return;
    try {
      if (email.kind === 'password_reset') await this.sendLinks(email, signal);
      else if (email.kind === 'email_verification') await this.sendVerification(email, signal);
      else await this.sendNotice(email, signal);
    } catch (error) {
      if (!(error instanceof MailFailure && error.permanent)) throw error;
      this.log.failure(`The mail server permanently rejected the ${email.kind} email ${id}`, error);
    }
    await this.repository.delete(id);
  }

  /**
   * Looks up here whether anyone has the email, so that the request takes the same time if nobody does. Each attempt
   * issues new links; those of an earlier attempt, whose email may have arrived after all, work as well.
   */
  private async sendLinks(email: SecurityEmail, signal: AbortSignal): Promise<void> {
    const ageMs = this.clock.now().getTime() - email.createdAt.getTime();
    if (ageMs > LINK_MINUTES.password_reset * MINUTE_MS) return;
    const links = await this.resets.issueLinks(email.emailKey);
    const [first] = links;
    if (first === undefined) return;
    // One of the two may belong to a stranger, who must not choose the language.
    const language = links.length === 1 ? first.subject.language : null;
    await this.send(email, first.subject.email, language, links, signal);
  }

  private async sendVerification(email: SecurityEmail, signal: AbortSignal): Promise<void> {
    const [address, subjectId] = [email.emailKey, email.subjectId!];
    const issued = await this.verifications.issueLink(subjectId, address);
    if (issued === null) return;
    const { email: to, language } = issued.subject;
    await this.noticeQuota.count(`verification\n${address}`, subjectId, () =>
      this.send(email, to, language, [issued], signal),
    );
  }

  private async sendNotice(email: SecurityEmail, signal: AbortSignal): Promise<void> {
    const [address, subjectId] = [email.emailKey, email.subjectId!];
    const subject = await this.subjects.describe(subjectId);
    await this.noticeQuota.count(address, subjectId, () =>
      this.send(email, address, subject?.language, [], signal),
    );
  }

  private async send(
    { id, kind, language: requested }: SecurityEmail,
    to: string,
    preferred: string | null | undefined,
    links: readonly IssuedLink[],
    signal: AbortSignal,
  ): Promise<void> {
    const language = chooseLanguage(undefined, preferred ?? requested);
    const content = renderSecurityEmail(kind, { language, email: to, links });
    // The sender's name stays empty: mail programs then show the operator's address.
    await this.mailer.send({ ...content, event: `${kind}.${id}`, to, sender: '' }, signal);
  }
}
