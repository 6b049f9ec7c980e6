import fc from 'fast-check';
import { hashOfText } from '../../src/kernel/hash-of-text';
import {
  hashInId,
  IdPrefix,
  IdSequence,
  idRange,
  isId,
  newId,
  looksLikeId,
  nextId,
  numberedId,
  numberOfId,
  orderedIds,
  timeOfId,
} from '../../src/kernel/ids';
import { SEED } from '../support/rounds';

const prefixes: IdPrefix[] = ['usr', 'acc', 'ses', 'txn', 'pay'];
const at = (ms: number): Date => new Date(Date.UTC(2026, 0, 31) + ms);

describe('newId and isId', () => {
  it.each(prefixes)('%s: a prefix and 26 time-ordered characters', (prefix) => {
    const ids = [0, 1, 2, 1000, 86_400_000].map((ms) => newId(prefix, at(ms)));
    for (const id of ids) {
      expect(id).toMatch(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`));
      expect(isId(prefix, id)).toBe(true);
    }
    expect(ids.toSorted()).toEqual(ids);
  });

  it('newId returns distinct ids within one millisecond', () => {
    expect(new Set(Array.from({ length: 1000 }, () => newId('usr', at(0)))).size).toBe(1000);
  });

  it.each([
    '',
    'txn',
    'txn_',
    'acc_01k9x8v2t4e6rb3m5n7p9q1s0w',
    'txn_01k9x8v2t4e6rb3m5n7p9q1s0',
    'txn_01k9x8v2t4e6rb3m5n7p9q1s0ww',
    'txn_81k9x8v2t4e6rb3m5n7p9q1s0w',
    'txn_01K9X8V2T4E6RB3M5N7P9Q1S0W',
    'txn_01k9x8v2t4e6rb3m5n7p9q1s0u',
    'TXN_01k9x8v2t4e6rb3m5n7p9q1s0w',
    '01k9x8v2t4e6rb3m5n7p9q1s0w',
    ' txn_01k9x8v2t4e6rb3m5n7p9q1s0w',
    'txn_01k9x8v2t4e6rb3m5n7p9q1s0w\n',
    "txn_' OR 1=1 --",
    'txn_\0',
    'constructor',
    '__proto__',
    'x'.repeat(100_000),
  ])('isId rejects %.40p', (value) => {
    expect(isId('txn', value)).toBe(false);
  });

  it('isId rejects arbitrary text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => void expect(isId('txn', text)).toBe(false)),
      { seed: SEED },
    );
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        (text) => void expect(isId('txn', `txn_${text}`)).toBe(false),
      ),
      { seed: SEED },
    );
  });
});

it.each([
  [newId('txn', at(0)), true],
  [`${'x'.repeat(8)}_${'0'.repeat(26)}`, true],
  [`${'x'.repeat(9)}_${'0'.repeat(26)}`, false],
  [`x_${'0'.repeat(26)}`, false],
  [`TX_${'0'.repeat(26)}`, false],
  [`txn_${'0'.repeat(25)}`, false],
  [`txn_${'0'.repeat(27)}`, false],
  [`txn_${'A'.repeat(26)}`, false],
])('whether %s looks like an id: %s', (text, expected) => expect(looksLikeId(text)).toBe(expected));

const ACCOUNT = 'acc_01k9x8v2t4e6rb3m5n7p9q1s0w';

describe('nextId', () => {
  /** Issues one id per clock reading, like consecutive holders of the account's lock. */
  function issue(readings: number[]): { ids: string[]; times: number[] } {
    let last: IdSequence | null = null;
    const ids: string[] = [];
    const times: number[] = [];
    for (const reading of readings) {
      const { id, sequence } = nextId(ids.length % 2 === 0 ? 'txn' : 'pay', ACCOUNT, last, at(reading));
      last = sequence;
      ids.push(id.slice('txn_'.length));
      times.push(sequence.issuedAt.getTime());
    }
    return { ids, times };
  }

  it('returns increasing ids for any clock readings of the replicas', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 2, maxLength: 100 }),
        (readings) => {
          const { ids, times } = issue(readings);
          expect(ids.toSorted()).toEqual(ids);
          expect(new Set(ids).size).toBe(ids.length);
          expect(times.toSorted((a, b) => a - b)).toEqual(times);
        },
      ),
      { seed: SEED },
    );
  });

  it('returns 5,000 increasing ids within one millisecond', () => {
    const { ids } = issue(Array.from({ length: 5000 }, () => 0));
    expect(ids.every((id, index) => index === 0 || ids[index - 1]! < id)).toBe(true);
  });

  it.each([
    [-1, 0, 5],
    [0, 0, 5],
    [1, 1, 0],
  ])('with a clock that is %d ms ahead has the time %d and the number %d', (ms, issuedAt, number) => {
    const { sequence } = nextId('txn', ACCOUNT, { issuedAt: at(0), number: 4 }, at(ms));
    expect(sequence).toEqual({ issuedAt: at(issuedAt), number });
  });

  it('encodes the first half of the hash of the account', () => {
    for (const account of [ACCOUNT, newId('acc', at(0)), newId('acc', at(0))]) {
      const { id } = nextId('txn', account, null, at(7));
      expect(hashInId(id)).toBe((hashOfText(account) >> 16) << 16);
      expect(hashInId(newId('whk', at(7), account))).toBe(hashInId(id));
    }
  });

  it('encodes the time of issue', () => {
    const { id, sequence } = nextId('txn', ACCOUNT, null, at(7));
    expect(sequence).toEqual({ issuedAt: at(7), number: 0 });
    expect(id.slice(0, 14)).toBe(newId('txn', at(7)).slice(0, 14)); // `txn_` and the 48-bit timestamp
  });
});

describe('orderedIds', () => {
  it('returns increasing ids within a millisecond, which start at random', () => {
    const [one, other] = [orderedIds('aud'), orderedIds('aud')];
    const ids = Array.from({ length: 1000 }, () => one(at(0)));
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
    const starts = [ids[0]!, other(at(0)), ...[1, 2, 3].map((ms) => one(at(ms)))];
    expect(new Set(starts.map((id) => id.slice(14, 21))).size).toBe(5);
  });
});

describe('timeOfId', () => {
  it('is the millisecond of its issue', () => {
    for (const ms of [0, 7, 86_400_000]) expect(timeOfId(newId('txn', at(ms)))).toEqual(at(ms));
  });
});

describe('idRange', () => {
  const isWithin = (id: string, { after, before }: ReturnType<typeof idRange>): boolean =>
    id > after && id < before;

  it('contains the ids of its first and last millisecond, and none of those before and after', () => {
    fc.assert(
      fc.property(fc.integer({ min: -5, max: 5 }), (ms) => {
        const id = newId('txn', at(ms));
        expect(isWithin(id, idRange('txn', at(-2), at(3)))).toBe(ms >= -2 && ms <= 3);
        expect(isWithin(id, idRange('txn', at(-2)))).toBe(ms >= -2);
        expect(isWithin(id, idRange('txn', undefined, at(3)))).toBe(ms <= 3);
        expect(isWithin(id, idRange('txn'))).toBe(true);
      }),
      { seed: SEED },
    );
  });

  it('has the bounds of all ids unless others are given', () => {
    expect(idRange('txn')).toEqual({ after: `txn_${'0'.repeat(26)}`, before: `txn_7${'z'.repeat(25)}` });
  });

  it('is empty or complete for times that no id can have', () => {
    const id = newId('txn', at(0));
    expect(isWithin(id, idRange('txn', new Date('0000-01-01'), new Date('9999-12-31')))).toBe(true);
    expect(isWithin(id, idRange('txn', undefined, new Date('0000-01-01')))).toBe(false);
    expect(isWithin(id, idRange('txn', new Date(8.64e15)))).toBe(false);
    expect(isWithin(id, idRange('txn', at(1), at(-1)))).toBe(false);
  });
});

it.each(['0'.repeat(26), `7${'z'.repeat(25)}`, '01kqm8ymg00e0g00000000c350'])(
  'reads the time and the number of the well-formed id evt_%s, which nobody has issued',
  (suffix) => {
    expect(isId('evt', `evt_${suffix}`)).toBe(true);
    expect(timeOfId(`evt_${suffix}`).getTime()).toBeGreaterThanOrEqual(0);
    expect(numberOfId(`evt_${suffix}`)).toBeGreaterThanOrEqual(0);
  },
);

describe('numberedId', () => {
  it.each([1, 2, 1_000, 2 ** 48 - 1])('contains the number %d, the time and the account', (number) => {
    const accounts = [newId('acc', at(0)), newId('acc', at(0))] as const;
    const [one, other] = accounts.map((account) => numberedId('ent', at(7), account, number));
    expect(isId('ent', one!)).toBe(true);
    expect([numberOfId(one!), timeOfId(one!)]).toEqual([number, at(7)]);
    expect(other).not.toBe(one);
    expect(numberedId('ent', at(7), accounts[0], number)).toBe(one);
  });

  it('differs for accounts whose ids differ in their last bits only', () => {
    const account = newId('acc', at(0)).slice(0, -1);
    const [one, other] = ['0', '1'].map((last) => numberedId('ent', at(7), account + last, 1));
    expect(other).not.toBe(one);
  });
});
