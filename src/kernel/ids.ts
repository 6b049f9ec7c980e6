import { randomFillSync } from 'node:crypto';
import { fromString, fromUUID, fromUUIDBytes, toUUIDBytes } from 'typeid-js';
import { v7 as uuidv7 } from 'uuid';
import { hashOfText } from './hash-of-text';

/**
 * The resource type of an id. The prefix is part of the id, both in the API and in the database. Modules declare their
 * prefixes (ServiceModule), and the service does not start when two modules declare the same one.
 */
export type IdPrefix = Lowercase<string>;

/** The last id issued for an account: its millisecond, and its number within that millisecond. */
export interface IdSequence {
  readonly issuedAt: Date;
  readonly number: number;
}

/**
 * A new id for a resource: a prefix and 26 time-ordered characters, a UUIDv7 in base32.
 * @param accountId the account that owns it, if one does (see `hashInId`)
 */
export function newId(prefix: IdPrefix, now: Date, accountId?: string): string {
  return issue(prefix, now.getTime(), undefined, accountId);
}

/**
 * Returns a function that issues ids of no account. Those that this process issues within one millisecond are in the order
 * of the calls.
 */
export function orderedIds(prefix: IdPrefix): (now: Date) => string {
  let last = { ms: NaN, number: 0 };
  return (now) => {
    const ms = now.getTime();
    // The random start keeps the ids of several processes apart.
    last = { ms, number: ms === last.ms ? last.number + 1 : Math.floor(Math.random() * 2 ** 31) };
    return issue(prefix, ms, last.number);
  };
}

/**
 * The next id for a resource of an account. The caller must hold the lock on the account's row.
 *
 * The lock serializes the callers but does not synchronize their clocks. If a replica with a slow clock issued an id
 * that sorts below a committed one, a client that pages through the list would miss it. The issue time therefore never
 * decreases, and a counter distinguishes ids within the same millisecond.
 */
export function nextId(
  prefix: IdPrefix,
  accountId: string,
  last: IdSequence | null,
  now: Date,
): { id: string; sequence: IdSequence } {
  const sequence: IdSequence =
    last === null || now > last.issuedAt
      ? { issuedAt: now, number: 0 }
      : { issuedAt: last.issuedAt, number: last.number + 1 };
  return { id: issue(prefix, sequence.issuedAt.getTime(), sequence.number, accountId), sequence };
}

/** Where an id has the first half of the hash of its account. */
const HASH_BYTE = 14;

/**
 * The first half of the hash of the account (see `hashOfText`) that owns what has this id, and then zeros: it tells which
 * shard of a distributed database has it. Older ids have random bits there.
 * @returns a signed 32-bit integer
 * @throws Error for a malformed id
 */
export function hashInId(id: string): number {
  const [high, low] = toUUIDBytes(fromString(id)).subarray(HASH_BYTE) as unknown as [number, number];
  return (high << 24) | (low << 16);
}

/** Whether a text has the form of an id, whatever its prefix. Other text may be anything, such as a secret. */
export function looksLikeId(text: string): boolean {
  return /^[a-z]{2,8}_[0-9a-z]{26}$/.test(text);
}

/** Whether `value` is a well-formed id with that prefix. Malformed ids are rejected before they reach SQL. */
export function isId(prefix: IdPrefix, value: string): boolean {
  try {
    fromString(value, prefix);
    return true;
  } catch {
    return false; // typeid-js throws for malformed input only
  }
}

/** The time at which an id was issued. @throws Error for a malformed id */
export function timeOfId(id: string): Date {
  return new Date(parseInt(hexOf(id).slice(0, 12), 16));
}

/**
 * The id of what an account numbers from 1: it contains the time, the number, and a part of the account's id, which keeps
 * the ids of several accounts apart.
 */
export function numberedId(prefix: IdPrefix, at: Date, accountId: string, number: number): string {
  const account = hexOf(accountId).slice(-6);
  return encodeHex(
    prefix,
    `${hexDigits(at.getTime())}7${account.slice(0, 3)}8${account.slice(3)}${hexDigits(number)}`,
  );
}

/** The number in an id of {@link numberedId}. @throws Error for a malformed id */
export function numberOfId(id: string): number {
  return parseInt(hexOf(id).slice(-12), 16);
}

/** The last millisecond that a UUIDv7 can hold. */
const LAST_MS = 2 ** 48 - 1;
/** What follows the prefix in the first id and in the last one. */
const FIRST = '0'.repeat(26);
const LAST = `7${'z'.repeat(25)}`;

/**
 * The bounds of all ids that were issued from `from` to `to`, both inclusive, for a range of ids that excludes its
 * bounds. A bound that is not given is that of all ids with the prefix.
 */
export function idRange(prefix: IdPrefix, from?: Date, to?: Date): { after: string; before: string } {
  return {
    after: from === undefined ? `${prefix}_${FIRST}` : buildBound(prefix, from.getTime() - 1, 'f'),
    before: to === undefined ? `${prefix}_${LAST}` : buildBound(prefix, to.getTime() + 1, '0'),
  };
}

/** An id of a millisecond, the rest of whose UUID consists of one hexadecimal digit. */
function buildBound(prefix: IdPrefix, milliseconds: number, digit: string): string {
  const time = Math.min(Math.max(milliseconds, 0), LAST_MS);
  return encodeHex(prefix, hexDigits(time) + digit.repeat(20));
}

/** All bits of an id, also of one that is well-formed and no UUID of a known version. */
function hexOf(id: string): string {
  return Buffer.from(toUUIDBytes(fromString(id))).toString('hex');
}

/** 48 bits. */
function hexDigits(value: number): string {
  return value.toString(16).padStart(12, '0');
}

const RANDOM_BYTES = 16;
/** Random bytes of 256 ids: to ask the system for those of each costs more than the rest of the id. */
const pool = Buffer.alloc(256 * RANDOM_BYTES);
let used = pool.length;

/** Successive ids are mostly of one account. */
let lastHashed = { accountId: '', hash: hashOfText('') };

function issue(prefix: IdPrefix, msecs: number, seq?: number, accountId?: string): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += RANDOM_BYTES;
  const random = pool.subarray(used - RANDOM_BYTES, used);
  if (accountId !== undefined) {
    if (accountId !== lastHashed.accountId) lastHashed = { accountId, hash: hashOfText(accountId) };
    random.writeInt16BE(lastHashed.hash >> 16, HASH_BYTE);
  }
  return fromUUIDBytes(prefix, uuidv7({ msecs, seq, random }, new Uint8Array(16)));
}

function encodeHex(prefix: IdPrefix, digits: string): string {
  const uuid = digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return fromUUID(uuid, prefix);
}
