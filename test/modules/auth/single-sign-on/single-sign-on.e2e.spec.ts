import { AUDIT_ENTRIES } from '../../../support/audit-entries';
import { TestProvider } from '../../../support/openid-provider';
import { anAccount, anOperator, aUser, logIn, PASSWORD, someEmail, theAdmin } from '../../../support/people';
import { emailsTo, tokenIn } from '../../../support/security-emails';
import { ADMIN, startTestService, TestService } from '../../../support/service';
import { SmtpServer } from '../../../support/smtp';
import { callbackOf, OpenSession, Outcome, ProviderSignIn, readSession } from './provider-sign-in';

const ADMINS = ['finance-admins'];
const SUPPORT = ['staff', 'finance-support'];

let service: TestService;
let provider: TestProvider;
/** Has the groups in the userinfo alone, and links by email. */
let linking: TestProvider;

beforeAll(async () => {
  provider = (await TestProvider.start()).open(callbackOf('acme'));
  linking = (await TestProvider.start()).open(callbackOf('linking'), { conformIdTokenClaims: true });
  service = await startTestService({
    REQUIRE_ADMIN_OTP: 'true',
    RECENT_LOGIN_SECONDS: '900',
    OIDC_PROVIDERS: JSON.stringify([
      provider.settings('acme', { label: 'Acme' }),
      linking.settings('linking', { link_by_email: true }),
    ]),
  });
});
afterAll(async () => {
  await service?.stop();
  await Promise.all([provider?.stop(), linking?.stop()]);
});

async function signIn(name: 'acme' | 'linking' = 'acme', at = service): Promise<Outcome> {
  const begun = new ProviderSignIn(at);
  return begun.finish(await begun.respond(name, { acme: provider, linking }[name]));
}

async function opened(outcome: Outcome, at = service): Promise<OpenSession> {
  expect(outcome.error).toBeNull();
  const session = await readSession(at, outcome.cookie);
  if (session === null) throw new Error('There is no session.');
  return session;
}

const entriesOf = async (id: string): Promise<object[]> =>
  service.sql(
    `SELECT action, outcome, actor_id, details FROM ${AUDIT_ENTRIES} WHERE object_id = $1 ORDER BY id`,
    [id],
  );
const roleOf = async (id: string): Promise<unknown> =>
  (await service.sql<{ role: string }>('SELECT role FROM users WHERE id = $1', [id]))[0]?.role;
const somebody = (groups: unknown, email = someEmail()) => ({
  email,
  email_verified: true,
  name: 'Ada',
  groups,
});

describe('A sign-in through a provider', () => {
  it.each([
    ['admin', ADMINS],
    ['support', SUPPORT],
    ['admin', [...SUPPORT, ...ADMINS]],
  ])('creates a user of role %s for the groups %j, and records it', async (role, groups) => {
    const email = someEmail();
    provider.add(somebody(groups, email));
    const { user, mustEnrol, api } = await opened(await signIn());
    expect(user).toMatchObject({ email, name: 'Ada', role });
    expect(mustEnrol).toBe(false);
    expect((await api.get('/v1/accounts')).status).toBe(200);
    expect(await entriesOf(user.id)).toEqual([
      { action: 'user.create', outcome: 'succeeded', actor_id: 'system', details: { role } },
      {
        action: 'user.link_identity',
        outcome: 'succeeded',
        actor_id: 'system',
        details: { provider: 'acme' },
      },
      { action: 'login', outcome: 'succeeded', actor_id: user.id, details: { provider: 'acme' } },
    ]);
  });

  it('finds the same user again by the subject, whatever the email and the name are then', async () => {
    const subject = provider.add(somebody(ADMINS));
    const first = await opened(await signIn());
    provider.people.set(subject, { ...somebody(ADMINS), name: 'Countess' });
    const again = await opened(await signIn());
    expect(again.user).toEqual(first.user);
  });

  it('reads groups that are not in the id token from the userinfo', async () => {
    linking.add(somebody(SUPPORT));
    expect((await opened(await signIn('linking'))).user.role).toBe('support');
  });

  it('asks for a code with PKCE, a nonce and a recent login', async () => {
    const url = await new ProviderSignIn(service).begin('acme');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: provider.clientId,
      response_type: 'code',
      redirect_uri: callbackOf('acme'),
      scope: 'openid email profile groups',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      max_age: '900',
    });
  });

  it('may begin at one replica and end at another', async () => {
    const replica = await service.replica();
    try {
      provider.add(somebody(ADMINS));
      const begun = new ProviderSignIn(service);
      const outcome = await begun.finish(await begun.respond('acme', provider), replica);
      expect((await opened(outcome, replica)).user.role).toBe('admin');
      expect((await opened(outcome)).user.role).toBe('admin');
    } finally {
      await replica.stop();
    }
  });

  it.each([
    ['/console/accounts?status=active', '/console/accounts?status=active'],
    ['/console/../v1/accounts', '/console/'],
    ['https://evil.example/console/', '/console/'],
    ['//evil.example/console/', '/console/'],
    ['\\\\evil.example/console/', '/console/'],
    [`/console/${'x'.repeat(1000)}`, '/console/'],
  ])('returns to a page of the console alone: %s', async (to, location) => {
    provider.add(somebody(ADMINS));
    const begun = new ProviderSignIn(service);
    const response = await begun.respond('acme', provider, `?to=${encodeURIComponent(to)}`);
    expect((await begun.finish(response)).location).toBe(location);
  });

  it('keeps what was begun in a cookie that no script reads, and the secret to itself', async () => {
    const response = await fetch(`${service.url}/console/session/oidc/acme`, { redirect: 'manual' });
    expect(response.headers.get('set-cookie')).toMatch(
      /^countinghouse_sign_in=[\w.-]+; Path=\/console\/session\/oidc; HttpOnly; SameSite=Lax; Max-Age=600$/,
    );
    expect(response.headers.get('cache-control')).toBe('no-store');
    const listed = await fetch(`${service.url}/console/session/oidc`);
    expect(await listed.json()).toEqual({
      providers: [
        { name: 'acme', label: 'Acme' },
        { name: 'linking', label: 'linking' },
      ],
    });
    expect(service.logged.join('')).not.toContain(provider.clientSecret);
  });

  it('opens a session that its role decides about, and that ends after 12 hours at work', async () => {
    provider.add(somebody(SUPPORT));
    let session = await opened(await signIn());
    for (let minutes = 0; minutes < 12 * 60 - 10; minutes += 10) {
      service.clock.move({ minutes: 10 });
      session = (await readSession(service, session.cookie))!;
    }
    service.clock.move({ minutes: 10 });
    expect(await readSession(service, session.cookie)).toBeNull();
  });

  it('counts as a recent login, for its time', async () => {
    provider.add(somebody(ADMINS));
    const { api } = await opened(await signIn());
    const user = await aUser(service.api);
    const suspend = () => api.patch(`/v1/users/${user.id}`, { status: 'suspended' });
    // The provider is at the time of the system.
    const ahead = service.clock.now().getTime() - Date.now();
    service.clock.move({ seconds: -Math.round(ahead / 1000) });
    expect((await suspend()).status).toBe(200);
    service.clock.move({ minutes: 16 });
    expect((await suspend()).status).toBe(401);
    service.clock.move({ minutes: -16 });
  });
});

describe('The groups of the provider', () => {
  it('change the role at the next sign-in', async () => {
    const subject = provider.add(somebody(SUPPORT));
    const first = await opened(await signIn());
    provider.people.set(subject, somebody(ADMINS));
    expect((await opened(await signIn())).user).toEqual({ ...first.user, role: 'admin' });
    expect(await entriesOf(first.user.id)).toContainEqual({
      action: 'user.set_role',
      outcome: 'succeeded',
      actor_id: 'system',
      details: { role: 'admin', changes_hash: expect.any(String) },
    });
  });

  it('take the role and the sessions when they are lost', async () => {
    const subject = provider.add(somebody(ADMINS));
    const { user, cookie, api } = await opened(await signIn());
    provider.people.set(subject, somebody(['staff']));
    expect(await signIn()).toMatchObject({ error: 'forbidden', cookie: null });
    expect(await roleOf(user.id)).toBe('user');
    expect(await readSession(service, cookie)).toBeNull();
    expect((await api.get('/v1/accounts')).status).toBe(401);
    expect((await entriesOf(user.id)).slice(-1)).toEqual([
      {
        action: 'login',
        outcome: 'refused',
        actor_id: null,
        details: { provider: 'acme', cause: 'no_group' },
      },
    ]);
  });

  it.each([
    ['none', undefined],
    ['others', ['finance-admin', 'FINANCE-ADMINS', 'finance-admins ', 'x-finance-admins']],
    ['a text', 'finance-admins'],
    ['an object', { 'finance-admins': true, 0: 'finance-admins', length: 1 }],
    ['an array in an array', [['finance-admins']]],
    ['an array with more than texts', ['finance-admins', 1]],
  ])('let nobody in who has %s', async (_, groups) => {
    const email = someEmail();
    provider.add(somebody(groups, email));
    expect(await signIn()).toMatchObject({ error: 'forbidden', cookie: null });
    expect(await service.sql('SELECT FROM users WHERE email = $1', [email])).toEqual([]);
  });

  it('leave the last active admin the role, but no session', async () => {
    const alone = await startTestService({
      ADMIN_EMAIL: '',
      ADMIN_PASSWORD: '',
      OIDC_PROVIDERS: JSON.stringify([provider.settings('acme')]),
    });
    try {
      const subject = provider.add(somebody(ADMINS));
      const { cookie } = await opened(await signIn('acme', alone), alone);
      provider.people.set(subject, somebody([]));
      expect((await signIn('acme', alone)).error).toBe('forbidden');
      expect(await readSession(alone, cookie)).toBeNull();
      expect(await alone.sql('SELECT role FROM users')).toEqual([{ role: 'admin' }]);
    } finally {
      await alone.stop();
    }
  });
});

describe('A user who is there already', () => {
  it('is not taken over by the email, which is refused', async () => {
    provider.add(somebody(ADMINS, ADMIN.email));
    expect(await signIn()).toMatchObject({ error: 'email_exists', cookie: null });
  });

  it('is suspended here, and cannot sign in through the provider either', async () => {
    provider.add(somebody(SUPPORT));
    const { user } = await opened(await signIn());
    provider.add(somebody(ADMINS));
    const { api } = await opened(await signIn());
    service.clock.move({ seconds: 1 });
    expect((await api.patch(`/v1/users/${user.id}`, { status: 'suspended' })).status).toBe(200);
    const [subject] = [...provider.people].find(([, { email }]) => email === user.email)!;
    provider.present = subject;
    expect(await signIn()).toMatchObject({ error: 'unauthorized', cookie: null });
  });

  it('is somebody else after the deletion', async () => {
    const email = someEmail();
    provider.add(somebody(ADMINS, email));
    const { user, api } = await opened(await signIn());
    expect((await api.delete(`/v1/users/${user.id}`)).status).toBe(200);
    expect(await service.sql('SELECT FROM identities WHERE user_id = $1', [user.id])).toEqual([]);
    const again = await opened(await signIn());
    expect(again.user).toMatchObject({ email });
    expect(again.user.id).not.toBe(user.id);
  });

  it('needs an email that can be used', async () => {
    for (const person of [
      { email_verified: false, email: someEmail() },
      { email_verified: 'false', email: someEmail() },
      { email_verified: '', email: someEmail() },
      { email: 'no email' },
      { email: 'a\u202e@example.com' },
      {},
    ]) {
      provider.add({ groups: ADMINS, ...person });
      expect(await signIn()).toMatchObject({ error: 'conflict', cookie: null });
    }
  });
});

describe('A provider that links by email', () => {
  /** Where admins who sign in with a password need no second factor. */
  let lax: TestService;

  beforeAll(async () => {
    lax = await service.replica({ REQUIRE_ADMIN_OTP: 'false' });
  });
  afterAll(() => lax?.stop());

  it.each([
    ['', true],
    [' in text', 'true'],
  ])(
    'signs in the admin or support person who has the email verified%s, who has no password then',
    async (_, email_verified) => {
      const support = await anOperator(lax.api, 'support');
      linking.add({ ...somebody(ADMINS, support.email), email_verified });
      expect((await opened(await signIn('linking'))).user).toMatchObject({ id: support.id, role: 'admin' });
      const refused = await lax.api.post('/v1/auth/login', { email: support.email, password: PASSWORD });
      expect([refused.status, refused.body.error]).toEqual([401, 'unauthorized']);
      const wrong = await lax.api.post('/v1/auth/login', { email: support.email, password: 'another one' });
      expect([wrong.status, wrong.body.error]).toEqual([401, 'invalid_credentials']);
    },
  );

  it.each([
    [
      'is not verified',
      async () => ({
        ...somebody(ADMINS, (await anOperator(lax.api, 'admin')).email),
        email_verified: undefined,
      }),
    ],
    ['is that of a user who signed up', async () => somebody(ADMINS, (await aUser(lax.api)).email)],
    [
      'is that of a platform system',
      async () => somebody(ADMINS, (await anOperator(lax.api, 'platform')).email),
    ],
  ])('does so not when the email %s', async (_, create) => {
    linking.add(await create());
    expect(await signIn('linking')).toMatchObject({ error: 'email_exists', cookie: null });
  });

  it('does not give the user to the next person with the email', async () => {
    const support = await anOperator(lax.api, 'support');
    linking.add(somebody(SUPPORT, support.email));
    await opened(await signIn('linking'));
    linking.add(somebody(ADMINS, support.email));
    expect(await signIn('linking')).toMatchObject({ error: 'email_exists', cookie: null });
  });
});

describe('EMERGENCY_ADMIN_EMAIL', () => {
  let strict: TestService;

  beforeAll(async () => {
    strict = await service.replica({
      REQUIRE_ADMIN_OTP: 'false',
      EMERGENCY_ADMIN_EMAIL: ADMIN.email.toUpperCase(),
    });
  });
  afterAll(() => strict?.stop());

  it('is that of the only one of the back office who signs in with a password', async () => {
    const admin = await theAdmin(strict.api);
    for (const role of ['admin', 'support'] as const) {
      const email = someEmail();
      await admin.api.post('/v1/users', { email, password: PASSWORD, role });
      const login = await strict.api.post('/v1/auth/login', { email, password: PASSWORD });
      expect([login.status, login.body.error]).toEqual([401, 'unauthorized']);
      expect(login.body.message).toContain('through a provider');
      const console = await fetch(`${strict.url}/console/session`, {
        method: 'POST',
        headers: { 'x-console': '1', 'content-type': 'application/json' },
        body: JSON.stringify({ email, password: PASSWORD }),
      });
      expect(console.status).toBe(401);
      const wrong = await strict.api.post('/v1/auth/login', { email, password: 'not the password' });
      expect(wrong.body.error).toBe('invalid_credentials');
    }
  });

  it('leaves passwords to platform systems and users', async () => {
    const admin = await theAdmin(strict.api);
    const email = someEmail();
    await admin.api.post('/v1/users', { email, password: PASSWORD, role: 'platform' });
    await logIn(strict.api, email);
    await aUser(strict.api);
  });

  it('is never linked to a person at a provider', async () => {
    linking.add(somebody(ADMINS, ADMIN.email));
    expect(await signIn('linking', strict)).toMatchObject({ error: 'email_exists', cookie: null });
  });
});

describe('The sign-out', () => {
  const signOut = async (cookie: string, at = service): Promise<any> =>
    (
      await fetch(`${at.url}/console/session`, { method: 'DELETE', headers: { 'x-console': '1', cookie } })
    ).json();

  it('ends the session, and says where to sign out at the provider', async () => {
    provider.add(somebody(ADMINS));
    const { cookie } = await opened(await signIn());
    const { sign_out_url } = await signOut(cookie);
    const url = new URL(sign_out_url);
    expect(url.origin + url.pathname).toBe(`${provider.issuer}/session/end`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: provider.clientId,
      post_logout_redirect_uri: 'https://pay.countinghouse.test/console/',
    });
    expect(await readSession(service, cookie)).toBeNull();
    expect(await signOut(cookie)).toEqual({ message: 'The session has ended.' });
  });
});

describe('A user whom a provider knows', () => {
  let lax: TestService;
  let smtp: SmtpServer;

  beforeAll(async () => {
    smtp = await SmtpServer.start();
    lax = await service.replica({ ...smtp.settings, REQUIRE_ADMIN_OTP: 'false', RUN_WORKER: 'true' });
  });
  afterAll(async () => {
    await lax?.stop();
    await smtp?.stop();
  });

  const anAdmin = () => ({ email: someEmail(), password: PASSWORD, role: 'admin' });
  const refresh = async (refresh_token: string, { api } = lax): Promise<number> =>
    (await api.post('/v1/auth/refresh', { refresh_token })).status;
  const setPassword = async (id: string): Promise<void> => {
    const { api } = await theAdmin(lax.api);
    expect((await api.patch(`/v1/users/${id}`, { password: PASSWORD })).status).toBe(200);
  };
  const resetPassword = async (email: string): Promise<void> => {
    await lax.api.post('/v1/auth/password-reset', { email });
    const [link] = await emailsTo({ smtp, service: lax }, email, 1);
    const body = { token: tokenIn(link!), password: PASSWORD };
    expect((await lax.api.post('/v1/auth/password-reset/confirmation', body)).status).toBe(200);
  };

  it('is not linked by an email that was taken without a proof', async () => {
    const mallory = await anOperator(lax.api, 'support');
    const email = someEmail();
    await mallory.api.post('/v1/auth/email', { current_password: PASSWORD, email });
    linking.add(somebody(ADMINS, email));
    expect((await signIn('linking')).error).toBe('email_exists');
    expect(await roleOf(mallory.id)).toBe('support');
    expect((await mallory.api.post('/v1/users', anAdmin())).status).toBe(403);
  });

  it('loses the sessions of a password when the provider gives another role, or is linked', async () => {
    const { id, email, api, refreshToken } = await anOperator(lax.api, 'support');
    linking.add(somebody(ADMINS, email));
    expect((await opened(await signIn('linking'))).user).toMatchObject({ id, role: 'admin' });
    expect((await api.post('/v1/users', anAdmin())).status).toBe(401);
    expect(await refresh(refreshToken)).toBe(401);
  });

  it.each([
    ['an admin sets', true, ({ id }: OpenSession['user']) => setPassword(id)],
    ['a link by email resets', true, ({ email }: OpenSession['user']) => resetPassword(email)],
    [
      'a link resets to an email that the provider does not verify',
      undefined,
      ({ email }: OpenSession['user']) => resetPassword(email),
    ],
  ])(
    'signs in with no password that %s, also after the provider has taken the role',
    async (_, email_verified, set) => {
      const subject = provider.add({ ...somebody(ADMINS), email_verified });
      const { user } = await opened(await signIn());
      const attempt = () => lax.api.post('/v1/auth/login', { email: user.email, password: PASSWORD });
      provider.people.set(subject, somebody([], user.email));
      expect((await signIn()).error).toBe('forbidden');
      expect(await roleOf(user.id)).toBe('user');
      await set(user);
      expect(await attempt()).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
      const { api } = await theAdmin(lax.api);
      expect((await api.patch(`/v1/users/${user.id}`, { role: 'support' })).status).toBe(200);
      expect(await attempt()).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
      expect((await signIn()).error).toBe('forbidden');
      expect(await roleOf(user.id)).toBe('user');
    },
  );

  it('is refreshed no more in a session of a password from when that is taken away', async () => {
    const { refreshToken, email } = await anOperator(lax.api, 'support');
    const customer = await anAccount(lax.api);
    const strict = await service.replica({ EMERGENCY_ADMIN_EMAIL: ADMIN.email });
    try {
      expect(await refresh(refreshToken, strict)).toBe(401);
      expect(await refresh(refreshToken)).toBe(401); // it has ended
      expect(await refresh(customer.refreshToken, strict)).toBe(200);
      expect((await strict.api.post('/v1/auth/login', { email, password: PASSWORD })).status).toBe(401);
    } finally {
      await strict.stop();
    }
  });
});

describe('The beginning of a sign-in', () => {
  const begin = (to: string, headers: Record<string, string> = {}) =>
    fetch(`${service.url}/console/session/oidc/acme?to=${encodeURIComponent(to)}`, {
      redirect: 'manual',
      headers,
    });

  it('is no link of another site', async () => {
    for (const site of ['cross-site', 'same-site']) {
      const { headers } = await begin('/console/', { 'sec-fetch-site': site });
      expect(headers.get('location')).toBe('/console/?sign_in=forbidden');
      expect(headers.getSetCookie()).toEqual([]);
    }
    for (const site of ['same-origin', 'none'])
      expect((await begin('/console/', { 'sec-fetch-site': site })).headers.getSetCookie()).toHaveLength(1);
  });

  it('fits into a cookie, whatever page it comes from', async () => {
    for (const page of ['x', '\u4e00']) {
      const [cookie] = (await begin(`/console/${page.repeat(980)}`)).headers.getSetCookie();
      expect(cookie!.length).toBeLessThan(4096);
    }
  });
});
