import { anAccount, created, Owner, Person, theAdmin } from '../../support/people';
import { aTransaction } from '../../support/request-bodies';
import { startTestService, TestService } from '../../support/service';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Ended {
  readonly at: number;
  readonly currency: string;
  readonly type: 'payment' | 'credit' | 'refund';
  readonly outcome: 'succeeded' | 'failed';
  readonly amount: number;
  readonly reason?: string;
}

let service: TestService;
let admin: Person;
/** What has ended, in the order in which it did. */
let history: Ended[];

beforeEach(async () => {
  service = await startTestService();
  admin = await theAdmin(service.api);
  history = [];
});
afterEach(() => service.stop());

const now = (): number => service.clock.now().getTime();
const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
const startOfDay = (at: number): number => at - (at % DAY_MS);

async function moveTo(at: number): Promise<void> {
  service.clock.move({ seconds: (at - now()) / 1000 });
  admin = await theAdmin(service.api);
}

const totals = async (query: string) => {
  const { status, body } = await admin.api.get(`/v1/totals${query}`);
  expect(status).toBe(200);
  return body;
};

/** Creates a transaction that ends at once, as the sandbox or an admin says. */
async function end(
  { accountId }: Owner,
  currency: string,
  type: Ended['type'],
  amount: number,
  outcome: Ended['outcome'] = 'succeeded',
  reason?: string,
): Promise<void> {
  const body = aTransaction(accountId, { currency, type, amount });
  const metadata = { sandbox_outcome: reason === undefined && type !== 'payment' ? outcome : 'pending' };
  const { id, status } = await created(admin.api, '/v1/transactions', { ...body, metadata });
  const at = now();
  if (status === 'pending') {
    const report = { outcome, ...(reason !== undefined && { failure_reason: reason }) };
    const settled = await admin.api.post(`/v1/transactions/${id}/settlement`, report);
    expect(settled.body.status).toBe(outcome);
    history.push({ at, currency, type, outcome, amount, ...(reason !== undefined && { reason }) });
  } else {
    const { body: read } = await admin.api.get(`/v1/transactions/${id}`);
    expect(status).toBe(outcome);
    history.push({ at, currency, type, outcome, amount, reason: read.failure_reason });
  }
}

/** What the response should have of the history. */
function expected(currency: string, from: number, until: number) {
  const own = history.filter((one) => one.currency === currency && one.at >= from && one.at < until);
  const counts = (type: Ended['type']) => {
    const succeeded = own.filter((one) => one.type === type && one.outcome === 'succeeded');
    return {
      succeeded: succeeded.length,
      failed: own.filter((one) => one.type === type && one.outcome === 'failed').length,
      amount: succeeded.reduce((sum, { amount }) => sum + amount, 0),
    };
  };
  return { payments: counts('payment'), credits: counts('credit'), refunds: counts('refund') };
}

/** Compares the response about some days with the history. @returns it */
async function expectHistory(from: number, to: number, currencies: readonly string[]) {
  const body = await totals(`?from=${day(from)}&to=${day(to)}`);
  const [start, stop] = [startOfDay(from), startOfDay(to) + DAY_MS];
  const at = now();
  const over = Math.min(stop, at - (at % HOUR_MS) + HOUR_MS);
  const [previousStart, previousStop] = [start - (stop - start), over - (stop - start)];
  expect(body.previous_period).toEqual({
    from: new Date(previousStart).toISOString(),
    until: new Date(previousStop).toISOString(),
  });
  expect(body.currencies.map(({ currency }: any) => currency)).toEqual(currencies);
  for (const { currency, outcomes, previous_outcomes } of body.currencies) {
    expect({ currency, outcomes }).toEqual({ currency, outcomes: expected(currency, start, stop) });
    expect({ currency, previous_outcomes }).toEqual({
      currency,
      previous_outcomes: expected(currency, previousStart, previousStop),
    });
  }
  return body;
}

const summedUntil = async (): Promise<number> =>
  (await service.sql<{ at: Date }>('SELECT summed_until AS at FROM hourly_outcomes_head'))[0]!.at.getTime();

describe('How transactions ended', () => {
  it('is that of a known history at every time, with refunds, failures and currencies, kept or not', async () => {
    const [usd, eur] = await Promise.all([
      anAccount(service.api),
      anAccount(service.api, { currency: 'EUR' }),
    ]);
    const gbp = await anAccount(service.api, { currency: 'GBP' });
    const first = startOfDay(now()) + 2 * DAY_MS;
    // Both sides of midnight, of an hour, and of the hour at which a comparison ends.
    const times = [0, 1, HOUR_MS - 1, HOUR_MS, DAY_MS - 1, DAY_MS, DAY_MS + 2 * HOUR_MS, 2 * DAY_MS + HOUR_MS]
      .concat([3 * DAY_MS - 1, 3 * DAY_MS, 3 * DAY_MS + 2 * HOUR_MS, 5 * DAY_MS + 90 * 60_000])
      .map((ms) => first + ms);
    for (const [step, at] of times.entries()) {
      await moveTo(at);
      await end(usd, 'USD', 'credit', 1_000 + step);
      await end(usd, 'USD', 'payment', 500 + step);
      await end(usd, 'USD', 'refund', 100 + step);
      await end(eur, 'EUR', 'credit', 10 * (step + 1), step % 3 === 0 ? 'failed' : 'succeeded');
      await end(eur, 'EUR', 'payment', 70, 'failed', step % 2 === 0 ? 'Card expired.' : 'Account closed.');
      if (step === 4) await end(gbp, 'GBP', 'payment', 3, 'failed', 'Card expired.');
      const currencies = ['EUR', ...(step < 4 ? [] : ['GBP']), 'USD'];
      for (const days of [0, 1, 3]) {
        await expectHistory(now() - days * DAY_MS, now(), step < 4 || days < 3 ? inPeriod(days) : currencies);
        if (step % 2 === 1) await service.runDueTasks();
      }
    }
    expect(await summedUntil()).toBe(now() - (now() % HOUR_MS) - HOUR_MS);
    const [kept] = await service.sql<{ count: number }>(
      'SELECT sum(count)::integer AS count FROM hourly_outcomes',
    );
    expect(kept!.count).toBe(history.filter(({ at }) => at < now() - 2 * HOUR_MS).length);
  });

  /** The currencies with money, and those in which something ended in the days or before them. */
  function inPeriod(days: number): string[] {
    const length = (days + 1) * DAY_MS;
    const since = startOfDay(now()) - days * DAY_MS - length;
    const recent = history.filter(({ at }) => at >= since).map(({ currency }) => currency);
    const moneyed = history.filter(({ outcome }) => outcome === 'succeeded').map(({ currency }) => currency);
    return [...new Set([...recent, ...moneyed])].toSorted();
  }

  it('does not change when a transaction is annotated later, and leaves out what is pending or canceled', async () => {
    const owner = await anAccount(service.api);
    await end(owner, 'USD', 'payment', 5, 'failed', 'Card expired.');
    const pending = aTransaction(owner.accountId, { metadata: { sandbox_outcome: 'pending' } });
    await created(admin.api, '/v1/transactions', pending);
    const { id } = await created(admin.api, '/v1/transactions', pending);
    await owner.api.delete(`/v1/transactions/${id}`);
    const [{ id: failed }] = (await admin.api.get('/v1/transactions?status=failed')).body.data;
    await moveTo(now() + 2 * DAY_MS);
    const changed = await admin.api.patch(`/v1/transactions/${failed}`, {
      reference: 'asked for another card',
    });
    expect(changed.status).toBe(200);
    await service.runDueTasks();
    await expectHistory(now() - 2 * DAY_MS, now(), ['USD']);
    await expectHistory(now(), now(), []);
  });

  it('counts failures by reason, the most frequent first, also those without one', async () => {
    const owner = await anAccount(service.api);
    const reasons = { 'Card expired.': 3, 'Account closed.': 2, B: 1, C: 1, D: 1, E: 1 };
    for (const [reason, count] of Object.entries(reasons))
      for (let index = 0; index < count; index += 1) await end(owner, 'USD', 'payment', 5, 'failed', reason);
    for (const hours of [0, 3]) {
      await moveTo(now() + hours * HOUR_MS);
      await service.runDueTasks();
      const { currencies } = await totals(`?from=${day(now() - DAY_MS)}`);
      expect(currencies[0].failure_reasons).toEqual([
        { failure_reason: 'Card expired.', count: 3 },
        { failure_reason: 'Account closed.', count: 2 },
        ...['B', 'C', 'D'].map((failure_reason) => ({ failure_reason, count: 1 })),
      ]);
    }
    expect((await totals('?currency=EUR')).currencies).toEqual([]);
  });

  it('keeps 100 reasons of an hour, and all others as one', async () => {
    const { accountId } = await anAccount(service.api);
    await insertFailures(accountId, 'frequent', 150, 2);
    await insertFailures(accountId, 'rare', 30, 1);
    await moveTo(now() + 3 * HOUR_MS);
    await service.runDueTasks();
    const kept = await service.sql<{ reason: string; count: number }>(
      'SELECT reason, count::integer AS count FROM hourly_outcomes ORDER BY count DESC',
    );
    expect(kept).toHaveLength(101);
    expect(kept[0]).toEqual({ reason: '', count: 50 * 2 + 30 });
    const { currencies } = await totals(`?from=${day(now() - DAY_MS)}`);
    expect(currencies[0].outcomes.payments.failed).toBe(150 * 2 + 30);
    expect(currencies[0].failure_reasons[0]).toEqual({ failure_reason: null, count: 130 });
  });

  /** Events of payments that failed now, each of several reasons some times. */
  async function insertFailures(accountId: string, text: string, reasons: number, times: number) {
    const { body } = await admin.api.get('/v1/events?type=account.created');
    const prefix = (body.data[0].id as string).slice(0, 14);
    await service.sql(
      `INSERT INTO events (account_id, id, type, object_id, sequence, object, created_at)
       SELECT $1, $2 || substr(md5($3 || reason || ' ' || time), 1, 16), 'transaction.failed', 'txn_1', 1,
         json_build_object('currency', 'USD', 'type', 'payment', 'amount', 1, 'failure_reason', $3 || reason), $4
       FROM generate_series(1, $5::int) AS reason, generate_series(1, $6::int) AS time`,
      [accountId, prefix, text, service.clock.now(), reasons, times],
    );
  }

  it('is added up once by replicas that do it at the same time', async () => {
    const owner = await anAccount(service.api);
    for (const amount of [1, 2, 3]) await end(owner, 'USD', 'credit', amount);
    await moveTo(now() + DAY_MS);
    const replica = await service.replica();
    replica.clock.move({ seconds: (now() - replica.clock.now().getTime()) / 1000 });
    await Promise.all([service.runDueTasks(), replica.runDueTasks(), service.runDueTasks()]);
    await replica.stop();
    const [kept] = await service.sql(
      'SELECT sum(count)::integer AS count, sum(amount)::integer AS amount FROM hourly_outcomes',
    );
    expect(kept).toEqual({ count: 3, amount: 6 });
    await expectHistory(now() - DAY_MS, now(), ['USD']);
  });

  it('misses nothing of an idle month, after which the events are deleted', async () => {
    const owner = await anAccount(service.api);
    await end(owner, 'USD', 'credit', 8);
    await end(owner, 'USD', 'payment', 5, 'failed', 'Card expired.');
    await moveTo(now() + 40 * DAY_MS);
    await service.runDueTasks();
    expect(await service.sql(`SELECT FROM events WHERE type LIKE 'transaction.%'`)).toEqual([]);
    await expectHistory(now() - 45 * DAY_MS, now(), ['USD']);
  });

  it('is compared with nothing where days are reversed or to come', async () => {
    const owner = await anAccount(service.api);
    await end(owner, 'USD', 'credit', 8);
    const nothing = { succeeded: 0, failed: 0, amount: 0 };
    const none = { payments: nothing, credits: nothing, refunds: nothing };
    for (const query of [
      `?from=${day(now())}&to=${day(now() - DAY_MS)}`,
      `?from=${day(now())}&to=${day(now() - 3 * DAY_MS)}`,
      '?to=9999-12-31',
      '?from=1970-01-01&to=1970-01-01',
    ]) {
      const { currencies } = await totals(query);
      expect(currencies).toEqual([
        expect.objectContaining({
          currency: 'USD',
          posted: 8,
          outcomes: none,
          previous_outcomes: none,
          failure_reasons: [],
        }),
      ]);
    }
  });
});
