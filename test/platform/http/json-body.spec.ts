import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { METADATA_LIMITS } from '../../../src/kernel/metadata';
import { parseJsonBody } from '../../../src/platform/http/server/json-body';
import { SEED } from '../../support/rounds';

const parse = (text: string): unknown => parseJsonBody(Buffer.from(text));
const rejected = expect.objectContaining({ code: 'invalid_request' });

/** Valid text: no lone surrogates, no NUL. */
const text = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((string) => !string.includes('\0'));
const name = fc
  .oneof(text, fc.constantFrom('constructor', 'toString', 'proto', ':', '"', '\\', '\\"', '":', ' ":1,"'))
  .filter((key) => key !== '__proto__');
const number = fc.oneof(
  fc.maxSafeInteger(),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .filter((value) => !Number.isInteger(value) || Number.isSafeInteger(value)),
);

/** A value with at most `depth` levels of nesting. */
function value(depth: number): fc.Arbitrary<unknown> {
  const leaf = fc.oneof(text, number, fc.boolean(), fc.constant(null));
  if (depth === 0) return leaf;
  const inner = value(depth - 1);
  return fc.oneof(
    { maxDepth: depth },
    leaf,
    fc.array(inner, { maxLength: 3 }),
    fc.dictionary(name, inner, { maxKeys: 3, noNullPrototype: true }),
  );
}

/** Another spelling of the same JSON, with other white space and unnecessary escapes. */
function written(json: unknown, choose: () => number): string {
  const space = (): string => ['', '', ' ', '\n\t', '\r\n  '][choose() % 5]!;
  const write = (part: unknown): string => {
    if (typeof part === 'string') return writtenText(part, choose);
    if (Array.isArray(part)) return `[${space()}${part.map(write).join(`${space()},${space()}`)}${space()}]`;
    if (typeof part === 'object' && part !== null) {
      const members = Object.entries(part).map(
        ([key, member]) => `${writtenText(key, choose)}${space()}:${space()}${write(member)}`,
      );
      return `{${space()}${members.join(`${space()},${space()}`)}${space()}}`;
    }
    return JSON.stringify(part);
  };
  return `${space()}${write(json)}${space()}`;
}

function writtenText(string: string, choose: () => number): string {
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const units = string
    .split('')
    .map((unit) => (choose() % 4 === 0 ? escaped(unit) : JSON.stringify(unit).slice(1, -1)));
  // Half of a surrogate pair as an escape and half as a character would not be UTF-8.
  return /[\ud800-\udfff]/.test(string) ? JSON.stringify(string) : `"${units.join('')}"`;
}

function attempt(run: () => unknown): { value: unknown } | { error: unknown } {
  try {
    return { value: run() };
  } catch (error) {
    return { error };
  }
}

/** Returns numbers from the list in turn, repeatedly. */
const choices = fc.array(fc.nat(100), { minLength: 1, maxLength: 50 }).map((list) => {
  let next = 0;
  return () => list[next++ % list.length]!;
});

const within = (depth: number, inner: string): string =>
  '{"a":['.repeat(depth / 2) + inner + ']}'.repeat(depth / 2);

describe('A JSON body', () => {
  it('is parsed like JSON.parse does, in any spelling', () => {
    fc.assert(
      fc.property(value(8), choices, (json, choose) => {
        const body = written(json, choose);
        expect(isDeepStrictEqual(parse(body), JSON.parse(body))).toBe(true);
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  it('is rejected when JSON.parse rejects it', () => {
    const almost = fc
      .tuple(value(4), fc.nat(), fc.constantFrom('', ',', '"', '}', ']', '\\', '0', '.', 'e', '\n', ' '))
      .map(([json, position, put]) => {
        const body = JSON.stringify(json);
        return body.slice(0, position % body.length) + put + body.slice((position % body.length) + 1);
      });
    fc.assert(
      fc.property(fc.oneof(almost, fc.string({ unit: 'grapheme-ascii', minLength: 1 })), (body) => {
        fc.pre(body !== '' && body.isWellFormed());
        const ours = attempt(() => parse(body));
        const theirs = attempt(() => JSON.parse(body) as unknown);
        // It rejects more than JSON.parse only where the text could not be returned as it was sent.
        const lossy = 'value' in theirs && JSON.stringify(theirs.value) !== body.replace(/\s/g, '');
        if ('error' in ours)
          expect({ ...ours, agreed: 'error' in theirs || lossy }).toEqual({ error: rejected, agreed: true });
        else expect(isDeepStrictEqual(ours, theirs)).toBe(true);
      }),
      { seed: SEED, numRuns: 1000 },
    );
  });

  it('is undefined when it is empty', () => {
    expect(parse('')).toBeUndefined();
  });

  it.each(['"text"', '0', 'true', 'null', '[]', ' {} '])('may be any JSON: %s', (body) => {
    expect(parse(body)).toEqual(JSON.parse(body));
  });
});

describe('A repeated member', () => {
  const duplicated = fc
    .tuple(name, value(1), value(1), fc.array(fc.constantFrom('list', 'object'), { maxLength: 6 }), choices)
    .map(([key, first, second, path, choose]) => {
      const object = `{${writtenText(key, choose)} : ${JSON.stringify(first)}, "other": 1, ${writtenText(key, choose)}: ${JSON.stringify(second)}}`;
      return path.reduce((inner, step) => (step === 'list' ? `[1, ${inner}]` : `{"x": ${inner}}`), object);
    });

  it('is detected at any depth, in any spelling of its name', () => {
    fc.assert(
      fc.property(duplicated, (body) => void expect(() => parse(body)).toThrow(rejected)),
      { seed: SEED, numRuns: 500 },
    );
  });

  it.each([
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '{"a":{"b":[{"c":1,"c":2}]}}',
    '{"amount":1 , "amount" :2}',
    '{"":1,"":2}',
    '{"a\\"":1,"a\\u0022":2}',
    '[{"a":1},{"b":1,"b":1}]',
  ])('%s', (body) => {
    expect(() => parse(body)).toThrow(/twice/);
  });

  it.each([
    '{"a":{"a":1},"b":{"a":1}}',
    '[{"a":1},{"a":1}]',
    '{"a":"a","b":"\\"a\\":"}',
    '{"a":"b\\\\","c":":"}',
    '{"1":1,"01":1}',
  ])('is not reported where there is none: %s', (body) => {
    expect(parse(body)).toEqual(JSON.parse(body));
  });
});

describe('The members and items of a body', () => {
  const members = (count: number): string =>
    `{${Array.from({ length: count }, (_, index) => `"${index}":1`).join()}}`;
  const items = (count: number): string => `[${Array(count).fill('1').join()}]`;

  it('are at most 1,500 and 5,000', () => {
    expect(Object.keys(parse(members(1500)) as object)).toHaveLength(1500);
    expect(parse(items(5001))).toHaveLength(5001);
    expect(() => parse(members(1501))).toThrow('more than 1500 members');
    expect(() => parse(items(5002))).toThrow('or 5000 items');
  });

  it('are more than metadata of 8 KiB can have', () => {
    const metadata = (text: string): unknown => ({ metadata: JSON.parse(text) as unknown });
    for (const part of ['1,', '{"a":1,"b":1},', '{"a":{"b":1}},']) {
      const list = part.repeat(Math.floor((METADATA_LIMITS.bytes - 6) / part.length)).slice(0, -1);
      const body = metadata(`{"m":[${list}]}`);
      expect(parse(JSON.stringify(body))).toEqual(body);
    }
  });

  it('are not counted in strings', () => {
    const body = { ',:': ',:"'.repeat(5000), b: '\\' };
    expect(parse(JSON.stringify(body))).toEqual(body);
  });

  it('are counted before the body is parsed', () => {
    // A parser would report that it is not JSON.
    for (const body of [`${members(1501)}x`, `["\\\\"${',1'.repeat(5001)}`])
      expect(() => parse(body)).toThrow('or 5000 items');
  });
});

describe('The depth of a body', () => {
  it('is at most 8', () => {
    expect(parse(within(8, '1'))).toEqual(JSON.parse(within(8, '1')));
    for (const inner of ['[]', '{}', '[1]']) expect(() => parse(within(8, inner))).toThrow(rejected);
  });

  it.each(['[', '{"a":'])('can be thousands and is then rejected: %s', (opening) => {
    const closing = opening === '[' ? ']' : '}';
    expect(() => parse(opening.repeat(6000) + '1' + closing.repeat(6000))).toThrow(rejected);
    expect(() => parse(opening.repeat(100_000 / opening.length))).toThrow(rejected);
  });

  it('does not count brackets in strings', () => {
    expect(parse(JSON.stringify({ a: '['.repeat(100) }))).toEqual({ a: '['.repeat(100) });
  });
});

describe('Text in a body', () => {
  const broken = [
    '\\u0000',
    '\\ud800',
    '\\udc00',
    '\\ud800\\ud800',
    '\\udc00\\ud800',
    'a\\ud83d',
    '\\ude00b',
  ];

  it.each(broken)('with %s is rejected as a value and as a name, at any depth', (bad) => {
    for (const body of [
      `"${bad}"`,
      `{"a":"${bad}"}`,
      `{"${bad}":1}`,
      `{"a":[{"b":"x${bad}"}]}`,
      `[{"x${bad}":1}]`,
    ]) {
      expect(() => parse(body)).toThrow(rejected);
    }
  });

  it('with complete surrogate pairs is accepted, escaped or not', () => {
    expect(parse('{"a":"\\ud83d\\ude00","\u{1f600}":"é"}')).toEqual({ a: '\u{1f600}', '\u{1f600}': 'é' });
  });

  it.each([
    ['a lone continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a sequence that is cut off', [0x22, 0xe2, 0x82, 0x22]],
    ['UTF-16', [...Buffer.from('{"a":1}', 'utf16le')]],
    ['a raw NUL', [...Buffer.from('{"a":"\0"}')]],
  ])('of bytes that are no UTF-8 is rejected: %s', (_, bytes) => {
    expect(() => parseJsonBody(Buffer.from(bytes))).toThrow(rejected);
  });

  it('__proto__ is rejected as a name, and changes no prototype', () => {
    for (const body of ['{"__proto__":{"polluted":1}}', '{"a":{"\\u005f_proto__":{"polluted":1}}}']) {
      expect(() => parse(body)).toThrow(rejected);
    }
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

describe('Numbers in a body', () => {
  it.each([
    '0',
    '-1',
    '1e3',
    '1.0',
    '100e-2',
    '1.50',
    '0.1',
    '-0.5e-3',
    '0e5',
    '0.000',
    '9007199254740991',
    '-9007199254740991',
    '9.007199254740991e15',
    '1E+2',
  ])('%s is read as by JSON.parse', (literal) => {
    expect(parse(`{"a":[${literal}]}`)).toEqual({ a: [Number(literal)] });
  });

  it.each([
    '9007199254740992',
    '9007199254740993',
    '-9007199254740993',
    '9223372036854775808',
    '1e16',
    '1e300',
    '1e400',
    '-1e400',
    '1' + '0'.repeat(400),
  ])('%.20s is beyond what a number carries', (literal) => {
    expect(() => parse(`{"a":[${literal}]}`)).toThrow(rejected);
  });

  it.each([
    '0.99999999999999999999',
    '9007199254740991.4',
    '1.00000000000000000001',
    '1e-400',
    '123456789012345678901234567890e-29000',
  ])('%s would silently become a whole number', (literal) => {
    expect(() => parse(`{"amount":${literal}}`)).toThrow(rejected);
  });

  it('in strings are text', () => {
    expect(parse('{"a":"1e400","0.99999999999999999999":"9007199254740993"}')).toEqual({
      a: '1e400',
      '0.99999999999999999999': '9007199254740993',
    });
  });
});

describe('A body of the largest size', () => {
  const KB_100 = 100 * 1024;
  it.each([
    ['one text', `"${'x'.repeat(KB_100 - 2)}"`],
    ['escapes', `"${'\\\\'.repeat(KB_100 / 2 - 1)}"`],
    ['zeros', `[1${'0'.repeat(KB_100 - 3)}]`],
    ['decimals', `[0.${'0'.repeat(KB_100 - 5)}1]`],
    ['small members', `{${Array.from({ length: 9000 }, (_, index) => `"${index}":1`).join()}}`],
    ['spaces', `{"a"${' '.repeat(KB_100 - 10)}:1}`],
    ['quotes', `[${'"",'.repeat(KB_100 / 3 - 2)}""]`],
  ])('is parsed or rejected at once: %s', (_, body) => {
    const start = process.hrtime.bigint();
    try {
      parse(body);
    } catch (error) {
      expect(error).toEqual(rejected);
    }
    expect(Number(process.hrtime.bigint() - start) / 1e6).toBeLessThan(500);
  });
});
