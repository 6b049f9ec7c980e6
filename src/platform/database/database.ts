import { Pool, PoolClient, QueryResultRow } from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { Clock } from '../../kernel/clock';
import { Refusal } from '../../kernel/refusal';
import { isRetryable } from './failures';
import { GroupCommit, Running } from './group-commit';
import { Answer, IdempotencyStore, Once, Replay, StoredMeanwhile } from './idempotency';
import { prepared } from './preparing-client';
import { Snapshot } from './snapshot';
import { Send, Tx } from './tx';

type Work<T> = (tx: Tx, now: Date) => Promise<T>;

/** Deadlocks and serialization failures are the server's way to say "again"; more than this is a defect. */
const MAX_ATTEMPTS = 6;

/** The database as application code sees it: single reads, and transactions. */
export class Database {
  private readonly groups: GroupCommit;

  constructor(
    private readonly pool: Pool,
    private readonly clock: Clock,
    private readonly idempotency: IdempotencyStore,
  ) {
    this.groups = new GroupCommit(pool);
  }

  /** Runs one statement on its own and answers its rows. */
  async read<Row extends QueryResultRow>(sql: string, params: readonly unknown[]): Promise<Row[]> {
    return (await this.pool.query<Row>(prepared(sql, params))).rows;
  }

  /**
   * Runs `work` in one database transaction: all of it happens or nothing.
   *
   * With `about`, works that come at the same time about different things may share that transaction (see GroupCommit),
   * which is faster and changes nothing else. Such a work locks what it is about with `tx.lockRow` before all else.
   *
   * With `once` (the request's idempotency) the answer is rendered and stored in the same transaction, and a repeat
   * is answered from the store without running `work`. Without it the result of `work` is answered as it is.
   *
   * `work` may run again after a deadlock, so it has no effect outside `tx`.
   * @throws Refusal that `work` or a violated constraint gave; `unavailable` when it keeps losing to others; the
   * driver's error when the database cannot answer. After that last one the outcome is unknown: a repeat with the same
   * idempotency key finds out.
   */
  atomically<T>(once: null, work: Work<T>, about?: string): Promise<T>;
  atomically<T>(once: Once<T>, work: Work<T>, about?: string): Promise<Answer>;
  async atomically<T>(once: Once<T> | null, work: Work<T>, about?: string): Promise<T | Answer> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const alone = (): Promise<T | Answer> => this.attempt(once, work);
        if (about === undefined || attempt > 1) return await alone();
        return await this.groups.run(about, (client) => this.begin(client, once, work, true), alone);
      } catch (thrown) {
        const error = thrown instanceof Refusal && once?.key ? await this.unlessStored(once, thrown) : thrown;
        if (error instanceof Replay) return error.answer;
        const again = isRetryable(error) || error instanceof StoredMeanwhile;
        if (!again) throw error;
        if (attempt === MAX_ATTEMPTS)
          throw new Refusal('unavailable', 'Too much happens here at once. Repeat the request shortly.', 1);
        await delay(Math.random() * 10 * 2 ** attempt);
      }
    }
  }

  /** Deletes stored answers that are too old to be given again. @returns whether there may be more */
  forgetOldAnswers(now: Date): Promise<boolean> {
    return this.idempotency.deleteOld((sql, params) => this.read(sql, params), now);
  }

  /** Runs `work` on one unchanging view of the database, which does not hold up anybody else. */
  async snapshot<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const result = await work(new Snapshot(client));
      await client.query('COMMIT');
      return result;
    } catch (error) {
      broken = error as Error; // the connection may be anywhere in its transaction: it is not used again
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /**
   * What refused a request may be the effect of the first one with its key, committed while this one waited: then
   * this one is a repeat.
   * @returns the refusal, or the {@link Replay} that is the better answer
   */
  private unlessStored<T>(once: Once<T>, refusal: Refusal): Promise<unknown> {
    const send = (sql: string, params: readonly unknown[]) => this.pool.query(prepared(sql, params));
    return this.idempotency.lookUp(once, this.clock.now(), send).then(
      () => refusal,
      (found: unknown) => found,
    );
  }

  private async attempt<T>(once: Once<T> | null, work: Work<T>): Promise<T | Answer> {
    const client = await this.pool.connect();
    const { tx, result } = this.begin(client, once, work, false);
    let broken: Error | undefined;
    try {
      const outcome = await result;
      await tx.commit();
      return outcome;
    } catch (error) {
      broken = await undo(tx);
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** Starts `work` with a transaction of its own or a group's; what it leads to is queued once it is carried out. */
  private begin<T>(
    client: PoolClient,
    once: Once<T> | null,
    work: Work<T>,
    shared: boolean,
  ): Running<T | Answer> {
    const now = this.clock.now();
    const lookUp = once?.key ? (send: Send) => this.idempotency.lookUp(once, now, send) : null;
    const tx = new Tx(client, lookUp, shared);
    const carryOut = async (): Promise<T | Answer> => {
      const result = await work(tx, now);
      return once ? this.idempotency.remember(tx, once, result, now) : result;
    };
    return { tx, result: carryOut() };
  }
}

/** Rolls back, and answers the error of a connection that can no longer be used. */
async function undo(tx: Tx): Promise<Error | undefined> {
  try {
    await tx.rollback();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
