import { Injectable } from '@nestjs/common';
import { join } from 'node:path';
import { MINUTE_MS } from '../../kernel/clock';
import { displayText, emailKey } from '../../kernel/text';
import { chooseLanguage, formatMessage, type Language, messageParts } from '../../platform/i18n/messages';
import { EmailTemplate } from '../../platform/mail/email-template';
import { EmailContent, Mail } from '../../platform/mail/mailer';
import { EmailedLinks, IssuedLink, LINK_MINUTES, LoginSubjects } from '../auth';
import { NoticeQuota } from './email-quotas.service';
import { SecurityEmailsRepository } from './emails.repository';
import { emailMessages } from './messages';
import { Letters } from './outbox.task';
import { SecurityEmail, SecurityEmailKind } from './due-emails';

/** Emails that do not use up those of others to the same address. */
const ownQuotas: Partial<Record<SecurityEmailKind, string>> = {
  email_verification: 'verification',
  invitation: 'invitation',
};

/** The emails about logins: links to set a new password or to verify an email, and notices of changes. */
@Injectable()
export class SecurityLetters implements Letters<SecurityEmail> {
  readonly name = 'security emails';
  readonly job = 'security-mail';
  readonly table = 'security_emails';
  readonly idPrefix = 'security ';

  constructor(
    readonly rows: SecurityEmailsRepository,
    private readonly subjects: LoginSubjects,
    private readonly links: EmailedLinks,
    private readonly noticeQuota: NoticeQuota,
  ) {}

  describe({ kind, id }: SecurityEmail): string {
    return `${kind} email ${id}`;
  }

  compose(email: SecurityEmail, now: Date): Promise<Mail | null> {
    switch (email.kind) {
      case 'password_reset':
        return this.composeLinks(email, now);
      case 'email_verification':
        return this.composeLink(email, this.links.issueVerification(email.subjectId!, email.emailKey));
      case 'invitation':
        return this.composeLink(email, this.links.issueInvitation(email.subjectId!, email.emailKey));
      default:
        return this.composeNotice(email);
    }
  }

  /** Links for new passwords have a quota where they are requested. */
  async withinQuota(
    { kind, emailKey: key, subjectId }: SecurityEmail,
    _mail: Mail,
    send: () => Promise<void>,
  ): Promise<void> {
    if (kind === 'password_reset') return send();
    const quota = ownQuotas[kind];
    const address = quota === undefined ? key : `${quota}\n${key}`;
    await this.noticeQuota.count(address, subjectId!, send);
  }

  /**
   * Looks up here whether anyone has the email, so that the request takes the same time if nobody does. Each attempt
   * issues new links; those of an earlier attempt, whose email may have arrived after all, work as well.
   */
  private async composeLinks(email: SecurityEmail, now: Date): Promise<Mail | null> {
    const ageMs = now.getTime() - email.createdAt.getTime();
    if (ageMs > LINK_MINUTES.password_reset * MINUTE_MS) return null;
    const links = await this.links.issuePasswordResets(email.emailKey);
    const [first] = links;
    if (first === undefined) return null;
    // One of the two may belong to a stranger, who must not choose the language.
    const language = links.length === 1 ? first.subject.language : null;
    return toMail(email, first.subject.email, language, links);
  }

  private async composeLink(email: SecurityEmail, issuing: Promise<IssuedLink | null>): Promise<Mail | null> {
    const issued = await issuing;
    return issued && toMail(email, issued.subject.email, issued.subject.language, [issued]);
  }

  private async composeNotice(email: SecurityEmail): Promise<Mail> {
    const subject = await this.subjects.describe(email.subjectId!);
    return toMail(email, email.emailKey, subject?.language, []);
  }
}

/** @param address of the login as its owner writes it; one that it got in the meantime would receive a link for another */
function toMail(
  { id, kind, language: requested, emailKey: key }: SecurityEmail,
  address: string,
  preferred: string | null | undefined,
  links: readonly IssuedLink[],
): Mail {
  const to = emailKey(address) === key ? address : key;
  const language = chooseLanguage(undefined, preferred ?? requested);
  // The sender's name stays empty: mail programs then show the operator's address.
  return { ...render(kind, language, to, links), event: `${kind}.${id}`, to, sender: '' };
}

const template = new EmailTemplate(join(__dirname, 'notice-email.eta'));

/**
 * @param email that the login has, or had before a change
 * @param links where a new password is set or the email is verified; none in notices
 */
function render(
  kind: SecurityEmailKind,
  language: Language,
  email: string,
  links: readonly IssuedLink[],
): EmailContent {
  const { [kind]: message, link: t } = emailMessages[language].security;
  const { heading, advice } = message;
  const texts = kind === 'email_verification' ? t.email_verification : t.password_reset;
  const several = links.length > 1 ? t.several : null;
  const labelled = links.map(({ subject, link }) => {
    const values = { name: displayText(subject.name ?? subject.email) };
    return {
      link,
      label: several && messageParts(t[subject.kind], values),
      plain: several ? formatMessage(t[subject.kind], values) : texts.plain,
    };
  });
  return template.render(
    language,
    heading,
    {
      t,
      action: texts.action,
      advice,
      several,
      links: labelled,
      message: messageParts(message.text, { email }),
    },
    [
      heading,
      formatMessage(message.text, { email }),
      several,
      ...labelled.map(({ plain, link }) => `${plain}\n${link}`),
      advice,
    ],
  );
}
