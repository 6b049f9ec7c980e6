import { Api, Reply } from '../../support/api';
import {
  aMember,
  anAccount,
  aUser,
  aUserWithAccount,
  logIn,
  Owner,
  PASSWORD,
  Person,
  someEmail,
  theAdmin,
} from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { sessionOf } from './forged-tokens';
import { Enrolled, enrol, wrongCodeOf } from './second-factors/second-factors';

const outcome = ({ status, body }: Reply) => [status, body.error];
const isLive = async (person: Person) => (await person.api.get('/v1/auth/sessions')).status === 200;
const change = (person: Person, email: unknown, current_password: unknown = PASSWORD) =>
  person.api.post('/v1/auth/email', { current_password, email });

describe('POST /v1/auth/email', () => {
  let service: TestService;
  let api: Api;

  beforeAll(async () => {
    service = await startTestService();
    ({ api } = service);
  });
  afterAll(() => service.stop());

  /** The emails that the user and the account show. */
  async function emailsOf({ api: own, id }: Person): Promise<unknown[]> {
    const replies = [await own.get(`/v1/users/${id}`), await own.get('/v1/account')];
    return replies.filter(({ status }) => status === 200).map(({ body }) => body.email);
  }

  it.each([
    ['a user', aUser, 1],
    ['an account', anAccount, 1],
    ['a user and its account', aUserWithAccount, 2],
  ])(
    'changes the email of %s and ends all sessions except the current one',
    async (_, someone: (api: Api) => Promise<Person>, subjects) => {
      const person = await someone(api);
      const other = await logIn(api, person.email);
      const email = someEmail().replace('@', '.New@');
      const reply = await change(person, email);
      expect([reply.status, reply.body]).toEqual([200, { message: expect.any(String) }]);
      expect([await isLive(person), await isLive(other)]).toEqual([true, false]);
      expect(await emailsOf(person)).toEqual(Array(subjects).fill(email));
      expect(outcome(await api.post('/v1/auth/login', { email: person.email, password: PASSWORD }))).toEqual([
        401,
        'invalid_credentials',
      ]);
      expect((await logIn(api, email)).id).toBe(person.id);
    },
  );

  it.each([
    ['a wrong password', someEmail(), 'a wrong horse battery', [401, 'invalid_credentials']],
    ['no password', someEmail(), undefined, [400, 'invalid_request']],
    ['a malformed email', 'nobody', PASSWORD, [400, 'invalid_request']],
    ['no email', undefined, PASSWORD, [400, 'invalid_request']],
  ])('rejects %s and changes nothing', async (_, email, password, expected) => {
    const person = await aUserWithAccount(api);
    const other = await logIn(api, person.email);
    const body = { current_password: password, email };
    expect(outcome(await person.api.post('/v1/auth/email', body))).toEqual(expected);
    expect([await isLive(person), await isLive(other)]).toEqual([true, true]);
    expect(await emailsOf(person)).toEqual([person.email, person.email]);
  });

  it('rejects an email in use by either subject, and changes neither', async () => {
    const [person, taken] = [await aUserWithAccount(api), await anAccount(api)];
    expect(outcome(await change(person, taken.email.toUpperCase()))).toEqual([409, 'email_exists']);
    expect(await emailsOf(person)).toEqual([person.email, person.email]);
    await logIn(api, person.email);
  });

  it('changes the case of the own email', async () => {
    const person = await aUser(api);
    expect((await change(person, person.email.toUpperCase())).status).toBe(200);
    expect(await emailsOf(person)).toEqual([person.email.toUpperCase()]);
  });

  it('applies one of two concurrent changes, and rejects the other, whose session has ended', async () => {
    const first = await aUserWithAccount(api);
    const second = await logIn(api, first.email);
    const replies = await Promise.all([change(first, someEmail()), change(second, someEmail())]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 401]);
  });

  it('counts wrong passwords like failed logins', async () => {
    const person = await aUser(api);
    const replies: Reply[] = [];
    for (let attempt = 0; attempt <= 100; attempt += 1)
      replies.push(await change(person, someEmail(), 'a wrong horse battery'));
    expect(outcome(replies.at(-1)!)).toEqual([429, 'rate_limited']);
  });
});

describe('A code of the second factor', () => {
  const NEXT = 'another horse battery';
  let service: TestService;
  let api: Api;
  let enrolled: Enrolled;

  beforeAll(async () => {
    service = await startTestService();
    ({ api } = service);
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    enrolled = await enrol(service, await aUser(api));
  });

  const changePassword = (body: object, by = enrolled.person) =>
    by.api.post('/v1/auth/password', { password: NEXT, ...body });
  const changeEmail = (body: object, by = enrolled.person) =>
    by.api.post('/v1/auth/email', { email: someEmail(), ...body });
  const logInWith = (password: string) =>
    api.post('/v1/auth/login', { email: enrolled.person.email, password, otp: enrolled.nextCode() });

  it('takes the place of the current password', async () => {
    expect((await changePassword({ otp: enrolled.nextCode() })).status).toBe(200);
    expect((await logInWith(NEXT)).status).toBe(200);
    expect((await changeEmail({ otp: enrolled.recoveryCodes[0] })).status).toBe(200);
    expect((await logInWith(NEXT)).status).toBe(401);
  });

  it('of an account takes the place of the current password', async () => {
    enrolled = await enrol(service, await anAccount(api));
    expect((await changeEmail({ otp: enrolled.nextCode() })).status).toBe(200);
  });

  it('is not needed with the current password', async () => {
    expect((await changePassword({ current_password: PASSWORD })).status).toBe(200);
  });

  it('works once', async () => {
    const otp = enrolled.nextCode();
    expect((await changePassword({ otp })).status).toBe(200);
    expect(outcome(await changeEmail({ otp }))).toEqual([401, 'invalid_credentials']);
  });

  it.each([
    ['both', () => ({ otp: enrolled.nextCode(), current_password: PASSWORD })],
    ['neither', () => ({})],
  ])('is rejected with %s', async (_, proof) => {
    for (const reply of [await changePassword(proof()), await changeEmail(proof())])
      expect(outcome(reply)).toEqual([400, 'invalid_request']);
    expect((await logInWith(PASSWORD)).status).toBe(200);
  });

  it('is rejected without a second factor', async () => {
    const person = await aUser(api);
    await person.api.post('/v1/auth/otp', { password: PASSWORD });
    expect(outcome(await changePassword({ otp: '123456' }, person))).toEqual([400, 'invalid_request']);
    expect((await logIn(api, person.email)).id).toBe(person.id);
  });

  it('that was used is rejected without being counted', async () => {
    const otp = enrolled.nextCode();
    expect((await changePassword({ otp })).status).toBe(200);
    for (let attempt = 1; attempt <= 6; attempt += 1)
      expect(outcome(await changeEmail({ otp }))).toEqual([401, 'invalid_credentials']);
    expect((await changeEmail({ otp: enrolled.nextCode() })).status).toBe(200);
  });

  it('that is wrong is limited, recorded and changes nothing', async () => {
    const otp = wrongCodeOf(enrolled, service.clock.now());
    for (let attempt = 1; attempt <= 5; attempt += 1)
      expect(outcome(await changePassword({ otp }))).toEqual([401, 'invalid_credentials']);
    expect(outcome(await changeEmail({ otp: enrolled.nextCode() }))).toEqual([429, 'rate_limited']);
    const { body } = await (await theAdmin(api)).api.get(`/v1/audit-log?object_id=${enrolled.person.id}`);
    expect(body.data[0]).toMatchObject({ action: 'reauthenticate', outcome: 'failed' });
    const recovered = { password: PASSWORD, otp: enrolled.recoveryCodes[0] };
    const login = await api.post('/v1/auth/login', { email: enrolled.person.email, ...recovered });
    expect(login.status).toBe(200);
  });
});

describe('RECENT_LOGIN_SECONDS', () => {
  const LATER_MINUTES = 16;
  const NEXT = 'another horse battery';
  const tooOld = [401, 'unauthorized', expect.stringMatching(/^The token is valid, but .*Log in again\.$/)];
  let service: TestService;
  let user: Person;
  let account: Owner;

  const explained = ({ status, body }: Reply) => [status, body.error, body.message];
  const changePassword = (person: Person, password = NEXT) =>
    person.api.patch(`/v1/users/${person.id}`, { password });
  const changeEmail = (owner: Owner) => owner.api.patch('/v1/account', { email: someEmail() });
  const endOther = async (person: Person) =>
    person.api.delete('/v1/auth/session', {
      session_id: sessionOf((await logIn(service.api, person.email)).token),
    });

  beforeAll(async () => {
    service = await startTestService({
      NODE_ENV: 'production',
      ACCESS_TOKEN_TTL: '86400',
      REQUIRE_ADMIN_OTP: 'false',
      REQUIRE_VERIFIED_EMAIL: 'false',
      REQUIRE_APPROVALS: 'false',
    });
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    [user, account] = [await aUser(service.api), await anAccount(service.api)];
  });

  it('is 900 in production: a later change of the own password or email asks for a new login', async () => {
    service.clock.move({ minutes: LATER_MINUTES });
    const replies = [await changePassword(user), await changeEmail(account), await endOther(user)];
    expect(replies.map(explained)).toEqual([tooOld, tooOld, tooOld]);
    expect((await changePassword(await logIn(service.api, user.email))).status).toBe(200);
  });

  it('accepts the same requests before', async () => {
    service.clock.move({ minutes: LATER_MINUTES - 2 });
    const replies = [await endOther(user), await changePassword(user), await changeEmail(account)];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('counts from the last confirmation of the password in the session', async () => {
    service.clock.move({ minutes: LATER_MINUTES });
    await user.api.post('/v1/auth/email', { current_password: PASSWORD, email: someEmail() });
    expect((await changePassword(user)).status).toBe(200);
    service.clock.move({ minutes: LATER_MINUTES });
    expect(explained(await changePassword(user))).toEqual(tooOld);
  });

  it('is not reset by a refresh', async () => {
    service.clock.move({ minutes: LATER_MINUTES });
    const { body } = await service.api.post('/v1/auth/refresh', { refresh_token: user.refreshToken });
    const refreshed = { ...user, api: service.api.as(body.access_token) };
    expect(explained(await changePassword(refreshed))).toEqual(tooOld);
  });

  it("asks admins for a new login before they change others' credentials or roles, or create operators", async () => {
    const admin = await theAdmin(service.api);
    const sendAll = async ({ api }: Person) => [
      await api.patch(`/v1/users/${user.id}`, { password: NEXT }),
      await api.patch(`/v1/users/${user.id}`, { role: 'platform' }),
      await api.post('/v1/users', { email: someEmail(), password: PASSWORD, role: 'admin' }),
      await api.post('/v1/users', { email: someEmail(), password: PASSWORD, role: 'platform' }),
      await api.delete(`/v1/users/${user.id}/otp`),
      await api.delete(`/v1/accounts/${account.accountId}/otp`),
      await api.patch(`/v1/accounts/${account.accountId}`, { email: someEmail() }),
    ];
    service.clock.move({ minutes: LATER_MINUTES });
    expect((await sendAll(admin)).map(explained)).toEqual(Array(7).fill(tooOld));
    const replies = await sendAll(await theAdmin(service.api));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 201, 201, 200, 200, 200]);
  });

  it('asks admins for a new login before they give or take the access of others', async () => {
    const session = sessionOf((await logIn(service.api, user.email)).token);
    const linked = { email: someEmail(), password: PASSWORD, account_id: account.accountId };
    const [admin, other] = [await theAdmin(service.api), await aUser(service.api)];
    const sendAll = async ({ api }: Person) => [
      await api.delete(`/v1/users/${user.id}/sessions/${session}`),
      await api.delete(`/v1/users/${user.id}/sessions`),
      await api.delete(`/v1/accounts/${account.accountId}/sessions`),
      await api.patch(`/v1/users/${user.id}`, { status: 'suspended' }),
      await api.patch(`/v1/users/${user.id}`, { status: 'active' }),
      await api.patch(`/v1/accounts/${account.accountId}`, { status: 'suspended' }),
      await api.post('/v1/users', linked),
      await api.delete(`/v1/users/${other.id}`),
      await api.delete(`/v1/accounts/${account.accountId}`),
    ];
    service.clock.move({ minutes: LATER_MINUTES });
    expect((await sendAll(admin)).map(explained)).toEqual(Array(9).fill(tooOld));
    const replies = await sendAll(await theAdmin(service.api));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 201, 200, 200]);
  });

  it('asks owners for a new login before they close the account, and not for their members', async () => {
    const member = await aMember(service.api, account);
    service.clock.move({ minutes: LATER_MINUTES });
    const replies = [
      await account.api.post('/v1/users', { email: someEmail(), password: PASSWORD }),
      await account.api.delete(`/v1/users/${member.id}`),
    ];
    expect(replies.map(({ status }) => status)).toEqual([201, 200]);
    expect(explained(await account.api.delete('/v1/account'))).toEqual(tooOld);
    const { api } = await logIn(service.api, account.email);
    expect(await api.delete('/v1/account')).toMatchObject({ status: 200 });
  });

  it('tells callers without the right nothing else than before', async () => {
    service.clock.move({ minutes: LATER_MINUTES });
    const replies = [
      await user.api.delete(`/v1/users/${account.id}`),
      await user.api.delete(`/v1/accounts/${account.accountId}`),
      await user.api.delete('/v1/account'),
      await user.api.delete(`/v1/users/${user.id}/sessions`),
    ];
    expect(replies.map(outcome)).toEqual(Array(4).fill([403, 'forbidden']));
  });

  it('leaves everything else as it is: other members, logging out, users without a privileged role', async () => {
    const admin = await theAdmin(service.api);
    service.clock.move({ minutes: LATER_MINUTES });
    const replies = [
      await user.api.patch(`/v1/users/${user.id}`, { name: 'Grace Hopper' }),
      await account.api.patch('/v1/account', { name: 'King Ltd', settings: { language: 'fr' } }),
      await admin.api.patch(`/v1/accounts/${account.accountId}`, { name: 'King' }),
      await admin.api.patch(`/v1/users/${user.id}`, { name: 'Grace' }),
      await admin.api.post('/v1/users', { email: someEmail(), password: PASSWORD, role: 'user' }),
      await account.api.delete('/v1/auth/session', { session_id: sessionOf(account.token) }),
      await user.api.patch(`/v1/users/${user.id}`, { status: 'active' }),
      await user.api.delete(`/v1/users/${user.id}`),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 201, 200, 200, 200]);
  });

  it('is off outside production', async () => {
    const development = await service.replica({ NODE_ENV: 'test' });
    try {
      const [person, owner] = [await aUser(development.api), await anAccount(development.api)];
      development.clock.move({ minutes: 600 });
      const replies = [await changePassword(person), await changeEmail(owner)];
      expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    } finally {
      await development.stop();
    }
  });
});
