import { emailMessages } from '../../../../src/modules/emails/messages';
import { languages } from '../../../../src/platform/i18n/messages';
import { Api, Reply } from '../../../support/api';
import {
  anAccount,
  aUser,
  created,
  logIn,
  PASSWORD,
  Person,
  someEmail,
  theAdmin,
} from '../../../support/people';
import { enrol } from '../second-factors/second-factors';
import { emailsTo, tokenIn, tokensIn } from '../../../support/security-emails';
import { startTestService, TestService } from '../../../support/service';
import { SmtpServer } from '../../../support/smtp';

const NEXT = 'another horse battery';
/** The password of the account in `userWithAccount`. */
const OTHER = 'the third horse battery';
const outcome = ({ status, body }: Reply) => [status, body.error];
const INVALID = [400, 'invalid_reset_token'];

let smtp: SmtpServer;
let service: TestService;
let api: Api;

beforeAll(async () => {
  smtp = await SmtpServer.start();
  service = await startTestService({ ...smtp.settings, RUN_WORKER: 'true' });
  ({ api } = service);
});
afterAll(async () => {
  await service?.stop();
  await smtp?.stop();
});
beforeEach(() => smtp.behave('accept'));

const request = (email: string, headers: Record<string, string> = {}) =>
  api.post('/v1/auth/password-reset', { email }, { headers });
const reset = (token: string, password = NEXT) =>
  api.post('/v1/auth/password-reset/confirmation', { token, password });
const attempt = (email: string, password: string) => api.post('/v1/auth/login', { email, password });
const isLive = async (person: Person) => (await person.api.get('/v1/auth/sessions')).status === 200;
const emails = (address: string, count: number) => emailsTo({ smtp, service }, address, count);

/** Requests a link and reads its token from the email. */
async function tokenFor(email: string): Promise<string> {
  const before = smtp.to(email).length;
  await request(email);
  return tokenIn((await emails(email, before + 1)).at(-1)!);
}

/** A user and an account with the same email, each with a password of its own. */
async function userWithAccount(): Promise<{ email: string; user: Person; account: Person }> {
  const email = someEmail();
  await created(api, '/v1/users', { email, password: PASSWORD });
  await created(api, '/v1/accounts', {
    email,
    password: OTHER,
    name: 'Lovelace\u202E Ltd',
    type: 'business',
  });
  return { email, user: await logIn(api, email), account: await logIn(api, email, OTHER) };
}

/** Requests links for an email of `userWithAccount`, and reads their tokens from the one email. */
async function tokensFor(email: string): Promise<{ account: string; user: string }> {
  const before = smtp.to(email).length;
  await request(email);
  const [account, user, ...more] = tokensIn((await emails(email, before + 1)).at(-1)!);
  expect(more).toEqual([]);
  return { account: account!, user: user! };
}

describe('A forgotten password', () => {
  it.each([
    ['a user', aUser],
    ['an account', anAccount],
  ])('of %s is replaced with the link in an email', async (_, someone: (api: Api) => Promise<Person>) => {
    const person = await someone(api);
    expect((await request(person.email.toUpperCase())).status).toBe(200);
    const [email] = await emails(person.email, 1);
    expect(email!.subject).toBe(emailMessages.en.security.password_reset.heading);
    expect((await reset(tokenIn(email!))).body).toEqual({ message: expect.any(String) });
    expect(outcome(await attempt(person.email, PASSWORD))).toEqual([401, 'invalid_credentials']);
    expect((await attempt(person.email, NEXT)).body.user.id).toBe(person.id);
  });

  it('is an own one after the link, also of a user whom an admin created: the user can become an admin', async () => {
    const email = someEmail();
    const { api: asAdmin } = await theAdmin(api);
    const { id: object_id } = await created(asAdmin, '/v1/users', { email, password: PASSWORD });
    const ask = () =>
      asAdmin.post('/v1/approvals', { type: 'make_admin', object_id, reason: 'Joins the back office.' });
    expect(outcome(await ask())).toEqual([409, 'conflict']);
    await reset(await tokenFor(email));
    expect((await ask()).status).toBe(201);
  });

  it('is replaced for the user alone, when someone else has opened an account with the email', async () => {
    const { email, user, account } = await userWithAccount();
    const { nextCode } = await enrol(service, account, OTHER);
    const { user: token } = await tokensFor(email);
    expect((await reset(token)).status).toBe(200);
    expect([await isLive(user), await isLive(account)]).toEqual([false, true]);
    const victim = await logIn(api, email, NEXT);
    expect([victim.id, (await victim.api.get('/v1/account')).status]).toEqual([user.id, 403]);
    expect(outcome(await attempt(email, OTHER))).toEqual([401, 'otp_required']);
    const login = await api.post('/v1/auth/login', { email, password: OTHER, otp: nextCode() });
    expect([login.status, login.body.user.id]).toEqual([200, account.id]);
  });

  it('is replaced for the account alone, when someone else has signed up as a user with the email', async () => {
    const { email, user, account } = await userWithAccount();
    const { account: token } = await tokensFor(email);
    expect((await reset(token)).status).toBe(200);
    expect([await isLive(user), await isLive(account)]).toEqual([true, false]);
    expect((await attempt(email, PASSWORD)).body.user.id).toBe(user.id);
    expect((await attempt(email, NEXT)).body.user.id).toBe(account.id);
  });

  it('leaves the second factor of a verified email as it is', async () => {
    const enrolled = await enrol(service, await aUser(api));
    const { email, id } = enrolled.person;
    await service.sql('UPDATE credentials SET email_verified_at = now() WHERE subject_id = $1', [id]);
    expect((await reset(await tokenFor(email))).status).toBe(200);
    expect(outcome(await attempt(email, NEXT))).toEqual([401, 'otp_required']);
    const body = { email, password: NEXT, otp: enrolled.nextCode() };
    expect((await api.post('/v1/auth/login', body)).status).toBe(200);
  });

  it('ends sessions on every replica', async () => {
    const replica = await service.replica({ RUN_WORKER: 'false' });
    try {
      const person = await logIn(replica.api, (await aUser(api)).email);
      await reset(await tokenFor(person.email));
      expect(await isLive(person)).toBe(false);
    } finally {
      await replica.stop();
    }
  });

  it('is followed by a notice', async () => {
    const { email } = await anAccount(api, { language: 'de' });
    await reset(await tokenFor(email));
    const subjects = (await emails(email, 2)).map(({ subject }) => subject);
    const { password_reset, password_changed } = emailMessages.de.security;
    expect(subjects).toEqual([password_reset.heading, password_changed.heading]);
  });

  it('is recorded in the audit log', async () => {
    const { id, email } = await aUser(api);
    await reset(await tokenFor(email));
    const { body } = await (await theAdmin(api)).api.get(`/v1/audit-log?object_id=${id}`);
    expect(body.data[0]).toMatchObject({ action: 'password.reset', object_id: id });
  });
});

describe('A link', () => {
  it.each([
    ['an hour later', async () => service.clock.move({ minutes: 61 })],
    ['once it was used', async (token: string) => reset(token)],
    ['after a later link was used', async (_: string, { email }: Person) => reset(await tokenFor(email))],
    [
      'after the password was changed',
      async (_: string, person: Person) =>
        person.api.post('/v1/auth/password', { current_password: PASSWORD, password: `${NEXT} 2` }),
    ],
    [
      'after an admin set a password',
      async (_: string, { id }: Person) =>
        (await theAdmin(api)).api.patch(`/v1/users/${id}`, { password: `${NEXT} 2` }),
    ],
    [
      'after the email was changed',
      async (_: string, person: Person) =>
        person.api.post('/v1/auth/email', { current_password: PASSWORD, email: someEmail() }),
    ],
    [
      'after the user was suspended',
      async (_: string, { id }: Person) =>
        (await theAdmin(api)).api.patch(`/v1/users/${id}`, { status: 'suspended' }),
    ],
    [
      'after the user was deleted',
      async (_: string, { id, api: own }: Person) => own.delete(`/v1/users/${id}`),
    ],
  ])('does not work %s', async (_, happens: (token: string, person: Person) => Promise<unknown>) => {
    const person = await aUser(api);
    const token = await tokenFor(person.email);
    await happens(token, person);
    expect(outcome(await reset(token, 'the last horse battery'))).toEqual(INVALID);
    expect((await attempt(person.email, 'the last horse battery')).status).toBe(401);
  });

  it('works after a further link was requested, so that nobody can disable it', async () => {
    const { email } = await aUser(api);
    const token = await tokenFor(email);
    await tokenFor(email);
    expect((await reset(token)).status).toBe(200);
  });

  it('does not work after another link of the same user was used, and does work after one of the account', async () => {
    const { email } = await userWithAccount();
    const [first, second] = [await tokensFor(email), await tokensFor(email)];
    expect((await reset(first.account)).status).toBe(200);
    expect(outcome(await reset(second.account, `${NEXT} 2`))).toEqual(INVALID);
    expect((await reset(second.user, `${NEXT} 3`)).status).toBe(200);
    expect(outcome(await reset(first.user, `${NEXT} 4`))).toEqual(INVALID);
  });

  it('works for one of several simultaneous uses, also of different links', async () => {
    const { email } = await aUser(api);
    const tokens = [await tokenFor(email), await tokenFor(email)];
    const uses = [...tokens, ...tokens, ...tokens].map((token, n) => ({ token, password: `${NEXT} ${n}` }));
    const replies = await Promise.all(uses.map(({ token, password }) => reset(token, password)));
    const winner = replies.findIndex(({ status }) => status === 200);
    expect(replies.filter((_, n) => n !== winner).map(outcome)).toEqual(Array(5).fill(INVALID));
    const logins = await Promise.all(uses.map(({ password }) => attempt(email, password)));
    expect(logins.findIndex(({ status }) => status === 200)).toBe(winner);
  });

  it('stays valid after a weak password', async () => {
    const { email } = await aUser(api);
    const token = await tokenFor(email);
    for (const password of ['short', 'password1', email])
      expect(outcome(await reset(token, password))).toEqual([400, 'invalid_request']);
    expect((await reset(token)).status).toBe(200);
  });

  it.each(['', 'x', 'A'.repeat(43), 'x'.repeat(8_000)])(
    'that was never sent is rejected: %#',
    async (token) => {
      expect(outcome(await reset(token))).toEqual(INVALID);
    },
  );

  it('is stored as a hash, and its token appears in no table and not in the log', async () => {
    const { email } = await aUser(api);
    const token = await tokenFor(email);
    await reset(token, 'short');
    await reset(token);
    const tables = await service.sql<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
    );
    for (const { name } of tables) {
      const rows = await service.sql<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
      expect(rows.map(({ row }) => row).join()).not.toContain(token);
    }
    expect(service.logged.join('')).not.toContain(token);
    expect(service.logged.join('')).not.toContain(email);
  });
});

const medianOf = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

describe('A request for a link', () => {
  it('has the same response and takes the same time whether the email exists or not', async () => {
    // No worker: sending emails in the same process would disturb the times.
    const quiet = await startTestService(smtp.settings);
    try {
      const { email } = await aUser(quiet.api);
      const timesMs: { known: number[]; unknown: number[] } = { known: [], unknown: [] };
      const texts = new Set<string>();
      for (let n = 0; n < 60; n += 1) {
        for (const [kind, address] of [
          ['known', email],
          ['unknown', someEmail()],
        ] as const) {
          const start = performance.now();
          const { status, text } = await quiet.api.post('/v1/auth/password-reset', { email: address });
          timesMs[kind].push(performance.now() - start);
          texts.add(`${status} ${text}`);
        }
      }
      expect(texts.size).toBe(1);
      const [known, unknown] = [medianOf(timesMs.known), medianOf(timesMs.unknown)];
      // One bcrypt comparison or one email would take far longer.
      expect(Math.abs(known - unknown)).toBeLessThan(Math.max(2, 0.5 * Math.min(known, unknown)));
    } finally {
      await quiet.stop();
    }
  });

  it.each([
    ['nobody has the email', async () => someEmail()],
    [
      'the user is suspended',
      async () => {
        const { id, email } = await aUser(api);
        await (await theAdmin(api)).api.patch(`/v1/users/${id}`, { status: 'suspended' });
        return email;
      },
    ],
    [
      'the account is closed',
      async () => {
        const { email, api: own } = await anAccount(api);
        await own.delete('/v1/account');
        return email;
      },
    ],
  ])('sends nothing if %s', async (_, anEmail: () => Promise<string>) => {
    const email = await anEmail();
    const links = () => service.sql('SELECT token_hash FROM password_resets ORDER BY token_hash');
    const before = await links();
    expect((await request(email)).status).toBe(200);
    expect(await emails(email, 0)).toEqual([]);
    expect(await links()).toEqual(before);
  });

  it('is rejected if the email is longer than any can be, and stores nothing', async () => {
    expect(outcome(await request(`${'x'.repeat(243)}@example.com`))).toEqual([400, 'invalid_request']);
    expect(await service.sql('SELECT id FROM security_emails WHERE length(email_key) > 254')).toEqual([]);
  });

  it.each(['', 'no email', 'x'.repeat(254), 'a@example.com\r\nBcc: b@example.com'])(
    'accepts any text of up to 254 characters: %#',
    async (email) => {
      expect((await request(email)).status).toBe(200);
      await service.runDueTasks();
    },
  );

  it.each(languages)(
    'in %s sends an email in that language, unless the account has another',
    async (language) => {
      const { email } = await aUser(api);
      await request(email, { 'accept-language': language });
      const [arrived] = await emails(email, 1);
      const { password_reset: texts, link } = emailMessages[language].security;
      expect(arrived!.subject).toBe(texts.heading);
      expect(arrived!.text).toContain(
        `${link.password_reset.plain}\nhttps://pay.countinghouse.test/password-reset/`,
      );
      expect(arrived!.html).toContain(`<html lang="${language}">`);
      const account = await anAccount(api, { language: 'pt-BR' });
      await request(account.email, { 'accept-language': language });
      expect((await emails(account.email, 1))[0]!.subject).toBe(
        emailMessages.pt.security.password_reset.heading,
      );
    },
  );

  it.each(languages)('in %s names the user and the account that have the email', async (language) => {
    const { email } = await userWithAccount();
    await request(email, { 'accept-language': language });
    const [arrived] = await emails(email, 1);
    const { link } = emailMessages[language].security;
    const address = /https:\/\/pay\.countinghouse\.test\/password-reset\/[\w-]{43}/g;
    expect(arrived!.text!.replace(address, '<link>')).toContain(
      [
        link.several,
        `${link.account.replace('{name}', 'Lovelace Ltd')}\n<link>`,
        `${link.user.replace('{name}', email)}\n<link>`,
      ].join('\n\n'),
    );
    expect(arrived!.html).toContain('<bdi>Lovelace Ltd</bdi>');
    expect(new Set(arrived!.html!.match(address))).toEqual(new Set(arrived!.text!.match(address)));
  });

  it('is sent again while the mail server is down, with a link that works', async () => {
    const { email } = await aUser(api);
    await smtp.behave('defer');
    await request(email);
    await service.runDueTasks();
    await smtp.behave('accept');
    await service.sql('UPDATE security_emails SET due_at = now()');
    expect((await reset(tokenIn((await emails(email, 1))[0]!))).status).toBe(200);
  });

  describe('in production', () => {
    let production: TestService;

    beforeAll(async () => {
      production = await service.replica({
        NODE_ENV: 'production',
        RUN_WORKER: 'false',
        TRUSTED_PROXIES: '127.0.0.1',
      });
      // Other tests move the clock of the replica that sends the emails, which would take these requests for old ones.
      const aheadMs = service.clock.now().getTime() - production.clock.now().getTime();
      production.clock.move({ seconds: Math.round(aheadMs / 1000) });
    });
    beforeEach(() => service.sql('DELETE FROM shared_limits'));
    afterAll(() => production?.stop());

    const via = (address: string) => ({
      headers: { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' },
    });
    const requestFrom = (address: string, email: string) =>
      production.api.post('/v1/auth/password-reset', { email }, via(address));
    const statusFrom = async (address: string, email: string) => (await requestFrom(address, email)).status;

    it('is limited per email and network, and per network', async () => {
      const [email, other] = [someEmail(), someEmail()];
      const same: unknown[] = [];
      for (let n = 0; n < 4; n += 1) same.push(await statusFrom(`2001:db8:1:1::${n}`, email));
      expect(same).toEqual([200, 200, 200, 429]);
      expect(await statusFrom('2001:db8:1:2::1', email)).toBe(200);
      expect(await statusFrom('2001:db8:1:1::1', other)).toBe(200);
      const many: unknown[] = [];
      for (let n = 0; n < 25; n += 1) many.push(await statusFrom('203.0.113.9', someEmail()));
      expect(many.filter((status) => status === 429)).toHaveLength(5);
    });

    it('has the same response for every email beyond the limit of emails, and then sends none', async () => {
      const texts = new Set<string>();
      const { email } = await aUser(api);
      for (const address of [email, someEmail()])
        for (let n = 0; n < 12; n += 1) texts.add((await requestFrom(`198.51.100.${n}`, address)).text);
      expect([...texts]).toEqual([expect.stringContaining('If the email address is known')]);
      expect(await emails(email, 10)).toHaveLength(10);
    });

    it('sends links to an owner in a known network, whatever strangers and an account of the email have requested', async () => {
      const { email } = await userWithAccount();
      const [home, ofAccount] = ['192.0.2.1', '192.0.2.2'];
      const logInFrom = (address: string, password: string) =>
        production.api.post('/v1/auth/login', { email, password }, via(address));
      expect((await logInFrom(home, PASSWORD)).status).toBe(200);
      for (const address of [ofAccount, '192.0.2.3'])
        expect((await logInFrom(address, OTHER)).status).toBe(200);
      for (let n = 0; n < 12; n += 1) await requestFrom(`198.51.100.${n}`, email);
      for (let n = 0; n < 6; n += 1) await requestFrom(n % 2 ? ofAccount : '192.0.2.3', email);
      const before = (await emails(email, 15)).length;
      expect(before).toBe(15);
      expect(await statusFrom(home, email)).toBe(200);
      expect(await emails(email, 16)).toHaveLength(16);
    });
  });
});

describe('Without a mail server', () => {
  it('a link cannot be requested, and the response says what to set', async () => {
    const silent = await startTestService();
    try {
      const { email } = await aUser(silent.api);
      const reply = await silent.api.post('/v1/auth/password-reset', { email });
      expect(outcome(reply)).toEqual([400, 'invalid_request']);
      expect(reply.body.message).toContain('SMTP_URL');
      const person = await logIn(silent.api, email);
      await person.api.post('/v1/auth/password', { current_password: PASSWORD, password: NEXT });
      expect(await silent.sql('SELECT * FROM security_emails')).toEqual([]);
    } finally {
      await silent.stop();
    }
  });
});

describe('PASSWORD_RESET_URL', () => {
  it('replaces the page in the link', async () => {
    const own = await startTestService({
      ...smtp.settings,
      RUN_WORKER: 'true',
      PASSWORD_RESET_URL: 'https://app.example.com/new-password#',
    });
    try {
      const { email } = await aUser(own.api);
      await own.api.post('/v1/auth/password-reset', { email });
      const [arrived] = await emailsTo({ smtp, service: own }, email, 1);
      expect(arrived!.text).toMatch(/^https:\/\/app\.example\.com\/new-password#[\w-]{43}$/m);
    } finally {
      await own.stop();
    }
  });

  it.each([
    ['plain HTTP in production', 'http://app.example.com/', 'production'],
    ['no separator before the token', 'https://app.example.com/new-password', 'test'],
    ['no address', 'app.example.com/', 'test'],
  ])('stops the start with %s', async (_, url, NODE_ENV) => {
    await expect(startTestService({ PASSWORD_RESET_URL: url, NODE_ENV })).rejects.toThrow(
      'PASSWORD_RESET_URL',
    );
  });
});
