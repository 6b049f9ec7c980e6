import { RecentReads, SAME_READ_MS } from '../../../../src/modules/back-office/audit-log/recent-reads';

const now = new Date('2026-11-22T12:00:00Z');
const later = (ms: number): Date => new Date(now.getTime() + ms);
const device = { ip: '192.0.2.1', userAgent: null, requestId: 'r' };
const admin = { subjectId: 'usr_1', role: 'admin', sessionId: 'ses_1', device };
const event = { action: 'account.read', objectId: 'acc_1' };

describe('RecentReads', () => {
  const recorded = jest.fn(() => Promise.resolve());
  beforeEach(() => recorded.mockClear());

  it('records the same read once until 15 minutes have passed since it was recorded', async () => {
    const reads = new RecentReads();
    for (const ms of [0, 60_000, SAME_READ_MS - 1]) await reads.once(admin, event, later(ms), recorded);
    expect(recorded).toHaveBeenCalledTimes(1);
    await reads.once(admin, event, later(SAME_READ_MS), recorded);
    expect(recorded).toHaveBeenCalledTimes(2);
  });

  it('records reads of another session, from another address or none, of another object and after a step back of the clock', async () => {
    const reads = new RecentReads();
    await reads.once(admin, event, now, recorded);
    await reads.once({ ...admin, sessionId: 'ses_2' }, event, now, recorded);
    await reads.once({ ...admin, device: { ...device, ip: '192.0.2.2' } }, event, now, recorded);
    await reads.once({ ...admin, device: null }, event, now, recorded);
    await reads.once(admin, { ...event, objectId: 'acc_2' }, now, recorded);
    await reads.once(admin, { ...event, action: 'account.list_sessions' }, now, recorded);
    await reads.once(admin, event, later(-1), recorded);
    expect(recorded).toHaveBeenCalledTimes(7);
  });

  it('lets the same read wait until the first one is recorded', async () => {
    const reads = new RecentReads();
    const order: string[] = [];
    let commit!: () => void;
    const first = reads.once(admin, event, now, () => new Promise((resolve) => (commit = resolve)));
    const second = reads.once(admin, event, now, recorded).then(() => order.push('seen'));
    await Promise.resolve();
    order.push('recorded');
    commit();
    await Promise.all([first, second]);
    expect([order, recorded.mock.calls.length]).toEqual([['recorded', 'seen'], 0]);
  });

  it('shows nothing when the entry cannot be recorded, and records the next read', async () => {
    const reads = new RecentReads();
    const failing = () => Promise.reject(new Error('no database'));
    const both = [reads.once(admin, event, now, failing), reads.once(admin, event, now, recorded)];
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await reads.once(admin, event, now, recorded);
    expect(recorded).toHaveBeenCalledTimes(1);
  });

  it('forgets the oldest read beyond its limit, and then records it again', async () => {
    const reads = new RecentReads(2);
    for (const objectId of ['acc_1', 'acc_2', 'acc_1', 'acc_3', 'acc_3', 'acc_1'])
      await reads.once(admin, { ...event, objectId }, now, recorded);
    expect(recorded).toHaveBeenCalledTimes(4);
  });
});
