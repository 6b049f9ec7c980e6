import { LedgerVerification } from '../../../src/modules/ledger';
import { outcome } from '../../support/account-owned';
import { Reply } from '../../support/api';
import { aPaymentLink, Link, Page, statusOf, submitOutcome } from '../../support/payment-page';
import { anAccount, created, Owner, Person, theAdmin } from '../../support/people';
import { aPaymentRequest, aTransaction } from '../../support/request-bodies';
import { rounds } from '../../support/rounds';
import { startTestService, TestService } from '../../support/service';
import { contextOn } from '../../modules/ledger/context';

const PATH = '/v1/transactions';
const ACCOUNTS = 5;
const AMOUNT = 1000;
const SETTLED_BY_DELAY = 3;

/** What an account has before everything happens to it at once. */
interface Prepared {
  readonly owner: Owner;
  /** A payment that is canceled and settled at once. */
  readonly pending: string;
  /** A payment that is refunded. */
  readonly source: string;
  /** A payment request that is paid and canceled at once. */
  readonly link: Link;
}

describe('Requests of every kind to several accounts at once, on two replicas', () => {
  let service: TestService;
  let replica: TestService;
  let admin: Person;

  beforeAll(async () => {
    service = await startTestService();
    replica = await service.replica();
    admin = await theAdmin(service.api);
  });
  afterAll(async () => {
    await replica.stop();
    await service.stop();
  });

  async function prepare(): Promise<Prepared> {
    const owner = await anAccount(service.api);
    const create = async (members: object): Promise<string> =>
      (await created(owner.api, PATH, aTransaction(owner.accountId, { amount: AMOUNT, ...members }))).id;
    const never = { metadata: { sandbox_outcome: 'pending' } };
    const [pending, source] = [await create(never), await create(never)];
    await admin.api.post(`${PATH}/${source}/settlement`, { outcome: 'succeeded' });
    for (let count = 0; count < SETTLED_BY_DELAY; count += 1) await create({});
    return { owner, pending, source, link: await aPaymentLink(service, owner, { amount: AMOUNT }) };
  }

  /** Every second request goes to the replica. */
  function requests({ owner: { accountId, token }, pending, source, link }: Prepared, round: number) {
    const api = (index: number) => [service, replica][(index + round) % 2]!.api;
    const post = (index: number, path: string, body: object): Promise<Reply> =>
      api(index).as(token).post(path, body);
    const page = (index: number): Promise<Page> =>
      submitOutcome(
        [link.url, link.url.replace(service.url, replica.url)][(index + round) % 2]!,
        'succeeded',
      );
    const refund = aTransaction(accountId, {
      type: 'refund',
      amount: AMOUNT / 2,
      source_transaction_id: source,
    });
    const settlement = { outcome: 'succeeded' };
    return {
      settle: [0, 1].map((index) =>
        api(index).as(admin.token).post(`${PATH}/${pending}/settlement`, settlement),
      ),
      cancel: [0, 1].map((index) => api(index).as(token).delete(`${PATH}/${pending}`)),
      refund: [0, 1, 2, 3].map((index) => post(index, PATH, refund)),
      credit: [0, 1, 2, 3].map((index) =>
        post(index, PATH, aTransaction(accountId, { type: 'credit', amount: AMOUNT })),
      ),
      request: [0, 1].map((index) => post(index, '/v1/payments', aPaymentRequest(accountId))),
      press: [0, 1, 2].map(page),
      withdraw: [0, 1].map((index) => api(index).as(token).delete(`/v1/payments/${link.id}`)),
    };
  }

  async function expectOneOrder(one: Prepared, sent: ReturnType<typeof requests>): Promise<void> {
    const outcomes = async (name: Exclude<keyof typeof sent, 'press'>) =>
      (await Promise.all(sent[name])).map(outcome).toSorted();
    const { status } = (await one.owner.api.get(`${PATH}/${one.pending}`)).body;
    const isSettled = status === 'succeeded';
    expect(await outcomes('settle')).toEqual(Array(2).fill(isSettled ? '200 succeeded' : '409 conflict'));
    expect(await outcomes('cancel')).toEqual(
      isSettled ? Array(2).fill('409 not_cancellable') : ['200 canceled', '409 not_cancellable'],
    );
    // Those that exceed the source are rejected for it, or before the credits also for the balance.
    const rejected = expect.stringMatching(/^(400 invalid_request|402 insufficient_funds)$/);
    const refunds = [...Array(2).fill('201 succeeded'), ...Array(2).fill(rejected)];
    expect(await outcomes('refund')).toEqual(refunds);
    expect(await outcomes('credit')).toEqual(Array(4).fill('201 succeeded'));
    expect(await outcomes('request')).toEqual(Array(2).fill('201 pending'));
    expect((await Promise.all(sent.press)).map((page) => page.status)).toEqual(Array(3).fill(303));
    const isPaid = (await statusOf(one.owner.api, one.link)) === 'succeeded';
    expect(await outcomes('withdraw')).toEqual(
      isPaid ? Array(2).fill('409 not_cancellable') : ['200 canceled', '409 not_cancellable'],
    );
    const payments = SETTLED_BY_DELAY + 4 + (isSettled ? 1 : 0) + (isPaid ? 1 : 0);
    const { body } = await one.owner.api.get('/v1/account/balance');
    expect(body).toMatchObject({ posted: payments * AMOUNT, held: 0, pending_in: 0 });
  }

  it('have the results of some order, share database transactions, and leave no fault in the journal', async () => {
    for (let round = 0; round < rounds(3); round += 1) {
      const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, prepare));
      for (const { clock } of [service, replica]) clock.move({ seconds: 61 });
      const due = [service.runDueTasks(), replica.runDueTasks()];
      const sent = accounts.map((one) => requests(one, round));
      await Promise.all([...due, ...sent.flatMap((ofOne) => Object.values(ofOne).flat())]);
      await Promise.all(accounts.map((one, index) => expectOneOrder(one, sent[index]!)));
    }
    const [rows] = await service.sql<{ credits: number; commits: number }>(
      `SELECT count(*)::int AS credits, count(DISTINCT xmin::text)::int AS commits FROM transactions WHERE type = 'credit'`,
    );
    expect(rows!.commits).toBeLessThan(rows!.credits);
    const context = await contextOn(service);
    const { faults } = await context.get(LedgerVerification).run(() => undefined);
    await context.close();
    expect(faults).toEqual([]);
    const failures = [service, replica].flatMap(({ logged }) =>
      logged.filter((line) => line.includes('"level":50')),
    );
    expect(failures).toEqual([]);
  });
});
