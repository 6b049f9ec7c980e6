import { PasswordHasherService } from '../../../src/modules/auth/application/password-hasher.service';
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
  theAdmin,
} from '../../support/people';
import { ADMIN, startTestService, TestService } from '../../support/service';
import { partsOf } from './forged-tokens';

type Matching = Parameters<PasswordHasherService['matching']>;

const OTHER_PASSWORD = 'another horse battery';

describe('POST /v1/auth/login (interface 4.1)', () => {
  let service: TestService;
  let api: Api;
  let admin: Person;

  beforeAll(async () => {
    service = await startTestService();
    ({ api } = service);
    admin = await theAdmin(api);
  });
  afterAll(() => service.stop());

  const attempt = (email: unknown, password: unknown = PASSWORD) =>
    api.post('/v1/auth/login', { email, password });

  const aUserOf = (email: string, password = PASSWORD, more: object = {}) =>
    created(admin.api, '/v1/users', { email, password, ...more });

  const anAccountOf = (email: string, password = PASSWORD) =>
    created(api, '/v1/accounts', { email, password, name: 'Lovelace Ltd', type: 'business' });

  function expectError({ status, body }: Reply, code: string): void {
    expect({ status, error: body.error }).toEqual({
      status: code === 'invalid_request' ? 400 : 401,
      error: code,
    });
  }

  it('opens no session by an email that is changed while the password is compared', async () => {
    const user = await aUser(api);
    const email = someEmail();
    const whileChanging = async function (this: PasswordHasherService, ...args: Matching) {
      const matched = await this.matching(...args);
      const change = { email, current_password: PASSWORD };
      expect((await user.api.post('/v1/auth/email', change)).status).toBe(200);
      return matched;
    };
    const spy = jest.spyOn(PasswordHasherService.prototype, 'matching');
    spy.mockImplementationOnce(whileChanging);
    expectError(await attempt(user.email), 'invalid_credentials');
    spy.mockRestore();
    expect((await attempt(email)).status).toBe(200);
  });

  describe('returns', () => {
    const tokens = {
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 900,
    };

    it('tokens and the reduced user object for a user', async () => {
      const email = someEmail();
      const { id } = await created(api, '/v1/users', { email, password: PASSWORD, name: 'Ada Lovelace' });
      const { status, body } = await attempt(email);
      expect(status).toBe(200);
      expect(body).toEqual({ ...tokens, user: { id, email, name: 'Ada Lovelace' } });
    });

    it('a null name for a user without a name', async () => {
      const email = someEmail();
      const { id } = await created(api, '/v1/users', { email, password: PASSWORD });
      expect((await attempt(email)).body).toEqual({ ...tokens, user: { id, email, name: null } });
    });

    it('the id, email and name of the account as the user for an account', async () => {
      const email = someEmail();
      const { id } = await anAccountOf(email);
      expect((await attempt(email)).body).toEqual({ ...tokens, user: { id, email, name: 'Lovelace Ltd' } });
    });

    it('an access token with the subject, the session and the registered claims only', async () => {
      const user = await aUser(api);
      const { header, claims } = partsOf(user.token);
      expect(header).toEqual({ alg: 'HS256', typ: 'at+jwt', kid: expect.stringMatching(/^[\w-]{8}$/) });
      expect(claims).toEqual({
        sub: user.id,
        sid: expect.stringMatching(/^ses_/),
        iat: expect.any(Number),
        exp: (claims['iat'] as number) + 900,
        iss: 'countinghouse',
        aud: 'countinghouse-api',
      });
    });

    it('a new session for each login', async () => {
      const { email, token } = await aUser(api);
      const again = await logIn(api, email);
      expect(partsOf(again.token).claims['sid']).not.toBe(partsOf(token).claims['sid']);
    });
  });

  describe('rejects', () => {
    it.each([
      ['an unknown username', 'ada'],
      ['an unknown email', 'nobody@example.com'],
      ['an empty string', ''],
      ['a space', ' '],
      ['wildcards', '%@%'],
      ['SQL', "' OR 1=1 --"],
      ['an id', 'usr_01k9x8v2t4e6rb3m5n7p9q1s0w'],
      ['8,000 characters', 'x'.repeat(8_000)],
      ['non-ASCII characters', 'жук🦊'],
    ])('%s as the email: invalid_credentials', async (_, email) => {
      expectError(await attempt(email), 'invalid_credentials');
    });

    it.each([
      ['no email', { password: PASSWORD }],
      ['no password', { email: 'ada@example.com' }],
      ['a null email', { email: null, password: PASSWORD }],
      ['a numeric email', { email: 7, password: PASSWORD }],
      ['an array as the password', { email: 'ada@example.com', password: [PASSWORD] }],
      ['an object as the password', { email: 'ada@example.com', password: { $ne: '' } }],
      ['an unknown member', { email: 'ada@example.com', password: PASSWORD, role: 'admin' }],
      ['an array', [{ email: 'ada@example.com', password: PASSWORD }]],
      ['a string', 'ada@example.com'],
      ['a NUL character', { email: 'ada@example.com\0', password: PASSWORD }],
    ])('%s: invalid_request', async (_, body) => {
      expectError(await api.post('/v1/auth/login', body), 'invalid_request');
    });

    it('a missing, truncated or form-encoded body: invalid_request', async () => {
      expectError(await api.call('POST', '/v1/auth/login'), 'invalid_request');
      expectError(await api.call('POST', '/v1/auth/login', ''), 'invalid_request');
      expectError(await api.call('POST', '/v1/auth/login', '{"email": "ada@exa'), 'invalid_request');
      const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };
      expectError(await api.call('POST', '/v1/auth/login', 'email=a&password=b', form), 'invalid_request');
    });

    it.each([
      ['different', OTHER_PASSWORD],
      ['empty', ''],
      ['in upper case', PASSWORD.toUpperCase()],
      ['followed by a space', `${PASSWORD} `],
      ['truncated', PASSWORD.slice(0, -1)],
    ])('a password that is %s: invalid_credentials', async (_, password) => {
      const [user, account] = [await aUser(api), await anAccount(api)];
      expectError(await attempt(user.email, password), 'invalid_credentials');
      expectError(await attempt(account.email, password), 'invalid_credentials');
    });

    it('the id of a user as the email: invalid_credentials', async () => {
      const { id } = await aUser(api);
      expectError(await attempt(id), 'invalid_credentials');
    });
  });

  it('ignores the Authorization header', async () => {
    const { email } = await aUser(api);
    expect((await api.as('not.a.token').post('/v1/auth/login', { email, password: PASSWORD })).status).toBe(
      200,
    );
  });

  it('compares emails without regard to case', async () => {
    const [user, account] = [`É.${someEmail()}`, `Books.${someEmail()}`];
    await aUserOf(user.replace('É.', 'e.'));
    await anAccountOf(account);
    for (const email of [
      user.replace('É.', 'E.').toUpperCase(),
      account.toUpperCase(),
      account.toLowerCase(),
    ]) {
      expect((await attempt(email)).status).toBe(200);
    }
    expect((await attempt(account.toUpperCase())).body.user.email).toBe(account);
    expectError(await attempt(user), 'invalid_credentials');
  });

  describe('opens a session that acts for the right account', () => {
    /** The rights of a session: its account, whether it acts as the owner, and whether it has an operator's role. */
    async function rightsOf({ access_token: token }: { access_token: string }) {
      const caller = api.as(token);
      const account = await caller.get('/v1/account');
      return {
        account: account.status === 200 ? account.body.id : account.body.error,
        owner: (await caller.patch('/v1/account', {})).status === 200,
        operator: (await caller.get('/v1/accounts')).status === 200,
      };
    }
    const rightsAfterLogin = async (email: string, password = PASSWORD) =>
      rightsOf((await attempt(email, password)).body);

    it('none for a user without an account', async () => {
      expect(await rightsAfterLogin((await aUser(api)).email)).toEqual({
        account: 'forbidden',
        owner: false,
        operator: false,
      });
    });

    it('itself for an account, as its owner', async () => {
      const account = await anAccount(api);
      expect(await rightsAfterLogin(account.email)).toEqual({
        account: account.accountId,
        owner: true,
        operator: false,
      });
    });

    it('the linked account for users: as owner if they created it, else as member', async () => {
      const owner = await anOwner(api);
      const member = await aMember(api, owner);
      expect(await rightsAfterLogin(owner.email)).toEqual({
        account: owner.accountId,
        owner: true,
        operator: false,
      });
      expect(await rightsAfterLogin(member.email)).toEqual({
        account: owner.accountId,
        owner: false,
        operator: false,
      });
    });

    describe('when a user and an account have the same email', () => {
      it('each password opens its own subject', async () => {
        const email = someEmail();
        const user = await aUserOf(email);
        const account = await anAccountOf(email, OTHER_PASSWORD);
        const [asUser, asAccount] = [await attempt(email), await attempt(email, OTHER_PASSWORD)];
        expect(asUser.body.user).toEqual({ id: user.id, email, name: null });
        expect(asAccount.body.user).toEqual({ id: account.id, email, name: 'Lovelace Ltd' });
        expect(await rightsOf(asUser.body)).toEqual({ account: 'forbidden', owner: false, operator: false });
        expect(await rightsOf(asAccount.body)).toEqual({ account: account.id, owner: true, operator: false });
      });

      it('a common password opens both: the user acts for the account as its owner', async () => {
        const email = someEmail();
        const user = await aUserOf(email);
        const account = await anAccountOf(email);
        const { body } = await attempt(email);
        expect(body.user).toEqual({ id: user.id, email, name: null });
        expect(partsOf(body.access_token).claims['sub']).toBe(user.id);
        expect(await rightsOf(body)).toEqual({ account: account.id, owner: true, operator: false });
      });

      it('the account with the matching password takes precedence over the linked account', async () => {
        const [employer, email] = [await anOwner(api), someEmail()];
        await created(employer.api, '/v1/users', { email, password: PASSWORD });
        expect(await rightsAfterLogin(email)).toEqual({
          account: employer.accountId,
          owner: false,
          operator: false,
        });
        const own = await anAccountOf(email);
        expect(await rightsAfterLogin(email)).toEqual({ account: own.id, owner: true, operator: false });
      });

      it('the role is only that of a user whose password matched', async () => {
        const email = someEmail();
        await aUserOf(email, PASSWORD, { role: 'admin' });
        const { id } = await anAccountOf(email, OTHER_PASSWORD);
        expect(await rightsAfterLogin(email)).toEqual({ account: 'forbidden', owner: false, operator: true });
        expect(await rightsAfterLogin(email, OTHER_PASSWORD)).toEqual({
          account: id,
          owner: true,
          operator: false,
        });
        const both = someEmail();
        await aUserOf(both, PASSWORD, { role: 'platform' });
        const account = await anAccountOf(both);
        expect(await rightsAfterLogin(both)).toEqual({ account: account.id, owner: true, operator: true });
      });

      it('a suspended user or a closed account is left out', async () => {
        const email = someEmail();
        const user = await aUserOf(email, PASSWORD, { role: 'platform' });
        const account = await anAccountOf(email);
        await admin.api.patch(`/v1/users/${user.id}`, { status: 'suspended' });
        const suspended = (await attempt(email)).body;
        expect(suspended.user.id).toBe(account.id);
        expect(await rightsOf(suspended)).toEqual({ account: account.id, owner: true, operator: false });

        await admin.api.patch(`/v1/users/${user.id}`, { status: 'active' });
        await admin.api.delete(`/v1/accounts/${account.id}`);
        const closed = (await attempt(email)).body;
        expect(closed.user.id).toBe(user.id);
        expect(await rightsOf(closed)).toEqual({ account: 'forbidden', owner: false, operator: true });

        await admin.api.patch(`/v1/users/${user.id}`, { status: 'suspended' });
        expectError(await attempt(email), 'unauthorized');
      });
    });
  });

  describe('depends on the status', () => {
    it.each(['suspended', 'pending'])(
      'rejects a %s user as unauthorized, but only with the correct password',
      async (status) => {
        const user = await aUser(api);
        await admin.api.patch(`/v1/users/${user.id}`, { status });
        expectError(await attempt(user.email), 'unauthorized');
        expectError(await attempt(user.email, OTHER_PASSWORD), 'invalid_credentials');
        await admin.api.patch(`/v1/users/${user.id}`, { status: 'active' });
        expect((await attempt(user.email)).status).toBe(200);
      },
    );

    it.each(['suspended', 'pending'])('accepts a %s account, which can read', async (status) => {
      const account = await anAccount(api);
      await admin.api.patch(`/v1/accounts/${account.accountId}`, { status });
      const { body } = await attempt(account.email);
      expect((await api.as(body.access_token).get('/v1/account')).body).toMatchObject({
        id: account.accountId,
        status,
      });
    });

    it('accepts the new email of an account immediately', async () => {
      const [account, email] = [await anAccount(api), someEmail()];
      await account.api.patch('/v1/account', { email });
      expect((await attempt(email)).body.user).toMatchObject({ id: account.accountId, email });
      expectError(await attempt(account.email), 'invalid_credentials');
    });

    it('rejects a closed account as unauthorized, but only with the correct password', async () => {
      const account = await anAccount(api);
      await account.api.delete('/v1/account');
      expectError(await attempt(account.email), 'unauthorized');
      expectError(await attempt(account.email, OTHER_PASSWORD), 'invalid_credentials');
    });
  });

  it('writes no password, token or email to the log', async () => {
    const { email, token, refreshToken } = await aUser(api);
    await attempt(email, OTHER_PASSWORD);
    const log = service.logged.join('');
    expect(log).toContain('/v1/auth/login');
    for (const secret of [PASSWORD, OTHER_PASSWORD, ADMIN.password, token, refreshToken, email]) {
      expect(log).not.toContain(secret);
    }
  });
});
