import { Api, Reply } from '../../support/api';
import {
  aMember,
  anAccount,
  anOwner,
  aUser,
  created,
  logIn,
  PASSWORD,
  Person,
  someEmail,
} from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { sessionOf } from './forged-tokens';

const outcome = ({ status, body }: Reply) => [status, body.error];

describe('Sessions', () => {
  let service: TestService;
  let api: Api;

  beforeAll(async () => {
    service = await startTestService();
    ({ api } = service);
  });
  afterAll(() => service.stop());

  const refresh = (refreshToken: unknown) => api.post('/v1/auth/refresh', { refresh_token: refreshToken });
  const isLive = async ({ api: caller }: Person) => (await caller.get('/v1/auth/sessions')).status === 200;

  describe('DELETE /v1/auth/session (interface 4.1)', () => {
    it.each([
      ['no body', undefined, {}],
      ['no body with a JSON content type', undefined, { headers: { 'content-type': 'application/json' } }],
      ['an empty body', '', {}],
      ['an empty body with a JSON content type', '', { headers: { 'content-type': 'application/json' } }],
      ['an empty object', '{}', {}],
    ])('ends the current session: %s', async (_, body, options) => {
      const person = await aUser(api);
      const reply = await person.api.call('DELETE', '/v1/auth/session', body, options);
      expect(reply.status).toBe(200);
      expect(reply.body).toEqual({ message: expect.any(String) });
      expect(outcome(await person.api.get('/v1/auth/sessions'))).toEqual([401, 'unauthorized']);
      expect(outcome(await refresh(person.refreshToken))).toEqual([401, 'unauthorized']);
    });

    it('ends only the given session and returns its id', async () => {
      const person = await aUser(api);
      const [other, third] = [await logIn(api, person.email), await logIn(api, person.email)];
      const session_id = sessionOf(other.token);
      const reply = await person.api.delete('/v1/auth/session', { session_id });
      expect(reply.status).toBe(200);
      expect(reply.body).toEqual({ message: expect.any(String), session_id });
      expect(await isLive(other)).toBe(false);
      expect(outcome(await refresh(other.refreshToken))).toEqual([401, 'unauthorized']);
      expect([await isLive(person), await isLive(third)]).toEqual([true, true]);
    });

    it('ends the current session by its id', async () => {
      const person = await aUser(api);
      const session_id = sessionOf(person.token);
      expect((await person.api.delete('/v1/auth/session', { session_id })).body).toEqual({
        message: expect.any(String),
        session_id,
      });
      expect(await isLive(person)).toBe(false);
    });

    it('rejects a session that has ended', async () => {
      const person = await aUser(api);
      const body = { session_id: sessionOf((await logIn(api, person.email)).token) };
      await person.api.delete('/v1/auth/session', body);
      expect(outcome(await person.api.delete('/v1/auth/session', body))).toEqual([404, 'invalid_session']);
    });

    it('rejects the sessions of strangers, members, owners and accounts', async () => {
      const owner = await anOwner(api);
      const [stranger, member, account] = [await aUser(api), await aMember(api, owner), await anAccount(api)];
      const callers = [stranger, member, account, owner];
      for (const caller of callers) {
        for (const other of callers.filter((each) => each !== caller)) {
          const reply = await caller.api.delete('/v1/auth/session', { session_id: sessionOf(other.token) });
          expect(outcome(reply)).toEqual([404, 'invalid_session']);
        }
      }
      for (const caller of callers) expect(await isLive(caller)).toBe(true);
    });

    it('accepts all sessions of the user and the account that were opened together', async () => {
      const email = someEmail();
      await created(api, '/v1/users', { email, password: PASSWORD });
      const userOnly = await logIn(api, email);
      await created(api, '/v1/accounts', {
        email,
        password: PASSWORD,
        name: 'Lovelace Ltd',
        type: 'business',
      });
      const both = await logIn(api, email);
      expect(
        (await both.api.delete('/v1/auth/session', { session_id: sessionOf(userOnly.token) })).status,
      ).toBe(200);
      expect(await isLive(userOnly)).toBe(false);
    });

    it.each([
      ['empty', ''],
      ['a word', 'session'],
      ['truncated', 'ses_01k9x8v2t4e6rb3m5n7p9q1s0'],
      ['of another type', 'usr_01k9x8v2t4e6rb3m5n7p9q1s0w'],
      ['well-formed but unknown', 'ses_01k9x8v2t4e6rb3m5n7p9q1s0w'],
      ['in upper case', 'SES_01K9X8V2T4E6RB3M5N7P9Q1S0W'],
      ['300 characters long', 's'.repeat(300)],
      ['SQL', "ses_' OR '1'='1"],
    ])('rejects an id that is %s: 404 invalid_session', async (_, session_id) => {
      const person = await aUser(api);
      expect(outcome(await person.api.delete('/v1/auth/session', { session_id }))).toEqual([
        404,
        'invalid_session',
      ]);
      expect(await isLive(person)).toBe(true);
    });

    it.each([
      ['null', { session_id: null }],
      ['a number', { session_id: 7 }],
      ['an array', { session_id: ['ses_01k9x8v2t4e6rb3m5n7p9q1s0w'] }],
      ['an unknown member', { sessionId: 'ses_01k9x8v2t4e6rb3m5n7p9q1s0w' }],
      ['a body that is an array', []],
      ['a body that is null', null],
    ])('rejects %s with invalid_request and ends nothing', async (_, body) => {
      const person = await aUser(api);
      expect(outcome(await person.api.delete('/v1/auth/session', body))).toEqual([400, 'invalid_request']);
      expect(await isLive(person)).toBe(true);
    });

    it('ends a session once: one of many concurrent requests succeeds', async () => {
      const person = await aUser(api);
      const body = { session_id: sessionOf((await logIn(api, person.email)).token) };
      const replies = await Promise.all(
        Array.from({ length: 8 }, () => person.api.delete('/v1/auth/session', body)),
      );
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(404)]);
    });
  });

  describe('GET /v1/auth/sessions', () => {
    it('lists the live sessions of the caller, newest first', async () => {
      const email = someEmail();
      await created(api, '/v1/users', { email, password: PASSWORD });
      const login = (agent: string) =>
        api.post('/v1/auth/login', { email, password: PASSWORD }, { headers: { 'user-agent': agent } });
      const [first, ended, last] = [await login('one'), await login('two'), await login('three')];
      const caller = api.as(first.body.access_token);
      await caller.delete('/v1/auth/session', { session_id: sessionOf(ended.body.access_token) });
      await aUser(api);

      const { status, body } = await caller.get('/v1/auth/sessions');
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const shape = {
        created_at: time,
        last_used_at: time,
        expires_at: time,
        ip: expect.stringMatching(/^(127\.|::1$|::ffff:127\.)/),
      };
      expect(status).toBe(200);
      expect(body).toEqual({
        data: [
          { ...shape, session_id: sessionOf(last.body.access_token), user_agent: 'three', current: false },
          { ...shape, session_id: sessionOf(first.body.access_token), user_agent: 'one', current: true },
        ],
      });
      const days = (Date.parse(body.data[0].expires_at) - Date.parse(body.data[0].created_at)) / 86_400_000;
      expect(days).toBe(30);
    });

    it('lists the sessions of the user and the account that the session was opened with', async () => {
      const email = someEmail();
      await created(api, '/v1/users', { email, password: PASSWORD });
      await logIn(api, email);
      await created(api, '/v1/accounts', {
        email,
        password: 'another horse battery',
        name: 'L',
        type: 'business',
      });
      const account = await logIn(api, email, 'another horse battery');
      expect((await account.api.get('/v1/auth/sessions')).body.data).toHaveLength(1);
      expect((await (await logIn(api, email)).api.get('/v1/auth/sessions')).body.data).toHaveLength(2);
    });
  });

  describe('POST /v1/auth/refresh', () => {
    it('returns new tokens of the same session in the shape of a login response', async () => {
      const person = await aUser(api);
      const { status, body } = await refresh(person.refreshToken);
      expect(status).toBe(200);
      expect(body).toEqual({
        access_token: expect.any(String),
        refresh_token: expect.stringMatching(/^[\w-]{43}$/),
        token_type: 'Bearer',
        expires_in: 900,
        user: { id: person.id, email: person.email, name: null },
      });
      expect(sessionOf(body.access_token)).toBe(sessionOf(person.token));
      expect(body.refresh_token).not.toBe(person.refreshToken);
      expect((await api.as(body.access_token).get('/v1/auth/sessions')).body.data).toHaveLength(1);
      expect(await isLive(person)).toBe(true);
    });

    it('accepts each new token in turn', async () => {
      const person = await anAccount(api);
      let { refreshToken } = person;
      for (let turn = 0; turn < 5; turn += 1) {
        const { status, body } = await refresh(refreshToken);
        expect([status, body.user.id]).toEqual([200, person.accountId]);
        refreshToken = body.refresh_token;
      }
    });

    it('ignores the Authorization header', async () => {
      const { refreshToken } = await aUser(api);
      expect(
        (await api.as('not.a.token').post('/v1/auth/refresh', { refresh_token: refreshToken })).status,
      ).toBe(200);
    });

    it.each([
      ['an unknown token', 'A'.repeat(43)],
      ['an empty token', ''],
      ['a token of 8,000 characters', 'A'.repeat(8_000)],
      ['a word', 'token'],
    ])('rejects %s', async (_, token) => {
      expect(outcome(await refresh(token))).toEqual([401, 'unauthorized']);
    });

    it('rejects an access token, as a refresh token is rejected as an access token', async () => {
      const person = await aUser(api);
      expect(outcome(await refresh(person.token))).toEqual([401, 'unauthorized']);
      expect(outcome(await api.as(person.refreshToken).get('/v1/auth/sessions'))).toEqual([
        401,
        'unauthorized',
      ]);
    });

    it('rejects the stored hash of a token', async () => {
      const person = await aUser(api);
      const sql = 'SELECT hash FROM refresh_tokens WHERE session_id = $1';
      const [row] = await service.sql<{ hash: string }>(sql, [sessionOf(person.token)]);
      expect(row!.hash).not.toContain(person.refreshToken);
      expect(outcome(await refresh(row!.hash))).toEqual([401, 'unauthorized']);
    });

    it.each([
      ['a missing token', {}],
      ['a null token', { refresh_token: null }],
      ['a numeric token', { refresh_token: 7 }],
      ['an unknown member', { refresh_token: 'A', session_id: 'B' }],
    ])('rejects %s with invalid_request', async (_, body) => {
      expect(outcome(await api.post('/v1/auth/refresh', body))).toEqual([400, 'invalid_request']);
    });
  });
});

describe('Expiry of sessions', () => {
  let service: TestService;
  let api: Api;

  beforeAll(async () => {
    service = await startTestService();
    ({ api } = service);
  });
  afterAll(() => service.stop());

  const refresh = (refreshToken: string) => api.post('/v1/auth/refresh', { refresh_token: refreshToken });
  const statusOf = async (token: string) => (await api.as(token).get('/v1/auth/sessions')).status;

  it('an access token expires after 900 seconds, before its session', async () => {
    const person = await aUser(api);
    service.clock.move({ seconds: 890 });
    expect(await statusOf(person.token)).toBe(200);
    service.clock.move({ seconds: 10 });
    expect(outcome(await person.api.get('/v1/auth/sessions'))).toEqual([401, 'unauthorized']);
    const { body } = await refresh(person.refreshToken);
    expect(await statusOf(body.access_token)).toBe(200);
    expect(await statusOf(person.token)).toBe(401);
  });

  it('ACCESS_TOKEN_TTL sets the lifetime of access tokens', async () => {
    const shortLived = await service.replica({ ACCESS_TOKEN_TTL: '60' });
    try {
      const { email } = await aUser(shortLived.api);
      const { body } = await shortLived.api.post('/v1/auth/login', { email, password: PASSWORD });
      expect(body.expires_in).toBe(60);
      shortLived.clock.move({ seconds: 50 });
      expect((await shortLived.api.as(body.access_token).get('/v1/auth/sessions')).status).toBe(200);
      shortLived.clock.move({ seconds: 10 });
      expect((await shortLived.api.as(body.access_token).get('/v1/auth/sessions')).status).toBe(401);
    } finally {
      await shortLived.stop();
    }
  });

  it('a refresh token can be used again within the grace period', async () => {
    const person = await aUser(api);
    const first = await refresh(person.refreshToken);
    service.clock.move({ seconds: 9 });
    const again = await refresh(person.refreshToken);
    expect(again.status).toBe(200);
    expect(sessionOf(again.body.access_token)).toBe(sessionOf(person.token));
    for (const { body } of [first, again]) {
      expect(await statusOf(body.access_token)).toBe(200);
      expect((await refresh(body.refresh_token)).status).toBe(200);
    }
  });

  it('reuse of a refresh token after the grace period ends the session and invalidates its tokens', async () => {
    const person = await aUser(api);
    const bystander = await logIn(api, person.email);
    const { body: next } = await refresh(person.refreshToken);
    service.clock.move({ seconds: 11 });
    expect(outcome(await refresh(person.refreshToken))).toEqual([401, 'unauthorized']);
    expect([await statusOf(person.token), await statusOf(next.access_token)]).toEqual([401, 401]);
    expect(outcome(await refresh(next.refresh_token))).toEqual([401, 'unauthorized']);
    expect(await statusOf(bystander.token)).toBe(200);
  });

  it('REFRESH_REUSE_GRACE_SECONDS sets the grace period', async () => {
    const longGrace = await service.replica({ REFRESH_REUSE_GRACE_SECONDS: '100' });
    try {
      const { refreshToken } = await aUser(longGrace.api);
      const again = () => longGrace.api.post('/v1/auth/refresh', { refresh_token: refreshToken });
      expect((await again()).status).toBe(200);
      longGrace.clock.move({ seconds: 99 });
      expect((await again()).status).toBe(200);
      longGrace.clock.move({ seconds: 2 });
      expect((await again()).status).toBe(401);
    } finally {
      await longGrace.stop();
    }
  });

  it('a session without a refresh expires after 30 days', async () => {
    const person = await aUser(api);
    service.clock.move({ days: 30 });
    expect(outcome(await refresh(person.refreshToken))).toEqual([401, 'unauthorized']);
    const later = await logIn(api, person.email);
    const sessions = (await later.api.get('/v1/auth/sessions')).body.data;
    expect(sessions.map((session: { session_id: string }) => session.session_id)).toEqual([
      sessionOf(later.token),
    ]);
    const ended = await later.api.delete('/v1/auth/session', { session_id: sessionOf(person.token) });
    expect(outcome(ended)).toEqual([404, 'invalid_session']);
  });

  it('a refreshed session expires after 90 days', async () => {
    const person = await aUser(api);
    let { refreshToken } = person;
    let latest: Reply;
    for (const days of [29, 29, 29]) {
      service.clock.move({ days });
      latest = await refresh(refreshToken);
      expect(latest.status).toBe(200);
      refreshToken = latest.body.refresh_token;
    }
    const [session] = (await api.as(latest!.body.access_token).get('/v1/auth/sessions')).body.data;
    const lifetime = Date.parse(session.expires_at) - Date.parse(session.created_at);
    expect(lifetime).toBe(90 * 86_400_000);
    expect(Date.parse(session.last_used_at) - Date.parse(session.created_at)).toBeGreaterThanOrEqual(
      87 * 86_400_000,
    );
    service.clock.move({ days: 3 });
    expect(outcome(await refresh(refreshToken))).toEqual([401, 'unauthorized']);
  });

  it('an access token that would expire later ends with its session', async () => {
    const longLived = await service.replica({ ACCESS_TOKEN_TTL: '86400' });
    try {
      let tokens: { access_token?: string; refresh_token: string } = {
        refresh_token: (await aUser(longLived.api)).refreshToken,
      };
      for (const days of [29, 29, 29, 2.5]) {
        longLived.clock.move({ days });
        tokens = (await longLived.api.post('/v1/auth/refresh', { refresh_token: tokens.refresh_token })).body;
      }
      const status = async () =>
        (await longLived.api.as(tokens.access_token!).get('/v1/auth/sessions')).status;
      longLived.clock.move({ days: 0.4 });
      expect(await status()).toBe(200);
      longLived.clock.move({ days: 0.2 });
      expect(await status()).toBe(401);
    } finally {
      await longLived.stop();
    }
  });
});
