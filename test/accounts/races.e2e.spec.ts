import fc from 'fast-check';
import { Reply } from '../support/api';
import { aMember, anOwner, logIn, PASSWORD, Person, someEmail, theAdmin } from '../support/people';
import { draw, rounds, SEED } from '../support/rounds';
import { startTestService, TestService } from '../support/service';

const CLOSINGS = rounds(12);
const SIGN_UPS = rounds(2);
const CREATIONS = 16;

let service: TestService;
/** Another replica, whose clock is behind. */
let behind: TestService;

beforeAll(async () => {
  service = await startTestService();
  behind = await service.replica();
  behind.clock.move({ seconds: -3 });
});
afterAll(async () => {
  await behind.stop();
  await service.stop();
});

describe('Closing an account while business is done under it', () => {
  interface Booked {
    readonly id: string;
    readonly status: string;
    readonly created_at: Date;
  }

  it(`leaves nothing created after closed_at and nothing pending (${CLOSINGS} rounds, seed ${SEED})`, async () => {
    const admin = await theAdmin(service.api);
    const closedAmid: boolean[] = [];
    for (let round = 1; round <= CLOSINGS; round += 1) {
      const owner = await anOwner(service.api);
      const people = [owner, await aMember(service.api, owner), admin];
      const path = `/v1/accounts/${owner.accountId}`;
      const closers = [() => owner.api.delete('/v1/account'), () => overThere(admin).delete(path)];
      const creations = draw(creation, CREATIONS, round).map(({ kind, who, there }) => {
        const api = there ? overThere(people[who]!) : people[who]!.api;
        return () => create(api, owner.accountId, kind);
      });
      const places = draw(fc.nat(CREATIONS), closers.length, -round);
      const crowd: (() => Promise<Reply>)[] = [...creations];
      closers.forEach((close, index) => crowd.splice(places[index]!, 0, close));
      const replies = await Promise.all(crowd.map((act) => act()));

      const made = replies.filter(({ status }) => status === 201).map(({ body }) => body.id);
      const closings = replies.filter(({ status, body }) => status === 200 && body.status === 'closed');
      expect([round, closings.length]).toEqual([round, 1]);
      expect(replies.filter(({ status }) => ![200, 201, 401, 403, 409].includes(status))).toEqual([]);

      const booked = await service.sql<Booked>(
        `SELECT id, status, created_at FROM transactions WHERE account_id = $1
         UNION ALL SELECT id, status, created_at FROM payment_requests WHERE account_id = $1`,
        [owner.accountId],
      );
      expect(booked.map(({ id }) => id).toSorted()).toEqual(made.toSorted());
      const closedAt = new Date(closings[0]!.body.closed_at);
      expect(booked.filter((item) => item.created_at > closedAt || item.status === 'pending')).toEqual([]);
      expect(
        await service.sql('SELECT status, held, pending_in FROM accounts WHERE id = $1', [owner.accountId]),
      ).toEqual([{ status: 'closed', held: '0', pending_in: '0' }]);
      for (const kind of kinds) expect((await create(admin.api, owner.accountId, kind)).status).toBe(403);
      closedAmid.push(made.length > 0 && made.length < CREATIONS);
    }
    // A closing that was always first or always last would prove nothing.
    expect(closedAmid).toContain(true);
  });

  const kinds = ['payment', 'credit', 'request'] as const;
  const creation = fc.record({ kind: fc.constantFrom(...kinds), who: fc.nat(2), there: fc.boolean() });

  function create(api: Person['api'], account_id: string, kind: (typeof kinds)[number]): Promise<Reply> {
    const order = { account_id, amount: 1, currency: 'USD' };
    if (kind === 'request') return api.post('/v1/payments', { ...order, customer_email: 'c@example.com' });
    return api.post('/v1/transactions', { ...order, type: kind });
  }
});

describe('Members who are made while the account is closed', () => {
  it(`are deleted with it or refused (${CLOSINGS} rounds)`, async () => {
    const admin = await theAdmin(service.api);
    for (let round = 1; round <= CLOSINGS; round += 1) {
      const owner = await anOwner(service.api);
      const join = (api: Person['api'], more: object) =>
        api.post('/v1/users', { email: someEmail(), password: PASSWORD, ...more });
      const replies = await Promise.all([
        join(owner.api, {}),
        join(overThere(admin), { account_id: owner.accountId }),
        admin.api.delete(`/v1/accounts/${owner.accountId}`),
        join(owner.api, {}),
        join(overThere(admin), { account_id: owner.accountId }),
        logInOrNot(owner.email),
      ]);
      expect(replies.filter(({ status }) => ![200, 201, 400, 401].includes(status))).toEqual([]);
      expect(await service.sql('SELECT id FROM users WHERE account_id = $1', [owner.accountId])).toEqual([]);
      expect(
        await service.sql('SELECT id FROM sessions WHERE account_id = $1 AND ended_at IS NULL', [
          owner.accountId,
        ]),
      ).toEqual([]);
    }
  });

  const logInOrNot = (email: string) => service.api.post('/v1/auth/login', { email, password: PASSWORD });
});

describe('Fifty sign-ups at once with one email in many cases', () => {
  const upper = fc.array(fc.boolean(), { minLength: 60, maxLength: 60 });

  it.each(['/v1/users', '/v1/accounts'])(
    `make one: POST %s (${SIGN_UPS} rounds, seed ${SEED})`,
    async (path) => {
      for (let round = 1; round <= SIGN_UPS; round += 1) {
        const email = someEmail();
        const variants = draw(upper, 50, round).map((flags) => inCase(email, flags));
        expect(new Set(variants).size).toBe(50);
        const more = path === '/v1/accounts' ? { name: 'Lovelace Ltd', type: 'business' } : {};
        const replies = await Promise.all(
          variants.map((variant, index) =>
            (index % 2 ? service : behind).api.post(path, { email: variant, password: PASSWORD, ...more }),
          ),
        );
        const made = replies.filter(({ status }) => status === 201);
        expect(made).toHaveLength(1);
        expect(variants).toContain(made[0]!.body.email);
        expect(replies.filter(({ body }) => body.error === 'email_exists')).toHaveLength(49);
        const table = path.slice('/v1/'.length);
        expect(await service.sql(`SELECT id FROM ${table} WHERE lower(email) = $1`, [email])).toEqual([
          { id: made[0]!.body.id },
        ]);
        await logIn(service.api, email);
      }
    },
  );

  it('and two accounts that take one email at once by PATCH: one does', async () => {
    const owners = await Promise.all([anOwner(service.api), anOwner(service.api), anOwner(service.api)]);
    const email = someEmail();
    const replies = await Promise.all(
      owners.map(({ api }, index) =>
        api.patch('/v1/account', { email: index ? email.toUpperCase() : email }),
      ),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect(await service.sql('SELECT id FROM accounts WHERE lower(email) = $1', [email])).toHaveLength(1);
  });
});

/** The same person, calling the other replica. */
function overThere({ token }: Person): Person['api'] {
  return behind.api.as(token);
}

function inCase(text: string, upper: boolean[]): string {
  return [...text].map((letter, index) => (upper[index] ? letter.toUpperCase() : letter)).join('');
}
