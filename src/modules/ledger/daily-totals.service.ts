import { Injectable } from '@nestjs/common';
import { DAY_MS, MINUTE_MS } from '../../kernel/clock';
import type { PeriodicTask } from '../../platform/jobs/periodic-tasks';
import { DailyTotalsRepository, Days, DayTotals, TotalsByDay } from './daily-totals';
import { SETTLING_TIME_MS } from './entry';

/** A time span with fewer postings is followed by a longer one. */
const FEW = 100_000;

/** What all accounts hold in one currency, in minor units, and what has moved. */
export interface CurrencyTotals {
  readonly currency: string;
  /** The sum of all entries, so what the accounts hold now. */
  readonly posted: bigint;
  /** The days with entries, the first one first. */
  readonly days: readonly DayTotals[];
}

/**
 * The sums of the journal over all accounts, by currency and day. Sums are kept up to an hour ago, and each read adds
 * the entries since. Counters that every posting writes would be one more row to lock.
 */
@Injectable()
export class DailyTotals implements PeriodicTask {
  readonly name = 'daily totals';
  readonly intervalMs = MINUTE_MS;
  private spanMs = DAY_MS;

  constructor(private readonly repository: DailyTotalsRepository) {}

  /** Adds what was posted to the kept sums, a bounded part at a time. */
  async run(now: Date): Promise<boolean> {
    const { spanMs } = this;
    this.spanMs = DAY_MS; // also after a failure
    const until = new Date(now.getTime() - SETTLING_TIME_MS);
    const { added, hasMore } = await this.repository.rollUp(until, spanMs);
    if (hasMore && added < FEW) this.spanMs = 2 * spanMs;
    return hasMore;
  }

  /** @param currency null for all @returns by currency, in alphabetical order */
  async of(days: Days, currency: string | null): Promise<CurrencyTotals[]> {
    const rows = await this.repository.totals(days, currency);
    const currencies = [...new Set(rows.map((row) => row.currency))].toSorted();
    return currencies.map((name) => sumCurrency(name, rows));
  }
}

function sumCurrency(currency: string, rows: TotalsByDay): CurrencyTotals {
  const own = rows.filter((row) => row.currency === currency);
  const days = own.filter((row): row is DayTotals => row.day !== null);
  return {
    currency,
    posted: own.reduce((sum, { totalIn, totalOut }) => sum + totalIn - totalOut, 0n),
    days: days.toSorted((a, b) => (a.day < b.day ? -1 : 1)),
  };
}
