import { isId } from '../../../src/kernel/ids';
import { Account, AccountChange } from '../../../src/modules/accounts/domain/account';
import {
  accountLifecycle,
  settableStatuses,
  transitionTo,
} from '../../../src/modules/accounts/domain/account.lifecycle';

const noon = new Date('2026-03-01T12:00:00.000Z');
const states = ['active', 'suspended', 'pending', 'closed'] as const;
type Status = (typeof states)[number];

describe('A new account', () => {
  it('has an id of its kind', () => {
    expect(isId('acc', anAccount().id)).toBe(true);
  });
});

describe('The status of an account (interface 3.2)', () => {
  it('is one of four states, initially active', () => {
    expect(accountLifecycle.states).toEqual(states);
    expect(accountLifecycle.initial).toEqual(['active']);
    expect(anAccount().status).toBe('active');
  });

  it('can be set by operators to every state except closed', () => {
    expect(settableStatuses).toEqual(['active', 'suspended', 'pending']);
    expect(settableStatuses.map((status) => accountLifecycle.transitions[transitionTo[status]].to)).toEqual(
      settableStatuses,
    );
  });

  /** For every state and transition: the next state, or null where the transition is rejected. */
  const table: [from: Status, move: keyof typeof accountLifecycle.transitions, to: Status | null][] = [
    ['active', 'activate', 'active'],
    ['active', 'suspend', 'suspended'],
    ['active', 'makePending', 'pending'],
    ['active', 'close', 'closed'],
    ['suspended', 'activate', 'active'],
    ['suspended', 'suspend', 'suspended'],
    ['suspended', 'makePending', 'pending'],
    ['suspended', 'close', 'closed'],
    ['pending', 'activate', 'active'],
    ['pending', 'suspend', 'suspended'],
    ['pending', 'makePending', 'pending'],
    ['pending', 'close', 'closed'],
    ['closed', 'activate', null],
    ['closed', 'suspend', null],
    ['closed', 'makePending', null],
    ['closed', 'close', null],
  ];

  it('has exactly these states and transitions', () => {
    expect(table).toHaveLength(
      accountLifecycle.states.length * Object.keys(accountLifecycle.transitions).length,
    );
  });

  it.each(table)('in the state %s with the transition %s', (from, move, to) => {
    if (to === null)
      expect(() => accountLifecycle.transition(move, from)).toThrow(
        expect.objectContaining({ code: 'conflict' }),
      );
    else expect(accountLifecycle.transition(move, from)).toBe(to);
  });

  it.each(states.flatMap((from) => settableStatuses.map((to) => [from, to] as const)))(
    'changes from %s to %s',
    (from, to) => {
      const account = anAccount({ status: from });
      const change = () => account.change({ status: to }, after(5));
      if (from !== 'closed') {
        change();
        expect(account).toMatchObject({ status: to, updatedAt: after(5), closedAt: null });
      } else {
        expect(change).toThrow(expect.objectContaining({ code: 'conflict' }));
        expect(account).toEqual(anAccount({ id: account.id, status: from }));
      }
    },
  );

  it('is final once closed, and closed_at stays the same', () => {
    const account = anAccount();
    account.close(after(5));
    expect(account).toMatchObject({ status: 'closed', closedAt: after(5), updatedAt: after(5) });
    expect(() => account.close(after(6))).toThrow(expect.objectContaining({ code: 'conflict' }));
    expect(() => account.change({ name: 'New' }, after(6))).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    );
    expect(account).toMatchObject({ name: 'Lovelace Ltd', closedAt: after(5), updatedAt: after(5) });
  });

  it('has a closed_at after its last change, also when the clock steps back', () => {
    const account = anAccount();
    account.issueId('txn', after(1));
    account.change({ name: 'King Ltd' }, after(10));
    account.close(after(5));
    expect(account.closedAt!.getTime()).toBeGreaterThan(after(10).getTime());
  });

  it('has a closed_at after everything created under the account, also when the clock steps back', () => {
    const account = anAccount();
    const { at } = account.issueId('txn', after(10));
    account.close(after(5));
    expect(account.closedAt!.getTime()).toBeGreaterThan(at.getTime());
    expect(account.updatedAt).toEqual(account.closedAt);
  });
});

describe('What the audit log shows of an account', () => {
  it('is what can be changed', () => {
    expect(anAccount().audited()).toEqual({
      name: 'Lovelace Ltd',
      email: 'books@example.com',
      status: 'active',
      settings: { currency: 'USD', timezone: 'UTC', language: 'en' },
    });
  });
});

describe('Operations that an account status allows', () => {
  it('are those of everyone, unless it is said that an admin asks', () => {
    const closed = anAccount({ status: 'closed' });
    expect(closed.isOpenFor('refund')).toBe(false);
    expect(() => closed.assertOpenFor('refund')).toThrow(expect.objectContaining({ code: 'forbidden' }));
  });

  /** The operations that are open to everyone, and those that only admins may perform. */
  const table: [Status, string[], string[]][] = [
    ['active', ['payment', 'credit', 'refund', 'transfer'], []],
    ['pending', ['payment', 'credit'], []],
    ['suspended', [], []],
    ['closed', [], ['refund']],
  ];

  it.each(table)('%s', (status, everyone, admin) => {
    for (const business of ['payment', 'credit', 'refund', 'transfer'] as const) {
      for (const byAdmin of [false, true]) {
        const allowed = everyone.includes(business) || (byAdmin && admin.includes(business));
        const account = anAccount({ status });
        const attempt = () => account.assertOpenFor(business, byAdmin);
        expect(account.isOpenFor(business, byAdmin)).toBe(allowed);
        if (allowed) expect(attempt).not.toThrow();
        else expect(attempt).toThrow(expect.objectContaining({ code: 'forbidden' }));
      }
    }
  });
});

describe('The settings of an account', () => {
  it('default to USD, UTC and en', () => {
    expect(settingsOf(anAccount())).toEqual({ currency: 'USD', timezone: 'UTC', language: 'en' });
  });

  it.each([
    [{ currency: 'EUR' }, { currency: 'EUR', timezone: 'UTC', language: 'en' }],
    [
      { timezone: 'Asia/Tokyo', language: 'ja' },
      { currency: 'USD', timezone: 'Asia/Tokyo', language: 'ja' },
    ],
    [{}, { currency: 'USD', timezone: 'UTC', language: 'en' }],
  ])('use defaults for what %j does not set', (settings, whole) => {
    expect(
      settingsOf(Account.create({ email: 'a@example.com', name: 'A', type: 'individual', settings }, noon)),
    ).toEqual(whole);
  });

  it('are merged with the existing settings', () => {
    const account = anAccount();
    account.change({ settings: { timezone: 'Europe/Berlin' } }, after(1));
    account.change({ settings: { currency: 'EUR' } }, after(2));
    expect(settingsOf(account)).toEqual({ currency: 'EUR', timezone: 'Europe/Berlin', language: 'en' });
    expect(account.updatedAt).toEqual(after(2));
  });

  it('cannot change the currency after an id was issued under the account, but everything else', () => {
    const account = anAccount();
    account.issueId('pay', after(1));
    const wish = { name: 'Another', settings: { language: 'fr', currency: 'EUR' } };
    expect(() => account.change(wish, after(2))).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
    expect(settingsOf(account)).toEqual({ currency: 'USD', timezone: 'UTC', language: 'en' });
    account.change({ settings: { language: 'fr', currency: 'USD' } }, after(2));
    account.change({ settings: { timezone: 'Asia/Tokyo' } }, after(3));
    expect(settingsOf(account)).toEqual({ currency: 'USD', timezone: 'Asia/Tokyo', language: 'fr' });
  });
});

describe('A change of an account', () => {
  it('keeps unnamed members', () => {
    const account = anAccount();
    account.change({ name: 'King Ltd' }, after(5));
    expect(account).toEqual(anAccount({ id: account.id, name: 'King Ltd', updatedAt: after(5) }));
    account.change({ email: 'king@example.com' }, after(6));
    const both = { name: 'King Ltd', email: 'king@example.com' };
    expect(account).toEqual(anAccount({ id: account.id, ...both, updatedAt: after(6) }));
  });

  it.each([
    ['does not advance', 0],
    ['steps back', -3600],
  ])('advances updated_at when the clock %s', (_, seconds) => {
    const account = anAccount();
    account.change({ name: 'King Ltd' }, after(seconds));
    account.change({ email: 'king@example.com' }, after(seconds));
    account.close(after(seconds));
    expect(account.updatedAt).toEqual(new Date(noon.getTime() + 3));
  });
});

describe('Ids under an account', () => {
  it('increase, also within a millisecond and when the clock steps back', () => {
    const account = anAccount();
    const clock = [0, 0, 1, 1, 1, -3600, -3600, 0, 1, 2, -1, 2, 3].map(after);
    const issued = clock.map((now) => account.issueId('txn', now));
    const ids = issued.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
    const times = issued.map(({ at }) => at.getTime());
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(ids.every((id) => isId('txn', id))).toBe(true);
  });

  /** An account whose last id is of that time and number. */
  const withLast = (seconds: number, number: number): Account =>
    anAccount({ lastIdAt: after(seconds), lastIdNumber: number });

  it.each<[string, Account, Account, number, number]>([
    ['which have issued none', anAccount(), anAccount(), 0, 0],
    ['of which the other has issued one', anAccount(), withLast(5, 7), 5, 8],
    ['of which only the first has issued one', withLast(5, 7), anAccount(), 5, 8],
    ['of which the other has issued a later one', withLast(4, 9), withLast(5, 7), 5, 8],
    ['of which the first has issued a later one', withLast(5, 7), withLast(4, 9), 5, 8],
    ['of which the other has issued more at one time', withLast(5, 7), withLast(5, 9), 5, 10],
    ['of which the first has issued more at one time', withLast(5, 9), withLast(5, 7), 5, 10],
  ])('follow those of several accounts, %s', (_, account, other, seconds, number) => {
    const { at } = account.issueId('trf', noon, [other]);
    expect(at).toEqual(after(seconds));
    for (const side of [account, other])
      expect(side).toMatchObject({ lastIdAt: after(seconds), lastIdNumber: number });
  });

  it('increase across kinds that share the sequence', () => {
    const account = anAccount();
    const suffixes = (['txn', 'pay', 'txn', 'pay'] as const).map((prefix) =>
      account.issueId(prefix, noon).id.slice(4),
    );
    expect(suffixes).toEqual(suffixes.toSorted());
  });
});

describe('The events of an account', () => {
  it.each<[AccountChange, string[]]>([
    [{}, ['account.updated']],
    [{ name: 'King Ltd' }, ['account.updated']],
    [{ status: 'active' }, ['account.activated']],
    [{ status: 'suspended' }, ['account.suspended']],
    [{ status: 'pending', name: undefined }, ['account.made_pending']],
    [{ status: 'suspended', email: 'king@example.com' }, ['account.updated', 'account.suspended']],
  ])('of the change %j are %j', (change, types) => {
    const account = anAccount();
    account.takeEvents();
    account.change(change, after(1));
    expect(account.takeEvents()).toEqual(types.map((type) => ({ type, accountId: account.id })));
  });

  it('begin with its creation and end with its closing', () => {
    const account = anAccount();
    account.close(after(1));
    expect(account.takeEvents().map(({ type }) => type)).toEqual(['account.created', 'account.closed']);
  });

  it('have ids in a sequence of their own', () => {
    const account = anAccount();
    expect(isId('evt', account.issueEventId(after(5)).id)).toBe(true);
    const { at } = account.issueEventId(after(5));
    const issued = [at, ...[4, 5].map((seconds) => account.issueEventId(after(seconds)).at)];
    expect(issued).toEqual([after(5), after(5), after(5)]);
    expect(account).toMatchObject({ lastEventNumber: 3, lastIdAt: null, lastIdNumber: 0 });
  });

  it('are put on the feed while somebody wants them', () => {
    const account = anAccount();
    const states = [account.deliversEvents];
    for (const isWanted of [true, false]) {
      account.deliverEvents(isWanted);
      states.push(account.deliversEvents);
    }
    expect(states).toEqual([false, true, false]);
  });
});

describe('The time of a change under an account', () => {
  it('is never before that of an earlier id', () => {
    const account = anAccount();
    expect(account.timeOf(after(5))).toEqual(after(5));
    expect(account.issueId('txn', after(5))).toMatchObject({ at: after(5) });
    expect(account.timeOf(after(5))).toEqual(after(5));
    expect(account.lastIdNumber).toBe(1);
    expect(account.timeOf(after(4))).toEqual(after(5));
    expect(account.timeOf(after(6))).toEqual(after(6));
    expect(account).toMatchObject({ lastIdAt: after(6), lastIdNumber: 0 });
  });
});

describe('A suspended account', () => {
  it('cannot be changed by its users', () => {
    for (const status of states) {
      const check = () => anAccount({ status }).assertNotSuspended();
      if (status === 'suspended') expect(check).toThrow(expect.objectContaining({ code: 'forbidden' }));
      else expect(check).not.toThrow();
    }
  });
});

describe('The journal of an account', () => {
  it('grows by the entries that are appended to it', () => {
    const account = anAccount();
    expect(account).toMatchObject({ entryCount: 0, chainHead: null });
    account.extendJournal(2, Buffer.from('a'));
    account.extendJournal(4, Buffer.from('b'));
    expect(account).toMatchObject({ entryCount: 6, chainHead: Buffer.from('b') });
  });
});

function anAccount(fields: Partial<Account> = {}): Account {
  const account = Account.create(
    { email: 'books@example.com', name: 'Lovelace Ltd', type: 'business' },
    noon,
  );
  return Object.assign(account, { ...fields, id: fields.id ?? account.id });
}

function settingsOf({ currency, timezone, language }: Account): object {
  return { currency, timezone, language };
}

function after(seconds: number): Date {
  return new Date(noon.getTime() + seconds * 1000);
}
