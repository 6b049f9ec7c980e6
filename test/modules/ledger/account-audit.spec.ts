import { AccountAudit, AccountRecord } from '../../../src/modules/ledger/domain/account-audit';
import { Direction } from '../../../src/modules/accounts';
import { createEntries, Entry } from '../../../src/modules/ledger/domain/entry';

/** The journal of an account after these movements, and the matching account row. */
function journalOf(...movements: [Direction, number][]): { account: AccountRecord; entries: Entry[] } {
  const entries: Entry[] = [];
  let posted = 0;
  movements.forEach(([direction, amount], index) => {
    posted += direction === 'in' ? amount : -amount;
    const end = { entryCount: entries.length, chainHead: entries.at(-1)?.hash ?? null };
    const at = new Date(Date.UTC(2026, 0, 1, 0, 0, index));
    const posting = {
      accountId: 'acc',
      transactionId: `txn_${index}`,
      direction,
      amount,
      currency: 'USD',
      posted,
      at,
    };
    entries.push(...createEntries(posting, end));
  });
  const chainHead = entries.at(-1)?.hash ?? null;
  const account = {
    id: 'acc',
    currency: 'USD',
    posted,
    held: 0,
    pendingIn: 0,
    entryCount: entries.length,
    chainHead,
  };
  return { account, entries };
}

/** Returns the first fault of an audit, or null. */
function audit(
  account: AccountRecord,
  entries: Entry[],
  sums = { posted: account.posted, held: account.held, pendingIn: account.pendingIn },
): string | null {
  const walk = new AccountAudit(account);
  for (const entry of entries) {
    const fault = walk.entry(entry);
    if (fault !== null) return fault;
  }
  return walk.end(sums);
}

/** The entry with changed members and an unchanged hash. */
function changed(entry: Entry, change: Partial<Entry>): Entry {
  return Object.assign(Object.create(Entry.prototype) as Entry, entry, change);
}

describe('The audit of one account', () => {
  const sound = journalOf(['in', 100], ['out', 30], ['in', 5]);

  it('finds no fault in a correct journal or in an empty one', () => {
    expect(audit(sound.account, sound.entries)).toBeNull();
    expect(audit(journalOf().account, [])).toBeNull();
  });

  it.each<[string, Partial<Entry>]>([
    ['the amount', { amount: 101 }],
    ['the balance', { balance: 7 }],
    ['the currency', { currency: 'EUR' }],
    ['the transaction', { transactionId: 'txn_9' }],
    ['the time', { postedAt: new Date(0) }],
    ['the leg', { leg: 'customer' }],
    ['the hash', { hash: Buffer.alloc(32) }],
  ])('finds a changed %s in any entry', (_, change) => {
    sound.entries.forEach((entry, index) => {
      const same = Object.entries(change).every(([key, value]) => entry[key as keyof Entry] === value);
      if (same) return;
      const tampered = sound.entries.with(index, changed(entry, change));
      expect(audit(sound.account, tampered)).toMatch(new RegExp(`^entry ${index + 1}:`));
    });
  });

  it('finds a missing entry at any position', () => {
    sound.entries.forEach((_, index) => {
      expect(audit(sound.account, sound.entries.toSpliced(index, 1))).not.toBeNull();
    });
  });

  it('finds that the last entry or the last posting is missing', () => {
    expect(audit(sound.account, sound.entries.slice(0, -2))).toMatch(/has 4 entries, the account row has 6/);
  });

  it('finds a chain that was recomputed from a changed entry', () => {
    const forged = journalOf(['in', 1000], ['out', 30], ['in', 5]);
    expect(audit({ ...sound.account, posted: 975 }, forged.entries)).toMatch(
      /the hash of the last entry is not that of the account row/,
    );
  });

  it.each([
    ['posted', { posted: 1 }],
    ['held', { held: 1 }],
    ['pending in', { pendingIn: 1 }],
  ])('finds an account row whose %s differs from the subledgers', (_, change) => {
    const sums = { posted: 75, held: 0, pendingIn: 0 };
    expect(audit(sound.account, sound.entries, { ...sums, ...change })).not.toBeNull();
  });
});
