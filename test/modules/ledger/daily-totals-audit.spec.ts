import { DailyTotalsAudit, DayTotals } from '../../../src/modules/ledger/daily-totals';
import { Entry, Leg } from '../../../src/modules/ledger/entry';

async function* batch<Item>(...items: Item[]): AsyncIterable<Item[]> {
  yield items;
}

const entry = (postedAt: string, amount: number, currency = 'USD', leg: Leg = 'customer'): Entry =>
  ({ postedAt: new Date(postedAt), amount, currency, leg, transactionId: 'txn_1' }) as Entry;

const kept = (
  day: string,
  totalIn: number,
  totalOut: number,
  entryCount: number,
  totalMoved = 0,
): DayTotals => ({
  day,
  currency: 'USD',
  totalIn: BigInt(totalIn),
  totalOut: BigInt(totalOut),
  totalMoved: BigInt(totalMoved),
  entryCount,
});

const entries = [
  entry('2026-01-30T00:00:00.000Z', 100),
  entry('2026-01-30T23:59:59.999Z', -30),
  entry('2026-01-30T23:59:59.999Z', 30, 'USD', 'clearing'),
  entry('2026-01-31T00:00:00.000Z', 5),
  entry('2026-01-31T12:00:00.000Z', 7), // the sums are kept until then
];
const sound = [kept('2026-01-30', 100, 30, 2), kept('2026-01-31', 5, 0, 1)];

async function faultsOf(sums: DayTotals[], posted = entries): Promise<string[]> {
  const audit = new DailyTotalsAudit(new Date('2026-01-31T12:00:00.000Z'), ['out_', 'trf_']);
  const passed: Entry[] = [];
  for await (const some of audit.watch(batch(...posted))) passed.push(...some);
  expect(passed).toEqual(posted);
  return audit.faults(batch(...sums));
}

describe('The audit of the daily totals', () => {
  it('accepts sums of the customer legs by day, until the time that they are kept up to', async () => {
    expect(await faultsOf(sound)).toEqual([]);
  });

  it.each([
    [kept('2026-01-30', 99, 30, 2), '99 in, 30 out and 0 of it moved in 2 postings'],
    [kept('2026-01-30', 100, 31, 2), '100 in, 31 out and 0 of it moved in 2 postings'],
    [kept('2026-01-30', 100, 30, 3), '100 in, 30 out and 0 of it moved in 3 postings'],
  ])('finds a day with other sums (case %#)', async (wrong, text) => {
    expect(await faultsOf([wrong, sound[1]!])).toEqual([
      `daily totals of 2026-01-30 in USD: ${text}, the journal has 100 in, 30 out and 0 of it moved in 2 postings`,
    ]);
  });

  it('finds a sum of what has moved between accounts that is wrong', async () => {
    const day = '2026-01-30T00:00:00.000Z';
    const moved = [entry(day, -40), entry(day, 40)].map((one) => ({ ...one, transactionId: 'trf_1' }));
    expect(await faultsOf([kept('2026-01-30', 40, 40, 2, 40)], moved)).toEqual([]);
    expect(await faultsOf([kept('2026-01-30', 40, 40, 2)], moved)).toHaveLength(1);
  });

  it('finds a day that is not kept, one without entries, and another currency', async () => {
    const nothing = '0 in, 0 out and 0 of it moved in 0 postings';
    expect(await faultsOf([sound[0]!, kept('2026-01-29', 1, 0, 1)])).toEqual([
      `daily totals of 2026-01-29 in USD: 1 in, 0 out and 0 of it moved in 1 postings, the journal has ${nothing}`,
      `daily totals of 2026-01-31 in USD: ${nothing}, the journal has 5 in, 0 out and 0 of it moved in 1 postings`,
    ]);
    expect(await faultsOf(sound, [...entries, entry('2026-01-31T00:00:00.000Z', 9, 'EUR')])).toEqual([
      `daily totals of 2026-01-31 in EUR: ${nothing}, the journal has 9 in, 0 out and 0 of it moved in 1 postings`,
    ]);
  });
});
