import { aUser, logIn, Person } from '../../support/people';
import { startTestService, TestService } from '../../support/service';

const MAX_SESSIONS = 100;
const MAX_BRANCHES = 50;

describe('Limits of sessions in production', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({ NODE_ENV: 'production' });
  });
  afterAll(() => service.stop());

  const sessionsOf = async ({ api }: Person, query = ''): Promise<{ session_id: string }[]> =>
    (await api.get(`/v1/auth/sessions${query}`)).body.data;

  it(`beyond ${MAX_SESSIONS} live sessions the oldest ends, also with concurrent logins`, async () => {
    const first = await aUser(service.api);
    const second = await logIn(service.api, first.email);
    const others = await Promise.all(
      Array.from({ length: MAX_SESSIONS - 1 }, () => logIn(service.api, first.email)),
    );
    expect((await first.api.get('/v1/auth/sessions')).status).toBe(401);
    expect(await sessionsOf(second)).toHaveLength(MAX_SESSIONS);
    expect((await service.api.post('/v1/auth/refresh', { refresh_token: first.refreshToken })).status).toBe(
      401,
    );
    await logIn(service.api, first.email);
    expect((await second.api.get('/v1/auth/sessions')).status).toBe(401);
    expect(await sessionsOf(others[0]!)).toHaveLength(MAX_SESSIONS);
  });

  it('beyond the limit expired sessions end first, so that those of one user do not grow', async () => {
    const person = await aUser(service.api);
    await service.sql(
      `INSERT INTO sessions (id, user_id, role, ip, created_at, last_used_at, expires_at)
       SELECT 'ses_0' || lpad(n::text, 25, '0'), user_id, role, ip, created_at, last_used_at,
              CASE WHEN n % 3 = 0 THEN expires_at ELSE created_at END
       FROM sessions, generate_series(1, 120) AS n WHERE user_id = $1`,
      [person.id],
    );
    const later = await logIn(service.api, person.email);
    expect(await sessionsOf(later)).toHaveLength(42);
    const unended = 'SELECT count(*)::integer FROM sessions WHERE user_id = $1 AND ended_at IS NULL';
    expect(await service.sql(unended, [person.id])).toEqual([{ count: MAX_SESSIONS }]);
  });

  it('GET /v1/auth/sessions returns pages', async () => {
    const person = await aUser(service.api);
    for (let count = 0; count < 4; count += 1) await logIn(service.api, person.email);
    const all = await sessionsOf(person);
    const pages = [];
    for (const page of [1, 2, 3, 4]) pages.push(await sessionsOf(person, `?limit=2&page=${page}`));
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1, 0]);
    expect(pages.flat()).toEqual(all);
    for (const query of ['?limit=0', '?limit=101', '?page=0', '?status=live'])
      expect((await person.api.get(`/v1/auth/sessions${query}`)).status).toBe(400);
  });

  it(`a used refresh token yields at most ${MAX_BRANCHES} pairs at a time, and its session goes on`, async () => {
    const person = await aUser(service.api);
    const refresh = (refresh_token: string) => service.api.post('/v1/auth/refresh', { refresh_token });
    const replies = await Promise.all(
      Array.from({ length: MAX_BRANCHES + 15 }, () => refresh(person.refreshToken)),
    );
    const pairs = replies.filter(({ status }) => status === 200);
    expect(pairs).toHaveLength(MAX_BRANCHES);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(15);
    // Neither do the new tokens, which would multiply with each generation.
    const newest: string = pairs[0]!.body.refresh_token;
    expect((await refresh(newest)).status).toBe(200);
    expect((await refresh(newest)).status).toBe(429);
    expect((await person.api.get('/v1/auth/sessions')).status).toBe(200);
  });

  it('a thief with as many pairs as there may be cannot hide the reuse of the stolen token', async () => {
    const owner = await aUser(service.api);
    const refresh = (refresh_token: string) => service.api.post('/v1/auth/refresh', { refresh_token });
    const stolen: string = (await refresh(owner.refreshToken)).body.refresh_token;
    service.clock.move({ minutes: 1 });
    await Promise.all(Array.from({ length: MAX_BRANCHES + 15 }, () => refresh(stolen)));
    expect((await refresh(owner.refreshToken)).status).toBe(401);
    expect((await owner.api.get('/v1/auth/sessions')).status).toBe(401);
  });
});
