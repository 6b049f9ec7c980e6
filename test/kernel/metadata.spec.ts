import fc from 'fast-check';
import { mergeMetadata, metadataFault } from '../../src/kernel/metadata';
import { SEED } from '../support/rounds';

const withKeys = (count: number): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key_${index}`, index]));

/** Metadata whose JSON has exactly the given number of bytes. */
const ofBytes = (bytes: number): Record<string, unknown> => ({
  note: 'x'.repeat(bytes - '{"note":""}'.length),
});

const nested = (depth: number): object => (depth === 1 ? {} : { inner: nested(depth - 1) });

describe('metadataFault', () => {
  it.each([
    ['an empty object', {}],
    ['50 keys', withKeys(50)],
    ['a key of 1 character', { k: 1 }],
    ['a key of 40 characters', { ['k'.repeat(40)]: 1 }],
    ['a key of 40 characters outside the basic multilingual plane', { ['\u{1f600}'.repeat(40)]: 1 }],
    ['8 KiB', ofBytes(8192)],
    ['4 levels', nested(4)],
    ['4 levels, one of them an array', { list: [{ inner: [] }] }],
    [
      'every kind of value',
      { text: '', number: 0.5, yes: true, nothing: null, list: [1, 'a'], object: { a: null } },
    ],
    ['keys that are names of inherited members', { constructor: 1, toString: 2, hasOwnProperty: 3 }],
  ])('accepts %s', (_, metadata) => {
    expect(metadataFault(metadata)).toBeNull();
  });

  it.each([
    ['51 keys', withKeys(51)],
    ['an empty key', { '': 1 }],
    ['a key of 41 characters', { ['k'.repeat(41)]: 1 }],
    ['8 KiB and one byte', ofBytes(8193)],
    ['multi-byte characters of more than 8 KiB', { note: '€'.repeat(2800) }],
    ['5 levels', nested(5)],
    ['5 levels of arrays', { list: [[[[]]]] }],
    ['an array', []],
    ['null', null],
    ['a string', 'text'],
    ['a number', 1],
    ['undefined', undefined],
  ])('rejects %s', (_, metadata) => {
    expect(metadataFault(metadata)).toMatch(/^must /);
  });
});

describe('mergeMetadata', () => {
  it('adds and replaces keys and keeps the others', () => {
    expect(mergeMetadata({ a: 1, b: { x: 1 } }, { b: { y: 2 }, c: 3 })).toEqual({ a: 1, b: { y: 2 }, c: 3 });
  });

  it('removes keys with a null value and ignores unknown ones', () => {
    expect(mergeMetadata({ a: 1, b: 2 }, { a: null, z: null })).toEqual({ b: 2 });
  });

  it('keeps stored null values and nested ones', () => {
    expect(mergeMetadata({ a: null }, { b: { c: null } })).toEqual({ a: null, b: { c: null } });
  });

  it('removes all keys for null and changes nothing for {}', () => {
    expect(mergeMetadata({ a: 1 }, null)).toEqual({});
    expect(mergeMetadata({ a: 1 }, {})).toEqual({ a: 1 });
  });

  it('treats names of inherited members as ordinary keys', () => {
    expect(mergeMetadata({ constructor: 1, toString: 2 }, { valueOf: 3 })).toEqual({
      constructor: 1,
      toString: 2,
      valueOf: 3,
    });
    expect(mergeMetadata({ constructor: 1, toString: 2 }, { constructor: null })).toEqual({ toString: 2 });
  });

  it('applies the limits to the result', () => {
    expect(() => mergeMetadata(withKeys(50), { one: 1 })).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
    expect(mergeMetadata(withKeys(50), { one: 1, key_0: null })).toEqual({
      ...withKeys(50),
      one: 1,
      key_0: undefined,
    });
    expect(() => mergeMetadata({ note: 'x'.repeat(5000) }, { more: 'x'.repeat(5000) })).toThrow(/8 KiB/);
  });

  it('follows these rules for arbitrary objects', () => {
    const metadata = fc.dictionary(
      fc.constantFrom('a', 'b', 'c', 'constructor'),
      fc.oneof(fc.constant(null), fc.integer()),
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(metadata, metadata, (current, change) => {
        const merged = mergeMetadata(current, change);
        for (const key of ['a', 'b', 'c', 'constructor']) {
          const source = Object.hasOwn(change, key) ? change : current;
          const kept = Object.hasOwn(source, key) && !(source === change && change[key] === null);
          expect(Object.hasOwn(merged, key) ? [merged[key]] : []).toEqual(kept ? [source[key]] : []);
        }
      }),
      { seed: SEED },
    );
  });
});
