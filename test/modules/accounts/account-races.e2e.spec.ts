import fc from 'fast-check';
import { Reply } from '../../support/api';
import { aMember, anOwner, logIn, PASSWORD, Person, someEmail, theAdmin } from '../../support/people';
import { draw, rounds, SEED } from '../../support/rounds';
import { startTestService, TestService } from '../../support/service';

const CLOSINGS = rounds(8);
const SIGN_UPS = rounds(2);
const WORKERS = 8;

let service: TestService;
/** A second replica, whose clock is behind. */
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

describe('Closing an account with concurrent creations', () => {
  interface Booked {
    readonly id: string;
    readonly status: string;
    readonly created_at: Date;
  }

  it(`leaves nothing created after closed_at and nothing pending (${CLOSINGS} rounds, seed ${SEED})`, async () => {
    const admin = await theAdmin(service.api);
    for (let round = 1; round <= CLOSINGS; round += 1) {
      const owner = await anOwner(service.api);
      const people = [owner, await aMember(service.api, owner), admin];
      const [closeAfter] = draw(fc.integer({ min: 1, max: 12 }), 1, round) as [number];
      const made: string[] = [];
      const errors: Reply[] = [];
      let closings: Promise<Reply[]> | undefined;
      const work = async ({ who, there, kinds }: Worker): Promise<void> => {
        const api = there ? onReplica(people[who]!) : people[who]!.api;
        for (let turn = 0; ; turn += 1) {
          const reply = await create(api, owner.accountId, kinds[turn % kinds.length]!);
          if (reply.status !== 201) return void errors.push(reply);
          made.push(reply.body.id);
          if (made.length < closeAfter) continue;
          closings ??= Promise.all([
            owner.api.delete('/v1/account'),
            onReplica(admin).delete(`/v1/accounts/${owner.accountId}`),
          ]);
        }
      };
      await Promise.all(draw(worker, WORKERS, round).map(work));

      expect(errors.filter(({ status }) => ![401, 403].includes(status))).toEqual([]);
      const closed = (await closings!).filter(({ status }) => status === 200);
      expect((await closings!).filter(({ status }) => ![200, 401, 409].includes(status))).toEqual([]);
      expect([round, closed.length]).toEqual([round, 1]);
      const booked = await service.sql<Booked>(
        `SELECT id, status, created_at FROM transactions WHERE account_id = $1
         UNION ALL SELECT id, status, created_at FROM payment_requests WHERE account_id = $1`,
        [owner.accountId],
      );
      expect(booked.map(({ id }) => id).toSorted()).toEqual(made.toSorted());
      const closedAt = new Date(closed[0]!.body.closed_at);
      expect(booked.filter((item) => item.created_at > closedAt || item.status === 'pending')).toEqual([]);
      expect(
        await service.sql('SELECT status, held, pending_in FROM accounts WHERE id = $1', [owner.accountId]),
      ).toEqual([{ status: 'closed', held: '0', pending_in: '0' }]);
    }
  });

  const kinds = ['payment', 'credit', 'request'] as const;
  /** A caller that creates these kinds in turn on one replica until the account is closed. */
  const worker = fc.record({
    who: fc.nat(2),
    there: fc.boolean(),
    kinds: fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 5 }),
  });
  type Worker = typeof worker extends fc.Arbitrary<infer T> ? T : never;

  function create(api: Person['api'], account_id: string, kind: (typeof kinds)[number]): Promise<Reply> {
    const order = { account_id, amount: 1, currency: 'USD' };
    if (kind === 'request') return api.post('/v1/payments', { ...order, customer_email: 'c@example.com' });
    return api.post('/v1/transactions', { ...order, type: kind });
  }
});

describe('Members who are created while the account is being closed', () => {
  it(`are deleted with it or rejected (${CLOSINGS} rounds)`, async () => {
    const admin = await theAdmin(service.api);
    for (let round = 1; round <= CLOSINGS; round += 1) {
      const owner = await anOwner(service.api);
      const join = (api: Person['api'], more: object) =>
        api.post('/v1/users', { email: someEmail(), password: PASSWORD, ...more });
      const replies = await Promise.all([
        join(owner.api, {}),
        join(onReplica(admin), { account_id: owner.accountId }),
        admin.api.delete(`/v1/accounts/${owner.accountId}`),
        join(owner.api, {}),
        join(onReplica(admin), { account_id: owner.accountId }),
        logInOrNot(owner.email),
      ]);
      const [ofOwner, ofAdmin] = [
        [201, 401, 403],
        [201, 400],
      ];
      for (const [index, statuses] of [ofOwner, ofAdmin, [200], ofOwner, ofAdmin, [200, 401]].entries())
        expect(statuses).toContain(replies[index]!.status);
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

describe('Concurrent use of one email', () => {
  const upper = fc.array(fc.boolean(), { minLength: 60, maxLength: 60 });

  it.each(['/v1/users', '/v1/accounts'])(
    `creates one of fifty sign-ups in different capitalization: POST %s (${SIGN_UPS} rounds, seed ${SEED})`,
    async (path) => {
      for (let round = 1; round <= SIGN_UPS; round += 1) {
        const email = someEmail();
        const variant = upper.map((flags) => inCase(email, flags));
        const [variants] = draw(fc.uniqueArray(variant, { minLength: 50, maxLength: 50 }), 1, round);
        const more = path === '/v1/accounts' ? { name: 'Lovelace Ltd', type: 'business' } : {};
        const replies = await Promise.all(
          variants!.map((email, index) =>
            (index % 2 ? service : behind).api.post(path, { email, password: PASSWORD, ...more }),
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

  it('succeeds for one of two accounts that change to it', async () => {
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

/** The client of the same person on the other replica. */
function onReplica({ token }: Person): Person['api'] {
  return behind.api.as(token);
}

function inCase(text: string, upper: boolean[]): string {
  return [...text].map((letter, index) => (upper[index] ? letter.toUpperCase() : letter)).join('');
}
