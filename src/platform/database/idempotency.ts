import { createHmac } from 'node:crypto';
import { QueryResult } from 'pg';
import { DAY_MS } from '../../kernel/clock';
import { Refusal } from '../../kernel/refusal';
import { Tx } from './tx';

/** For how long a repeat of a creation is answered with the first answer. */
const REPLAY_DAYS = 7;

const DELETE_BATCH = 1_000;

/** The constraint that lets a key have one record. */
const RECORD_KEY = 'idempotency_records_key';

/** A creation that a client may repeat without creating twice, and how its result is shown. */
export interface Once<T> {
  /** Whose key it is: two principals may use the same one. */
  readonly principal: string;
  /** The `Idempotency-Key`; null when the client sent none, and then nothing is looked up or stored. */
  readonly key: string | null;
  /** Method, path and body of the request: the same key with another of these is refused. */
  readonly request: string;
  readonly render: (result: T) => object;
}

/** The body of a 201 answer as it goes over the wire, and whether it was stored by an earlier request. */
export class Answer {
  constructor(
    readonly body: string,
    readonly replayed: boolean,
  ) {}
}

/** Ends a transaction early: an earlier request with this key has its answer already. */
export class Replay extends Error {
  constructor(readonly answer: Answer) {
    super('The answer is already stored.');
  }
}

/** Another request with the same key committed while this one ran. Running again finds its answer. */
export class StoredMeanwhile extends Error {}

/** Stores answers beside the effects they tell of, in the same database transaction. */
export class IdempotencyStore {
  /** @param secrets the first keys new fingerprints, all are accepted, so that secrets can be rotated */
  constructor(private readonly secrets: readonly string[]) {}

  /** Throws {@link Replay} when the answer is stored, and refuses a key that was used for another request. */
  async lookUp<T>(
    once: Once<T>,
    now: Date,
    send: (sql: string, params: readonly unknown[]) => Promise<QueryResult>,
  ): Promise<void> {
    const { rows } = await send(
      'SELECT fingerprint, answer FROM idempotency_records WHERE principal = $1 AND key = $2 AND created_at > $3',
      [once.principal, once.key, replayableSince(now)],
    );
    const stored = rows[0] as { fingerprint: string; answer: string } | undefined;
    if (stored === undefined) return;
    if (!this.secrets.some((secret) => fingerprint(secret, once.request) === stored.fingerprint)) {
      throw new Refusal(
        'invalid_request',
        'This Idempotency-Key was used for a different request. Use a new key for a new request.',
      );
    }
    throw new Replay(new Answer(stored.answer, true));
  }

  /** Deletes records that are no longer answered from, a bounded number. @returns whether there may be more */
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

  /** Renders the answer and queues its record, so that both commit or neither. */
  remember<T>(tx: Tx, once: Once<T>, result: T, now: Date): Answer {
    const body = JSON.stringify(once.render(result));
    if (once.key !== null) {
      tx.write('DELETE FROM idempotency_records WHERE principal = $1 AND key = $2 AND created_at <= $3', [
        once.principal,
        once.key,
        replayableSince(now),
      ]);
      tx.write(
        `INSERT INTO idempotency_records (principal, key, fingerprint, answer, created_at)
         VALUES ($1, $2, $3, $4, $5)`,
        [once.principal, once.key, fingerprint(this.secrets[0]!, once.request), body, now],
        { [RECORD_KEY]: () => new StoredMeanwhile() },
      );
    }
    return new Answer(body, false);
  }
}

/** Records of this moment and before have served their time, and their keys are free again. */
function replayableSince(now: Date): Date {
  return new Date(now.getTime() - REPLAY_DAYS * DAY_MS);
}

/** Bodies may hold passwords, so what is kept of them cannot be tried out without the secret. */
function fingerprint(secret: string, request: string): string {
  return createHmac('sha256', secret).update(request).digest('base64url');
}
