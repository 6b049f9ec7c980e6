import { DAY_MS } from '../../../kernel/clock';
import type { DayTotals } from './daily-totals';
import type { Entry } from './entry';

type Sums = Pick<DayTotals, 'totalIn' | 'totalOut' | 'entryCount'>;

const NOTHING: Sums = { totalIn: 0n, totalOut: 0n, entryCount: 0 };

/** Compares the kept sums of days with the entries of the journal. Its memory grows with the days, not the entries. */
export class DailyTotalsAudit {
  private readonly byDay = new Map<string, Sums>();

  /** @param rolledUntil until when the sums are kept (exclusive) */
  constructor(private readonly rolledUntil: Date) {}

  /** Adds up the entries that pass. */
  async *watch(batches: AsyncIterable<Entry[]>): AsyncIterable<Entry[]> {
    for await (const batch of batches) {
      for (const entry of batch) this.add(entry);
      yield batch;
    }
  }

  private add({ leg, postedAt, currency, amount }: Entry): void {
    if (leg !== 'customer' || postedAt >= this.rolledUntil) return;
    const key = buildKey(Math.floor(postedAt.getTime() / DAY_MS), currency);
    const { totalIn, totalOut, entryCount } = this.byDay.get(key) ?? NOTHING;
    this.byDay.set(key, {
      totalIn: amount > 0 ? totalIn + BigInt(amount) : totalIn,
      totalOut: amount < 0 ? totalOut - BigInt(amount) : totalOut,
      entryCount: entryCount + 1,
    });
  }

  /** @param kept the kept sums, which are read after all entries have passed @returns one line for each that is wrong */
  async faults(kept: AsyncIterable<DayTotals[]>): Promise<string[]> {
    const lines: string[] = [];
    for await (const batch of kept) {
      for (const sums of batch) {
        const key = buildKey(Date.parse(sums.day) / DAY_MS, sums.currency);
        lines.push(...findFault(sums.day, sums.currency, sums, this.byDay.get(key) ?? NOTHING));
        this.byDay.delete(key);
      }
    }
    for (const [key, actual] of this.byDay) {
      const [day, currency] = key.split(' ') as [string, string];
      lines.push(
        ...findFault(new Date(Number(day) * DAY_MS).toISOString().slice(0, 10), currency, NOTHING, actual),
      );
    }
    return lines;
  }
}

function buildKey(day: number, currency: string): string {
  return `${day} ${currency}`;
}

function findFault(day: string, currency: string, kept: Sums, actual: Sums): string[] {
  const isSame =
    kept.totalIn === actual.totalIn &&
    kept.totalOut === actual.totalOut &&
    kept.entryCount === actual.entryCount;
  return isSame
    ? []
    : [`daily totals of ${day} in ${currency}: ${text(kept)}, the journal has ${text(actual)}`];
}

function text({ totalIn, totalOut, entryCount }: Sums): string {
  return `${totalIn} in and ${totalOut} out in ${entryCount} postings`;
}
