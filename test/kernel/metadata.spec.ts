import fc from 'fast-check';
import { mergeMetadata, metadataFault } from '../../src/kernel/metadata';

const withKeys = (count: number): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key_${index}`, index]));

/** JSON of exactly so many bytes. */
const ofBytes = (bytes: number): Record<string, unknown> => ({
  note: 'x'.repeat(bytes - '{"note":""}'.length),
});

const nested = (depth: number): object => (depth === 1 ? {} : { inner: nested(depth - 1) });

describe('The limits of metadata', () => {
  it.each([
    ['nothing', {}],
    ['50 keys', withKeys(50)],
    ['a key of 1 character', { k: 1 }],
    ['a key of 40 characters', { ['k'.repeat(40)]: 1 }],
    ['a key of 40 characters beyond the basic plane', { ['\u{1f600}'.repeat(40)]: 1 }],
    ['8 KiB', ofBytes(8192)],
    ['4 levels', nested(4)],
    ['4 levels, one of them a list', { list: [{ inner: [] }] }],
    [
      'every kind of value',
      { text: '', number: 0.5, yes: true, nothing: null, list: [1, 'a'], object: { a: null } },
    ],
    ['names that objects inherit', { constructor: 1, toString: 2, hasOwnProperty: 3 }],
  ])('allow %s', (_, metadata) => {
    expect(metadataFault(metadata)).toBeNull();
  });

  it.each([
    ['51 keys', withKeys(51)],
    ['an empty key', { '': 1 }],
    ['a key of 41 characters', { ['k'.repeat(41)]: 1 }],
    ['a byte more than 8 KiB', ofBytes(8193)],
    ['characters of several bytes beyond 8 KiB', { note: '€'.repeat(2800) }],
    ['5 levels', nested(5)],
    ['5 levels through lists', { list: [[[[]]]] }],
    ['a list', []],
    ['null', null],
    ['text', 'text'],
    ['a number', 1],
    ['nothing at all', undefined],
  ])('refuse %s', (_, metadata) => {
    expect(metadataFault(metadata)).toEqual(expect.any(String));
  });
});

describe('Merging metadata', () => {
  it('replaces and adds keys, and leaves the others', () => {
    expect(mergeMetadata({ a: 1, b: { x: 1 } }, { b: { y: 2 }, c: 3 })).toEqual({ a: 1, b: { y: 2 }, c: 3 });
  });

  it('removes a key that is null, also one that is not there', () => {
    expect(mergeMetadata({ a: 1, b: 2 }, { a: null, z: null })).toEqual({ b: 2 });
  });

  it('leaves a null that was there, and one deeper down', () => {
    expect(mergeMetadata({ a: null }, { b: { c: null } })).toEqual({ a: null, b: { c: null } });
  });

  it('empties all for null, and changes nothing for {}', () => {
    expect(mergeMetadata({ a: 1 }, null)).toEqual({});
    expect(mergeMetadata({ a: 1 }, {})).toEqual({ a: 1 });
  });

  it('treats names that objects inherit like any other', () => {
    expect(mergeMetadata({ constructor: 1, toString: 2 }, { valueOf: 3 })).toEqual({
      constructor: 1,
      toString: 2,
      valueOf: 3,
    });
    expect(mergeMetadata({ constructor: 1, toString: 2 }, { constructor: null })).toEqual({ toString: 2 });
  });

  it('holds the limits after the merge', () => {
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

  it('does what its words say, for any two objects', () => {
    const metadata = fc.dictionary(
      fc.constantFrom('a', 'b', 'c', 'constructor'),
      fc.oneof(fc.constant(null), fc.integer()),
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(metadata, metadata, (present, change) => {
        const merged = mergeMetadata(present, change);
        for (const key of ['a', 'b', 'c', 'constructor']) {
          const source = Object.hasOwn(change, key) ? change : present;
          const stays = Object.hasOwn(source, key) && !(source === change && change[key] === null);
          expect(Object.hasOwn(merged, key) ? [merged[key]] : []).toEqual(stays ? [source[key]] : []);
        }
      }),
    );
  });
});
