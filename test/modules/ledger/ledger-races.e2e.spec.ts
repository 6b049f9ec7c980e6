import fc from 'fast-check';
import { LedgerVerification } from '../../../src/modules/ledger';
import { Reply } from '../../support/api';
import { aTransaction } from '../../support/request-bodies';
import { anAccount, created, Owner, Person, theAdmin } from '../../support/people';
import { draw, rounds, SEED } from '../../support/rounds';
import { startTestService, TestService } from '../../support/service';
import { contextOn } from './context';

const PATH = '/v1/transactions';
const pending = { metadata: { sandbox_outcome: 'pending' } };
const outcome = ({ status, body }: Reply): string => `${status} ${body.error ?? body.status ?? 'created'}`;
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Three replicas on one database whose clocks differ by seconds. */
describe(`Concurrent postings on three replicas (seed ${SEED})`, () => {
  let replicas: [TestService, TestService, TestService];
  let service: TestService;
  let admin: Person;

  beforeAll(async () => {
    service = await startTestService({ ACCESS_TOKEN_TTL: '86400' });
    replicas = [service, await service.replica(), await service.replica()];
    replicas[1].clock.move({ seconds: -2 });
    replicas[2].clock.move({ seconds: 2 });
    admin = await theAdmin(service.api);
  });
  afterAll(async () => {
    const app = await contextOn(service);
    const { faults } = await app.get(LedgerVerification).run(() => undefined);
    await app.close();
    await replicas[1].stop();
    await replicas[2].stop();
    await service.stop();
    expect(faults).toEqual([]);
  });

  /** The client of a person on one of the replicas, in turn. */
  const at = (index: number, { token }: Person) => replicas[index % 3]!.api.as(token);
  const record = ({ api, accountId }: Owner, members: object): Promise<any> =>
    created(api, PATH, aTransaction(accountId, members));
  const balance = async ({ accountId }: Owner): Promise<object> => {
    const { posted, held, pending_in } = (await admin.api.get(`/v1/accounts/${accountId}/balance`)).body;
    return { posted, held, pending_in };
  };
  const settle = (index: number, id: string, to: string) =>
    at(index, admin).post(`${PATH}/${id}/settlement`, { outcome: to });

  it('end a pending transaction once when it is canceled twice, settled and failed, and the balance agrees', async () => {
    const owner = await anAccount(service.api);
    let posted = 1_000_000;
    await record(owner, { type: 'credit', amount: posted });
    const wins: Record<string, number> = {};
    for (let round = 0; round < rounds(15); round += 1) {
      const type = round % 2 ? 'refund' : 'payment';
      const { id } = await record(owner, { ...pending, type, amount: 7 });
      const [order] = draw(
        fc.shuffledSubarray(['cancel', 'cancel', 'succeeded', 'failed'], { minLength: 4 }),
        1,
        round,
      );
      const replies = await Promise.all(
        order!.map((what, index) =>
          what === 'cancel' ? at(index, owner).delete(`${PATH}/${id}`) : settle(index, id, what),
        ),
      );
      const outcomes = replies.map(outcome);
      const won = outcomes.filter((one) => one.startsWith('200'));
      expect(won).toHaveLength(1);
      const state = won[0]!.slice('200 '.length);
      order!.forEach((what, index) => {
        const lost = what === 'cancel' ? '409 not_cancellable' : '409 conflict';
        expect([`200 ${state}`, lost]).toContain(outcomes[index]);
      });
      if (state === 'succeeded') posted += type === 'refund' ? -7 : 7;
      expect((await owner.api.get(`${PATH}/${id}`)).body.status).toBe(state);
      expect(await balance(owner)).toEqual({ posted, held: 0, pending_in: 0 });
      wins[state] = (wins[state] ?? 0) + 1;
    }
    expect(Object.values(wins).reduce((sum, count) => sum + count)).toBe(rounds(15));
  });

  it('post once when one outcome is reported repeatedly, with the same response each time', async () => {
    const owner = await anAccount(service.api);
    for (let round = 1; round <= rounds(5); round += 1) {
      const { id } = await record(owner, { ...pending, amount: 7 });
      const replies = await Promise.all(times(9, (index) => settle(index, id, 'succeeded')));
      expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
      expect(replies[0]!.status).toBe(200);
      expect(await balance(owner)).toEqual({ posted: 7 * round, held: 0, pending_in: 0 });
    }
  });

  it('accept exactly 37 of 200 pending refunds of a balance that funds 37', async () => {
    for (let round = 0; round < rounds(1); round += 1) {
      const [amount] = draw(fc.integer({ min: 1, max: 1_000_000 }), 1, round) as [number];
      const owner = await anAccount(service.api);
      await record(owner, { type: 'credit', amount: 38 * amount - 1 });
      const refund = aTransaction(owner.accountId, { ...pending, type: 'refund', amount });
      const replies = await Promise.all(times(200, (index) => at(index, owner).post(PATH, refund)));
      const outcomes = replies.map(outcome);
      expect(outcomes.filter((one) => one === '201 pending')).toHaveLength(37);
      expect(outcomes.filter((one) => one === '402 insufficient_funds')).toHaveLength(163);
      expect(await balance(owner)).toEqual({ posted: 38 * amount - 1, held: 37 * amount, pending_in: 0 });
    }
  });

  it('accept refunds of one payment up to its amount, although the balance would fund more', async () => {
    for (let round = 0; round < rounds(2); round += 1) {
      const owner = await anAccount(service.api);
      await record(owner, { type: 'credit', amount: 10_000 });
      const payment = await record(owner, { ...pending, amount: 100 });
      await settle(0, payment.id, 'succeeded');
      const requested = draw(fc.integer({ min: 5, max: 40 }), 24, round);
      const replies = await Promise.all(
        requested.map((amount, index) => {
          const script = index % 3 ? {} : pending;
          const members = { type: 'refund', amount, source_transaction_id: payment.id, ...script };
          return at(index, owner).post(PATH, aTransaction(owner.accountId, members));
        }),
      );
      const accepted = replies
        .filter(({ status }) => status === 201)
        .map(({ body }) => body.amount as number);
      const left = 100 - accepted.reduce((sum, amount) => sum + amount, 0);
      expect(left).toBeGreaterThanOrEqual(0);
      replies.forEach((reply, index) => {
        expect(['201 succeeded', '201 pending', '400 invalid_request']).toContain(outcome(reply));
        if (reply.status === 400) expect(requested[index]).toBeGreaterThan(left);
      });
    }
  });

  it('end each transaction once when it is settled while the account closes', async () => {
    for (let round = 0; round < rounds(4); round += 1) {
      const owner = await anAccount(service.api);
      await record(owner, { type: 'credit', amount: 1000 });
      const made = [];
      for (let index = 0; index < 12; index += 1) {
        made.push(
          await record(owner, { ...pending, type: index % 2 ? 'refund' : 'payment', amount: 1 + index }),
        );
      }
      const [outcomes] = draw(
        fc.array(fc.constantFrom('succeeded', 'failed'), { minLength: 12, maxLength: 12 }),
        1,
        round,
      );
      const [closed, ...settled] = await Promise.all([
        at(round, owner).delete('/v1/account'),
        ...made.map(({ id }, index) => settle(index, id, outcomes![index]!)),
      ]);
      expect(closed.status).toBe(200);
      let posted = 1000;
      for (const [index, { id, type, amount }] of made.entries()) {
        const { body } = await admin.api.get(`${PATH}/${id}`);
        const reply = settled[index]!;
        expect(outcome(reply)).toBe(body.status === 'canceled' ? '409 conflict' : `200 ${outcomes![index]}`);
        if (body.status === 'succeeded') posted += type === 'refund' ? -amount : amount;
        expect(body.status).not.toBe('pending');
      }
      expect(await balance(owner)).toEqual({ posted, held: 0, pending_in: 0 });
      expect(closed.body.message).toContain(String(posted));
    }
  });

  it('have increasing times under one account, although the clocks differ', async () => {
    const owner = await anAccount(service.api);
    const made: { id: string; status: string }[] = [];
    for (let index = 0; index < 30; index += 1) {
      const type = ['credit', 'payment', 'refund'][index % 3];
      const body = aTransaction(owner.accountId, { ...(index % 2 ? pending : {}), type, amount: 1 });
      const reply = await at(index * 7 + (index >> 2), owner).post(PATH, body);
      expect(reply.status).toBe(201);
      made.push(reply.body);
      // Settled on another replica than the one of the creation, after a creation on a third.
      const before = made.at(-3);
      if (before?.status === 'pending') {
        expect((await settle(index + 1, before.id, 'succeeded')).status).toBe(200);
      }
    }
    await at(1, owner).delete('/v1/account');
    const disorder = await service.sql(
      `SELECT 'created' FROM (SELECT id, lag(id) OVER w AS before FROM transactions WHERE account_id = $1
         WINDOW w AS (ORDER BY created_at, id)) t WHERE id < before
       UNION ALL SELECT 'updated' FROM transactions WHERE account_id = $1 AND updated_at < created_at
       UNION ALL SELECT 'posted' FROM (SELECT posted_at, lag(posted_at) OVER (ORDER BY number) AS before
         FROM journal_entries WHERE account_id = $1) j WHERE posted_at < before
       UNION ALL SELECT 'posted before created' FROM journal_entries j JOIN transactions t
         ON t.account_id = j.account_id AND t.id = j.transaction_id WHERE j.account_id = $1 AND posted_at < created_at
       UNION ALL SELECT 'posted after the end of its change' FROM journal_entries j JOIN transactions t
         ON t.account_id = j.account_id AND t.id = j.transaction_id WHERE j.account_id = $1 AND posted_at > updated_at
       UNION ALL SELECT 'closed' FROM accounts a JOIN transactions t ON t.account_id = a.id
         WHERE a.id = $1 AND t.created_at > a.closed_at`,
      [owner.accountId],
    );
    expect(disorder).toEqual([]);
  });
});

describe('An account with 5,000 pending transactions', () => {
  it('closes and cancels all of them', async () => {
    const service = await startTestService();
    try {
      const owner = await anAccount(service.api);
      await created(owner.api, PATH, aTransaction(owner.accountId, { type: 'credit', amount: 10_000 }));
      const payment = await created(
        owner.api,
        PATH,
        aTransaction(owner.accountId, { ...pending, amount: 5000 }),
      );
      const admin = await theAdmin(service.api);
      await admin.api.post(`${PATH}/${payment.id}/settlement`, { outcome: 'succeeded' });
      const refund = { ...pending, type: 'refund', amount: 1, source_transaction_id: payment.id };
      const { id } = await created(owner.api, PATH, aTransaction(owner.accountId, refund));
      await service.sql(
        `INSERT INTO transactions (account_id, id, amount, currency, type, status, source_transaction_id, created_at, updated_at)
         SELECT account_id, left(id, -4) || to_char(n, 'FM0000'), amount, currency, type, status, source_transaction_id, created_at, updated_at
         FROM transactions, generate_series(1, 5000) AS n
         WHERE id = $1 AND left(id, -4) || to_char(n, 'FM0000') <> id LIMIT 4999`,
        [id],
      );
      await service.sql('UPDATE accounts SET held = 5000 WHERE id = $1', [owner.accountId]);
      await service.sql('UPDATE transactions SET refunded = 5000 WHERE id = $1', [payment.id]);
      const started = performance.now();
      const { status, body } = await owner.api.delete('/v1/account');
      const seconds = (performance.now() - started) / 1000;
      expect([status, body.status]).toEqual([200, 'closed']);
      expect(seconds).toBeLessThan(20);
      const left = await service.sql(
        `SELECT (SELECT count(*) FROM transactions WHERE account_id = $1 AND status = 'pending') AS pending,
                (SELECT refunded FROM transactions WHERE account_id = $1 AND id = $2) AS refunded, posted, held FROM accounts WHERE id = $1`,
        [owner.accountId, payment.id],
      );
      expect(left).toEqual([{ pending: '0', refunded: '0', posted: '15000', held: '0' }]);
    } finally {
      await service.stop();
    }
  });
});
