import { DomainError } from '../../../kernel/domain-error';

export const MAX_BODY_BYTES = 100 * 1024;

/** Of operations that need no token, for which strangers can make the service work. */
export const MAX_PUBLIC_BODY_BYTES = 8 * 1024;

export const BODY_TOO_LARGE =
  'The body is larger than 100 KB, or than 8 KB for an operation that needs no token.';

const MAX_DEPTH = 8;

/** More than metadata of 8 KiB can have. The time that a body takes depends on them, not on its length. */
const MAX_MEMBERS = 1_500;
const MAX_ITEMS = 5_000;

/** Matches the strings and numbers of a JSON text. Groups: the colon after a member's name, and a number. */
const TOKENS = /"(?:[^"\\]|\\.)*"(\s*:)?|(-?\d[\d.eE+-]*)/g;
const [QUOTE, BACKSLASH, COLON, COMMA] = Buffer.from('"\\:,');
const utf8 = new TextDecoder('utf-8', { fatal: true });
const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Parses a request body more strictly than JSON.parse: values that could not be stored and returned exactly as sent are
 * rejected here, for all operations.
 * @returns undefined for an empty body
 * @throws DomainError `invalid_request`
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  assertFewValues(bytes);
  const text = decode(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new DomainError('invalid_request', 'The body is not valid JSON.');
  }
  const members = inspect(value, 1);
  if (members !== countMembers(text))
    throw new DomainError('invalid_request', 'The body contains a member twice.');
  return value;
}

/** Counts the colons and commas outside of strings before anything is parsed. */
function assertFewValues(bytes: Buffer): void {
  let members = 0;
  let items = 0;
  let inString = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === QUOTE) inString = !inString;
    else if (inString) index += byte === BACKSLASH ? 1 : 0;
    else if (byte === COLON) members += 1;
    else if (byte === COMMA) items += 1;
    if (members > MAX_MEMBERS || items > MAX_ITEMS)
      throw new DomainError(
        'invalid_request',
        `The body has more than ${MAX_MEMBERS} members or ${MAX_ITEMS} items.`,
      );
  }
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new DomainError('invalid_request', 'The body is not valid UTF-8.');
  }
}

/** Checks a value and all nested values. @returns the number of object members */
function inspect(value: unknown, depth: number): number {
  if (typeof value === 'string') assertText(value, 'The body');
  if (typeof value === 'number') assertExact(value);
  if (typeof value !== 'object' || value === null) return 0;
  if (depth > MAX_DEPTH)
    throw new DomainError('invalid_request', `The body is nested more than ${MAX_DEPTH} levels deep.`);
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + inspect(item, depth + 1), 0);
  const members = Object.entries(value);
  for (const [name] of members) {
    assertText(name, 'The body');
    // Assigning this member would replace an object's prototype.
    if (name === '__proto__')
      throw new DomainError('invalid_request', 'The body contains a member named __proto__.');
  }
  return members.reduce((sum, [, member]) => sum + inspect(member, depth + 1), members.length);
}

/**
 * Finds in the text what JSON.parse hides: it keeps only the last of two members with the same name, and it rounds
 * fractions with too many digits, possibly to an integer.
 * @returns the number of member names in the text
 */
function countMembers(text: string): number {
  let count = 0;
  for (const [, colon, number] of text.matchAll(TOKENS)) {
    if (colon !== undefined) count += 1;
    if (number !== undefined && Number.isInteger(Number(number)) && !isInteger(number)) {
      throw new DomainError(
        'invalid_request',
        'The body contains a number with too many digits. Send such values as strings.',
      );
    }
  }
  return count;
}

/** Whether a number is an integer as written: `1.50e1` is, `0.99999999999999999999` is not. */
function isInteger(literal: string): boolean {
  const [, whole, fraction = '', exponent = '0'] = NUMBER.exec(literal)!;
  const digits = whole + fraction;
  let significant = digits.length;
  while (significant > 0 && digits[significant - 1] === '0') significant -= 1;
  return significant === 0 || fraction.length - Number(exponent) <= digits.length - significant;
}

/** PostgreSQL cannot store NUL, and a lone surrogate would silently become another character. */
export function assertText(text: string, where: string): void {
  if (text.includes('\0') || !text.isWellFormed()) {
    throw new DomainError('invalid_request', `${where} contains a NUL or a lone surrogate.`);
  }
}

/** JSON.parse has already rounded a larger integer, and infinity cannot be returned in JSON. */
function assertExact(value: number): void {
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    throw new DomainError(
      'invalid_request',
      'The body contains a number beyond 2^53 - 1. Send such values as strings.',
    );
  }
}
