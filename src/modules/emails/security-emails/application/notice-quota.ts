import { isId } from '../../../../kernel/ids';
import type { SharedLimit } from '../../../../platform/database/shared-limit';

/**
 * Bounds the notices to one address. Whoever signs up with the address of someone else could flood it otherwise, by
 * changing a password or an email again and again.
 */
export class NoticeQuota {
  constructor(private readonly limit: SharedLimit) {}

  /**
   * Runs `send`, unless the address has got as many notices as it may. A user and an account with one email may belong to
   * strangers, so notices about one kind leave those about the other.
   * @throws what `send` throws; then the notice is not counted
   */
  async count(address: string, subjectId: string, send: () => Promise<void>): Promise<void> {
    const key = `${isId('acc', subjectId) ? 'account' : 'user'}\n${address}`;
    if ((await this.limit.use(key)) !== null) return;
    try {
      await send();
    } catch (error) {
      await this.limit.giveBack(key);
      throw error;
    }
  }
}
