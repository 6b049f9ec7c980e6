import { LoggedRequest } from '../../../src/modules/accounts/request-log/logged-request';
import { RequestLogRepository } from '../../../src/modules/accounts/request-log/request-log.repository';
import { RequestLog } from '../../../src/modules/accounts/request-log/request-log.service';
import { Log } from '../../../src/platform/telemetry/log';
import { fakeTimers } from '../../support/fake-timers';

const CHANGE = {
  requestId: 'order-7',
  callerId: 'key_1',
  method: 'POST',
  path: '/v1/transactions',
  httpStatus: 201,
  error: null,
  durationMs: 4,
};

describe('The request log of a busy replica', () => {
  let written: LoggedRequest[];
  let described: number;
  let requests: RequestLog;

  beforeEach(() => {
    fakeTimers('setTimeout', 'clearTimeout', 'performance');
    [written, described] = [[], 0];
    const repository = {
      addAll: (added: readonly LoggedRequest[]) => Promise.resolve(void written.push(...added)),
    } as unknown as RequestLogRepository;
    requests = new RequestLog(repository, { now: () => new Date() }, new Log('silent'));
  });
  afterEach(() => jest.useRealTimers());

  const record = (accountId: string, times = 1, isRead = false): void => {
    for (let time = 0; time < times; time += 1)
      requests.record(accountId, isRead, () => {
        described += 1;
        return CHANGE;
      });
  };
  const counts = async (): Promise<Record<string, number>> => {
    await requests.beforeApplicationShutdown();
    const found: Record<string, number> = {};
    for (const { accountId } of written) found[accountId] = (found[accountId] ?? 0) + 1;
    return found;
  };

  it('keeps a hundred changes of an account in a second, and one read', async () => {
    record('acc_1', 150);
    record('acc_1', 5, true);
    record('acc_2', 3, true);
    expect(await counts()).toEqual({ acc_1: 101, acc_2: 1 });
  });

  it('keeps one of each account beyond 200 in a second, and does not describe what it leaves out', async () => {
    record('acc_1', 100);
    record('acc_2', 100);
    record('acc_3', 50);
    record('acc_4', 50);
    expect(described).toBe(202);
    jest.advanceTimersByTime(1_000);
    record('acc_3', 50);
    expect(await counts()).toEqual({ acc_1: 100, acc_2: 100, acc_3: 51, acc_4: 1 });
  });

  it('keeps a bounded number of requests in memory', () => {
    for (let account = 0; account < 1_500; account += 1) record(`acc_${account}`);
    expect(described).toBe(1_000);
  });
});
