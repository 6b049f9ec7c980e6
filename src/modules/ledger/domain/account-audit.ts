import type { Entry } from './entry';
import { hashEntry } from './entry';

/** The row of an account, which the audit compares with the account's journal. */
export interface AccountRecord {
  readonly id: string;
  readonly currency: string;
  readonly posted: number;
  readonly held: number;
  readonly pendingIn: number;
  readonly entryCount: number;
  readonly chainHead: Buffer | null;
}

/** The balance that an account should have according to the subledgers, in minor units. */
export interface ExpectedBalance {
  readonly posted: number;
  readonly held: number;
  readonly pendingIn: number;
}

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

  /** Compares the journal, the account's row and the subledgers, after the last entry. */
  end({ posted, held, pendingIn }: ExpectedBalance): string | null {
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

  private faultOf(entry: Entry): string | null {
    if (entry.number !== this.count) return `it should have number ${this.count}`;
    if (!same(entry.hash, hashEntry(entry, this.head)))
      return 'its hash does not follow from the previous entries';
    if (entry.currency !== this.account.currency) return `it is in ${entry.currency}`;
    return entry.leg === 'customer' ? this.faultOfCustomer(entry) : this.faultOfClearing(entry);
  }

  private faultOfCustomer(entry: Entry): string | null {
    if (this.open !== null) return 'the other leg of the previous posting is missing';
    if (entry.balance !== this.posted + entry.amount)
      return 'its balance does not follow from the previous entries';
    return entry.balance < 0 ? 'it takes the balance below zero' : null;
  }

  private faultOfClearing(entry: Entry): string | null {
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
