import { Api } from '../support/api';
import { aMember, anAccount, anOwner, aUser, logIn, PASSWORD, Person, theAdmin } from '../support/people';
import { startTestService, TestService } from '../support/service';
import { sessionOf } from './forged-tokens';
import { rounds, Seeded } from './seeded';

const NEXT = 'another horse battery';

/** The tokens of one session. */
interface Tokens {
  readonly access: string;
  readonly refresh: string;
}

/** What ends sessions: who has them, what is done to them, and which of them it must spare. */
interface Revocation {
  readonly someone: (api: Api) => Promise<Person & { accountId?: string }>;
  readonly revoke: (
    own: Api,
    admin: Api,
    person: Person & { accountId?: string },
    all: Tokens[],
  ) => Promise<{ status: number }>;
  /** Whether the session that asked for it lives on. */
  readonly keepsOwn?: true;
}

const revocations: Record<string, Revocation> = {
  logout: {
    someone: aUser,
    revoke: async (own, _admin, _person, all) => {
      for (const { access } of all.slice(1))
        await own.delete('/v1/auth/session', { session_id: sessionOf(access) });
      return own.delete('/v1/auth/session');
    },
  },
  'an admin suspends the user': {
    someone: aUser,
    revoke: (_own, admin, { id }) => admin.patch(`/v1/users/${id}`, { status: 'suspended' }),
  },
  'an admin makes the user pending': {
    someone: aUser,
    revoke: (_own, admin, { id }) => admin.patch(`/v1/users/${id}`, { status: 'pending' }),
  },
  'the user suspends itself': {
    someone: aUser,
    revoke: (own, _admin, { id }) => own.patch(`/v1/users/${id}`, { status: 'suspended' }),
  },
  'the user is deleted': { someone: aUser, revoke: (own, _admin, { id }) => own.delete(`/v1/users/${id}`) },
  'an admin sets the password': {
    someone: aUser,
    revoke: (_own, admin, { id }) => admin.patch(`/v1/users/${id}`, { password: NEXT }),
  },
  'the password is changed': {
    someone: aUser,
    revoke: (own) => own.post('/v1/auth/password', { current_password: PASSWORD, password: NEXT }),
    keepsOwn: true,
  },
  "the account's password is changed": {
    someone: anAccount,
    revoke: (own) => own.post('/v1/auth/password', { current_password: PASSWORD, password: NEXT }),
    keepsOwn: true,
  },
  'the account is closed by its owner': { someone: anOwner, revoke: (own) => own.delete('/v1/account') },
  'the account closes itself': { someone: anAccount, revoke: (own) => own.delete('/v1/account') },
  "a member's account is closed by an admin": {
    someone: async (api) => aMember(api, await anOwner(api)),
    revoke: (_own, admin, { accountId }) => admin.delete(`/v1/accounts/${accountId}`),
  },
  'the account is suspended': {
    someone: async (api) => aMember(api, await anAccount(api)),
    revoke: (_own, admin, { accountId }) => admin.patch(`/v1/accounts/${accountId}`, { status: 'suspended' }),
  },
};

describe('a revoked token is refused at once, on every replica', () => {
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

  /** How many of the tokens work, each tried on every replica. Refreshing comes last, since it changes them. */
  async function accepted(tokens: readonly Tokens[]): Promise<number> {
    const reads = tokens.flatMap(({ access }) =>
      replicas.map(({ api }) => api.as(access).get('/v1/auth/sessions')),
    );
    const answers = await Promise.all(reads);
    const again = tokens.flatMap(({ refresh }) =>
      replicas.map(({ api }) => api.post('/v1/auth/refresh', { refresh_token: refresh })),
    );
    return [...answers, ...(await Promise.all(again))].filter(({ status }) => status !== 401).length;
  }

  it.each(Object.entries(revocations))('when %s', async (name, { someone, revoke, keepsOwn }) => {
    const seeded = new Seeded(`revocation, ${name}`);
    let [tried, wrong] = [0, 0];
    for (let round = 0; round < rounds(3); round += 1) {
      const at = seeded.below(replicas.length);
      const person = await someone(replicas[at]!.api);
      const others = await Promise.all(replicas.map(({ api }) => logIn(api, person.email)));
      const all = [person, ...others].map(tokensOf);
      const bystander = tokensOf(await aUser(replicas[at]!.api));

      // The same requests are all accepted before: two access and two refresh tokens of each session.
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
  });

  /** Logs in over and over, from the start of a revocation to its end. */
  async function storm(email: string, revoke: () => Promise<{ status: number }>): Promise<Tokens[]> {
    const opened: Tokens[] = [];
    let over = false;
    const begun: Promise<void>[] = [];
    const clients = Array.from({ length: 4 }, (_, index) => {
      const { api } = replicas[index % replicas.length]!;
      let first = (): void => undefined;
      begun.push(new Promise((resolve) => (first = resolve)));
      return (async () => {
        while (!over) {
          const { status, body } = await api.post('/v1/auth/login', { email, password: PASSWORD });
          first();
          if (status !== 200) break;
          opened.push({ access: body.access_token, refresh: body.refresh_token });
        }
      })();
    });
    await Promise.all(begun);
    const before = opened.length;
    const { status } = await revoke();
    over = true;
    await Promise.all(clients);
    expect(status).toBe(200);
    expect(before).toBeGreaterThanOrEqual(4);
    return opened;
  }

  it.each<[string, Revocation]>(
    Object.entries(revocations).filter(([name]) => !['logout', 'the account is suspended'].includes(name)),
  )(
    'and a login that races leaves no live session behind, when %s',
    async (name, { someone, revoke, keepsOwn }) => {
      const seeded = new Seeded(`login races, ${name}`);
      let [tried, wrong] = [0, 0];
      for (let round = 0; round < rounds(2); round += 1) {
        const at = seeded.below(replicas.length);
        const person = await someone(replicas[at]!.api);
        const opened = await storm(person.email, () =>
          revoke(replicas[at]!.api.as(person.token), admins[at]!, person, []),
        );
        const revoked = keepsOwn ? opened : [...opened, tokensOf(person)];
        tried += revoked.length * 4;
        wrong += await accepted(revoked);
      }
      seeded.report(`accepted ${wrong} of ${tried}`);
      expect(wrong).toBe(0);
    },
  );
});
