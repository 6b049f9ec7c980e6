import { Api, Reply } from '../../support/api';
import {
  aMember,
  anAccount,
  anOwner,
  aUser,
  aUserWithAccount,
  created,
  logIn,
  PASSWORD,
  Person,
  someEmail,
  theAdmin,
} from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { sessionOf } from './forged-tokens';

const NEXT = 'another horse battery';
const outcome = ({ status, body }: Reply) => [status, body.error];

describe('Passwords', () => {
  let service: TestService;
  let api: Api;

  beforeAll(async () => {
    service = await startTestService();
    ({ api } = service);
  });
  afterAll(() => service.stop());

  const attempt = (email: string, password: string) => api.post('/v1/auth/login', { email, password });
  const change = (person: Person, current_password: unknown = PASSWORD, password: unknown = NEXT) =>
    person.api.post('/v1/auth/password', { current_password, password });
  const isLive = async (person: Person) => (await person.api.get('/v1/auth/sessions')).status === 200;
  const refreshStatus = async ({ refreshToken }: Person) =>
    (await api.post('/v1/auth/refresh', { refresh_token: refreshToken })).status;

  describe('POST /v1/auth/password', () => {
    it('lets one of two changes in the same session succeed', async () => {
      const user = await aUser(api);
      const replies = await Promise.all([change(user), change(user, PASSWORD, 'a third horse battery')]);
      expect(replies.map(outcome).toSorted()).toEqual([
        [200, undefined],
        [401, 'invalid_credentials'],
      ]);
    });

    it.each([
      ['a user', aUser],
      ['an account', anAccount],
      ['a user and its account', aUserWithAccount],
    ])(
      'changes the password of %s and ends all sessions except the current one',
      async (_, someone: (api: Api) => Promise<Person>) => {
        const person = await someone(api);
        const other = await logIn(api, person.email);
        const bystander = await aUser(api);
        const reply = await change(person);
        expect(reply.status).toBe(200);
        expect(reply.body).toEqual({ message: expect.any(String) });
        expect([await isLive(person), await isLive(other), await isLive(bystander)]).toEqual([
          true,
          false,
          true,
        ]);
        expect([await refreshStatus(person), await refreshStatus(other)]).toEqual([200, 401]);
        expect(outcome(await attempt(person.email, PASSWORD))).toEqual([401, 'invalid_credentials']);
        expect((await attempt(person.email, NEXT)).body.user.id).toBe(person.id);
      },
    );

    it('ends the sessions of both subjects, also those that were opened separately', async () => {
      const email = someEmail();
      await created(api, '/v1/users', { email, password: PASSWORD });
      const asUser = await logIn(api, email);
      await created(api, '/v1/accounts', {
        email,
        password: PASSWORD,
        name: 'Lovelace Ltd',
        type: 'business',
      });
      const admin = await theAdmin(api);
      await admin.api.patch(`/v1/users/${asUser.id}`, { status: 'suspended' });
      const asAccount = await logIn(api, email);
      await admin.api.patch(`/v1/users/${asUser.id}`, { status: 'active' });
      const both = await logIn(api, email);
      expect((await change(both)).status).toBe(200);
      expect([await isLive(both), await isLive(asAccount), await isLive(asUser)]).toEqual([
        true,
        false,
        false,
      ]);
      expect((await (await logIn(api, email, NEXT)).api.get('/v1/account')).status).toBe(200);
    });

    it('does not change a subject that the session was not opened with', async () => {
      const email = someEmail();
      await created(api, '/v1/users', { email, password: PASSWORD });
      await created(api, '/v1/accounts', {
        email,
        password: 'the third horse battery',
        name: 'L',
        type: 'business',
      });
      const account = await logIn(api, email, 'the third horse battery');
      expect((await change(await logIn(api, email))).status).toBe(200);
      expect(await isLive(account)).toBe(true);
      expect((await attempt(email, 'the third horse battery')).status).toBe(200);
      expect(outcome(await attempt(email, PASSWORD))).toEqual([401, 'invalid_credentials']);
    });

    it('does not affect the owner and the account of a member', async () => {
      const owner = await anOwner(api);
      const member = await aMember(api, owner);
      expect((await change(member)).status).toBe(200);
      expect([await isLive(owner), (await attempt(owner.email, PASSWORD)).status]).toEqual([true, 200]);
    });

    it.each([
      ['a wrong current password', 'a wrong horse battery', NEXT, [401, 'invalid_credentials']],
      ['an empty current password', '', NEXT, [401, 'invalid_credentials']],
      ['the new password as the current one', NEXT, NEXT, [401, 'invalid_credentials']],
      ['a new password of 7 characters', PASSWORD, 'qzxwvkp', [400, 'invalid_request']],
      ['a new password of 73 bytes', PASSWORD, 'k'.repeat(73), [400, 'invalid_request']],
      ['a common new password', PASSWORD, 'Password1', [400, 'invalid_request']],
      ['no new password', PASSWORD, undefined, [400, 'invalid_request']],
      ['no current password', undefined, NEXT, [400, 'invalid_request']],
      ['a null as the new password', PASSWORD, null, [400, 'invalid_request']],
    ])('rejects %s and changes nothing', async (_, current, next, expected) => {
      const person = await aUserWithAccount(api);
      const other = await logIn(api, person.email);
      expect(
        outcome(await person.api.post('/v1/auth/password', { current_password: current, password: next })),
      ).toEqual(expected);
      expect([await isLive(person), await isLive(other)]).toEqual([true, true]);
      expect((await attempt(person.email, PASSWORD)).status).toBe(200);
    });

    it('rejects the email as the new password', async () => {
      const person = await anAccount(api);
      expect(outcome(await change(person, PASSWORD, person.email.toUpperCase()))).toEqual([
        400,
        'invalid_request',
      ]);
    });

    it('rejects the name as the new password, also by PATCH with a new name', async () => {
      const [account, person] = [await anAccount(api), await aUser(api)];
      const replies = [
        await change(account, PASSWORD, 'Lovelace-1815!'),
        await person.api.patch(`/v1/users/${person.id}`, { name: 'Grace Hopper', password: 'Hopper-1906!' }),
        await person.api.patch(`/v1/users/${person.id}`, { name: 'Grace Hopper' }),
        await change(person, PASSWORD, 'Hopper-1906!'),
        await person.api.patch(`/v1/users/${person.id}`, { password: 'Hopper-1906!' }),
      ];
      const rejected = [400, 'invalid_request'];
      expect(replies.map(outcome)).toEqual([rejected, rejected, [200, undefined], rejected, rejected]);
    });

    it('applies one of several concurrent changes and rejects the others, whose sessions have ended', async () => {
      const first = await aUserWithAccount(api);
      const people = [first, await logIn(api, first.email), await logIn(api, first.email)];
      const passwords = people.map((_, index) => `horse battery number ${index}`);
      const replies = await Promise.all(
        people.map((person, index) => change(person, PASSWORD, passwords[index])),
      );
      const winner = replies.findIndex(({ status }) => status === 200);
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 401, 401]);
      expect(await Promise.all(people.map(isLive))).toEqual(people.map((_, index) => index === winner));
      const logins = await Promise.all(passwords.map((password) => attempt(first.email, password)));
      expect(logins.map(({ status }) => status)).toEqual(
        passwords.map((_, index) => (index === winner ? 200 : 401)),
      );
    });

    it('succeeds or fails with 401 while the user is deleted concurrently', async () => {
      const people = await Promise.all(Array.from({ length: 10 }, () => aUser(api)));
      const replies = await Promise.all(
        people.map(async (person) => {
          const [changed] = await Promise.all([change(person), person.api.delete(`/v1/users/${person.id}`)]);
          return changed;
        }),
      );
      expect(replies.filter(({ status }) => ![200, 401].includes(status))).toEqual([]);
    });
  });

  describe('Long passwords', () => {
    it.each([
      ['ASCII', 'k'.repeat(72)],
      ['two-byte characters', 'é'.repeat(36)],
      ['four-byte characters', '🦊'.repeat(18)],
    ])('of 72 bytes are compared completely: %s', async (_, password) => {
      const email = someEmail();
      await created(api, '/v1/users', { email, password });
      expect((await attempt(email, password)).status).toBe(200);
      const others = [
        `${password}k`,
        password + password,
        [...password].slice(0, -1).join(''),
        `${[...password].slice(0, -1).join('')}j`,
      ];
      for (const other of others)
        expect(outcome(await attempt(email, other))).toEqual([401, 'invalid_credentials']);
    });

    it('of 8,000 bytes are rejected at login', async () => {
      const { email } = await aUser(api);
      expect(outcome(await attempt(email, 'k'.repeat(8_000)))).toEqual([401, 'invalid_credentials']);
    });
  });

  describe('A higher BCRYPT_COST', () => {
    const costs = async (email: string) => {
      const sql = `SELECT split_part(password_hash, '$', 3)::int AS cost FROM credentials WHERE email_key = $1`;
      return (await service.sql<{ cost: number }>(sql, [email])).map(({ cost }) => cost);
    };

    it('rehashes at login, keeps the sessions, and a lower cost does not rehash', async () => {
      const raised = await service.replica({ BCRYPT_COST: '6' });
      try {
        const person = await aUserWithAccount(api);
        expect(await costs(person.email)).toEqual([4, 4]);
        await raised.api.post('/v1/auth/login', { email: person.email, password: 'a wrong horse battery' });
        expect(await costs(person.email)).toEqual([4, 4]);
        const again = await logIn(raised.api, person.email);
        expect(await costs(person.email)).toEqual([6, 6]);
        expect([await isLive(person), await isLive({ ...again, api: api.as(again.token) })]).toEqual([
          true,
          true,
        ]);
        expect((await attempt(person.email, PASSWORD)).status).toBe(200);
        expect(await costs(person.email)).toEqual([6, 6]);
      } finally {
        await raised.stop();
      }
    });

    it('allows concurrent logins that all rehash', async () => {
      const raised = await service.replica({ BCRYPT_COST: '5' });
      try {
        const { email } = await aUser(api);
        const logins = await Promise.all(Array.from({ length: 12 }, () => logIn(raised.api, email)));
        expect(new Set(logins.map(({ token }) => sessionOf(token))).size).toBe(12);
        expect(await costs(email)).toEqual([5]);
      } finally {
        await raised.stop();
      }
    });
  });

  it('appear neither in responses nor in the log', async () => {
    const person = await aUser(api);
    const replies = [
      await change(person),
      await person.api.get(`/v1/users/${person.id}`),
      await change(person, 'x', NEXT),
    ];
    for (const text of [...replies.map((reply) => reply.text), service.logged.join('')]) {
      for (const secret of [PASSWORD, NEXT, '$2b$']) expect(text).not.toContain(secret);
    }
  });
});
