import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../../kernel/clock';
import { timeOfId } from '../../kernel/ids';
import { CitusWorkers } from '../../platform/database/citus/citus-workers';
import { Database, Snapshot, Tx } from '../../platform/database/database';
import { DailyTotalsRepository, Days, DayTotals, PostedTotals, TotalsByDay } from './daily-totals';
import { SETTLING_TIME_MS } from './entry';
import { Subledgers } from './ledger';

/** How many rows are read at a time. */
const BATCH = 1_000;

/**
 * After all entries. With an upper bound, too, the planner expects few rows of a time that it does not know, and uses the
 * index.
 */
const END_OF_TIME = new Date('9999-12-31T00:00:00Z');

const COLUMNS = ['currency', 'day', 'total_in', 'total_out', 'total_moved', 'entry_count'] as const;

/** The sums of the customer legs that were posted from one time to another (exclusive). @param within how ids begin of what has moved */
const sumsBetween = (from: string, until: string, within: string): string => `
  SELECT currency, (posted_at AT TIME ZONE 'UTC')::date AS day,
    coalesce(sum(amount) FILTER (WHERE amount > 0), 0) AS total_in,
    coalesce(-sum(amount) FILTER (WHERE amount < 0), 0) AS total_out,
    coalesce(sum(amount) FILTER (WHERE amount > 0 AND transaction_id ^@ ANY (${within}::text[])), 0) AS total_moved,
    count(*) AS entry_count
  FROM journal_entries WHERE leg = 'customer' AND posted_at >= ${from} AND posted_at < ${until}
  GROUP BY 1, 2`;

/** What is added to the kept sums. */
const ADDED = `
  SELECT currency, day::text AS day, total_in, total_out, total_moved, entry_count
  FROM (${sumsBetween('$1', '$2', '$3')}) AS sums`;

const KEEP = `
  INSERT INTO daily_totals (${COLUMNS.join(', ')})
  SELECT * FROM unnest($1::text[], $2::date[], $3::numeric[], $4::numeric[], $5::numeric[], $6::bigint[])
  ON CONFLICT (currency, day) DO UPDATE SET total_in = daily_totals.total_in + excluded.total_in,
    total_out = daily_totals.total_out + excluded.total_out,
    total_moved = daily_totals.total_moved + excluded.total_moved,
    entry_count = daily_totals.entry_count + excluded.entry_count`;

/** Sums of sums by day from $1 to $2, of other days in one row, of the currency $3 or of all. */
const byDay = (sums: string): string => `
  SELECT currency, CASE WHEN day BETWEEN $1::date AND $2::date THEN day::text END AS day,
    sum(total_in)::text AS total_in, sum(total_out)::text AS total_out, sum(total_moved)::text AS total_moved,
    sum(entry_count)::text AS entry_count
  FROM (${sums}) AS sums WHERE $3::text IS NULL OR currency = $3 GROUP BY 1, 2`;

/** The sums of the time that the journal may still add to. */
const RECENT = byDay(sumsBetween('$4', '$5', '$6'));

/** The kept sums, and in each row until when they are kept, so that both are from one moment. */
const KEPT = `
  SELECT rolled_until, kept.* FROM daily_totals_head LEFT JOIN (${byDay('SELECT * FROM daily_totals')}) AS kept ON true`;

type Row = Record<Exclude<(typeof COLUMNS)[number], 'day'>, string> & { day: string | null };
type KeptRow = { rolled_until: Date } & (Row | { currency: null });

@Injectable()
export class SqlDailyTotalsRepository extends DailyTotalsRepository {
  constructor(
    private readonly database: Database,
    private readonly servers: CitusWorkers,
    private readonly subledgers: Subledgers,
  ) {
    super();
  }

  /**
   * The lock of the head lets one replica at a time add. What a worker of Citus has prepared is not visible yet, for hours if
   * the coordinator is lost, so the sums stop before it.
   */
  async rollUp(latest: Date, spanMs: number): Promise<{ added: number; hasMore: boolean }> {
    const unfinished = (await this.servers.oldestUnfinishedCommit()) - SETTLING_TIME_MS;
    const until = new Date(Math.min(latest.getTime(), unfinished));
    return this.database.transaction(async (tx) => {
      const [head] = await tx.query<{ rolled_until: Date }>(
        'SELECT rolled_until FROM daily_totals_head FOR UPDATE SKIP LOCKED',
        [],
      );
      if (head === undefined || head.rolled_until >= until) return { added: 0, hasMore: false };
      const start = head.rolled_until;
      const first = start.getTime() > 0 ? start : await firstTime(tx, until);
      const end = new Date(Math.min(until.getTime(), first.getTime() + spanMs));
      const sums = await tx.read<Row>(ADDED, [start, end, this.subledgers.prefixesWithin]);
      const values = COLUMNS.map((column) => sums.map((row) => row[column]));
      if (sums.length > 0) tx.enqueue(KEEP, values);
      tx.enqueue('UPDATE daily_totals_head SET rolled_until = $1', [end]);
      return { added: sums.reduce((sum, row) => sum + Number(row.entry_count), 0), hasMore: end < until };
    });
  }

  /** The journal keeps what is rolled up in between, so the entries since then are complete whenever they are read. */
  async totals({ from, to }: Days, currency: string | null): Promise<TotalsByDay> {
    const keptRows = await this.database.query<KeptRow>(KEPT, [from, to, currency]);
    const kept = keptRows.filter((row): row is Row & KeptRow => row.currency !== null);
    const since = keptRows[0]!.rolled_until;
    const within = this.subledgers.prefixesWithin;
    const recent = await this.database.query<Row>(RECENT, [from, to, currency, since, END_OF_TIME, within]);
    const merged = new Map<string, PostedTotals & { day: string | null }>();
    for (const row of [...kept, ...recent]) {
      const key = `${row.currency} ${row.day}`;
      const before = merged.get(key);
      merged.set(key, before === undefined ? toTotals(row) : plus(before, toTotals(row)));
    }
    return [...merged.values()];
  }

  async rolledUntil(snapshot: Snapshot): Promise<Date> {
    const sql = 'SELECT rolled_until FROM daily_totals_head';
    for await (const [head] of snapshot.stream<{ rolled_until: Date }>(sql, 1)) return head!.rolled_until;
    throw new Error('The table daily_totals_head is empty.');
  }

  async *kept(snapshot: Snapshot): AsyncIterable<DayTotals[]> {
    const sql = `SELECT currency, day::text AS day, total_in, total_out, total_moved, entry_count
                 FROM daily_totals ORDER BY day, currency`;
    for await (const rows of snapshot.stream<Row & { day: string }>(sql, BATCH)) yield rows.map(toTotals);
  }
}

/**
 * A time before the first entry: that of the oldest account which has any, less a day for wrong clocks.
 * @param otherwise where there is no entry
 */
async function firstTime(tx: Tx, otherwise: Date): Promise<Date> {
  const [oldest] = await tx.read<{ account_id: string }>(
    'SELECT account_id FROM journal_entries ORDER BY account_id LIMIT 1',
    [],
  );
  return oldest === undefined ? otherwise : new Date(timeOfId(oldest.account_id).getTime() - DAY_MS);
}

function toTotals<Day extends string | null>(row: Row & { day: Day }): PostedTotals & { day: Day } {
  return {
    currency: row.currency,
    day: row.day,
    totalIn: BigInt(row.total_in),
    totalOut: BigInt(row.total_out),
    totalMoved: BigInt(row.total_moved),
    entryCount: Number(row.entry_count),
  };
}

function plus<Totals extends PostedTotals>(a: Totals, b: PostedTotals): Totals {
  return {
    ...a,
    totalIn: a.totalIn + b.totalIn,
    totalOut: a.totalOut + b.totalOut,
    totalMoved: a.totalMoved + b.totalMoved,
    entryCount: a.entryCount + b.entryCount,
  };
}
