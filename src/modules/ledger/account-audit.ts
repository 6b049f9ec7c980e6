import type { Account } from '../accounts';
import { type Entry, hashEntry } from './entry';
import type { PostedAmount, SubledgerAmount } from './ledger';

/** The row of an account, which the audit compares with the account's journal. */
export type AccountRecord = Pick<
  Account,
  'id' | 'currency' | 'posted' | 'held' | 'pendingIn' | 'entryCount' | 'chainHead'
>;

/** Checks the journal of one account, entry by entry. Each method returns the fault that it finds, or null. */
export class AccountAudit {
  private count = 0;
  private posted = 0;
  private head: Buffer | null = null;
  private open: Entry | null = null;

  constructor(private readonly account: AccountRecord) {}

  /** Checks the next entry by number. */
  entry(entry: Entry): string | null {
    this.count += 1;
    const fault = this.findFault(entry);
    this.head = entry.hash;
    if (entry.leg === 'customer') {
      this.posted += entry.amount;
      this.open = entry;
    } else {
      this.open = null;
    }
    return fault === null ? null : `entry ${entry.number}: ${fault}`;
  }

  /** Compares the journal, the account's row and the sums of the subledgers, after the last entry. */
  end({ posted, held, pendingIn }: Pick<PostingAudit, 'posted' | 'held' | 'pendingIn'>): string | null {
    const { account } = this;
    if (this.open !== null) return `entry ${this.open.number}: its other leg is missing`;
    if (this.count !== account.entryCount)
      return `has ${this.count} entries, the account row has ${account.entryCount}`;
    if (!same(this.head, account.chainHead))
      return 'the hash of the last entry is not that of the account row';
    if (this.posted !== account.posted)
      return `entries sum to ${this.posted}, the account row has ${account.posted}`;
    if (posted !== account.posted)
      return `settled amounts sum to ${posted}, the account row has ${account.posted}`;
    if (held !== account.held) return `held amounts sum to ${held}, the account row has ${account.held}`;
    if (pendingIn !== account.pendingIn)
      return `incoming amounts sum to ${pendingIn}, the account row has ${account.pendingIn}`;
    return null;
  }

  private findFault(entry: Entry): string | null {
    if (entry.number !== this.count) return `it should have number ${this.count}`;
    if (!same(entry.hash, hashEntry(entry, this.head)))
      return 'its hash does not follow from the previous entries';
    if (entry.currency !== this.account.currency) return `it is in ${entry.currency}`;
    return entry.leg === 'customer' ? this.findCustomerFault(entry) : this.findClearingFault(entry);
  }

  private findCustomerFault(entry: Entry): string | null {
    if (this.open !== null) return 'the other leg of the previous posting is missing';
    if (entry.balance !== this.posted + entry.amount)
      return 'its balance does not follow from the previous entries';
    return entry.balance < 0 ? 'it takes the balance below zero' : null;
  }

  private findClearingFault(entry: Entry): string | null {
    const { open } = this;
    if (open === null || open.transactionId !== entry.transactionId)
      return 'it does not belong to the previous entry';
    return open.amount + entry.amount === 0 && open.balance + entry.balance === 0
      ? null
      : 'its posting does not sum to zero';
  }
}

function same(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}

/** Compares the postings of one account with the rows of the subledgers. */
export class PostingAudit {
  /** The first difference, or null. */
  fault: string | null = null;
  /** The sums of the rows: the balance that the account should have, in minor units. */
  posted = 0;
  held = 0;
  pendingIn = 0;

  /** Compares a posting and a row of the same id, of which one may be missing. */
  compare(posting: PostedAmount | null, row: SubledgerAmount | null): void {
    if (row !== null) this.add(row);
    this.fault ??= difference(posting, row);
  }

  private add({ amount, isPosted }: SubledgerAmount): void {
    if (isPosted) this.posted += amount;
    else if (amount < 0) this.held -= amount;
    else this.pendingIn += amount;
  }
}

function difference(posting: PostedAmount | null, row: SubledgerAmount | null): string | null {
  if (posting !== null && row?.isPosted) {
    const isEqual = posting.amount === row.amount && posting.currency === row.currency;
    return isEqual ? null : `${row.transactionId}: posted ${money(posting)}, recorded ${money(row)}`;
  }
  if (posting !== null) return `${posting.transactionId}: posted, but not recorded as settled`;
  return row?.isPosted ? `${row.transactionId}: recorded as settled, but not posted` : null;
}

function money({ amount, currency }: PostedAmount): string {
  return `${amount} ${currency}`;
}
