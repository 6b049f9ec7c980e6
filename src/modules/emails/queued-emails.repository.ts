import { Injectable } from '@nestjs/common';
import { Database, Tx } from '../../platform/database/database';
import { DisabledNotices } from '../events';

const BATCH = 100;

/** A job of the queue, as graphile-worker 0.17 stores it. */
interface QueuedEmail {
  readonly job: 'payment-mail' | 'security-mail' | 'webhook-mail';
  readonly payload: {
    readonly account_id: string;
    readonly id: string;
    readonly kind: string;
    readonly last_sent_at?: string;
  };
  /** null for one that is given up. */
  readonly dueAt: Date | null;
  readonly attempts: number;
}

/** A job that is locked for longer than its time limit belongs to a process that has died. */
const TAKE_JOBS = `WITH free AS (
    SELECT jobs.id, identifier FROM graphile_worker._private_jobs jobs
    JOIN graphile_worker._private_tasks tasks ON tasks.id = jobs.task_id
    WHERE identifier IN ('payment-mail', 'security-mail', 'webhook-mail')
      AND (locked_at IS NULL OR locked_at < now() - interval '2 minutes')
    ORDER BY jobs.id LIMIT $1 FOR UPDATE OF jobs SKIP LOCKED)
  DELETE FROM graphile_worker._private_jobs jobs USING free WHERE jobs.id = free.id
  RETURNING identifier AS job, payload, attempts, CASE WHEN attempts < max_attempts THEN run_at END AS "dueAt"`;

/**
 * The emails that the previous release has handed to its job queue, and still does while one of its replicas runs. They
 * become due here, with their attempts. The next release drops the schema of that queue, and this class with it.
 */
@Injectable()
export class QueuedEmails {
  constructor(
    private readonly database: Database,
    private readonly notices: DisabledNotices,
  ) {}

  /** Takes over a bounded number of emails that no process is sending. @returns whether there may be more */
  async takeOver(): Promise<boolean> {
    const sql = `SELECT to_regclass('graphile_worker._private_jobs') IS NOT NULL AS exists`;
    const [queue] = await this.database.query<{ exists: boolean }>(sql, []);
    if (!queue!.exists) return false;
    return this.database.transaction(async (tx) => {
      const jobs = await tx.query<QueuedEmail>(TAKE_JOBS, [BATCH]);
      for (const job of jobs) this.makeDue(tx, job);
      return jobs.length === BATCH;
    });
  }

  /** One that was sent is not made due. */
  private makeDue(tx: Tx, { job, payload, dueAt, attempts }: QueuedEmail): void {
    const { account_id: accountId, id, kind, last_sent_at: lastSentAt = null } = payload;
    if (job === 'webhook-mail') this.notices.restore(tx, { accountId, id }, { dueAt, attempts });
    else if (job === 'security-mail')
      tx.enqueue('UPDATE security_emails SET due_at = $1, attempts = $2 WHERE id = $3 AND due_at IS NULL', [
        dueAt,
        attempts,
        id,
      ]);
    else
      tx.enqueue(
        `UPDATE payment_emails SET due_at = $1, attempts = $2
         WHERE account_id = $3 AND payment_request_id = $4 AND kind = $5 AND due_at IS NULL
           AND sent_at IS NOT DISTINCT FROM $6::timestamptz`,
        [dueAt, attempts, accountId, id, kind, lastSentAt],
      );
  }
}
