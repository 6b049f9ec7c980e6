import { Refusal } from '../../kernel/refusal';

export const MAX_BODY_BYTES = 100 * 1024;
const MAX_DEPTH = 8;

/** The strings of a JSON text in order; the group matches behind the name of a member. */
const STRINGS = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

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

/** JSON.parse keeps the last of two members of one name, so the text has more names than the value. */
function countMembers(text: string): number {
  let count = 0;
  for (const [, colon] of text.matchAll(STRINGS)) if (colon !== undefined) count += 1;
  return count;
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
