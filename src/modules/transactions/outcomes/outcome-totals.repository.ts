import { Injectable } from '@nestjs/common';
import { HOUR_MS } from '../../../kernel/clock';
import { Database } from '../../../platform/database/database';
import { EventSum, EventSums } from '../../events';
import { outcomes } from '../../processors';
import { TransactionType } from '../domain/transaction';
import { OutcomeSum, TimeSpan } from './outcome-totals';

const EVENTS = {
  types: outcomes.map((outcome) => `transaction.${outcome}`),
  by: ['currency', 'type', 'failure_reason'],
  summed: 'amount',
};

/** Reasons are free text: the most frequent ones of an hour and currency are kept, and all others as one without text. */
const MAX_REASONS = 100;

const KEEP = `
  INSERT INTO hourly_outcomes (hour, currency, type, outcome, reason, count, amount)
  SELECT hour, currency, type, outcome, CASE WHEN place <= ${MAX_REASONS} THEN reason ELSE '' END, sum(count), sum(amount)
  FROM (SELECT *, row_number() OVER (PARTITION BY currency ORDER BY count DESC, reason) AS place
        FROM unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::numeric[])
          AS sums (hour, currency, type, outcome, reason, count, amount)) AS added
  GROUP BY 1, 2, 3, 4, 5`;

/** The kept sums of two periods, and in each row until when they are kept, so that both are from one moment. */
const KEPT = `
  SELECT summed_until, kept.* FROM hourly_outcomes_head LEFT JOIN (
    SELECT hour < $3 AS "isPrevious", currency, type, outcome, nullif(reason, '') AS reason, sum(count)::float8 AS count,
      sum(amount)::text AS amount
    FROM hourly_outcomes
    WHERE hour >= $1 AND hour < $4 AND (hour < $2 OR hour >= $3) AND ($5::text IS NULL OR currency = $5)
    GROUP BY 1, 2, 3, 4, 5) AS kept ON true`;

type KeptSum = Omit<OutcomeSum, 'amount'> & { readonly amount: string };
type KeptRow = { readonly summed_until: Date } & (KeptSum | { readonly currency: null });

/** In SQL, since it adds up. */
@Injectable()
export class OutcomeTotalsRepository {
  constructor(
    private readonly database: Database,
    private readonly events: EventSums,
  ) {}

  /**
   * Adds the next hour with events that ends at `latest` or earlier. The lock of the head lets one replica at a time add.
   * @returns whether there may be more
   */
  addHour(latest: Date): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const [head] = await tx.query<{ summed_until: Date }>(
        'SELECT summed_until FROM hourly_outcomes_head FOR UPDATE SKIP LOCKED',
        [],
      );
      if (head === undefined || head.summed_until >= latest) return false;
      const first = (await this.events.firstSince(tx, EVENTS.types, head.summed_until)) ?? latest;
      const start = Math.min(Math.floor(first.getTime() / HOUR_MS) * HOUR_MS, latest.getTime());
      const end = new Date(Math.min(start + HOUR_MS, latest.getTime()));
      const sums = await this.events.between(tx, EVENTS, new Date(start), end);
      if (sums.length > 0) tx.enqueue(KEEP, columnsOf(sums));
      tx.enqueue('UPDATE hourly_outcomes_head SET summed_until = $1', [end]);
      return end < latest;
    });
  }

  async summedUntil(): Promise<Date> {
    const sql = 'SELECT summed_until FROM hourly_outcomes_head';
    return (await this.database.query<{ summed_until: Date }>(sql, []))[0]!.summed_until;
  }

  /**
   * Sums of two periods, of which the first ends before the second. Events are kept until they are added, so those since
   * then are complete whenever they are read.
   * @param currency null for all
   */
  async sums(previous: TimeSpan, current: TimeSpan, currency: string | null): Promise<OutcomeSum[]> {
    const params = [previous.from, previous.until, current.from, current.until, currency];
    const rows = await this.database.query<KeptRow>(KEPT, params);
    const kept = rows.flatMap(({ summed_until: _until, ...sum }) =>
      sum.currency === null ? [] : [{ ...sum, amount: BigInt(sum.amount) }],
    );
    const since = rows[0]!.summed_until;
    if (since >= current.until) return kept;
    const recent = await this.events.between(this.database, EVENTS, since, current.until);
    const isWithin = ({ from, until }: TimeSpan, hour: Date): boolean => hour >= from && hour < until;
    return [
      ...kept,
      ...recent.flatMap((sum) => {
        const isPrevious = isWithin(previous, sum.hour);
        const one = { isPrevious, ...toOutcome(sum) };
        const isAsked = currency === null || one.currency === currency;
        return isAsked && (isPrevious || isWithin(current, sum.hour)) ? [one] : [];
      }),
    ];
  }
}

function toOutcome({ eventType, values, count, sum: amount }: EventSum): Omit<OutcomeSum, 'isPrevious'> {
  const [currency, type, reason] = values as [string, TransactionType, string | null];
  const outcome = outcomes.find((name) => eventType === `transaction.${name}`)!;
  return { currency, type, outcome, reason, count, amount };
}

/** The params of KEEP. */
function columnsOf(sums: readonly EventSum[]): unknown[] {
  const rows = sums.map((sum) => {
    const { reason, amount, ...outcome } = toOutcome(sum);
    return { hour: sum.hour, ...outcome, reason: reason ?? '', amount: String(amount) };
  });
  const members = ['hour', 'currency', 'type', 'outcome', 'reason', 'count', 'amount'] as const;
  return members.map((member) => rows.map((row) => row[member]));
}
