import { PeriodicTasks } from '../../src/platform/jobs/periodic-tasks';
import { anOwner, aUser, logIn, someEmail, created, PASSWORD } from '../support/people';
import { aTransaction } from '../support/request-bodies';
import { SentStatements } from '../support/sent-statements';
import { startTestService, TestService } from '../support/service';

describe('Housekeeping', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  const count = async (table: string) =>
    Number((await service.sql<{ n: string }>(`SELECT count(*) AS n FROM ${table}`))[0]!.n);

  it('deletes stored responses after 7 days, and sessions with their tokens 30 days after their expiry', async () => {
    const user = await aUser(service.api);
    const body = { email: someEmail(), password: PASSWORD };
    const headers = { 'idempotency-key': 'once' };
    const owner = await anOwner(service.api);
    await service.api.post('/v1/users', body, { headers });
    await owner.api.post('/v1/transactions', aTransaction(owner.accountId), { headers });
    const records = async () => [
      await count('idempotency_records'),
      await count('account_idempotency_records'),
    ];
    service.clock.move({ days: 6 });
    await service.runDueTasks();
    expect(await records()).toEqual([1, 1]);
    service.clock.move({ days: 2 });
    await service.runDueTasks();
    expect(await records()).toEqual([0, 0]);
    expect(await count('sessions')).toBe(2);
    service.clock.move({ days: 53 });
    const recent = await logIn(service.api, user.email);
    await service.runDueTasks();
    expect(await service.sql('SELECT session_id FROM refresh_tokens')).toEqual(
      await service.sql('SELECT id AS session_id FROM sessions'),
    );
    expect(await count('sessions')).toBe(1);
    expect((await recent.api.get(`/v1/users/${user.id}`)).status).toBe(200);
    await created(service.api, '/v1/users', { email: someEmail(), password: PASSWORD });
  });
});

describe('Tasks that are woken', () => {
  it('look for what is due in the table that wakes them', async () => {
    const registered = jest.spyOn(PeriodicTasks.prototype, 'register');
    const service = await startTestService({
      SMTP_URL: 'smtp://localhost',
      MAIL_FROM: 'pay@countinghouse.test',
    });
    const tasks = registered.mock.calls.map(([task]) => task).filter(({ wokenBy }) => wokenBy !== undefined);
    registered.mockRestore();
    try {
      expect(tasks.length).toBeGreaterThan(10);
      for (const task of tasks) {
        const sent = new SentStatements();
        const now = new Date();
        if ('findDue' in task) await task.findDue(now, [], 1);
        else if (task.nextRun) await task.nextRun(now, now);
        else await task.run(now, AbortSignal.abort());
        sent.stop();
        expect([task.name, sent.firstTable]).toEqual([task.name, task.wokenBy![0]]);
      }
    } finally {
      await service.stop();
    }
  });
});
