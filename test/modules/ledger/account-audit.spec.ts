import { AccountAudit, AccountRecord, PostingAudit } from '../../../src/modules/ledger/account-audit';
import { Direction } from '../../../src/modules/accounts';
import { createEntries, Entry, hashEntry } from '../../../src/modules/ledger/entry';

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

describe('An entry', () => {
  it('has a hash that never changes, since old entries must still verify', () => {
    const [customer, clearing] = journalOf(['in', 100]).entries as [Entry, Entry];
    expect([customer.leg, clearing.leg]).toEqual(['customer', 'clearing']);
    expect(customer.hash.toString('hex')).toBe(
      '587bad0afcc67f156fa5e9dba63ab4e62035f5ea9aaff78ff03a670b97e46db2',
    );
    expect(clearing.hash.toString('hex')).toBe(
      '4e62a21621969fb4a03706fd62d92dead64c44892d2fc38b6cba16bb226ec8b0',
    );
    expect(hashEntry(clearing, null)).not.toEqual(clearing.hash);
  });
});

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

  /** The journal of one posting, of which each change has followed its hash: only the sums give it away. */
  function forged(...changes: Partial<Entry>[]): Entry[] {
    let head: Buffer | null = null;
    return journalOf(['in', 100]).entries.map((entry, index) => {
      const next = Entry.create({ ...entry, ...changes[index] }, head);
      head = next.hash;
      return next;
    });
  }
  const { account } = journalOf(['in', 100]);
  const OUT = { amount: -1, balance: -1 };

  it.each<[string, Partial<Entry>[]]>([
    ['entry 1: it is in EUR', [{ currency: 'EUR' }]],
    ['entry 1: its balance does not follow from the previous entries', [{ balance: 99 }]],
    ['entry 1: it takes the balance below zero', [OUT]],
    ['entry 1: it does not belong to the previous entry', [{ leg: 'clearing' }]],
    ['entry 2: the other leg of the previous posting is missing', [{}, { leg: 'customer' }]],
    ['entry 2: it does not belong to the previous entry', [{}, { transactionId: 'txn_9' }]],
    ['entry 2: its posting does not sum to zero', [{}, { amount: -99 }]],
    ['entry 2: its posting does not sum to zero', [{}, { balance: -99 }]],
    ['entry 3: it should have number 2', [{}, { number: 3 }]],
  ])('says "%s" where a forger has recomputed the hashes', (fault, changes) => {
    expect(audit(account, forged(...changes))).toBe(fault);
  });

  it('says that a hash does not follow, also of one that is missing', () => {
    const [first] = journalOf(['in', 100]).entries as [Entry];
    const fault = 'entry 1: its hash does not follow from the previous entries';
    expect(audit(account, [changed(first, { hash: Buffer.alloc(32) })])).toBe(fault);
    expect(audit({ ...account, chainHead: null }, journalOf(['in', 100]).entries)).toBe(
      'the hash of the last entry is not that of the account row',
    );
    expect(audit({ ...journalOf().account, chainHead: Buffer.alloc(32) }, [])).toBe(
      'the hash of the last entry is not that of the account row',
    );
  });

  it('allows a posting that leaves nothing', () => {
    const empty = journalOf(['in', 100], ['out', 100]);
    expect(audit(empty.account, empty.entries)).toBeNull();
  });

  it.each<[string, Partial<AccountRecord>, object]>([
    ['has 2 entries, the account row has 3', { entryCount: 3 }, {}],
    ['entries sum to 100, the account row has 99', { posted: 99 }, {}],
    ['settled amounts sum to 1, the account row has 100', {}, { posted: 1 }],
    ['held amounts sum to 1, the account row has 0', {}, { held: 1 }],
    ['incoming amounts sum to 1, the account row has 0', {}, { pendingIn: 1 }],
  ])('says "%s"', (fault, row, sums) => {
    const sound = { posted: 100, held: 0, pendingIn: 0 };
    expect(audit({ ...account, ...row }, forged(), { ...sound, ...sums })).toBe(fault);
  });

  it('says that the other leg of the last posting is missing', () => {
    expect(audit({ ...account, entryCount: 1 }, forged().slice(0, 1))).toBe(
      'entry 1: its other leg is missing',
    );
  });
});

describe('The audit of postings against the rows of the subledgers', () => {
  const posting = { accountId: 'acc', transactionId: 'txn_1', amount: 5, currency: 'USD' };
  const settled = { ...posting, isPosted: true };
  const open = { ...posting, isPosted: false };

  it.each([
    ['a posting and its row', posting, settled, null],
    ['a row that is not settled', null, open, null],
    ['a posting whose row is not settled', posting, open, 'txn_1: posted, but not recorded as settled'],
    ['a posting without a row', posting, null, 'txn_1: posted, but not recorded as settled'],
    ['a settled row without a posting', null, settled, 'txn_1: recorded as settled, but not posted'],
    ['another amount', { ...posting, amount: 6 }, settled, 'txn_1: posted 6 USD, recorded 5 USD'],
    ['another currency', { ...posting, currency: 'EUR' }, settled, 'txn_1: posted 5 EUR, recorded 5 USD'],
  ])('compares %s', (_, one, row, fault) => {
    const audited = new PostingAudit();
    audited.compare(one, row);
    expect(audited.fault).toBe(fault);
  });

  it('keeps the first fault', () => {
    const audited = new PostingAudit();
    audited.compare(posting, settled);
    audited.compare(null, settled);
    audited.compare({ ...posting, transactionId: 'txn_2' }, null);
    expect(audited.fault).toBe('txn_1: recorded as settled, but not posted');
  });

  it('sums what is settled, held and expected', () => {
    const audited = new PostingAudit();
    for (const amount of [100, -30, 5]) audited.compare({ ...posting, amount }, { ...settled, amount });
    for (const amount of [-7, -1, 20, 2]) audited.compare(null, { ...open, amount });
    expect(audited).toMatchObject({ posted: 75, held: 8, pendingIn: 22, fault: null });
  });
});
