import { INestApplicationContext } from '@nestjs/common';
import { LedgerVerification } from '../../../src/modules/ledger';
import { contextOn } from '../ledger/context';
import { anAccount, anOperator, created, Owner, Person, theAdmin } from '../../support/people';
import { aTransaction } from '../../support/request-bodies';
import { startTestService, TestService } from '../../support/service';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let service: TestService;
let app: INestApplicationContext;
let admin: Person;

beforeAll(async () => {
  service = await startTestService();
  app = await contextOn(service);
});
// Time passes between the tests, and tokens expire.
beforeEach(async () => {
  admin = await theAdmin(service.api);
});
afterAll(async () => {
  await app.close();
  await service.stop();
});

const totals = async (query = '', { api }: Person = admin) => {
  const { status, body } = await api.get(`/v1/totals${query}`);
  expect(status).toBe(200);
  return body;
};
const faults = async (): Promise<readonly string[]> =>
  (await app.get(LedgerVerification).run(() => undefined)).faults;
const today = (): string => service.clock.now().toISOString().slice(0, 10);

/** The journal itself, by currency and day. */
async function journalByDay(): Promise<any[]> {
  return service.sql(
    `SELECT currency, to_char(posted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS date,
       coalesce(sum(amount) FILTER (WHERE amount > 0 AND NOT moved), 0)::float8 AS total_in,
       coalesce(-sum(amount) FILTER (WHERE amount < 0 AND NOT moved), 0)::float8 AS total_out,
       coalesce(sum(amount) FILTER (WHERE amount > 0 AND moved), 0)::float8 AS total_moved,
       count(*)::integer AS entry_count
     FROM (SELECT *, transaction_id LIKE 'trf%' AS moved FROM journal_entries) AS entries
     WHERE leg = 'customer' GROUP BY 1, 2 ORDER BY 1, 2`,
  );
}

async function expectTheJournal(): Promise<void> {
  const { currencies } = await totals(`?from=${daysAgo(365)}`);
  const shown = currencies.flatMap(({ currency, days }: any) =>
    days.map((day: object) => ({ currency, ...day })),
  );
  const actual = await journalByDay();
  expect(shown).toEqual(actual);
  for (const { currency, posted } of currencies) {
    const own = actual.filter((row) => row.currency === currency);
    expect(posted).toBe(own.reduce((sum, { total_in, total_out }) => sum + total_in - total_out, 0));
  }
}

const daysAgo = (days: number): string =>
  new Date(service.clock.now().getTime() - days * DAY_MS).toISOString().slice(0, 10);

const rolledUntil = async (): Promise<Date> =>
  (await service.sql<{ at: Date }>('SELECT rolled_until AS at FROM daily_totals_head'))[0]!.at;

const post = ({ accountId }: Owner, type: string, amount: number, members: object = {}) =>
  created(admin.api, '/v1/transactions', aTransaction(accountId, { type, amount, ...members }));

describe('The money in the totals', () => {
  it('is the sum of the journal after every step of a history, however much of it is rolled up', async () => {
    const [usd, other, eur] = await Promise.all([
      anAccount(service.api),
      anAccount(service.api),
      anAccount(service.api, { currency: 'EUR' }),
    ]);
    await expectTheJournal();
    for (const [step, minutes] of [0, 7, 50, 61, 0, 24 * 60, 3, 40 * 24 * 60, 62, 24 * 60].entries()) {
      service.clock.move({ minutes });
      admin = await theAdmin(service.api);
      await Promise.all([
        post(usd, 'credit', 100 + step),
        post(other, 'credit', 1_000 * (step + 1)),
        post(eur, 'credit', 7 + step, { currency: 'EUR' }),
        created(admin.api, `/v1/accounts/${eur.accountId}/adjustments`, {
          amount: 3,
          currency: 'EUR',
          direction: 'credit',
          reason: 'A fee was charged twice.',
        }),
      ]);
      await post(usd, 'refund', 30 + step);
      await created(admin.api, '/v1/transfers', {
        from_account_id: other.accountId,
        to_account_id: usd.accountId,
        amount: 500 + step,
        currency: 'USD',
      });
      await expectTheJournal();
      if (step % 2 === 1) continue;
      await service.runDueTasks();
      expect(await rolledUntil()).toEqual(expect.any(Date));
      expect((await rolledUntil()).getTime()).toBeGreaterThan(service.clock.now().getTime() - 2 * HOUR_MS);
      await expectTheJournal();
      expect(await faults()).toEqual([]);
    }
    const [kept] = await service.sql<{ count: number }>(
      'SELECT sum(entry_count)::integer AS count FROM daily_totals',
    );
    expect(kept!.count).toBeGreaterThan(30);
  });

  it('is rolled up once by replicas that do it at the same time, also while it is read', async () => {
    const owner = await anAccount(service.api);
    for (const amount of [1, 2, 3]) await post(owner, 'credit', amount);
    service.clock.move({ days: 1 });
    admin = await theAdmin(service.api);
    const replica = await service.replica();
    replica.clock.move({ seconds: (service.clock.now().getTime() - replica.clock.now().getTime()) / 1000 });
    const before = await journalByDay();
    const reads = Promise.all(Array.from({ length: 10 }, () => totals(`?from=${daysAgo(365)}`)));
    await Promise.all([service.runDueTasks(), replica.runDueTasks(), service.runDueTasks()]);
    for (const { currencies } of await reads)
      expect(currencies.flatMap(({ days }: any) => days).map(({ total_in }: any) => total_in)).toEqual(
        before.map(({ total_in }) => total_in),
      );
    await replica.stop();
    await expectTheJournal();
    expect(await faults()).toEqual([]);
  });

  it('is that of the currency and the days that are asked for; the balance is that of all days', async () => {
    await post(await anAccount(service.api), 'credit', 5);
    const all = await totals();
    expect(all).toMatchObject({ from: daysAgo(29), to: today() });
    const day = await totals(`?currency=USD&from=${today()}&to=${today()}`);
    expect(day.currencies).toHaveLength(1);
    expect(day.currencies[0].posted).toBe(
      all.currencies.find(({ currency }: any) => currency === 'USD').posted,
    );
    expect(day.currencies[0].days).toEqual([expect.objectContaining({ date: today() })]);
    expect((await totals('?currency=JPY')).currencies).toEqual([]);
    for (const to of [daysAgo(3_000), '1970-01-01', '9999-12-31'])
      expect((await totals(`?to=${to}`)).currencies[0].days).toEqual([]);
    const reversed = await totals(`?from=${today()}&to=${daysAgo(1)}`);
    expect(reversed).toMatchObject({ from: today(), to: daysAgo(1) });
    expect(reversed.currencies).toMatchObject(
      all.currencies.map(({ currency, posted }: any) => ({ currency, posted, days: [] })),
    );
  });

  it.each([
    ['a day that there is not', 'from=2026-02-30'],
    ['a day of which the database knows no earlier one', 'to=0001-01-01'],
    ['days of a year that the database does not know', 'from=0000-01-01&to=0000-01-05'],
    ['a day before 1970', 'to=1969-12-31'],
    ['a time', 'to=2026-02-03T10:00:00Z'],
    ['more than 366 days', 'from=2025-01-01&to=2026-01-02'],
    ['an unknown currency', 'currency=usd'],
  ])('is not shown for %s', async (_, query) => {
    const { status, body } = await admin.api.get(`/v1/totals?${query}`);
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });

  it('may be more than the largest amount', async () => {
    const largest = Number.MAX_SAFE_INTEGER;
    for (const owner of await Promise.all([1, 2].map(() => anAccount(service.api, { currency: 'CHF' }))))
      await post(owner, 'credit', largest, { currency: 'CHF' });
    const { currencies } = await totals('?currency=CHF');
    expect(currencies[0].posted).toBe(2 * largest);
    service.clock.move({ days: 1 });
    await service.runDueTasks();
    expect(await faults()).toEqual([]);
  });
});

describe('What waits', () => {
  it('is counted and added up, with the oldest of each kind', async () => {
    const owner = await anAccount(service.api, { currency: 'GBP' });
    const pending = { currency: 'GBP', metadata: { sandbox_outcome: 'pending' } };
    await post(owner, 'credit', 500, { currency: 'GBP' });
    const none = await totals();
    expect(none.unapplied_payments).toEqual({ count: 0, has_more: false, needs_attention: 0, amounts: [] });
    expect(none.failed_deliveries).toEqual({ count: 0, has_more: false });
    const noEndpoints = { count: 0, has_more: false };
    expect(none.webhook_endpoints).toEqual({ failing: noEndpoints, disabled: noEndpoints });
    const oldest = await post(owner, 'refund', 20, pending);
    await post(owner, 'payment', 40, pending);
    await post(owner, 'credit', 2, pending);
    const support = await anOperator(service.api, 'support');
    const { pending_transactions } = await totals('', support);
    expect(pending_transactions).toEqual({
      count: none.pending_transactions.count + 3,
      has_more: false,
      amounts: expect.arrayContaining([{ currency: 'GBP', total_in: 42, total_out: 20 }]),
      oldest: { id: oldest.id, account_id: owner.accountId, created_at: oldest.created_at },
    });
  });

  it('includes unapplied payments that are not returned, and deliveries that failed', async () => {
    const { accountId } = await anAccount(service.api);
    const rows = (statuses: readonly string[]) =>
      statuses.map((status, index) => [`unp_01k9x8v2t4e6rb3m5n7p9q1s0${index}`, status]);
    for (const [id, status] of rows(['returned', 'needs_attention', 'received']))
      await service.sql(
        `INSERT INTO unapplied_payments (account_id, id, payment_request_id, amount, currency, reason, status, attempts,
           round, created_at, updated_at)
         VALUES ($1, $2, 'pay_1', 70, 'USD', 'canceled', $3, 1, 1, '2026-11-01T10:00:00Z', now())`,
        [accountId, id, status],
      );
    for (const [index, status] of ['succeeded', 'failed', 'failed'].entries())
      await service.sql(
        `INSERT INTO webhook_deliveries (account_id, id, endpoint_id, event_id, event_type, status, attempts, created_at)
         VALUES ($1, $2, 'whk_01k9x8v2t4e6rb3m5n7p9q1s0w', 'evt_1', 'transaction.created', $3, 10, '2026-11-02T10:00:00Z')`,
        [accountId, `whd_01k9x8v2t4e6rb3m5n7p9q1s0${index}`, status],
      );
    const { unapplied_payments, failed_deliveries } = await totals();
    expect(unapplied_payments).toEqual({
      count: 2,
      has_more: false,
      needs_attention: 1,
      amounts: [{ currency: 'USD', amount: 140 }],
      oldest: {
        id: 'unp_01k9x8v2t4e6rb3m5n7p9q1s01',
        account_id: accountId,
        created_at: '2026-11-01T10:00:00.000Z',
      },
    });
    expect(failed_deliveries).toEqual({
      count: 2,
      has_more: false,
      oldest: {
        id: 'whd_01k9x8v2t4e6rb3m5n7p9q1s01',
        account_id: accountId,
        webhook_id: 'whk_01k9x8v2t4e6rb3m5n7p9q1s0w',
        created_at: '2026-11-02T10:00:00.000Z',
      },
    });
  });

  it('is counted up to 10,000', async () => {
    const { accountId } = await anAccount(service.api);
    await service.sql(
      `INSERT INTO unapplied_payments (account_id, id, payment_request_id, amount, currency, reason, status, attempts,
         round, created_at, updated_at)
       SELECT $1, 'unp_01k9x8v2t4e6rb3m5n' || lpad(n::text, 8, '0'), 'pay_1', 1, 'JPY', 'canceled', 'received', 1, 1, now(), now()
       FROM generate_series(1, 10001) AS n`,
      [accountId],
    );
    const { count, has_more, amounts } = (await totals()).unapplied_payments;
    expect(has_more).toBe(true);
    // One other payment waits with another status.
    expect([count, amounts.find(({ currency }: any) => currency === 'JPY').amount]).toEqual([10_001, 10_000]);
    await service.sql(`DELETE FROM unapplied_payments WHERE currency = 'JPY'`);
  });
});

describe('The verification of the ledger', () => {
  it.each([
    [
      'a changed sum',
      `UPDATE daily_totals SET total_in = total_in + 1`,
      /^daily totals of .* in, .* the journal has/,
    ],
    ['a changed count', `UPDATE daily_totals SET entry_count = entry_count + 1`, /^daily totals of/],
    [
      'a missing day',
      `DELETE FROM daily_totals`,
      /: 0 in, 0 out and 0 of it moved in 0 postings, the journal has/,
    ],
    [
      'a day that the journal does not have',
      `UPDATE daily_totals SET day = '2020-02-03'`,
      /^daily totals of 2020-02-03 in EUR: .* the journal has 0 in/,
    ],
    [
      'entries that are not added up',
      `UPDATE daily_totals_head SET rolled_until = rolled_until + interval '1 year'`,
      /^daily totals of/,
    ],
  ])('finds %s in the kept sums', async (_, defect, fault) => {
    await post(await anAccount(service.api), 'credit', 5);
    expect(await faults()).toEqual([]);
    const one = `WHERE (currency, day) = (SELECT currency, min(day) FROM daily_totals WHERE currency = 'EUR' GROUP BY 1)`;
    const kept = await service.sql<Record<string, unknown>>('SELECT *, day::text AS day FROM daily_totals');
    const until = await rolledUntil();
    await service.sql(defect.includes('_head') ? defect : `${defect} ${one}`);
    expect(await faults()).toEqual(expect.arrayContaining([expect.stringMatching(fault)]));
    await service.sql('TRUNCATE daily_totals');
    await service.sql(
      `INSERT INTO daily_totals SELECT * FROM jsonb_populate_recordset(null::daily_totals, $1::jsonb)`,
      [JSON.stringify(kept)],
    );
    await service.sql('UPDATE daily_totals_head SET rolled_until = $1', [until]);
    expect(await faults()).toEqual([]);
  });

  it('passes after the kept sums were removed and computed again', async () => {
    await service.sql(
      `TRUNCATE daily_totals; UPDATE daily_totals_head SET rolled_until = '1970-01-01T00:00:00Z'`,
    );
    expect(await faults()).toEqual([]);
    await expectTheJournal();
    await service.runDueTasks();
    await expectTheJournal();
    expect(await faults()).toEqual([]);
    expect((await service.sql('SELECT 1 FROM daily_totals')).length).toBeGreaterThan(3);
  });
});
