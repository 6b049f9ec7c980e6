import { hash } from 'node:crypto';
import { HOUR_MS } from '../../kernel/clock';
import type { FieldsOf } from '../../kernel/entity';
import type { LockedAccount } from '../accounts';
import type { Posting } from './ledger';

/**
 * How long after a time nothing is posted any more with that time or an earlier one: no transaction takes as long, and no
 * clock is as wrong.
 */
export const SETTLING_TIME_MS = HOUR_MS;

/** The side of a posting: the account's own, or the clearing account, which represents the outside world. */
export const legs = ['customer', 'clearing'] as const;
export type Leg = (typeof legs)[number];

/** One entry of the journal. It is never changed or deleted. */
export class Entry {
  readonly accountId: string;
  /** Counts from 1 within the account, without a gap. */
  readonly number: number;
  readonly transactionId: string;
  readonly leg: Leg;
  /** Minor units: positive amounts increase the balance of the leg, negative ones decrease it. */
  readonly amount: number;
  readonly currency: string;
  /** The balance of the leg after this entry. */
  readonly balance: number;
  readonly postedAt: Date;
  /** Covers this entry and, through the previous hash, all earlier entries of the account. */
  readonly hash: Buffer;

  private constructor(fields: Unchained, hash: Buffer) {
    Object.assign(this, fields);
    this.hash = hash;
  }

  /** @param previous the hash of the previous entry; null for the first entry of the account */
  static create(entry: Unchained, previous: Buffer | null): Entry {
    return new Entry(entry, hashEntry(entry, previous));
  }
}

/** An entry with what is known about the row that it was posted for. */
export type DescribedEntry = Entry & EntryDescription;

/** What never changes about a row of a subledger, where the module says it. */
export interface EntryDescription {
  readonly type: string | null;
  readonly reference: string | null;
  /** The name of the other side. */
  readonly counterparty: string | null;
}

interface PostingFields extends Posting {
  readonly accountId: string;
  readonly currency: string;
  /** The account's posted balance after the posting. */
  readonly posted: number;
  readonly at: Date;
}

/**
 * Creates the two entries of a posting, which sum to zero and follow the last entry.
 * @param end identifies the last entry of the account's journal
 */
export function createEntries(
  posting: PostingFields,
  { entryCount, chainHead }: Pick<LockedAccount, 'entryCount' | 'chainHead'>,
): [Entry, Entry] {
  const { accountId, transactionId, currency, posted, at: postedAt } = posting;
  const amount = posting.direction === 'in' ? posting.amount : -posting.amount;
  const both = { accountId, transactionId, currency, postedAt };
  const customer = Entry.create(
    { number: entryCount + 1, leg: 'customer', amount, balance: posted, ...both },
    chainHead,
  );
  const clearing = Entry.create(
    { number: entryCount + 2, leg: 'clearing', amount: -amount, balance: -posted, ...both },
    customer.hash,
  );
  return [customer, clearing];
}

type Unchained = Omit<FieldsOf<Entry>, 'hash'>;

/** SHA-256 of the previous hash and of all members. Their order never changes, since old entries must still verify. */
export function hashEntry(entry: Unchained, previous: Buffer | null): Buffer {
  const { accountId, number, transactionId, leg, amount, currency, balance, postedAt } = entry;
  const members = [accountId, number, transactionId, leg, amount, currency, balance, postedAt.getTime()];
  const text = Buffer.from(JSON.stringify(members));
  return hash('sha256', previous === null ? text : Buffer.concat([previous, text]), 'buffer');
}
