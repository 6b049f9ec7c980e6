import { Api } from '../../support/api';
import { aMember, anAccount, anOwner, aUser, logIn, PASSWORD, Person, theAdmin } from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { sessionOf } from './forged-tokens';
import { rounds } from '../../support/rounds';
import { Seeded } from './seeded';

const NEXT = 'another horse battery';

/** The tokens of one session. */
interface Tokens {
  readonly access: string;
  readonly refresh: string;
}

/** A way to end sessions. */
interface Revocation {
  readonly person: (api: Api) => Promise<Person & { accountId?: string }>;
  readonly revoke: (
    own: Api,
    admin: Api,
    person: Person & { accountId?: string },
    all: Tokens[],
  ) => Promise<{ status: number }>;
  /** Whether the session that requested it stays live. */
  readonly keepsOwn?: true;
}

const revocations: Record<string, Revocation> = {
  logout: {
    person: aUser,
    revoke: async (own, _admin, _person, all) => {
      for (const { access } of all.slice(1))
        await own.delete('/v1/auth/session', { session_id: sessionOf(access) });
      return own.delete('/v1/auth/session');
    },
  },
  'an admin suspends the user': {
    person: aUser,
    revoke: (_own, admin, { id }) => admin.patch(`/v1/users/${id}`, { status: 'suspended' }),
  },
  'an admin makes the user pending': {
    person: aUser,
    revoke: (_own, admin, { id }) => admin.patch(`/v1/users/${id}`, { status: 'pending' }),
  },
  'the user suspends itself': {
    person: aUser,
    revoke: (own, _admin, { id }) => own.patch(`/v1/users/${id}`, { status: 'suspended' }),
  },
  'the user is deleted': { person: aUser, revoke: (own, _admin, { id }) => own.delete(`/v1/users/${id}`) },
  'an admin sets the password': {
    person: aUser,
    revoke: (_own, admin, { id }) => admin.patch(`/v1/users/${id}`, { password: NEXT }),
  },
  'the password is changed': {
    person: aUser,
    revoke: (own) => own.post('/v1/auth/password', { current_password: PASSWORD, password: NEXT }),
    keepsOwn: true,
  },
  "the account's password is changed": {
    person: anAccount,
    revoke: (own) => own.post('/v1/auth/password', { current_password: PASSWORD, password: NEXT }),
    keepsOwn: true,
  },
  'the account is closed by its owner': { person: anOwner, revoke: (own) => own.delete('/v1/account') },
  'the account closes itself': { person: anAccount, revoke: (own) => own.delete('/v1/account') },
  "a member's account is closed by an admin": {
    person: async (api) => aMember(api, await anOwner(api)),
    revoke: (_own, admin, { accountId }) => admin.delete(`/v1/accounts/${accountId}`),
  },
  'the account is suspended': {
    person: async (api) => aMember(api, await anAccount(api)),
    revoke: (_own, admin, { accountId }) => admin.patch(`/v1/accounts/${accountId}`, { status: 'suspended' }),
  },
};

describe('Revoked tokens', () => {
  let replicas: TestService[];
  let admins: Api[];

  beforeAll(async () => {
    const service = await startTestService();
    replicas = [service, await service.replica()];
    const { token } = await theAdmin(service.api);
    admins = replicas.map(({ api }) => api.as(token));
  });
  afterAll(async () => {
    for (const replica of replicas.toReversed()) await replica.stop();
  });

  const tokensOf = ({ token, refreshToken }: Person): Tokens => ({ access: token, refresh: refreshToken });

  /** Counts the accepted tokens, each tried on every replica. Refreshes come last, because they change the tokens. */
  async function accepted(tokens: readonly Tokens[]): Promise<number> {
    const reads = tokens.flatMap(({ access }) =>
      replicas.map(({ api }) => api.as(access).get('/v1/auth/sessions')),
    );
    const replies = await Promise.all(reads);
    const refreshes = tokens.flatMap(({ refresh }) =>
      replicas.map(({ api }) => api.post('/v1/auth/refresh', { refresh_token: refresh })),
    );
    return [...replies, ...(await Promise.all(refreshes))].filter(({ status }) => status !== 401).length;
  }

  it.each(Object.entries(revocations))(
    'are rejected on every replica: %s',
    async (name, { person: createPerson, revoke, keepsOwn }) => {
      const seeded = new Seeded(`revocation, ${name}`);
      let [tried, wrong] = [0, 0];
      for (let round = 0; round < rounds(3); round += 1) {
        const at = seeded.below(replicas.length);
        const person = await createPerson(replicas[at]!.api);
        const others = await Promise.all(replicas.map(({ api }) => logIn(api, person.email)));
        const all = [person, ...others].map(tokensOf);
        const bystander = tokensOf(await aUser(replicas[at]!.api));

        // All requests succeed before the revocation: an access and a refresh token per session, on two replicas.
        expect(await accepted(all)).toBe(all.length * 4);
        const where = seeded.below(replicas.length);
        const { status } = await revoke(replicas[where]!.api.as(person.token), admins[where]!, person, all);
        expect(status).toBe(200);

        const revoked = keepsOwn ? all.slice(1) : all;
        tried += revoked.length * 4;
        wrong += await accepted(revoked);
        expect(await accepted(keepsOwn ? [all[0]!, bystander] : [bystander])).toBe(keepsOwn ? 8 : 4);
      }
      seeded.report(`accepted ${wrong} of ${tried}`);
      expect(wrong).toBe(0);
    },
  );

  /** Logs in repeatedly before and during a revocation. @returns the tokens of all logins that succeeded */
  async function loginsDuring(email: string, revoke: () => Promise<{ status: number }>): Promise<Tokens[]> {
    const opened: Tokens[] = [];
    let done = false;
    const firstLogins: Promise<void>[] = [];
    const clients = Array.from({ length: 4 }, (_, index) => {
      const { api } = replicas[index % replicas.length]!;
      let first = (): void => undefined;
      firstLogins.push(new Promise((resolve) => (first = resolve)));
      return (async () => {
        while (!done) {
          const { status, body } = await api.post('/v1/auth/login', { email, password: PASSWORD });
          first();
          if (status !== 200) break;
          opened.push({ access: body.access_token, refresh: body.refresh_token });
        }
      })();
    });
    await Promise.all(firstLogins);
    const before = opened.length;
    const { status } = await revoke();
    done = true;
    await Promise.all(clients);
    expect(status).toBe(200);
    expect(before).toBeGreaterThanOrEqual(4);
    return opened;
  }

  it.each<[string, Revocation]>(
    Object.entries(revocations).filter(([name]) => !['logout', 'the account is suspended'].includes(name)),
  )('are rejected after concurrent logins: %s', async (name, { person: createPerson, revoke, keepsOwn }) => {
    const seeded = new Seeded(`login races, ${name}`);
    let [tried, wrong] = [0, 0];
    for (let round = 0; round < rounds(2); round += 1) {
      const at = seeded.below(replicas.length);
      const person = await createPerson(replicas[at]!.api);
      const opened = await loginsDuring(person.email, () =>
        revoke(replicas[at]!.api.as(person.token), admins[at]!, person, []),
      );
      const revoked = keepsOwn ? opened : [...opened, tokensOf(person)];
      tried += revoked.length * 4;
      wrong += await accepted(revoked);
    }
    seeded.report(`accepted ${wrong} of ${tried}`);
    expect(wrong).toBe(0);
  });
});
