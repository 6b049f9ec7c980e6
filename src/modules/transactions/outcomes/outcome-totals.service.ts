import { Injectable } from '@nestjs/common';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../kernel/clock';
import { CitusWorkers } from '../../../platform/database/citus/citus-workers';
import type { Backlog } from '../../../platform/database/account-owned-repository';
import type { PeriodicTask } from '../../../platform/jobs/periodic-tasks';
import type { Direction } from '../../accounts';
import { Days, SETTLING_TIME_MS } from '../../ledger';
import { TransactionsRepository } from '../domain/transactions.repository';
import { ComparedOutcomes, outcomesByCurrency, OutcomeTotals } from './outcome-totals';
import { OutcomeTotalsRepository } from './outcome-totals.repository';

/**
 * How the transactions of all accounts have ended, by the hour in which they did, currency and type, with the reasons of
 * failures. A periodic task adds each hour to kept sums once it is complete, and each read adds the hours since.
 *
 * The events tell it: they are in the order of time, written once in the transaction of each change, and indexed by type,
 * so a creation or settlement costs no statement, column or index more. The rows of transactions have no time of their end,
 * since later changes move `updated_at`, and the journal knows no failures. Hours allow for the comparison of a day that is
 * not over with the same part of another one.
 */
@Injectable()
export class OutcomeTotalsService extends OutcomeTotals implements PeriodicTask {
  readonly name = 'outcome totals';
  readonly intervalMs = MINUTE_MS;

  constructor(
    private readonly repository: OutcomeTotalsRepository,
    private readonly transactions: TransactionsRepository,
    private readonly servers: CitusWorkers,
  ) {
    super();
  }

  /** Adds the next hour with events, unless what a worker of Citus has prepared may still become visible in it. */
  async run(now: Date): Promise<boolean> {
    const unfinished = await this.servers.oldestUnfinishedCommit();
    return this.repository.addHour(startOfHour(Math.min(now.getTime(), unfinished) - SETTLING_TIME_MS));
  }

  /** Until when the hours are kept. */
  summedUntil(): Promise<Date> {
    return this.repository.summedUntil();
  }

  pending(): Promise<Readonly<Record<Direction, Backlog>>> {
    return this.transactions.backlogs();
  }

  async compare({ from, to }: Days, currency: string | null, now: Date): Promise<ComparedOutcomes> {
    const [start, end] = [Date.parse(from), Date.parse(to) + DAY_MS];
    const length = end - start;
    const over = Math.min(end, startOfHour(now.getTime() + HOUR_MS).getTime());
    const previous = {
      from: new Date(start - length),
      until: new Date(Math.max(start - length, over - length)),
    };
    const current = { from: new Date(start), until: new Date(Math.max(start, over)) };
    return {
      previous,
      currencies: outcomesByCurrency(await this.repository.sums(previous, current, currency)),
    };
  }
}

function startOfHour(timeMs: number): Date {
  return new Date(Math.floor(timeMs / HOUR_MS) * HOUR_MS);
}
