import { isId } from '../../kernel/ids';
import { emailKey } from '../../kernel/text';
import { type LimitedKey, SharedLimit } from '../../platform/database/shared-limit';
import { MailFailure } from '../../platform/mail/mailer';

/** The limits of emails about payments; null where one is disabled. */
interface PaymentEmailLimits {
  readonly perAccountAndRecipient: SharedLimit | null;
  readonly perAccount: SharedLimit | null;
  readonly perRecipient: SharedLimit | null;
}

/**
 * Bounds the emails of one account to one recipient, so that no account can use up what others may send to the same
 * recipient, those of one account, and those to one recipient. Only what is sent is counted.
 */
export class PaymentEmailQuotas {
  constructor(private readonly limits: PaymentEmailLimits) {}

  /** @throws MailFailure `email_quota` when a quota is used up, after which a retry may succeed; what `send` throws */
  async count(accountId: string, recipient: string, send: () => Promise<void>): Promise<void> {
    const { perAccountAndRecipient, perAccount, perRecipient } = this.limits;
    const to = emailKey(recipient);
    const keys: [SharedLimit | null, string][] = [
      [perAccountAndRecipient, `${accountId}\n${to}`],
      [perAccount, accountId],
      [perRecipient, to],
    ];
    const enabled = keys.filter((key): key is [SharedLimit, string] => key[0] !== null);
    if (!(await SharedLimit.during(enabled, send))) throw new MailFailure('email_quota', false);
  }
}

/**
 * Bounds the notices to one address. A stranger who signs up with the address of someone else could flood it otherwise, by
 * changing a password or an email again and again. Only what is sent is counted, so that a notice which the mail server
 * defers keeps its place for the retry.
 */
export class NoticeQuota {
  constructor(private readonly limit: SharedLimit) {}

  /**
   * Runs `send`, unless as many notices as the limit allows were sent to the address. A user and an account with one email
   * may belong to strangers, so notices about one kind leave those about the other.
   * @throws what `send` throws
   */
  async count(address: string, subjectId: string, send: () => Promise<void>): Promise<void> {
    const key: LimitedKey = [this.limit, `${isId('acc', subjectId) ? 'account' : 'user'}\n${address}`];
    await SharedLimit.during([key], send);
  }
}
