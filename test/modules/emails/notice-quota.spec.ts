import { newId } from '../../../src/kernel/ids';
import { NoticeQuota } from '../../../src/modules/emails/email-quotas.service';
import { SharedLimit } from '../../../src/platform/database/shared-limit';

const ADDRESS = 'ada@example.com';
const USER = newId('usr', new Date());

/** A limit of one use. */
function limitOfOne(): SharedLimit {
  const used = new Map<string, number>();
  const add = (key: string, change: number): number => {
    used.set(key, (used.get(key) ?? 0) + change);
    return used.get(key)!;
  };
  const limit: Partial<SharedLimit> = {
    use: async (key) => (add(key, 1) > 1 ? 60 : null),
    giveBack: async (key) => void add(key, -1),
  };
  return limit as SharedLimit;
}

describe('NoticeQuota', () => {
  it('counts a notice only when it was sent', async () => {
    const quota = new NoticeQuota(limitOfOne());
    const failure = new Error('The mail server does not respond.');
    await expect(quota.count(ADDRESS, USER, () => Promise.reject(failure))).rejects.toBe(failure);
    const sent: string[] = [];
    for (const text of ['first', 'second'])
      await quota.count(ADDRESS, USER, async () => void sent.push(text));
    expect(sent).toEqual(['first']);
  });

  it('keeps the place of a notice that is deferred while others are refused', async () => {
    const quota = new NoticeQuota(limitOfOne());
    const failure = new Error('The mail server does not respond.');
    const send = jest.fn(async () => undefined);
    const deferred = quota.count(ADDRESS, USER, async () => {
      await quota.count(ADDRESS, USER, send);
      throw failure;
    });
    await expect(deferred).rejects.toBe(failure);
    expect(send).not.toHaveBeenCalled();
    await quota.count(ADDRESS, USER, send);
    expect(send).toHaveBeenCalledTimes(1);
  });
});
