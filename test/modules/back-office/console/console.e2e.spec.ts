import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConsoleFiles } from '../../../../src/modules/back-office/console/console-files.view';
import {
  aMember,
  anAccount,
  anOperator,
  anOwner,
  aUser,
  logIn,
  PASSWORD,
  Person,
} from '../../../support/people';
import { startTestService, TestService } from '../../../support/service';

type Place = 'console' | 'dashboard';

describe('The session of the console', () => {
  let service: TestService;
  let admin: Person;

  beforeAll(async () => {
    service = await startTestService({ CONSOLE_IDLE_MINUTES: '20', ACCESS_TOKEN_TTL: '86400' });
    admin = await anOperator(service.api, 'admin');
  });
  afterAll(() => service?.stop());

  interface Reply {
    readonly status: number;
    readonly body: any;
    /** The cookie that the response sets, with its attributes. */
    readonly cookie: string;
  }

  async function call(
    method: string,
    path: string,
    headers: object,
    body?: object,
    { url } = service,
    place: Place = 'console',
  ): Promise<Reply> {
    const response = await fetch(`${url}/${place}/session${path}`, {
      method,
      headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const cookie = response.headers.get('set-cookie') ?? '';
    return { status: response.status, body: JSON.parse((await response.text()) || 'null'), cookie };
  }

  const own = { 'x-console': '1' };
  const signIn = (
    { email }: Pick<Person, 'email'>,
    headers: object = own,
    at = service,
    place: Place = 'console',
  ): Promise<Reply> => call('POST', '', headers, { email, password: PASSWORD }, at, place);
  const valueOf = ({ cookie }: Reply): string => cookie.split(';')[0]!;
  const tokenOf = (reply: Reply): string => valueOf(reply).split('=')[1]!;
  const refresh = (cookie: string, at = service): Promise<Reply> =>
    call('POST', '/refresh', { ...own, cookie }, undefined, at);
  const signOut = (cookie: string): Promise<Reply> => call('DELETE', '', { ...own, cookie });
  const refreshOfApi = async (refresh_token: string): Promise<number> =>
    (await service.api.post('/v1/auth/refresh', { refresh_token })).status;
  const reads = async ({ body }: Reply, { api } = service): Promise<number> =>
    (await api.as(body.access_token).get('/v1/auth/sessions')).status;

  it.each(['admin', 'platform', 'support'] as const)('opens for the role %s', async (role) => {
    const reply = await signIn(await anOperator(service.api, role));
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      idle_seconds: 1200,
      must_enrol: false,
      test_mode: true,
      user: { role },
    });
    expect((await service.api.as(reply.body.access_token).get('/v1/transactions')).status).toBe(200);
  });

  it.each(['console', 'dashboard'] as const)(
    'rejects a large body and an unknown member, as a login does, at the %s',
    async (place) => {
      const post = async (body: object) => (await call('POST', '', own, body, service, place)).status;
      const credentials = { email: admin.email, password: PASSWORD };
      expect(await post({ ...credentials, email: 'a'.repeat(9_000) })).toBe(413);
      expect(await post({ ...credentials, extra: 1 })).toBe(400);
    },
  );

  describe('at the dashboard', () => {
    it('opens for owners, members and accounts, with the account that they act for', async () => {
      const owner = await anOwner(service.api);
      const member = await aMember(service.api, owner);
      const account = await anAccount(service.api);
      for (const [person, accountId, membership] of [
        [owner, owner.accountId, 'owner'],
        [member, owner.accountId, 'member'],
        [account, account.accountId, 'owner'],
      ] as const) {
        const reply = await signIn(person, own, service, 'dashboard');
        expect(reply.body).toMatchObject({
          must_enrol: false,
          user: { email: person.email, role: 'user', account_id: accountId, membership_role: membership },
        });
        expect(reply.cookie).toMatch(
          /^countinghouse_dashboard=[\w-]{43}; Path=\/dashboard\/session; HttpOnly/,
        );
        const { body } = await service.api.as(reply.body.access_token).get('/v1/account');
        expect(body.id).toBe(accountId);
      }
    });

    it.each(['admin', 'platform', 'support'] as const)(
      'rejects the role %s, and ends its session',
      async (role) => {
        const operator = await anOperator(service.api, role);
        const reply = await signIn(operator, own, service, 'dashboard');
        expect([reply.status, reply.body.error, reply.cookie]).toEqual([403, 'forbidden', '']);
        const sessions = await operator.api.get('/v1/auth/sessions');
        expect(sessions.body.data).toHaveLength(1); // that of the API
      },
    );

    it('rejects a user without an account', async () => {
      expect((await signIn(await aUser(service.api), own, service, 'dashboard')).status).toBe(403);
    });

    it('accepts no cookie of the console, nor the console one of it', async () => {
      const owner = await anOwner(service.api);
      const theirs = await signIn(owner, own, service, 'dashboard');
      const opened = await signIn(admin);
      const refreshAt = (place: Place, token: string) =>
        call(
          'POST',
          '/refresh',
          { ...own, cookie: `countinghouse_${place}=${token}` },
          undefined,
          service,
          place,
        );
      expect((await refreshAt('dashboard', tokenOf(opened))).status).toBe(403);
      expect((await refreshAt('console', tokenOf(theirs))).status).toBe(403);
      expect((await service.api.as(theirs.body.access_token).get('/v1/account')).status).toBe(401);
    });

    it('ends when a member is removed', async () => {
      const owner = await anOwner(service.api);
      const member = await aMember(service.api, owner);
      const opened = await signIn(member, own, service, 'dashboard');
      expect((await owner.api.delete(`/v1/users/${member.id}`)).status).toBe(200);
      const { status } = await call(
        'POST',
        '/refresh',
        { ...own, cookie: valueOf(opened) },
        undefined,
        service,
        'dashboard',
      );
      expect(status).toBe(401);
    });

    it('serves the application at any of its addresses, and its files', async () => {
      const page = await fetch(`${service.url}/dashboard/payments`);
      expect([page.status, page.headers.get('content-security-policy')]).toEqual([
        200,
        expect.stringContaining("script-src 'self'"),
      ]);
      expect(await page.text()).toBe(await (await fetch(`${service.url}/console/`)).text());
    });
  });

  it('gives the refresh token to no script: it is in a cookie for its own path and site', async () => {
    const { body, cookie } = await signIn(admin);
    expect(cookie).toMatch(
      /^countinghouse_console=[\w-]{43}; Path=\/console\/session; HttpOnly; SameSite=Strict; Max-Age=1200$/,
    );
    expect(JSON.stringify(body)).not.toContain(valueOf({ cookie } as Reply).split('=')[1]);
  });

  it('binds the cookie to this host with HTTPS, and then accepts no other', async () => {
    const proxied = await service.replica({ TRUSTED_PROXIES: '127.0.0.1', CONSOLE_IDLE_MINUTES: '20' });
    const https = { ...own, 'x-forwarded-proto': 'https' };
    try {
      const opened = await signIn(admin, https, proxied);
      expect(opened.cookie).toMatch(
        /^__Host-countinghouse_console=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=1200$/,
      );
      const cookie = valueOf(opened);
      const withoutPrefix = cookie.replace('__Host-', '');
      const post = (sent: object) => call('POST', '/refresh', sent, undefined, proxied);
      expect((await post({ ...https, cookie: withoutPrefix })).status).toBe(204);
      expect((await post({ ...own, cookie })).status).toBe(204);
      expect((await post({ ...https, cookie: `${withoutPrefix}; other=1; ${cookie}` })).status).toBe(200);
      const ended = await call('DELETE', '', { ...https, cookie }, undefined, proxied);
      expect(ended.cookie).toBe(
        '__Host-countinghouse_console=; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=0',
      );
      expect((await post({ ...https, cookie })).status).toBe(401);
    } finally {
      await proxied.stop();
    }
  });

  it('is refreshed with the cookie, and ends at the sign-out', async () => {
    const opened = await signIn(admin);
    const refreshed = await refresh(valueOf(opened));
    expect(refreshed.status).toBe(200);
    const api = service.api.as(refreshed.body.access_token);
    expect((await api.get('/v1/transactions')).status).toBe(200);
    const ended = await call('DELETE', '', { ...own, cookie: valueOf(refreshed) });
    expect([ended.status, ended.cookie]).toEqual([200, expect.stringMatching(/=; .*Max-Age=0/)]);
    expect((await api.get('/v1/transactions')).status).toBe(401);
    expect((await refresh(valueOf(refreshed))).status).toBe(401);
    expect((await call('DELETE', '', own)).status).toBe(200);
  });

  it('ends after the idle time on every replica, whatever is presented, and not before', async () => {
    const replica = await service.replica();
    const move = (time: { minutes?: number; seconds?: number }): void =>
      [service, replica].forEach(({ clock }) => clock.move(time));
    try {
      const opened = await signIn(admin);
      move({ minutes: 19, seconds: 50 });
      const refreshed = await refresh(valueOf(opened), replica);
      expect([await reads(opened), await reads(opened, replica)]).toEqual([200, 200]);
      move({ minutes: 19, seconds: 50 });
      expect([await reads(opened), await reads(refreshed, replica)]).toEqual([200, 200]);
      move({ seconds: 11 });
      for (const at of [service, replica]) {
        expect([await reads(opened, at), await reads(refreshed, at)]).toEqual([401, 401]);
        expect((await refresh(valueOf(refreshed), at)).status).toBe(401);
      }
      expect(await refreshOfApi(tokenOf(refreshed))).toBe(401);
    } finally {
      await replica.stop();
    }
  });

  it('is refreshed by the console alone, which accepts no other session', async () => {
    const opened = await signIn(admin);
    expect(await refreshOfApi(tokenOf(opened))).toBe(401);
    const refreshed = await refresh(valueOf(opened));
    expect(refreshed.status).toBe(200);

    const ofApi = await logIn(service.api, admin.email);
    const cookie = `countinghouse_console=${ofApi.refreshToken}`;
    expect((await refresh(cookie)).status).toBe(401);
    expect((await signOut(cookie)).status).toBe(200);
    await signIn(admin, { ...own, cookie });
    expect((await ofApi.api.get('/v1/auth/sessions')).status).toBe(200);
    expect(await refreshOfApi(ofApi.refreshToken)).toBe(200);
  });

  it('ends at the sign-out after its access token has expired', async () => {
    const shortLived = await service.replica({ ACCESS_TOKEN_TTL: '60' });
    try {
      const opened = await signIn(admin, own, shortLived);
      service.clock.move({ minutes: 2 });
      expect(await reads(opened)).toBe(401);
      const ended = await signOut(valueOf(opened));
      expect([ended.status, ended.cookie]).toEqual([200, expect.stringMatching(/=; .*Max-Age=0/)]);
      expect((await refresh(valueOf(opened))).status).toBe(401);
    } finally {
      await shortLived.stop();
    }
  });

  it('ends the session that a new sign-in of the same browser replaces', async () => {
    const opened = await signIn(admin);
    const wrong = { email: admin.email, password: 'not the password' };
    await call('POST', '', { ...own, cookie: valueOf(opened) }, wrong);
    expect(await reads(opened)).toBe(200);
    const again = await signIn(admin, { ...own, cookie: valueOf(opened) });
    expect([await reads(opened), await reads(again)]).toEqual([401, 200]);
  });

  it('is nothing to the API', async () => {
    const opened = await signIn(admin);
    const cookie = `${valueOf(opened)}; __Host-${valueOf(opened)}`;
    for (const path of ['/v1/auth/sessions', '/v1/transactions', '/v1/events']) {
      const { status, headers } = await fetch(service.url + path, { headers: { ...own, cookie } });
      expect([status, headers.get('set-cookie')]).toEqual([401, null]);
    }
    const response = await fetch(`${service.url}/v1/auth/session`, { method: 'DELETE', headers: { cookie } });
    expect(response.status).toBe(401);
    expect((await refresh(valueOf(opened))).status).toBe(200);
  });

  it('is stored by no cache', async () => {
    const opened = await fetch(`${service.url}/console/session`, {
      method: 'POST',
      headers: { ...own, 'content-type': 'application/json' },
      body: JSON.stringify({ email: admin.email, password: PASSWORD }),
    });
    expect(opened.headers.get('cache-control')).toBe('no-store');
  });

  it('is not there before the first sign-in, which is no failure', async () => {
    const response = await fetch(`${service.url}/console/session/refresh`, { method: 'POST', headers: own });
    expect([response.status, await response.text(), response.headers.get('set-cookie')]).toEqual([
      204,
      '',
      null,
    ]);
  });

  it('is refused to other roles, and leaves no session of them behind', async () => {
    const user = await aUser(service.api);
    const reply = await signIn(user);
    expect([reply.status, reply.body.error, reply.cookie]).toEqual([403, 'forbidden', '']);
    const { body } = await user.api.get('/v1/auth/sessions');
    expect(body.data).toHaveLength(1);
  });

  it('ends for a user whose role has become another', async () => {
    const { id, email } = await anOperator(service.api, 'support');
    const opened = await signIn({ email });
    await admin.api.patch(`/v1/users/${id}`, { role: 'user' });
    expect((await refresh(valueOf(opened))).status).toBe(403);
  });

  it.each<[string, object]>([
    ['without the header of the console', {}],
    ['from another site', { ...own, 'sec-fetch-site': 'cross-site' }],
    ['from another host of the same site', { ...own, 'sec-fetch-site': 'same-site' }],
    ['with the origin of another page', { ...own, origin: 'https://evil.example' }],
    ['with an origin that is none', { ...own, origin: 'null' }],
  ])('accepts no request %s', async (_, headers) => {
    const opened = await signIn(admin);
    const replies = [
      await signIn(admin, headers),
      await call('POST', '/refresh', { ...headers, cookie: valueOf(opened) }),
      await call('DELETE', '', { ...headers, cookie: valueOf(opened) }),
    ];
    expect(replies.map(({ status, body, cookie }) => [status, body.error, cookie])).toEqual(
      replies.map(() => [403, 'forbidden', '']),
    );
    expect((await refresh(valueOf(opened))).status).toBe(200);
  });

  it.each([
    undefined,
    {},
    { email: 'a@example.com' },
    { email: 1, password: 2 },
    { email: 'a', password: 'b', otp: 3 },
  ])('rejects a sign-in that is incomplete: %j', async (body) => {
    const { status, body: answer } = await call('POST', '', own, body);
    expect([status, answer.error]).toEqual([400, 'invalid_request']);
  });

  it('says that a second factor has to be set up first, where that is required', async () => {
    const strict = await service.replica({ REQUIRE_ADMIN_OTP: 'true' });
    try {
      const response = await fetch(`${strict.url}/console/session`, {
        method: 'POST',
        headers: { ...own, 'content-type': 'application/json' },
        body: JSON.stringify({ email: admin.email, password: PASSWORD }),
      });
      expect(await response.json()).toMatchObject({ must_enrol: true });
    } finally {
      await strict.stop();
    }
  });

  it('keeps passwords and tokens out of the log', async () => {
    const opened = await signIn(admin);
    await refresh(valueOf(opened));
    const log = service.logged.join('');
    expect(log).toContain('"/console/session/refresh"');
    for (const secret of [PASSWORD, valueOf(opened).split('=')[1]!, opened.body.access_token])
      expect(log).not.toContain(secret);
  });

  it('sends every page with a policy that allows nothing inline and no frame', async () => {
    const { headers } = await fetch(`${service.url}/console/transactions`);
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    });
  });

  it.each(['search?q=%', 'search?q=%00', 'accounts/%', 'accounts/%00', 'users/%c0%af?x=%zz'])(
    'sends the page for an address that is malformed: %s',
    async (path) => {
      const [page, malformed] = [
        await fetch(`${service.url}/console/search`),
        await fetch(`${service.url}/console/${path}`),
      ];
      expect(malformed.status).toBe(page.status);
      expect(malformed.headers.get('content-type')).toBe(page.headers.get('content-type'));
      expect(await malformed.text()).toBe(await page.text());
    },
  );

  it('has no file that is not its own', async () => {
    for (const path of [
      'assets/none.js',
      'assets/../../package.json',
      'assets/%2e%2e%2f%2e%2e%2fpackage.json',
    ]) {
      const response = await fetch(`${service.url}/console/${path}`);
      expect(await response.text()).not.toContain('"dependencies"');
    }
    const { status, headers } = await fetch(`${service.url}/console/assets/none.js`);
    expect([status, headers.get('cache-control')]).toEqual([404, 'no-store']);
  });

  it('lists none of its files', async () => {
    const page = await (await fetch(`${service.url}/console`)).text();
    for (const path of ['console/', 'console/assets'])
      expect(await (await fetch(`${service.url}/${path}`)).text()).toBe(page);
    expect((await fetch(`${service.url}/console/assets/`)).status).toBe(404);
  });
});

describe('The files of the console', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'countinghouse-console-'));
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), '<!doctype html>');
    writeFileSync(join(folder, 'assets', 'index-1a2b.js'), 'export {};');
    writeFileSync(join(folder, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
    writeFileSync(join(folder, 'notes.txt'), 'not a file of a page');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('are those of the build that a page consists of', () => {
    const files = new ConsoleFiles(() => folder);
    expect(files.find('index.html')).toMatchObject({ type: 'text/html; charset=utf-8' });
    expect(files.find('assets/index-1a2b.js')).toMatchObject({ type: 'text/javascript; charset=utf-8' });
    expect(files.find('icon.svg')).toMatchObject({ type: 'image/svg+xml; charset=utf-8' });
    for (const path of ['notes.txt', '', 'assets', '../package.json', '__proto__'])
      expect(files.find(path)).toBeNull();
  });
});
