import { ExtensionPoint } from '../../kernel/extension-point';
import type { IdPrefix } from '../../kernel/ids';
import type { Snapshot, Tx } from '../../platform/database/database';
import type { Direction, LockedAccount } from '../accounts';

/** Money that moves between an account and the outside world. */
export interface Posting {
  /** The id of the row that the posting belongs to. */
  readonly transactionId: string;
  readonly direction: Direction;
  /** Minor units of the account's currency. */
  readonly amount: number;
}

/**
 * Moves the money of one module. A posting is held first; then it is either released or posted. Every method changes the
 * balance of an account that `tx` has locked and that is saved afterwards (`AccountStore.update`).
 */
export interface Subledger {
  /** @throws DomainError `insufficient_funds`; `invalid_request` beyond the largest balance */
  hold(account: LockedAccount, posting: Posting): void;
  /** Ends a held posting without moving money. */
  release(account: LockedAccount, posting: Posting): void;
  /** Makes a held posting final: appends its entries to the journal. */
  post(tx: Tx, account: LockedAccount, posting: Posting, now: Date): void;
}

/** One line of the audit's report about an account. */
export interface AccountFault {
  readonly accountId: string;
  readonly fault: string;
}

/** What the lines of a statement, and entries, say about the rows of a table. A statement stays the same, so this must never change. */
interface StatementLines {
  /** What the postings of all rows are called, such as `payout`, or the column that has it. */
  readonly type: string | { readonly column: string };
  /** The first of these columns that is not null is the reference; if it is empty, or if all are null, there is none. */
  readonly referenceColumns?: readonly string[];
  /** The column that has the name of the other side, or null. */
  readonly counterpartyColumn?: string;
}

/**
 * Declares the table in which a module keeps the money that it holds and posts. Every row whose status is in
 * `postedStatuses` has one posting in the journal, under the row's id, and no other row has one.
 */
export interface SubledgerTable {
  /** Has the columns `account_id`, `id`, `amount` (minor units, above zero), `currency` and `status`. */
  readonly table: string;
  /** The direction of all rows, or of each value of the column `type`; `column` where the column `direction` has it. */
  readonly direction: Direction | Readonly<Record<string, Direction>> | 'column';
  readonly heldStatuses: readonly string[];
  readonly postedStatuses: readonly string[];
  /** The prefix of the ids, where all that comes into an account leaves another one: in totals it has only moved. */
  readonly movesWithin?: IdPrefix;
  /** What statements and entries say about the postings; nothing by default. */
  readonly lines?: StatementLines;
  /** Checks the module's own invariants. */
  readonly faults?: (snapshot: Snapshot) => AsyncIterable<AccountFault[]>;
}

/** What a posting moved, according to the journal or to a subledger. */
export interface PostedAmount {
  readonly accountId: string;
  readonly transactionId: string;
  /** Minor units: above zero came in, below zero went out. */
  readonly amount: number;
  readonly currency: string;
}

/** A row of a subledger whose amount is held or posted. */
export interface SubledgerAmount extends PostedAmount {
  readonly isPosted: boolean;
}

/** The tables whose amounts must explain every posting and every held amount. */
export class Subledgers extends ExtensionPoint<SubledgerTable & { readonly name: string }> {
  /** How the ids of postings begin that move money between accounts. */
  get prefixesWithin(): string[] {
    return this.members.flatMap(({ movesWithin }) => (movesWithin === undefined ? [] : [`${movesWithin}_`]));
  }
}
