import type { DescribedEntry } from '../../domain/entry';
import type { Period } from './period';

/** What the journal has recorded for an account in a period. All amounts are in minor units. */
export interface Statement {
  readonly accountId: string;
  /** As the account is called now: the journal has no names. */
  readonly accountName: string;
  readonly currency: string;
  readonly period: Period;
  readonly openingBalance: number;
  readonly closingBalance: number;
  readonly totalIn: number;
  readonly totalOut: number;
  readonly entryCount: number;
  /** The entries of the account's own leg, oldest first, in batches. */
  readonly entries: AsyncIterable<readonly DescribedEntry[]>;
}
