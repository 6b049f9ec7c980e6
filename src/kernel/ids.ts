import { TypeID } from 'typeid-js';
import { v7 as uuidv7 } from 'uuid';

/** What an id names. The prefix is part of the id, in the API and in the database alike. */
export type IdPrefix = 'usr' | 'acc' | 'ses' | 'txn' | 'pay' | 'sub' | 'late';

/** The last id issued under one account: its millisecond and its number within that millisecond. */
export interface IdSequence {
  readonly issuedAt: Date;
  readonly number: number;
}

/** A new id of something that no account owns: `usr_` and 26 time-ordered characters (UUIDv7 inside). */
export function newId(prefix: IdPrefix, now: Date): string {
  return encode(prefix, uuidv7({ msecs: now.getTime() }));
}

/**
 * The next id under an account. Call it only while the account's row is locked.
 *
 * The lock orders the callers but not their clocks: two replicas may disagree by milliseconds, and an id that
 * sorts below one already committed would be skipped by a reader who walks the list. So time never goes back
 * here, and a number counts within the millisecond.
 */
export function nextId(
  prefix: IdPrefix,
  last: IdSequence | null,
  now: Date,
): { id: string; sequence: IdSequence } {
  const sequence: IdSequence =
    last === null || now > last.issuedAt
      ? { issuedAt: now, number: 0 }
      : { issuedAt: last.issuedAt, number: last.number + 1 };
  const uuid = uuidv7({ msecs: sequence.issuedAt.getTime(), seq: sequence.number });
  return { id: encode(prefix, uuid), sequence };
}

/** Whether `value` is a well-formed id of that kind. A malformed id never reaches SQL. */
export function isId(prefix: IdPrefix, value: string): boolean {
  try {
    TypeID.fromString(value, prefix);
    return true;
  } catch {
    return false; // typeid-js reports every malformation by throwing, and nothing else
  }
}

function encode(prefix: IdPrefix, uuid: string): string {
  return TypeID.fromUUID(prefix, uuid).toString();
}
