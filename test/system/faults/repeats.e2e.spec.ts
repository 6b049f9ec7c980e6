import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { Api, Reply } from '../../support/api';
import { aPaymentRequest, aSubscription, aTransaction } from '../../support/request-bodies';
import { anOwner, created, Owner, PASSWORD, someEmail, theAdmin } from '../../support/people';
import { draw, SEED } from '../../support/rounds';
import { startTestService, TestService } from '../../support/service';
import { LIMIT_MS, report, repetitions } from './support/form';

/** Many identical requests at the same time, as from an impatient client or from two clients by accident. */
jest.setTimeout(LIMIT_MS);

const AT_ONCE = 100;
const SIGN_UPS = 50;

let service: TestService;
let owner: Owner;

beforeAll(async () => {
  service = await startTestService();
  owner = await anOwner(service.api);
});
afterAll(() => service.stop());

const rounds = (): number => repetitions({ short: 1, long: 20 });
const someone = () => ({ email: someEmail(), password: PASSWORD });

/** A type of creation, and the table that it inserts into. */
interface Creation {
  readonly path: string;
  readonly table: string;
  readonly client: () => Api;
  readonly body: () => Record<string, unknown>;
  /** The body with one different member. */
  readonly other: (body: Record<string, unknown>) => Record<string, unknown>;
}

const creations: Creation[] = [
  {
    path: '/v1/transactions',
    table: 'transactions',
    client: () => owner.api,
    body: () => aTransaction(owner.accountId, { type: 'credit' }),
    other: (body) => ({ ...body, amount: 1 }),
  },
  {
    path: '/v1/payments',
    table: 'payment_requests',
    client: () => owner.api,
    body: () => aPaymentRequest(owner.accountId),
    other: (body) => ({ ...body, amount: 1 }),
  },
  {
    path: '/v1/subscriptions',
    table: 'subscriptions',
    client: () => owner.api,
    body: () => aSubscription(owner.accountId),
    other: (body) => ({ ...body, interval: 'day' }),
  },
  {
    path: '/v1/users',
    table: 'users',
    client: () => service.api,
    body: someone,
    other: (body) => ({ ...body, name: 'Another' }),
  },
  {
    path: '/v1/accounts',
    table: 'accounts',
    client: () => service.api,
    body: () => ({ ...someone(), name: 'Lovelace Ltd', type: 'business' }),
    other: (body) => ({ ...body, name: 'Another Ltd' }),
  },
];

const keyed = (client: Api, path: string, body: object, key: string): Promise<Reply> =>
  client.post(path, body, { headers: { 'idempotency-key': key } });

async function countOf(table: string): Promise<number> {
  const [row] = await service.sql<{ count: string }>(`SELECT count(*) FROM ${table}`);
  return Number(row!.count);
}

describe.each(creations)('POST $path with one Idempotency-Key', ({ path, table, client, body, other }) => {
  it(`creates one row for ${AT_ONCE} concurrent requests and returns the same response to all`, async () => {
    let conflicts = 0;
    for (let round = 0; round < rounds(); round += 1) {
      const [key, request, before] = [randomUUID(), body(), await countOf(table)];
      const replies = await Promise.all(
        Array.from({ length: AT_ONCE }, () => keyed(client(), path, request, key)),
      );
      const made = replies.filter(({ status }) => status === 201);
      const busy = replies.filter((reply) => reply.status === 409 && reply.body.error === 'conflict');
      conflicts += busy.length;
      expect(made.length + busy.length).toBe(AT_ONCE);
      expect(new Set(made.map(({ text }) => text)).size).toBe(1);
      expect(made.filter(({ headers }) => !headers.has('idempotency-replayed'))).toHaveLength(1);
      expect(await countOf(table)).toBe(before + 1);
    }
    report(`${AT_ONCE} x ${path} with one key`, { rounds: rounds(), wrongRounds: 0, conflicts });
  });

  it('rejects another body, also concurrently', async () => {
    for (let round = 0; round < rounds(); round += 1) {
      const [key, request, before] = [randomUUID(), body(), await countOf(table)];
      const bodies = Array.from({ length: AT_ONCE }, (_, index) => (index % 2 ? other(request) : request));
      const replies = await Promise.all(bodies.map((each) => keyed(client(), path, each, key)));
      const winner = replies.findIndex(({ status }) => status === 201);
      replies.forEach(({ status, text, body: received }, index) => {
        if (index % 2 === winner % 2) expect([status, text]).toEqual([201, replies[winner]!.text]);
        else expect([status, received.error]).toEqual([400, 'invalid_request']);
      });
      expect(await countOf(table)).toBe(before + 1);
    }
  });

  it('creates another row for another key', async () => {
    const before = await countOf(table);
    const requests = Array.from({ length: 10 }, () => body());
    await Promise.all(requests.map((request) => keyed(client(), path, request, randomUUID())));
    expect(await countOf(table)).toBe(before + requests.length); // proves that the counts above can fail
  });
});

it(`${AT_ONCE} keyed creations on one account, each sent twice at once, are each stored once and in order`, async () => {
  for (let round = 0; round < rounds(); round += 1) {
    const { api, accountId } = await anOwner(service.api);
    const requests = Array.from({ length: AT_ONCE }, (_, index) =>
      aTransaction(accountId, { type: 'credit', amount: 1, reference: `${index}` }),
    );
    const send = (request: { reference?: string }) =>
      keyed(api, '/v1/transactions', request, request.reference!);
    const [first, second] = await Promise.all([
      Promise.all(requests.map(send)),
      Promise.all(requests.map(send)),
    ]);
    for (const [index, { status, text }] of first.entries()) {
      expect([status, second[index]!.status]).toEqual([201, 201]);
      expect(second[index]!.text).toBe(text);
    }
    const stored = await service.sql<{ id: string; balance: string; number: string }>(
      `SELECT t.id, j.balance, j.number FROM transactions t JOIN journal_entries j
         ON j.account_id = t.account_id AND j.transaction_id = t.id AND j.leg = 'customer'
       WHERE t.account_id = $1 ORDER BY t.id`,
      [accountId],
    );
    const expected = first.map(({ body }) => body.id).toSorted();
    expect(stored.map(({ id }) => id)).toEqual(expected);
    // The journal has the order of the ids, and each posting continues the balance of the one before it.
    expect(stored.map(({ balance, number }) => [Number(balance), Number(number)])).toEqual(
      expected.map((_, index) => [index + 1, index * 2 + 1]),
    );
  }
});

it('The same Idempotency-Key of two principals is independent, also concurrently', async () => {
  const admin = await theAdmin(service.api);
  for (let round = 0; round < rounds(); round += 1) {
    const [key, before] = [randomUUID(), await countOf('transactions')];
    const request = aTransaction(owner.accountId, { type: 'credit' });
    const clients = Array.from({ length: AT_ONCE }, (_, index) => (index % 2 ? owner : admin).api);
    const replies = await Promise.all(clients.map((each) => keyed(each, '/v1/transactions', request, key)));
    expect(replies.every(({ status }) => status === 201)).toBe(true);
    const idsOf = (parity: number): Set<string> =>
      new Set(replies.filter((_, index) => index % 2 === parity).map(({ body }) => body.id));
    expect([idsOf(0).size, idsOf(1).size]).toEqual([1, 1]);
    expect(new Set([...idsOf(0), ...idsOf(1)]).size).toBe(2);
    expect(await countOf('transactions')).toBe(before + 2);
  }
});

describe(`${SIGN_UPS} concurrent sign-ups with one email in different spellings (seed ${SEED})`, () => {
  const signUps = [
    ['/v1/users', {}],
    ['/v1/accounts', { name: 'Lovelace Ltd', type: 'business' }],
  ] as const;

  it.each(signUps)('%s: one is created, the others fail with email_exists', async (path, members) => {
    for (let round = 0; round < rounds(); round += 1) {
      const email = someEmail();
      const replies = await Promise.all(
        spellings(email, round).map((spelling) =>
          service.api.post(path, { email: spelling, password: PASSWORD, ...members }),
        ),
      );
      expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
      const conflicts = replies.filter(
        (reply) => reply.status === 409 && reply.body.error === 'email_exists',
      );
      expect(conflicts).toHaveLength(SIGN_UPS - 1);
    }
    report(`${SIGN_UPS} sign-ups at ${path}`, { rounds: rounds(), wrongRounds: 0 });
    await created(service.api, path, { email: someEmail(), password: PASSWORD, ...members });
  });
});

function spellings(email: string, round: number): string[] {
  const upper = draw(
    fc.array(fc.boolean(), { minLength: email.length, maxLength: email.length }),
    SIGN_UPS,
    round,
  );
  return upper.map((flags) => [...email].map((c, index) => (flags[index] ? c.toUpperCase() : c)).join(''));
}
