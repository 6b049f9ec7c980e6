import type { Pool } from 'pg';

/** The part of the pool of background work that may hold locks: the work under a lock needs further connections. */
const SHARE_OF_POOL = 1 / 2;

/**
 * Lets one replica at a time run a periodic task. Without it, replicas find the same rows, and all but one wait for locks
 * only to see that the work is done. Rows are locked and checked in any case, so a lost lock costs time and nothing else.
 *
 * The lock belongs to an open transaction and not to a session: it works behind PgBouncer in transaction mode, and the
 * server takes it from a process that hangs (`idle_in_transaction_session_timeout`).
 */
export class TaskLocks {
  private held = 0;

  constructor(private readonly pool: Pool) {}

  /**
   * Runs `work`, unless another replica runs the task `name`. Runs it without a lock when the pool has no connection to
   * spare.
   * @returns the result of `work`, or undefined if it did not run
   */
  async run<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
    if (this.held + 1 > this.pool.options.max * SHARE_OF_POOL) return work();
    this.held += 1;
    try {
      return await this.underLock(name, work);
    } finally {
      this.held -= 1;
    }
  }

  private async underLock<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      const sql = 'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS locked';
      const { rows } = await client.query<{ locked: boolean }>(sql, [`countinghouse periodic task ${name}`]);
      return rows[0]!.locked ? await work() : undefined;
    } finally {
      // The server may have closed the connection meanwhile.
      await client.query('ROLLBACK').catch((error: Error) => (broken = error));
      client.release(broken);
    }
  }
}
