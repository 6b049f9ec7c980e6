import { Injectable } from '@nestjs/common';
import { join } from 'node:path';
import { displayText } from '../../kernel/text';
import { chooseLanguage, formatMessage, messageParts } from '../../platform/i18n/messages';
import { EmailTemplate } from '../../platform/mail/email-template';
import { EmailContent, Mail } from '../../platform/mail/mailer';
import { AccountReader } from '../accounts';
import { DisabledNotice, DisabledNotices } from '../events';
import { emailMessages } from './messages';
import { Letters } from './outbox.task';

/** Tells the owners of accounts that one of their webhook endpoints was disabled. */
@Injectable()
export class EndpointLetters implements Letters<DisabledNotice> {
  readonly name = 'notices of disabled webhook endpoints';
  readonly job = 'webhook-mail';
  readonly table = 'webhook_endpoints';
  readonly idPrefix = 'webhook ';

  constructor(
    readonly rows: DisabledNotices,
    private readonly accounts: AccountReader,
  ) {}

  describe({ id }: DisabledNotice): string {
    return `email about the endpoint ${id}`;
  }

  /** @returns null when the endpoint was enabled in the meantime */
  async compose({ accountId, id, url, reason, disabledAt }: DisabledNotice): Promise<Mail | null> {
    const account = await this.accounts.find(accountId);
    if (account === null || reason === null || disabledAt === null) return null;
    const event = `webhook_disabled.${id}.${disabledAt.getTime()}`;
    // The sender's name stays empty: mail programs then show the operator's address.
    return { ...render(reason, url, account.language), event, to: account.email, sender: '' };
  }

  withinQuota(_notice: DisabledNotice, _mail: Mail, send: () => Promise<void>): Promise<void> {
    return send();
  }
}

const template = new EmailTemplate(join(__dirname, 'notice-email.eta'));

/** @param preferred the language of the account, BCP 47 */
function render(reason: NonNullable<DisabledNotice['reason']>, url: string, preferred: string): EmailContent {
  const language = chooseLanguage(undefined, preferred);
  const t = emailMessages[language].endpoint;
  const values = { url: displayText(url) };
  return template.render(
    language,
    t.heading,
    { advice: t.advice, several: null, links: [], message: messageParts(t[reason], values) },
    [t.heading, formatMessage(t[reason], values), t.advice],
  );
}
