import { TypeID } from 'typeid-js';
import { v7 as uuidv7 } from 'uuid';

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

/** A new id for a resource that no account owns: a prefix and 26 time-ordered characters, a UUIDv7 in base32. */
export function newId(prefix: IdPrefix, now: Date): string {
  return encode(prefix, uuidv7({ msecs: now.getTime() }));
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

/** Whether `value` is a well-formed id with that prefix. Malformed ids are rejected before they reach SQL. */
export function isId(prefix: IdPrefix, value: string): boolean {
  try {
    TypeID.fromString(value, prefix);
    return true;
  } catch {
    return false; // typeid-js throws for malformed input only
  }
}

function encode(prefix: IdPrefix, uuid: string): string {
  return TypeID.fromUUID(prefix, uuid).toString();
}
