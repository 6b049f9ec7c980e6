import { emailKey } from '../../../kernel/text';
import { SharedLimit } from '../../../platform/database/shared-limit';
import { MailFailure } from '../../../platform/mail/mailer';

/** Bounds the emails that one recipient gets, and those that one account can have sent. Sent emails are counted. */
export class PaymentEmailQuotas {
  /** A quota is null when it is disabled. */
  constructor(
    private readonly perRecipient: SharedLimit | null,
    private readonly perAccount: SharedLimit | null,
  ) {}

  /** @throws MailFailure `email_quota` when a quota is used up, after which a retry may succeed */
  async assertLeft(accountId: string, recipient: string): Promise<void> {
    const isUsedUp =
      (await this.perRecipient?.isUsedUp(emailKey(recipient))) ||
      (await this.perAccount?.isUsedUp(accountId));
    if (isUsedUp) throw new MailFailure('email_quota', false);
  }

  async countSent(accountId: string, recipient: string): Promise<void> {
    await this.perRecipient?.use(emailKey(recipient));
    await this.perAccount?.use(accountId);
  }
}
