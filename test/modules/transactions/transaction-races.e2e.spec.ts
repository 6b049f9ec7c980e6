import fc from 'fast-check';
import { outcome } from '../../support/account-owned';
import { Reply } from '../../support/api';
import { aTransaction } from '../../support/request-bodies';
import { anOwner, created, Owner, theAdmin } from '../../support/people';
import { draw, rounds, SEED } from '../../support/rounds';
import { startTestService, TestService } from '../../support/service';

const PATH = '/v1/transactions';
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Sends requests to two replicas on one database. */
describe(`Concurrent requests on two replicas (seed ${SEED})`, () => {
  let service: TestService;
  let replica: TestService;

  beforeAll(async () => {
    service = await startTestService();
    replica = await service.replica();
  });
  afterAll(async () => {
    await replica.stop();
    await service.stop();
  });

  const balance = async ({ accountId }: Owner): Promise<object> =>
    (
      await service.sql<object>('SELECT posted, held, pending_in FROM accounts WHERE id = $1', [accountId])
    )[0]!;

  it('accept exactly 37 of 200 refunds of a balance that funds 37', async () => {
    for (let round = 0; round < rounds(2); round += 1) {
      const [amount] = draw(fc.integer({ min: 1, max: 1_000_000 }), 1, round);
      const [rest] = draw(fc.integer({ min: 0, max: amount! - 1 }), 1, round);
      const owner = await anOwner(service.api);
      await created(
        owner.api,
        PATH,
        aTransaction(owner.accountId, { type: 'credit', amount: 37 * amount! + rest! }),
      );
      const elsewhere = replica.api.as(owner.token);
      const refund = aTransaction(owner.accountId, { type: 'refund', amount });
      const replies = await Promise.all(
        times(200, (index) => (index % 2 ? owner.api : elsewhere).post(PATH, refund)),
      );
      const outcomes = replies.map(outcome);
      expect(outcomes.filter((one) => one === '201 succeeded')).toHaveLength(37);
      expect(outcomes.filter((one) => one === '402 insufficient_funds')).toHaveLength(163);
      expect(await balance(owner)).toEqual({ posted: `${rest}`, held: '0', pending_in: '0' });
      const [sum] = await service.sql(
        'SELECT count(*), sum(amount) FROM transactions WHERE account_id = $1 AND type = $2',
        [owner.accountId, 'refund'],
      );
      expect(sum).toEqual({ count: '37', sum: `${37 * amount!}` });
    }
  });

  it('cancel a pending transaction once, and concurrent annotations keep it canceled', async () => {
    const owner = await anOwner(service.api);
    const elsewhere = replica.api.as(owner.token);
    for (let round = 0; round < rounds(12); round += 1) {
      const { id } = await created(owner.api, PATH, aTransaction(owner.accountId));
      const path = `${PATH}/${id}`;
      const [order] = draw(
        fc.shuffledSubarray(['cancel', 'cancel', 'patch', 'patch', 'cancel'], { minLength: 5 }),
        1,
        round,
      );
      const replies = await Promise.all(
        order!.map((what, index) => {
          const api = index % 2 ? owner.api : elsewhere;
          return what === 'cancel'
            ? api.delete(path)
            : api.patch(path, { metadata: { [`from_${index}`]: round } });
        }),
      );
      const cancels = replies.filter((_, index) => order![index] === 'cancel').map(outcome);
      expect(cancels.toSorted()).toEqual(['200 canceled', '409 not_cancellable', '409 not_cancellable']);
      const patches = replies.filter((_, index) => order![index] === 'patch');
      expect(patches.map(({ status }) => status)).toEqual([200, 200]);
      const { body } = await owner.api.get(path);
      expect(body.status).toBe('canceled');
      expect(Object.keys(body.metadata)).toHaveLength(2); // neither annotation was lost
    }
    expect(await balance(owner)).toEqual({ posted: '0', held: '0', pending_in: '0' });
  });

  it('create nothing after closed_at while the account closes', async () => {
    const admin = await theAdmin(service.api);
    for (let round = 0; round < rounds(5); round += 1) {
      const owner = await anOwner(service.api);
      const send = (index: number): Promise<Reply> =>
        (index % 2 ? admin.api : replica.api.as(admin.token)).post(PATH, aTransaction(owner.accountId));
      const before = times(5, send);
      const [closed, ...replies] = await Promise.all([
        owner.api.delete('/v1/account'),
        ...before,
        ...times(10, send),
      ]);
      expect(closed.status).toBe(200);
      for (const reply of replies) {
        expect(['201 pending', '403 forbidden']).toContain(outcome(reply));
        if (reply.status === 201) expect(reply.body.created_at <= closed.body.closed_at).toBe(true);
      }
      const open = await service.sql(
        `SELECT id FROM transactions WHERE account_id = $1 AND status <> 'canceled'`,
        [owner.accountId],
      );
      expect(open).toEqual([]);
      expect(await balance(owner)).toMatchObject({ pending_in: '0' });
    }
  });

  it('leave a balance that is the sum of the acknowledged transactions', async () => {
    for (let round = 0; round < rounds(3); round += 1) {
      const owner = await anOwner(service.api);
      const movement = fc.record({
        type: fc.constantFrom('credit', 'refund', 'payment'),
        amount: fc.integer({ min: 1, max: 500 }),
      });
      const requested = draw(movement, 60, round);
      const replies = await Promise.all(
        requested.map((members, index) =>
          (index % 2 ? owner.api : replica.api.as(owner.token)).post(
            PATH,
            aTransaction(owner.accountId, members),
          ),
        ),
      );
      const sum = (type: string): number =>
        replies
          .filter(({ status, body }) => status === 201 && body.type === type)
          .reduce((total, { body }) => total + body.amount, 0);
      for (const reply of replies)
        expect(['201 succeeded', '201 pending', '402 insufficient_funds']).toContain(outcome(reply));
      expect(await balance(owner)).toEqual({
        posted: `${sum('credit') - sum('refund')}`,
        held: '0',
        pending_in: `${sum('payment')}`,
      });
    }
  });
});
