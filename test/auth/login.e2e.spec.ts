import { Api, Reply } from '../support/api';
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
} from '../support/people';
import { ADMIN, startTestService, TestService } from '../support/service';
import { partsOf } from './forged-tokens';

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

  function expectRefusal({ status, body }: Reply, code: string): void {
    expect({ status, error: body.error }).toEqual({
      status: code === 'invalid_request' ? 400 : 401,
      error: code,
    });
  }

  describe('answers', () => {
    const tokens = {
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 900,
    };

    it('a user with tokens and the reduced user', async () => {
      const email = someEmail();
      const { id } = await created(api, '/v1/users', { email, password: PASSWORD, name: 'Ada Lovelace' });
      const { status, body } = await attempt(email);
      expect(status).toBe(200);
      expect(body).toEqual({ ...tokens, user: { id, email, name: 'Ada Lovelace' } });
    });

    it('a user without a name with null for it', async () => {
      const email = someEmail();
      const { id } = await created(api, '/v1/users', { email, password: PASSWORD });
      expect((await attempt(email)).body).toEqual({ ...tokens, user: { id, email, name: null } });
    });

    it('an account with its own id, email and name as the user', async () => {
      const email = someEmail();
      const { id } = await anAccountOf(email);
      expect((await attempt(email)).body).toEqual({ ...tokens, user: { id, email, name: 'Lovelace Ltd' } });
    });

    it('with a token that names subject and session, and carries nothing else', async () => {
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

    it('each login with a session of its own', async () => {
      const { email, token } = await aUser(api);
      const again = await logIn(api, email);
      expect(partsOf(again.token).claims['sid']).not.toBe(partsOf(token).claims['sid']);
    });
  });

  describe('refuses', () => {
    it.each([
      ['a username that is nobody’s', 'ada'],
      ['an email that is nobody’s', 'nobody@example.com'],
      ['nothing', ''],
      ['a space', ' '],
      ['wildcards', '%@%'],
      ['SQL', "' OR 1=1 --"],
      ['an id', 'usr_01k9x8v2t4e6rb3m5n7p9q1s0w'],
      ['a very long one', 'x'.repeat(50_000)],
      ['another alphabet', 'жук🦊'],
    ])('%s as the email with invalid_credentials', async (_, email) => {
      expectRefusal(await attempt(email), 'invalid_credentials');
    });

    it.each([
      ['no email', { password: PASSWORD }],
      ['no password', { email: 'ada@example.com' }],
      ['an email that is null', { email: null, password: PASSWORD }],
      ['an email that is a number', { email: 7, password: PASSWORD }],
      ['a password that is a list', { email: 'ada@example.com', password: [PASSWORD] }],
      ['a password that is an object', { email: 'ada@example.com', password: { $ne: '' } }],
      ['a member too many', { email: 'ada@example.com', password: PASSWORD, role: 'admin' }],
      ['a list', [{ email: 'ada@example.com', password: PASSWORD }]],
      ['a string', 'ada@example.com'],
      ['a NUL', { email: 'ada@example.com\0', password: PASSWORD }],
    ])('%s with invalid_request', async (_, body) => {
      expectRefusal(await api.post('/v1/auth/login', body), 'invalid_request');
    });

    it('an absent, a truncated and a foreign body with invalid_request', async () => {
      expectRefusal(await api.call('POST', '/v1/auth/login'), 'invalid_request');
      expectRefusal(await api.call('POST', '/v1/auth/login', ''), 'invalid_request');
      expectRefusal(await api.call('POST', '/v1/auth/login', '{"email": "ada@exa'), 'invalid_request');
      const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };
      expectRefusal(await api.call('POST', '/v1/auth/login', 'email=a&password=b', form), 'invalid_request');
    });

    it.each([
      ['wrong', OTHER_PASSWORD],
      ['empty', ''],
      ['in another case', PASSWORD.toUpperCase()],
      ['with more to it', `${PASSWORD} `],
      ['cut', PASSWORD.slice(0, -1)],
    ])('a password that is %s with invalid_credentials', async (_, password) => {
      const [user, account] = [await aUser(api), await anAccount(api)];
      expectRefusal(await attempt(user.email, password), 'invalid_credentials');
      expectRefusal(await attempt(account.email, password), 'invalid_credentials');
    });

    it('the id of a user in place of the email', async () => {
      const { id } = await aUser(api);
      expectRefusal(await attempt(id), 'invalid_credentials');
    });
  });

  it('needs no Authorization header and minds none', async () => {
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
    expectRefusal(await attempt(user), 'invalid_credentials');
  });

  describe('who acts for what', () => {
    /** What the session may do: the account it acts for, whether as its owner, and whether it is an operator's. */
    async function standing({ access_token: token }: { access_token: string }) {
      const caller = api.as(token);
      const account = await caller.get('/v1/account');
      return {
        account: account.status === 200 ? account.body.id : account.body.error,
        owner: (await caller.patch('/v1/account', {})).status === 200,
        operator: (await caller.get('/v1/accounts')).status === 200,
      };
    }
    const openedBy = async (email: string, password = PASSWORD) =>
      standing((await attempt(email, password)).body);

    it('a user without an account acts for none', async () => {
      expect(await openedBy((await aUser(api)).email)).toEqual({
        account: 'forbidden',
        owner: false,
        operator: false,
      });
    });

    it('an account acts for itself, as its owner', async () => {
      const account = await anAccount(api);
      expect(await openedBy(account.email)).toEqual({
        account: account.accountId,
        owner: true,
        operator: false,
      });
    });

    it('a user who created an account owns it, a member does not', async () => {
      const owner = await anOwner(api);
      const member = await aMember(api, owner);
      expect(await openedBy(owner.email)).toEqual({ account: owner.accountId, owner: true, operator: false });
      expect(await openedBy(member.email)).toEqual({
        account: owner.accountId,
        owner: false,
        operator: false,
      });
    });

    describe('where one email serves a user and an account', () => {
      it('each password opens its own', async () => {
        const email = someEmail();
        const user = await aUserOf(email);
        const account = await anAccountOf(email, OTHER_PASSWORD);
        const [asUser, asAccount] = [await attempt(email), await attempt(email, OTHER_PASSWORD)];
        expect(asUser.body.user).toEqual({ id: user.id, email, name: null });
        expect(asAccount.body.user).toEqual({ id: account.id, email, name: 'Lovelace Ltd' });
        expect(await standing(asUser.body)).toEqual({ account: 'forbidden', owner: false, operator: false });
        expect(await standing(asAccount.body)).toEqual({ account: account.id, owner: true, operator: false });
      });

      it('the same password opens both: the user, who acts for the account as its owner', async () => {
        const email = someEmail();
        const user = await aUserOf(email);
        const account = await anAccountOf(email);
        const { body } = await attempt(email);
        expect(body.user).toEqual({ id: user.id, email, name: null });
        expect(partsOf(body.access_token).claims['sub']).toBe(user.id);
        expect(await standing(body)).toEqual({ account: account.id, owner: true, operator: false });
      });

      it('the account whose own password was opened goes before the one that the user is tied to', async () => {
        const [employer, email] = [await anOwner(api), someEmail()];
        await created(employer.api, '/v1/users', { email, password: PASSWORD });
        expect(await openedBy(email)).toEqual({ account: employer.accountId, owner: false, operator: false });
        const own = await anAccountOf(email);
        expect(await openedBy(email)).toEqual({ account: own.id, owner: true, operator: false });
      });

      it('a role comes only with the user', async () => {
        const email = someEmail();
        await aUserOf(email, PASSWORD, { role: 'admin' });
        const { id } = await anAccountOf(email, OTHER_PASSWORD);
        expect(await openedBy(email)).toEqual({ account: 'forbidden', owner: false, operator: true });
        expect(await openedBy(email, OTHER_PASSWORD)).toEqual({ account: id, owner: true, operator: false });
        const both = someEmail();
        await aUserOf(both, PASSWORD, { role: 'platform' });
        const account = await anAccountOf(both);
        expect(await openedBy(both)).toEqual({ account: account.id, owner: true, operator: true });
      });

      it('what is not in a state to sign in is left out', async () => {
        const email = someEmail();
        const user = await aUserOf(email, PASSWORD, { role: 'platform' });
        const account = await anAccountOf(email);
        await admin.api.patch(`/v1/users/${user.id}`, { status: 'suspended' });
        const suspended = (await attempt(email)).body;
        expect(suspended.user.id).toBe(account.id);
        expect(await standing(suspended)).toEqual({ account: account.id, owner: true, operator: false });

        await admin.api.patch(`/v1/users/${user.id}`, { status: 'active' });
        await admin.api.delete(`/v1/accounts/${account.id}`);
        const closed = (await attempt(email)).body;
        expect(closed.user.id).toBe(user.id);
        expect(await standing(closed)).toEqual({ account: 'forbidden', owner: false, operator: true });

        await admin.api.patch(`/v1/users/${user.id}`, { status: 'suspended' });
        expectRefusal(await attempt(email), 'unauthorized');
      });
    });
  });

  describe('by state', () => {
    it.each(['suspended', 'pending'])(
      'refuses a %s user as unauthorized, once the password is right',
      async (status) => {
        const user = await aUser(api);
        await admin.api.patch(`/v1/users/${user.id}`, { status });
        expectRefusal(await attempt(user.email), 'unauthorized');
        expectRefusal(await attempt(user.email, OTHER_PASSWORD), 'invalid_credentials');
        await admin.api.patch(`/v1/users/${user.id}`, { status: 'active' });
        expect((await attempt(user.email)).status).toBe(200);
      },
    );

    it.each(['suspended', 'pending'])('refuses a user born %s', async (status) => {
      const email = someEmail();
      await aUserOf(email, PASSWORD, { status });
      expectRefusal(await attempt(email), 'unauthorized');
    });

    it.each(['suspended', 'pending'])('lets a %s account in, to look', async (status) => {
      const account = await anAccount(api);
      await admin.api.patch(`/v1/accounts/${account.accountId}`, { status });
      const { body } = await attempt(account.email);
      expect((await api.as(body.access_token).get('/v1/account')).body).toMatchObject({
        id: account.accountId,
        status,
      });
    });

    it('refuses a closed account as unauthorized, once the password is right', async () => {
      const account = await anAccount(api);
      await account.api.delete('/v1/account');
      expectRefusal(await attempt(account.email), 'unauthorized');
      expectRefusal(await attempt(account.email, OTHER_PASSWORD), 'invalid_credentials');
    });

    it('knows a deleted user and the members of a closed account no more', async () => {
      const owner = await anOwner(api);
      const [member, gone] = [await aMember(api, owner), await aUser(api)];
      await gone.api.delete(`/v1/users/${gone.id}`);
      await owner.api.delete('/v1/account');
      for (const { email } of [member, gone, owner])
        expectRefusal(await attempt(email), 'invalid_credentials');
    });

    it('goes by the new email of an account at once', async () => {
      const [account, email] = [await anAccount(api), someEmail()];
      await account.api.patch('/v1/account', { email });
      expect((await attempt(email)).body.user).toMatchObject({ id: account.accountId, email });
      expectRefusal(await attempt(account.email), 'invalid_credentials');
    });
  });

  it('logs no password, token or email', async () => {
    const { email, token, refreshToken } = await aUser(api);
    await attempt(email, OTHER_PASSWORD);
    const log = service.logged.join('');
    expect(log).toContain('/v1/auth/login');
    for (const secret of [PASSWORD, OTHER_PASSWORD, ADMIN.password, token, refreshToken, email]) {
      expect(log).not.toContain(secret);
    }
  });
});
