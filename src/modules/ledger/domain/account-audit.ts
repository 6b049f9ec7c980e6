import { Entry, hashOf } from './entry';

/** What an account's row and its transactions say, against which its journal is held. */
export interface AccountRecord {
  readonly id: string;
  readonly currency: string;
  readonly posted: number;
  readonly held: number;
  readonly pendingIn: number;
  readonly entryCount: number;
  readonly chainHead: Buffer | null;
}

/** The sums of an account's transactions by what has become of them, in minor units. */
export interface TransactionSums {
  /** Succeeded payments and credits less succeeded refunds. */
  readonly posted: number;
  /** Pending refunds. */
  readonly held: number;
  /** Pending payments and credits. */
  readonly pendingIn: number;
}

/** Walks the journal of one account, entry by entry. Each step answers what is wrong, or null. */
export class AccountAudit {
  private count = 0;
  private posted = 0;
  private head: Buffer | null = null;
  private open: Entry | null = null;

  constructor(private readonly account: AccountRecord) {}

  /** The next entry by number. */
  entry(entry: Entry): string | null {
    this.count += 1;
    const fault = this.faultOf(entry);
    this.head = entry.hash;
    if (entry.leg === 'customer') {
      this.posted += entry.amount;
      this.open = entry;
    } else {
      this.open = null;
    }
    return fault === null ? null : `entry ${entry.number}: ${fault}`;
  }

  /** After the last entry: the account's row, and the sums of its transactions. */
  end({ posted, held, pendingIn }: TransactionSums): string | null {
    const { account } = this;
    if (this.open !== null) return `entry ${this.open.number}: its other side is missing`;
    if (this.count !== account.entryCount)
      return `has ${this.count} entries, its row says ${account.entryCount}`;
    if (!same(this.head, account.chainHead)) return 'the last entry is not the one its row names';
    if (this.posted !== account.posted)
      return `entries sum to ${this.posted}, its row says ${account.posted}`;
    if (posted !== account.posted)
      return `settled transactions sum to ${posted}, its row says ${account.posted}`;
    if (held !== account.held) return `pending refunds sum to ${held}, its row holds ${account.held}`;
    if (pendingIn !== account.pendingIn)
      return `pending payments sum to ${pendingIn}, its row expects ${account.pendingIn}`;
    return null;
  }

  private faultOf(entry: Entry): string | null {
    if (entry.number !== this.count) return `it should have number ${this.count}`;
    if (!same(entry.hash, hashOf(entry, this.head)))
      return 'its hash does not follow from the entries before';
    if (entry.currency !== this.account.currency) return `it is in ${entry.currency}`;
    return entry.leg === 'customer' ? this.faultOfCustomer(entry) : this.faultOfClearing(entry);
  }

  private faultOfCustomer(entry: Entry): string | null {
    if (this.open !== null) return 'the other side of the posting before is missing';
    if (entry.balance !== this.posted + entry.amount)
      return 'its balance does not follow from the entries before';
    return entry.balance < 0 ? 'it takes the balance below zero' : null;
  }

  private faultOfClearing(entry: Entry): string | null {
    const { open } = this;
    if (open === null || open.transactionId !== entry.transactionId)
      return 'it is no side of the posting before';
    return open.amount + entry.amount === 0 && open.balance + entry.balance === 0
      ? null
      : 'its posting does not sum to zero';
  }
}

function same(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}
