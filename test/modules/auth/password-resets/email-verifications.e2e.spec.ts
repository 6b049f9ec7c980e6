import { linkPageMessages } from '../../../../src/modules/auth/password-resets/link-pages.routes';
import { emailMessages } from '../../../../src/modules/emails/messages';
import { languages } from '../../../../src/platform/i18n/messages';
import { Api, Reply } from '../../../support/api';
import { codeAt } from '../../../support/authenticator';
import { open, send, stateOf } from '../../../support/payment-page';
import {
  aMember,
  anAccount,
  anOwner,
  aUser,
  created,
  logIn,
  Owner,
  PASSWORD,
  Person,
  someEmail,
  theAdmin,
} from '../../../support/people';
import { emailsTo, tokenIn, verificationLinksTo } from '../../../support/security-emails';
import { startTestService, TestService } from '../../../support/service';
import { SmtpServer } from '../../../support/smtp';
import { enrol } from '../second-factors/second-factors';

const NEXT = 'another horse battery';
const KEY = { name: 'Left behind', scopes: ['transactions:read', 'webhooks'] };
const ENDPOINT = { url: 'https://squatter.example.com/events' };
const outcome = ({ status, body }: Reply) => [status, body.error];
const UNVERIFIED = [403, 'forbidden'];
const ENDED = [401, 'unauthorized'];

let smtp: SmtpServer;
/** Does not require verified emails, like development. */
let service: TestService;
/** Requires them, like production. It is a replica of the other one. */
let strict: TestService;
let api: Api;

beforeAll(async () => {
  smtp = await SmtpServer.start();
  service = await startTestService({ ...smtp.settings, RUN_WORKER: 'true' });
  strict = await service.replica({ REQUIRE_VERIFIED_EMAIL: 'true', RUN_WORKER: 'false' });
  ({ api } = service);
});
afterAll(async () => {
  await strict?.stop();
  await service?.stop();
  await smtp?.stop();
});

const reset = (token: string, at = api) =>
  at.post('/v1/auth/password-reset/confirmation', { token, password: NEXT });
const linksTo = (address: string, count: number) => verificationLinksTo({ smtp, service }, address, count);
const pageOf = (link: string) => `${service.url}/email-verification/${link.split('/').at(-1)!}`;
const tokenOf = (link: string) => link.split('/').at(-1)!;
const submit = (link: string, password = PASSWORD, { url } = service) =>
  send(`${url}/email-verification`, new URLSearchParams({ token: tokenOf(link), password }).toString());
const emailsOf = async (person: Person) => (await person.api.get('/v1/auth/email')).body.data;
const onStrict = (person: Pick<Person, 'token'>) => strict.api.as(person.token);

async function resetTokenFor(email: string): Promise<string> {
  const before = smtp.to(email).length;
  await api.post('/v1/auth/password-reset', { email });
  return tokenIn((await emailsTo({ smtp, service }, email, before + 1)).at(-1)!);
}

/** Proves that the email is the person's. */
async function verify({ email }: Person): Promise<void> {
  const [link] = await linksTo(email, 1);
  expect((await submit(link!)).status).toBe(303);
}

/** What a stranger leaves in an account: a key, an endpoint, a member, an owner who is a user, and a second factor. */
async function settleIn(account: Owner) {
  const { key, id: keyId } = await created(account.api, '/v1/api-keys', KEY);
  const endpoint = await created(account.api, '/v1/webhooks', ENDPOINT);
  const member = await aMember(api, account);
  const { nextCode } = await enrol(service, account);
  return { key, keyId, endpoint, member, nextCode };
}

describe('The owner of a mailbox who resets the password', () => {
  it('gets an account without what a stranger has left in it', async () => {
    const account = await anAccount(api);
    const { key, keyId, endpoint, member } = await settleIn(account);
    const session = await logIn(api, member.email);
    const token = await resetTokenFor(account.email);
    expect((await reset(token)).status).toBe(200);

    for (const replica of [service, strict]) {
      for (const token of [key, account.token, member.token, session.token])
        expect(outcome(await replica.api.as(token).get('/v1/account'))).toEqual(ENDED);
      const refresh = { refresh_token: account.refreshToken };
      expect(outcome(await replica.api.post('/v1/auth/refresh', refresh))).toEqual(ENDED);
    }
    expect((await api.post('/v1/auth/login', { email: member.email, password: PASSWORD })).status).toBe(401);
    const owner = await logIn(api, account.email, NEXT);
    expect((await owner.api.get('/v1/api-keys')).body.data).toEqual([]);
    expect((await owner.api.get('/v1/webhooks')).body.data).toEqual([]);
    expect((await owner.api.get('/v1/users')).body.data).toEqual([]);
    expect((await owner.api.get('/v1/auth/otp')).body.enabled).toBe(false);
    expect((await emailsOf(owner))[0]).toMatchObject({ id: account.id, verified: true });

    const { body } = await (await theAdmin(api)).api.get(`/v1/audit-log?account_id=${account.id}&limit=100`);
    const actions = body.data.map((entry: any) => [entry.action, entry.object_id]);
    expect(actions).toEqual(
      expect.arrayContaining([
        ['api_key.revoke', keyId],
        ['webhook_endpoint.delete', endpoint.id],
        ['user.delete', member.id],
        ['account.take_over', account.id],
        ['email.verify', account.id],
        ['password.reset', account.id],
      ]),
    );
    const { body: events } = await owner.api.get(`/v1/events?type=api_key.revoked`);
    expect(events.data.map(({ object_id }: any) => object_id)).toEqual([keyId]);
  });

  it('gets an account that a user no longer owns who has opened it with their own login', async () => {
    const stranger = await anOwner(api);
    const { email } = (await stranger.api.get('/v1/account')).body;
    await reset(await resetTokenFor(email));
    expect(outcome(await stranger.api.get('/v1/account'))).toEqual(ENDED);
    const again = await logIn(api, stranger.email);
    expect(outcome(await again.api.get('/v1/account'))).toEqual([403, 'forbidden']);
    expect((await logIn(api, email, NEXT)).id).toBe(stranger.accountId);
  });

  it('gets a user without a second factor, and without an account that a stranger opened with it', async () => {
    const squatted = await anOwner(api);
    await enrol(service, squatted);
    await reset(await resetTokenFor(squatted.email));
    expect(outcome(await squatted.api.get('/v1/account'))).toEqual(ENDED);
    const owner = await logIn(api, squatted.email, NEXT);
    expect(outcome(await owner.api.get('/v1/account'))).toEqual([403, 'forbidden']);
    expect((await emailsOf(owner)).map(({ verified }: any) => verified)).toEqual([true]);
  });

  it('stays a member of the account whose owner made them one', async () => {
    const member = await aMember(api, await anAccount(api));
    await enrol(service, member);
    await reset(await resetTokenFor(member.email));
    const again = await logIn(api, member.email, NEXT);
    expect((await again.api.get('/v1/account')).body.id).toBe(member.accountId);
  });

  it('keeps everything that was set up by then if the email was verified before', async () => {
    const account = await anAccount(api);
    await verify(account);
    const { key, member, nextCode } = await settleIn(account);
    await reset(await resetTokenFor(account.email));
    expect((await api.as(key).get('/v1/transactions')).status).toBe(200);
    expect((await member.api.get('/v1/account')).status).toBe(200);
    const login = { email: account.email, password: NEXT };
    expect((await api.post('/v1/auth/login', login)).body.error).toBe('otp_required');
    expect((await api.post('/v1/auth/login', { ...login, otp: nextCode() })).status).toBe(200);
  });

  it('gets an account whose verified owner has changed its email to that of the mailbox', async () => {
    const squatter = await anAccount(api);
    await verify(squatter);
    const { key, nextCode } = await settleIn(squatter);
    const victim = someEmail();
    expect((await squatter.api.patch('/v1/account', { email: victim })).status).toBe(200);
    expect((await api.as(key).get('/v1/transactions')).status).toBe(200);
    await reset(await resetTokenFor(victim));
    expect(outcome(await api.as(key).get('/v1/transactions'))).toEqual(ENDED);
    expect((await logIn(api, victim, NEXT)).id).toBe(squatter.id);
    expect(nextCode()).toMatch(/^\d{6}$/);
  });

  it('keeps an account that existed before emails were verified', async () => {
    const account = await anAccount(api);
    const { key } = await created(account.api, '/v1/api-keys', KEY);
    // What the migration sets for all that exists then.
    await service.sql('UPDATE credentials SET email_verified_at = now() WHERE subject_id = $1', [account.id]);
    await reset(await resetTokenFor(account.email));
    expect((await api.as(key).get('/v1/transactions')).status).toBe(200);
  });

  it('removes the second factor of no admin', async () => {
    const email = someEmail();
    await created((await theAdmin(api)).api, '/v1/users', { email, password: PASSWORD, role: 'admin' });
    const admin = await logIn(api, email);
    expect((await emailsOf(admin))[0]).toMatchObject({ verified: true, verified_at: null });
    await enrol(service, admin);
    await reset(await resetTokenFor(email));
    const login = await api.post('/v1/auth/login', { email, password: NEXT });
    expect(login.body.error).toBe('otp_required');
  });

  it('removes more members than one database transaction does', async () => {
    const account = await anAccount(api);
    const member = await aMember(api, account);
    await service.sql(
      `WITH many AS (SELECT 'usr_' || lpad(n::text, 26, '0') AS id, n FROM generate_series(1, 450) AS n),
         added AS (INSERT INTO users SELECT (jsonb_populate_record(u, jsonb_build_object('id', many.id, 'email', many.id || '@example.com'))).*
           FROM users AS u, many WHERE u.id = $1)
       INSERT INTO credentials SELECT (jsonb_populate_record(c, jsonb_build_object('subject_id', many.id, 'email_key', many.id || '@example.com'))).*
         FROM credentials AS c, many WHERE c.subject_id = $1`,
      [member.id],
    );
    await reset(await resetTokenFor(account.email));
    const left = 'SELECT count(*)::int AS count FROM credentials WHERE account_id = $1';
    expect(await service.sql(left, [account.id])).toEqual([{ count: 1 }]);
    expect(await service.sql('SELECT id FROM users WHERE account_id = $1', [account.id])).toEqual([]);
    expect(outcome(await member.api.get('/v1/account'))).toEqual(ENDED);
  });

  it('reads on the page what will be removed, unless the email is verified', async () => {
    const [unverified, verified] = [await aUser(api), await aUser(api)];
    await verify(verified);
    const page = async ({ email }: Person) =>
      (await open(`${service.url}/password-reset/${await resetTokenFor(email)}`)).html;
    const { takeover } = linkPageMessages.en.form;
    expect(await page(unverified)).toContain(takeover);
    expect(await page(verified)).not.toContain(takeover);
  });

  it.each([1, 2])('leaves no key, endpoint, member or factor made at that moment (%#)', async () => {
    const account = await anAccount(api);
    const { key } = await created(account.api, '/v1/api-keys', KEY);
    const { secret } = (await account.api.post('/v1/auth/otp', { password: PASSWORD })).body;
    const token = await resetTokenFor(account.email);
    const [done, ...others] = await Promise.all([
      reset(token),
      account.api.post('/v1/api-keys', KEY),
      strict.api.as(account.token).post('/v1/webhooks', ENDPOINT),
      api.as(key).post('/v1/webhooks', ENDPOINT),
      account.api.post('/v1/users', { email: someEmail(), password: PASSWORD }),
      account.api.post('/v1/auth/otp/confirmation', { otp: codeAt(secret, service.clock.now()) }),
    ]);
    expect(done.status).toBe(200);
    expect(others.filter(({ status }) => status >= 500)).toEqual([]);
    const owner = await logIn(api, account.email, NEXT);
    for (const path of ['/v1/api-keys', '/v1/webhooks', '/v1/users'])
      expect((await owner.api.get(path)).body.data).toEqual([]);
  });

  it('is one of two who use links at the same time, on two replicas', async () => {
    const account = await anAccount(api);
    await settleIn(account);
    const tokens = [await resetTokenFor(account.email), await resetTokenFor(account.email)];
    const replies = await Promise.all([reset(tokens[0]!), reset(tokens[1]!, strict.api)]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    expect((await emailsOf(await logIn(api, account.email, NEXT)))[0].verified).toBe(true);
  });
});

describe('Where a verified email is required', () => {
  const attempts: [string, (person: Pick<Person, 'token'>) => Promise<Reply>][] = [
    ['an API key', (person) => onStrict(person).post('/v1/api-keys', KEY)],
    ['a webhook endpoint', (person) => onStrict(person).post('/v1/webhooks', ENDPOINT)],
    ['a member', (person) => onStrict(person).post('/v1/users', { email: someEmail(), password: PASSWORD })],
    ['a second factor', (person) => onStrict(person).post('/v1/auth/otp', { password: PASSWORD })],
  ];

  it.each(attempts)('%s cannot be created before, and says what to do', async (_, attempt) => {
    const account = await anAccount(api);
    const refused = await attempt(account);
    expect(outcome(refused)).toEqual(UNVERIFIED);
    expect(refused.body.message).toContain('POST /v1/auth/email/verification');
    await verify(account);
    expect([200, 201]).toContain((await attempt(account)).status);
  });

  it('the email is that of the account, also for an owner who is a user and for an API key', async () => {
    const owner = await anOwner(api);
    const { key } = await created(owner.api, '/v1/api-keys', KEY);
    await verify(owner);
    for (const [, attempt] of attempts.slice(0, 3)) expect(outcome(await attempt(owner))).toEqual(UNVERIFIED);
    expect(outcome(await strict.api.as(key).post('/v1/webhooks', ENDPOINT))).toEqual(UNVERIFIED);
    const [account, user] = await emailsOf(owner);
    expect([account, user]).toMatchObject([
      { id: owner.accountId, verified: false, verified_at: null },
      { id: owner.id, verified: true, verified_at: expect.any(String) },
    ]);
    await verify({ ...owner, email: account.email });
    for (const [, attempt] of attempts.slice(0, 3)) expect((await attempt(owner)).status).toBe(201);
  });

  it('sign-up, login, payments and an admin with a member are as they are elsewhere', async () => {
    const account = await anAccount(strict.api);
    const { status } = (await account.api.get('/v1/account')).body;
    expect(status).toBe('active');
    const payment = { account_id: account.id, amount: 100, currency: 'USD' };
    await created(account.api, '/v1/transactions', { ...payment, type: 'payment' });
    await created(account.api, '/v1/payments', { ...payment, customer_email: someEmail() });
    const user = await aUser(strict.api);
    await created(user.api, '/v1/accounts', {
      email: someEmail(),
      password: PASSWORD,
      name: 'Lovelace Ltd',
      type: 'business',
    });
    expect((await user.api.get('/v1/account')).status).toBe(200);
    const member = { email: someEmail(), password: PASSWORD, account_id: account.id };
    await created((await theAdmin(strict.api)).api, '/v1/users', member);
  });

  it('only a user with one is made an admin: a stranger may have signed up as a colleague', async () => {
    const colleague = await aUser(api);
    const { token } = await theAdmin(api);
    const request = { type: 'make_admin', object_id: colleague.id, reason: 'As agreed.' };
    const ask = () => strict.api.as(token).post('/v1/approvals', request);
    expect(outcome(await ask())).toEqual([409, 'conflict']);
    // The role of an operator is no proof.
    await api.as(token).patch(`/v1/users/${colleague.id}`, { role: 'support' });
    expect(outcome(await ask())).toEqual([409, 'conflict']);
    await verify(colleague);
    expect((await ask()).status).toBe(201);
  });

  it('whoever knew the password for a while does not prove it: it is that of the last email', async () => {
    const colleague = await aUser(api);
    await verify(colleague);
    const admin = await theAdmin(api);
    await admin.api.patch(`/v1/users/${colleague.id}`, { password: NEXT });
    const known = await logIn(api, colleague.email, NEXT);
    const mailbox = someEmail();
    const change = (email: string) => known.api.post('/v1/auth/email', { current_password: NEXT, email });
    expect((await change(mailbox)).status).toBe(200);
    expect((await reset(await resetTokenFor(mailbox))).status).toBe(200);
    const again = await logIn(api, mailbox, NEXT);
    const back = { current_password: NEXT, email: colleague.email };
    expect((await again.api.post('/v1/auth/email', back)).status).toBe(200);
    const request = { type: 'make_admin', object_id: colleague.id, reason: 'As agreed.' };
    expect(outcome(await onStrict(admin).post('/v1/approvals', request))).toEqual([409, 'conflict']);
  });

  it('a changed email is verified again, and what the owner has set up stays', async () => {
    const account = await anAccount(api);
    await verify(account);
    const { key } = await created(onStrict(account), '/v1/api-keys', KEY);
    const email = someEmail();
    await account.api.patch('/v1/account', { email });
    expect(outcome(await onStrict(account).post('/v1/api-keys', KEY))).toEqual(UNVERIFIED);
    expect((await strict.api.as(key).get('/v1/transactions')).status).toBe(200);
    await verify({ ...account, email });
    expect((await strict.api.as(key).get('/v1/transactions')).status).toBe(200);
    expect((await onStrict(account).post('/v1/api-keys', KEY)).status).toBe(201);
    await account.api.patch('/v1/account', { email: email.toUpperCase() });
    expect((await emailsOf(account))[0]).toMatchObject({ email: email.toUpperCase(), verified: true });
  });

  it('is the default in production, which says what to do without a mail server', async () => {
    const production = await service.replica({ NODE_ENV: 'production', SMTP_URL: '', MAIL_FROM: '' });
    try {
      const account = await anAccount(production.api);
      expect(outcome(await account.api.post('/v1/api-keys', KEY))).toEqual(UNVERIFIED);
      expect((await account.api.get('/v1/auth/email')).body.verification_required).toBe(true);
      const refused = await account.api.post('/v1/auth/email/verification', {});
      expect(outcome(refused)).toEqual([400, 'invalid_request']);
      expect(refused.body.message).toContain('REQUIRE_VERIFIED_EMAIL=false');
      expect((await service.api.as(account.token).get('/v1/auth/email')).body.verification_required).toBe(
        false,
      );
    } finally {
      await production.stop();
    }
  });
});

describe('A link to verify an email', () => {
  it('arrives after a sign-up, changes nothing when it is opened, and works once with the password', async () => {
    const account = await anAccount(api);
    const [link] = await linksTo(account.email, 1);
    for (let n = 0; n < 2; n += 1) expect(stateOf(await open(pageOf(link!)))).toBe('form');
    expect((await emailsOf(account))[0].verified).toBe(false);
    const wrong = await submit(link!, NEXT);
    expect([wrong.status, stateOf(wrong)]).toEqual([400, 'form']);
    expect(wrong.html).toContain(linkPageMessages.en.verification.form.wrong);
    const done = await submit(link!);
    expect([done.status, done.headers.get('location')]).toEqual([303, './email-verification/done']);
    expect(stateOf(await open(`${service.url}/email-verification/done`))).toBe('done');
    expect((await emailsOf(account))[0].verified).toBe(true);
    expect((await account.api.get('/v1/account')).status).toBe(200);
    const [opened, again] = [await open(pageOf(link!)), await submit(link!)];
    expect([stateOf(opened), again.status, stateOf(again)]).toEqual(['invalid', 404, 'invalid']);
  });

  it('removes nothing: who knows the password has set up what is there', async () => {
    const account = await anAccount(api);
    const { key, member } = await settleIn(account);
    await verify(account);
    expect((await api.as(key).get('/v1/transactions')).status).toBe(200);
    expect((await member.api.get('/v1/account')).status).toBe(200);
  });

  it('works once of many uses at the same time, and not beside a reset', async () => {
    const account = await anAccount(api);
    const [link] = await linksTo(account.email, 1);
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, n) => submit(link!, PASSWORD, n % 2 ? strict : service)),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([303, 404, 404, 404, 404, 404]);

    const other = await anAccount(api);
    const [late] = await linksTo(other.email, 1);
    expect((await reset(await resetTokenFor(other.email))).status).toBe(200);
    expect(stateOf(await submit(late!, NEXT))).toBe('invalid');
  });

  it('works for 24 hours, and not after another change of the email', async () => {
    const [account, changed] = [await anAccount(api), await anAccount(api)];
    const [[link], [old]] = [await linksTo(account.email, 1), await linksTo(changed.email, 1)];
    await changed.api.patch('/v1/account', { email: someEmail() });
    expect(stateOf(await submit(old!))).toBe('invalid');
    service.clock.move({ days: 1 });
    expect(stateOf(await submit(link!))).toBe('invalid');
  });

  it('sets no password, and a link to set one verifies no email by itself', async () => {
    const person = await aUser(api);
    const [link] = await linksTo(person.email, 1);
    expect(outcome(await reset(tokenOf(link!)))).toEqual([400, 'invalid_reset_token']);
    const token = await resetTokenFor(person.email);
    expect(stateOf(await open(pageOf(token)))).toBe('invalid');
    expect(stateOf(await submit(token))).toBe('invalid');
  });

  it('is sent again on request, until the email is verified', async () => {
    const person = await aUser(api);
    const ask = () => person.api.post('/v1/auth/email/verification', {});
    expect((await ask()).status).toBe(200);
    const [first, second] = await linksTo(person.email, 2);
    expect(first).not.toBe(second);
    expect((await submit(second!)).status).toBe(303);
    expect((await ask()).body.message).toContain('already');
    expect(await linksTo(person.email, 2)).toHaveLength(2);
    expect(stateOf(await submit(first!))).toBe('invalid');
  });

  it('is requested five times an hour at most in production, and sent to one address ten times a day', async () => {
    const production = await service.replica({ NODE_ENV: 'production', RUN_WORKER: 'false' });
    try {
      const account = await anAccount(production.api);
      const replies: Reply[] = [];
      for (let n = 0; n < 6; n += 1) replies.push(await account.api.post('/v1/auth/email/verification', {}));
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
    } finally {
      await production.stop();
    }
    const stranger = await anAccount(api);
    const victim = someEmail();
    for (let change = 0; change < 24; change += 1)
      await stranger.api.patch('/v1/account', { email: change % 2 === 0 ? victim : someEmail() });
    await stranger.api.patch('/v1/account', { email: victim });
    for (let n = 0; n < 12; n += 1) await stranger.api.post('/v1/auth/email/verification', {});
    expect(await linksTo(victim, 10)).toHaveLength(10);
  });

  it('is sent once to a user and once to an account with the same email', async () => {
    const email = someEmail();
    await created(api, '/v1/users', { email, password: PASSWORD });
    await created(api, '/v1/accounts', { email, password: NEXT, name: 'Lovelace Ltd', type: 'business' });
    const links = await linksTo(email, 2);
    const pages = await Promise.all(links.map((link) => submit(link)));
    expect(pages.map(({ status }) => status).toSorted()).toEqual([303, 400]);
  });

  it.each(languages)('comes and is opened in %s', async (language) => {
    const account = await anAccount(api, { language });
    const [arrived] = (await linksTo(account.email, 1)) && smtp.verificationsTo(account.email);
    const { email_verification: texts, link } = emailMessages[language].security;
    expect(arrived!.subject).toBe(texts.heading);
    expect(arrived!.text).toContain(
      `${link.email_verification.plain}\nhttps://pay.countinghouse.test/email-verification/`,
    );
    const [url] = await linksTo(account.email, 1);
    const page = await open(pageOf(url!), { headers: { 'accept-language': language } });
    expect(page.html).toContain(linkPageMessages[language].verification.form.submit);
  });

  it('shows a hostile name as text, and does not contain it in the email', async () => {
    const email = someEmail();
    const name = '<script>alert(1)</script>\u202E{email} https://evil.example.com';
    await created(api, '/v1/accounts', { email, password: PASSWORD, name, type: 'business' });
    const [link] = await linksTo(email, 1);
    const { html, headers } = await open(pageOf(link!));
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(html).not.toMatch(/<script|\u202E/);
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    expect(smtp.verificationsTo(email)[0]!.raw).not.toContain('evil');
  });

  it('stays out of the log', async () => {
    const person = await aUser(api);
    const [link] = await linksTo(person.email, 1);
    await open(pageOf(link!));
    await submit(link!);
    expect(service.logged.join('')).toContain('"/email-verification/:token"');
    expect(service.logged.join('')).not.toContain(tokenOf(link!));
  });
});
