import { aUser, logIn, someEmail, created, PASSWORD } from '../support/people';
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
    await service.api.post('/v1/users', body, { headers: { 'idempotency-key': 'once' } });
    service.clock.move({ days: 6 });
    await service.runDueTasks();
    expect(await count('idempotency_records')).toBe(1);
    service.clock.move({ days: 2 });
    await service.runDueTasks();
    expect(await count('idempotency_records')).toBe(0);
    expect(await count('sessions')).toBe(1);
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
