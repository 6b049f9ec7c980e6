import type { Backlog } from '../../../platform/database/account-owned-repository';
import type { Direction } from '../../accounts';
import type { Days } from '../../ledger';
import type { Outcome } from '../../processors';
import { type TransactionType, transactionTypes } from '../domain/transaction';

/** How many reasons of failures are returned. */
const MAX_REASONS = 5;

/** From a time to another one (exclusive). */
export interface TimeSpan {
  readonly from: Date;
  readonly until: Date;
}

/** How many transactions of one type have ended in a period. */
export interface OutcomeCounts {
  readonly succeeded: number;
  readonly failed: number;
  /** The sum of those that succeeded, in minor units. */
  readonly amount: bigint;
}

export type OutcomesByType = Readonly<Record<TransactionType, OutcomeCounts>>;

interface FailureCount {
  /** Null where none is known, and for reasons beyond those that are kept. */
  readonly reason: string | null;
  readonly count: number;
}

/** How the transactions in one currency have ended in a period, and in the one before it. */
export interface CurrencyOutcomes {
  readonly currency: string;
  readonly current: OutcomesByType;
  readonly previous: OutcomesByType;
  /** Of the period, the most frequent first. */
  readonly failures: readonly FailureCount[];
}

export interface ComparedOutcomes {
  /** The period before, with which the days are compared. */
  readonly previous: TimeSpan;
  readonly currencies: readonly CurrencyOutcomes[];
}

/** How the transactions of all accounts have ended, and what is pending, for reports of the operator. */
export abstract class OutcomeTotals {
  /**
   * Compares days with as many before them: while the last day is not over, with those up to the same hour.
   * @param currency null for all
   */
  abstract compare(days: Days, currency: string | null, now: Date): Promise<ComparedOutcomes>;
  abstract pending(): Promise<Readonly<Record<Direction, Backlog>>>;
}

/** Transactions of one type that have ended in the same way, in one period. */
export interface OutcomeSum {
  readonly isPrevious: boolean;
  readonly currency: string;
  readonly type: TransactionType;
  readonly outcome: Outcome;
  readonly reason: string | null;
  readonly count: number;
  readonly amount: bigint;
}

/** @returns by currency, in alphabetical order */
export function outcomesByCurrency(sums: readonly OutcomeSum[]): CurrencyOutcomes[] {
  const currencies = [...new Set(sums.map(({ currency }) => currency))].toSorted();
  return currencies.map((currency) => {
    const own = sums.filter((sum) => sum.currency === currency);
    const current = own.filter(({ isPrevious }) => !isPrevious);
    return {
      currency,
      current: byType(current),
      previous: byType(own.filter(({ isPrevious }) => isPrevious)),
      failures: countFailures(current),
    };
  });
}

/** What is counted where no transaction has ended. */
export function noOutcomes(currency: string): CurrencyOutcomes {
  return { currency, current: byType([]), previous: byType([]), failures: [] };
}

function byType(sums: readonly OutcomeSum[]): OutcomesByType {
  const counts = transactionTypes.map((type) => {
    const own = sums.filter((sum) => sum.type === type);
    const ended = (outcome: Outcome): OutcomeSum[] => own.filter((sum) => sum.outcome === outcome);
    const succeeded = ended('succeeded');
    const amount = succeeded.reduce((total, sum) => total + sum.amount, 0n);
    return [type, { succeeded: countOf(succeeded), failed: countOf(ended('failed')), amount }];
  });
  return Object.fromEntries(counts) as OutcomesByType;
}

function countFailures(sums: readonly OutcomeSum[]): FailureCount[] {
  const counts = new Map<string | null, number>();
  for (const { outcome, reason, count } of sums)
    if (outcome === 'failed') counts.set(reason, (counts.get(reason) ?? 0) + count);
  return [...counts]
    .map(([reason, count]) => ({ reason, count }))
    .toSorted((a, b) => b.count - a.count || ((a.reason ?? '') < (b.reason ?? '') ? -1 : 1))
    .slice(0, MAX_REASONS);
}

function countOf(sums: readonly OutcomeSum[]): number {
  return sums.reduce((total, { count }) => total + count, 0);
}
