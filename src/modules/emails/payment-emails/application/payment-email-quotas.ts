import { emailKey } from '../../../../kernel/text';
import type { SharedLimit } from '../../../../platform/database/shared-limit';
import { MailFailure } from '../../../../platform/mail/mailer';

/** The limits of emails; null where one is disabled. */
interface PaymentEmailLimits {
  readonly perAccountAndRecipient: SharedLimit | null;
  readonly perAccount: SharedLimit | null;
  readonly perRecipient: SharedLimit | null;
}

/**
 * Bounds the emails of one account to one recipient, so that no account can use up what others may send to the same
 * recipient, those of one account, and those to one recipient.
 */
export class PaymentEmailQuotas {
  constructor(private readonly limits: PaymentEmailLimits) {}

  /**
   * Counts an email before `send`, so that emails that are sent at the same time do not exceed a quota together. An
   * email that is not sent is not counted; only if the process dies meanwhile, it stays counted.
   * @throws MailFailure `email_quota` when a quota is used up, after which a retry may succeed; what `send` throws
   */
  async count(accountId: string, recipient: string, send: () => Promise<void>): Promise<void> {
    const uses = this.usesOf(accountId, emailKey(recipient));
    const counted: typeof uses = [];
    try {
      for (const use of uses) {
        const waitSeconds = await use.limit.use(use.key);
        counted.push(use);
        if (waitSeconds !== null) throw new MailFailure('email_quota', false);
      }
      await send();
    } catch (error) {
      for (const { limit, key } of counted) await limit.giveBack(key);
      throw error;
    }
  }

  private usesOf(accountId: string, recipient: string): { limit: SharedLimit; key: string }[] {
    const { perAccountAndRecipient, perAccount, perRecipient } = this.limits;
    return [
      { limit: perAccountAndRecipient, key: `${accountId}\n${recipient}` },
      { limit: perAccount, key: accountId },
      { limit: perRecipient, key: recipient },
    ].flatMap(({ limit, key }) => (limit === null ? [] : [{ limit, key }]));
  }
}
