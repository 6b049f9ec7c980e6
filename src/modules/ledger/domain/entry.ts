import { createHash } from 'node:crypto';
import { Direction } from './balance';

/** Whose side of a posting: the account's own, or the clearing account kept beside it for the world outside. */
type Leg = 'customer' | 'clearing';

/** One line of the journal. It is written once and never changed or deleted. */
export class Entry {
  readonly accountId: string;
  /** Counts from 1 within the account, without a gap. */
  readonly number: number;
  readonly transactionId: string;
  readonly leg: Leg;
  /** Minor units: above zero adds to the leg, below zero takes from it. */
  readonly amount: number;
  readonly currency: string;
  /** What the leg amounts to after this entry. */
  readonly balance: number;
  readonly postedAt: Date;
  /** Covers this entry and, through the hash of the one before, every earlier one of the account. */
  readonly hash: Buffer;
}

/** What identifies the end of an account's journal. */
export interface JournalEnd {
  readonly entryCount: number;
  readonly chainHead: Buffer | null;
}

interface Posting {
  readonly accountId: string;
  readonly transactionId: string;
  readonly direction: Direction;
  readonly amount: number;
  readonly currency: string;
  /** The account's posted balance after it. */
  readonly posted: number;
  readonly at: Date;
}

/** The two entries of a posting, which sum to zero, chained to the journal's end. */
export function entriesOf(posting: Posting, end: JournalEnd): [Entry, Entry] {
  const { accountId, transactionId, currency, posted, at: postedAt } = posting;
  const amount = posting.direction === 'in' ? posting.amount : -posting.amount;
  const customer = chained(
    {
      accountId,
      number: end.entryCount + 1,
      transactionId,
      leg: 'customer',
      amount,
      currency,
      balance: posted,
      postedAt,
    },
    end.chainHead,
  );
  const clearing = chained(
    {
      accountId,
      number: end.entryCount + 2,
      transactionId,
      leg: 'clearing',
      amount: -amount,
      currency,
      balance: -posted,
      postedAt,
    },
    customer.hash,
  );
  return [customer, clearing];
}

type Unchained = Omit<Entry, 'hash'>;

function chained(entry: Unchained, before: Buffer | null): Entry {
  return Object.assign(Object.create(Entry.prototype) as Entry, entry, { hash: hashOf(entry, before) });
}

/** SHA-256 over the hash before and every member, in an order that is fixed for good: old chains must verify. */
export function hashOf(entry: Unchained, before: Buffer | null): Buffer {
  const { accountId, number, transactionId, leg, amount, currency, balance, postedAt } = entry;
  const members = JSON.stringify([
    accountId,
    number,
    transactionId,
    leg,
    amount,
    currency,
    balance,
    postedAt.getTime(),
  ]);
  return createHash('sha256')
    .update(before ?? '')
    .update(members)
    .digest();
}
