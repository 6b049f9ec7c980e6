import { Client } from 'pg';
import { aUser, logIn, Person, theAdmin } from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { sessionOf } from './forged-tokens';

describe('A session that has expired', () => {
  let service: TestService;
  let replica: TestService;

  beforeAll(async () => {
    service = await startTestService();
    replica = await service.replica();
  });
  afterAll(async () => {
    await replica?.stop();
    await service?.stop();
  });

  const move = (days: number): void => {
    for (const { clock } of [service, replica]) clock.move({ days });
  };
  const runOnAll = () => Promise.all([service.runDueTasks(), replica.runDueTasks()]);
  const timesOf = async ({ token }: Person) => {
    const sql = 'SELECT expires_at, ended_at FROM sessions WHERE id = $1';
    const [row] = await service.sql<{ expires_at: Date; ended_at: Date | null }>(sql, [sessionOf(token)]);
    return row!;
  };

  it('ends at its expiry, an hour later, whichever replicas look for it, and nothing says that somebody ended it', async () => {
    const expired = await aUser(service.api);
    const { expires_at } = await timesOf(expired);
    move(20);
    const live = await logIn(service.api, expired.email);
    await runOnAll();
    expect(await timesOf(expired)).toEqual({ expires_at, ended_at: null });
    for (const { clock } of [service, replica]) clock.move({ days: 10, minutes: 30 });
    await runOnAll();
    expect(await timesOf(expired)).toEqual({ expires_at, ended_at: null });
    for (const { clock } of [service, replica]) clock.move({ minutes: 31 });
    const copies = 2_500;
    await service.sql(
      `INSERT INTO sessions (id, user_id, role, ip, created_at, last_used_at, expires_at)
       SELECT id || '-' || n, user_id, role, ip, created_at, last_used_at, expires_at
       FROM sessions, generate_series(1, $2) AS n WHERE id = $1`,
      [sessionOf(expired.token), copies],
    );
    await runOnAll();
    expect(await timesOf(expired)).toEqual({ expires_at, ended_at: expires_at });
    expect(await service.sql('SELECT DISTINCT ended_at FROM sessions WHERE ended_at IS NOT NULL')).toEqual([
      { ended_at: expires_at },
    ]);
    expect((await timesOf(live)).ended_at).toBeNull();
    const { body } = await service.api.post('/v1/auth/refresh', { refresh_token: live.refreshToken });
    const listed = await service.api.as(body.access_token).get('/v1/auth/sessions');
    expect(listed.body.data).toHaveLength(1);
    const admin = await theAdmin(service.api);
    const ends = await admin.api.get(
      `/v1/audit-log?action=session.end&object_id=${sessionOf(expired.token)}`,
    );
    expect(ends.body.data).toEqual([]);
  });

  it('goes on if a refresh in progress extends it, which keeps no other from ending', async () => {
    const person = await aUser(service.api);
    const other = await aUser(service.api);
    move(31);
    const refresh = new Client({ connectionString: service.databaseUrl });
    await refresh.connect();
    try {
      const id = sessionOf(person.token);
      await refresh.query('BEGIN');
      await refresh.query('SELECT FROM sessions WHERE id = $1 FOR UPDATE', [id]);
      await runOnAll();
      expect((await timesOf(other)).ended_at).not.toBeNull();
      await refresh.query(`UPDATE sessions SET expires_at = expires_at + interval '30 days' WHERE id = $1`, [
        id,
      ]);
      await refresh.query('COMMIT');
    } finally {
      await refresh.end();
    }
    await runOnAll();
    expect((await timesOf(person)).ended_at).toBeNull();
    const { status } = await service.api.post('/v1/auth/refresh', { refresh_token: person.refreshToken });
    expect(status).toBe(200);
  });
});
