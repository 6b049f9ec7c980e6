import { Refusal } from '../../kernel/refusal';

export const MAX_BODY_BYTES = 100 * 1024;
const MAX_DEPTH = 8;

/** The strings and numbers of a JSON text in order; the groups: the colon behind a member's name, and a number. */
const TOKENS = /"(?:[^"\\]|\\.)*"(\s*:)?|(-?\d[\d.eE+-]*)/g;
const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Parses a request body more strictly than JSON.parse: what the database or the caller could not get back as it was
 * sent is refused here, once for all operations.
 * @returns undefined for an empty body
 * @throws Refusal `invalid_request`
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  const text = decode(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Refusal('invalid_request', 'The body is not valid JSON.');
  }
  const members = inspect(value, 1);
  if (members !== countMembers(text)) throw new Refusal('invalid_request', 'The body names a member twice.');
  return value;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal('invalid_request', 'The body is not valid UTF-8.');
  }
}

/** Checks a value and all it holds, and counts the members of its objects. */
function inspect(value: unknown, depth: number): number {
  if (typeof value === 'string') assertText(value, 'The body');
  if (typeof value === 'number') assertExact(value);
  if (typeof value !== 'object' || value === null) return 0;
  if (depth > MAX_DEPTH)
    throw new Refusal('invalid_request', `The body is nested more than ${MAX_DEPTH} deep.`);
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + inspect(item, depth + 1), 0);
  const members = Object.entries(value);
  for (const [name] of members) {
    assertText(name, 'The body');
    // Assigning such a member would replace an object's prototype instead of adding to it.
    if (name === '__proto__') throw new Refusal('invalid_request', 'The body has a member named __proto__.');
  }
  return members.reduce((sum, [, member]) => sum + inspect(member, depth + 1), members.length);
}

/**
 * Reads in the text what the value no longer shows. JSON.parse keeps the last of two members of one name, so the text
 * has more names than the value; and a fraction too fine for a number has become a whole one.
 * @returns how many names of members there are
 */
function countMembers(text: string): number {
  let count = 0;
  for (const [, colon, number] of text.matchAll(TOKENS)) {
    if (colon !== undefined) count += 1;
    if (number !== undefined && Number.isInteger(Number(number)) && !isWhole(number)) {
      throw new Refusal('invalid_request', 'The body holds a number with more digits than can be kept.');
    }
  }
  return count;
}

/** Whether a number is whole as it is written: `1.50e1` is, `0.99999999999999999999` is not. */
function isWhole(literal: string): boolean {
  const [, whole, fraction = '', exponent = '0'] = NUMBER.exec(literal)!;
  const digits = whole + fraction;
  let significant = digits.length;
  while (significant > 0 && digits[significant - 1] === '0') significant -= 1;
  return significant === 0 || fraction.length - Number(exponent) <= digits.length - significant;
}

/** PostgreSQL stores no NUL, and a lone surrogate would silently become another character. */
export function assertText(text: string, where: string): void {
  if (text.includes('\0') || !text.isWellFormed()) {
    throw new Refusal('invalid_request', `${where} holds a NUL or an incomplete surrogate pair.`);
  }
}

/** A larger whole number has been rounded already, and an infinite one cannot be sent back. */
function assertExact(value: number): void {
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    throw new Refusal(
      'invalid_request',
      'The body holds a number beyond 2^53 - 1. Send such values as strings.',
    );
  }
}
