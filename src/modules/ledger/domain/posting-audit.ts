import type { ExpectedBalance } from './account-audit';
import type { PostedAmount, SubledgerAmount } from './subledgers';

/** Compares the postings of one account with the rows of the subledgers. */
export class PostingAudit {
  /** The first difference, or null. */
  fault: string | null = null;
  private posted = 0;
  private held = 0;
  private pendingIn = 0;

  /** The sums of the rows. */
  get balance(): ExpectedBalance {
    const { posted, held, pendingIn } = this;
    return { posted, held, pendingIn };
  }

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
