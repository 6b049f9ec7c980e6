import { isId } from '../../../../kernel/ids';
import type { SharedLimit } from '../../../../platform/database/shared-limit';

/**
 * Bounds the notices to one address. A stranger who signs up with the address of someone else could flood it otherwise, by
 * changing a password or an email again and again.
 */
export class NoticeQuota {
  constructor(private readonly limit: SharedLimit) {}

  /**
   * Runs `send`, unless as many notices as the limit allows were sent to the address. A user and an account with one email
   * may belong to strangers, so notices about one kind leave those about the other.
   * @throws what `send` throws
   */
  async count(address: string, subjectId: string, send: () => Promise<void>): Promise<void> {
    const key = `${isId('acc', subjectId) ? 'account' : 'user'}\n${address}`;
    const isAllowed = (await this.limit.use(key)) === null;
    let isSent = false;
    try {
      if (isAllowed) await send();
      isSent = isAllowed;
    } finally {
      // What was refused is not counted either: a notice that the mail server defers keeps its place for the retry.
      if (!isSent) await this.limit.giveBack(key);
    }
  }
}
