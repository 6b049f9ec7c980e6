import { createHmac } from 'node:crypto';
import { DAY_MS } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import type { IdempotentOperation, IdempotentRequest } from '../database';
import { StoredResponse } from '../database';
import type { FindByKey } from './keyed-look-ups';
import { MAX_ROWS } from './queued-statement';
import type { KeyedLookUp, Tx } from '../tx';

/** How long a repeat of a creation returns the stored response. */
const REPLAY_DAYS = 7;

const DELETE_BATCH = 1_000;

/** The constraint that allows one record per key. */
const RECORD_KEY = 'idempotency_records_key';

const LOOK_UP: KeyedLookUp = {
  sql: `SELECT principal, key, fingerprint, response, created_at FROM idempotency_records
        WHERE (principal, key) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
  columns: ['principal', 'key'],
};

/** Inserts records, whose texts are prepared by their number. */
const insertTexts = Array.from(
  { length: MAX_ROWS },
  (_, more) =>
    `INSERT INTO idempotency_records (principal, key, fingerprint, response, created_at) VALUES ` +
    Array.from(
      { length: more + 1 },
      (_row, row) => `(${[1, 2, 3, 4, 5].map((at) => `$${row * 5 + at}`).join(', ')})`,
    ).join(', '),
);
const insertOfRows = (count: number): string => insertTexts[count - 1]!;

interface Stored {
  readonly fingerprint: string;
  readonly response: string;
  readonly created_at: Date;
}

/** Ends a transaction early: the response of an earlier request with this key is stored. */
export class Replay extends Error {
  constructor(readonly response: StoredResponse) {
    super('The response is already stored.');
  }
}

/** Another request with the same key committed in the meantime. The next attempt finds its response. */
export class StoredMeanwhile extends Error {}

/** Stores responses with the effects that they describe, in the same database transaction. */
export class IdempotencyStore {
  /** Requests whose key has a record that has expired, and is replaced. */
  private readonly replacing = new WeakSet<IdempotentRequest>();

  /** @param secrets the first signs new fingerprints, all are accepted, so that secrets can be rotated */
  constructor(private readonly secrets: readonly string[]) {}

  /** Throws {@link Replay} when the response is stored, and rejects a key that was used for another request. */
  async lookUp(operation: IdempotentRequest, now: Date, find: FindByKey): Promise<void> {
    const { principal, key } = operation;
    const stored = (await find(LOOK_UP, [principal, key!])) as Stored | null;
    const response = stored && this.replay(operation, stored, now);
    if (response !== null) throw new Replay(response);
  }

  /** Reads the stored responses of several requests of one principal, and rejects like `lookUp`. */
  async findAll(
    tx: Tx,
    operations: readonly IdempotentRequest[],
    now: Date,
  ): Promise<ReadonlyMap<IdempotentRequest, StoredResponse>> {
    const withKey = operations.filter(({ key }) => key !== null);
    if (withKey.length === 0) return new Map();
    const [principals, keys] = [withKey.map(({ principal }) => principal), withKey.map(({ key }) => key)];
    const rows = await tx.read<Stored & { readonly key: string }>(LOOK_UP.sql, [principals, keys]);
    const storedByKey = new Map(rows.map((row) => [row.key, row]));
    const found = new Map<IdempotentRequest, StoredResponse>();
    for (const operation of withKey) {
      const stored = storedByKey.get(operation.key!);
      const response = stored ? this.replay(operation, stored, now) : null;
      if (response !== null) found.set(operation, response);
    }
    return found;
  }

  /** @returns null for a record that has expired @throws DomainError `invalid_request` for that of another request */
  private replay(operation: IdempotentRequest, stored: Stored, now: Date): StoredResponse | null {
    if (stored.created_at <= replayableSince(now)) {
      this.replacing.add(operation);
      return null;
    }
    if (!this.secrets.some((secret) => fingerprint(secret, operation.request) === stored.fingerprint)) {
      throw new DomainError(
        'invalid_request',
        'This Idempotency-Key was used for a different request. Use a new key for a new request.',
      );
    }
    return new StoredResponse(stored.response, true);
  }

  /**
   * Waits until the synchronous standbys, if there are any, have what a repeat has found: after a crash or a canceled
   * wait of the first COMMIT, it is visible before. The message is its own commit, which waits for all before it.
   */
  async confirm(run: (sql: string, params: readonly unknown[]) => Promise<unknown[]>): Promise<void> {
    await run(
      `SELECT pg_logical_emit_message(true, 'countinghouse', '') WHERE current_setting('synchronous_standby_names') <> ''`,
      [],
    );
  }

  /** Deletes a bounded number of expired records. @returns whether there may be more */
  async deleteOld(
    run: (sql: string, params: readonly unknown[]) => Promise<unknown[]>,
    now: Date,
  ): Promise<boolean> {
    const deleted = await run(
      `DELETE FROM idempotency_records WHERE (principal, key) IN (
         SELECT principal, key FROM idempotency_records WHERE created_at <= $1 ORDER BY created_at LIMIT ${DELETE_BATCH}
       ) RETURNING key`,
      [replayableSince(now)],
    );
    return deleted.length === DELETE_BATCH;
  }

  /** Renders the response and queues its record, so that both commit or neither. */
  store<T>(tx: Tx, operation: IdempotentOperation<T>, result: T, now: Date): StoredResponse {
    const { principal, key, request, render, showsSecretOf } = operation;
    const body = JSON.stringify(render(result));
    if (key !== null) {
      if (this.replacing.has(operation))
        tx.enqueue('DELETE FROM idempotency_records WHERE principal = $1 AND key = $2 AND created_at <= $3', [
          principal,
          key,
          replayableSince(now),
        ]);
      const stored = showsSecretOf?.(result) ?? body;
      const params = [principal, key, fingerprint(this.secrets[0]!, request), stored, now];
      const insertion = { sql: insertOfRows(1), params, rows: 1, ofRows: insertOfRows };
      tx.enqueueInsert(insertion, { [RECORD_KEY]: () => new StoredMeanwhile() });
    }
    return new StoredResponse(body, false);
  }
}

/** The error of a repeat whose response showed a secret, which is not stored. @param id of what was created */
export function secretNotStored(id: string): DomainError {
  return new DomainError(
    'conflict',
    `The first request with this Idempotency-Key created ${id}. Its secret was shown once, in that response.`,
  );
}

/** Records created at or before this time have expired, and their keys may be used again. */
function replayableSince(now: Date): Date {
  return new Date(now.getTime() - REPLAY_DAYS * DAY_MS);
}

/** Request bodies contain personal data, so only a keyed hash is stored, against which guesses cannot be tested. */
function fingerprint(secret: string, request: string): string {
  return createHmac('sha256', secret).update(request).digest('base64url');
}
