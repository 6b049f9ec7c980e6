import type { Task, TaskList, WorkerPool } from 'graphile-worker';
import { Pool } from 'pg';
import { SECOND_MS } from '../../kernel/clock';
import { ConfigError } from '../config/config';
import { connectionBounds } from '../database/data-source';
import { Database } from '../database/database';
import { underMigrationLock } from '../database/migrate';
import { Tx } from '../database/tx';
import { Log } from '../telemetry/log';
import { Sweeps } from './sweeps';

/** Work outside the database that one kind of job does. */
export interface JobHandler<Payload extends object> {
  readonly name: string;
  /** How often a job is tried, with waits that grow from seconds to six hours. */
  readonly attempts: number;
  /** It may run again after it was done, since a process can die before that is noted. It ends when `signal` says so. */
  run(payload: Payload, signal: AbortSignal): Promise<void>;
}

/** graphile-worker keeps its tables in a schema of its own, which it alone changes. */
const SCHEMA = 'graphile_worker';
const AT_ONCE = 4;

/** How long a job may take: less than a process that stops has for what is under way. */
const JOB_LIMIT_MS = 20 * SECOND_MS;

/** A job that is locked for longer than one can take belongs to a process that died, and is free again. */
const DEAD_AFTER = '2 minutes';
const LOOK_FOR_DEAD_MS = 30 * SECOND_MS;

const PAUSE_AFTER_BREAKDOWN_MS = SECOND_MS;

const NOT_ALLOWED = '42501';

/**
 * Work that reaches outside (mail), done after the transaction that wants it, and tried again until it succeeds. The
 * queue is in the database, so a job is added in a transaction and done by whichever process comes first.
 *
 * Adding one notifies all workers, which makes commits wait for each other: it is for sweeps, never for a posting.
 */
export class JobQueue {
  private readonly handlers: JobHandler<object>[] = [];
  private pool: Pool | null = null;
  private workers: WorkerPool | null = null;
  private restart: NodeJS.Timeout | undefined;
  private stopped = false;
  private lookedForDeadAt = new Date(0);

  constructor(
    private readonly database: Database,
    private readonly databaseUrl: string,
    private readonly sweeps: Sweeps,
    private readonly log: Log,
  ) {}

  join<Payload extends object>(handler: JobHandler<Payload>): void {
    this.handlers.push(handler);
  }

  /** Queues a job. `payload` is kept in the clear: ids and nothing secret. @param key one job for each */
  add<Payload extends object>(tx: Tx, handler: JobHandler<Payload>, key: string, payload: Payload): void {
    tx.write(
      `SELECT ${SCHEMA}.add_job($1::text, $2::json, job_key => $3::text, max_attempts => $4::integer)`,
      [handler.name, JSON.stringify(payload), key, handler.attempts],
    );
  }

  /**
   * Brings the queue's tables up to date where there is anything to do.
   * @throws ConfigError when the database does not let it
   */
  async prepare(): Promise<void> {
    if (this.handlers.length === 0) return;
    const { runMigrations } = await import('graphile-worker');
    const options = { connectionString: this.databaseUrl, schema: SCHEMA, logger: await this.logger() };
    try {
      await underMigrationLock(this.databaseUrl, () => runMigrations(options));
    } catch (error) {
      if ((error as { code?: string }).code !== NOT_ALLOWED) throw error;
      throw new ConfigError(
        `SMTP_URL: mail needs a job queue in the schema ${SCHEMA}. Let the role of DATABASE_URL make it: GRANT CREATE ON DATABASE`,
      );
    }
  }

  /** Works on jobs until it is stopped. Where no kind of job is known nothing starts. */
  async start(): Promise<void> {
    if (this.handlers.length === 0) return;
    this.pool = new Pool({ ...connectionBounds(this.databaseUrl), max: AT_ONCE + 1 });
    // Who has a connection learns of its end, but an emitter without a listener would end the process.
    this.pool.on('error', () => undefined);
    this.pool.on('connect', (client) => client.on('error', () => undefined));
    this.sweeps.join({ name: 'jobs of dead processes', run: (now) => this.freeJobsOfDead(now) });
    await this.work(this.pool);
  }

  /** Lets the jobs under way finish. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.restart);
    try {
      await this.workers?.gracefulShutdown();
      await this.pool?.end();
    } catch (error) {
      this.complain(error);
    }
  }

  /** The workers give up when they cannot note in the database how a job ended; then others take over. */
  private async work(pool: Pool): Promise<void> {
    const { runTaskList } = await import('graphile-worker');
    if (this.stopped) return;
    this.workers = runTaskList(
      {
        schema: SCHEMA,
        logger: await this.logger(),
        concurrency: AT_ONCE,
        noHandleSignals: true,
        // Without batches, of one even, a failure to note the end of a job is nobody's, and ends the process.
        preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      },
      this.tasks(),
      pool,
    );
    void this.workers.promise
      .catch((error) => this.complain(error))
      .then(() => {
        if (!this.stopped) this.restart = setTimeout(() => void this.work(pool), PAUSE_AFTER_BREAKDOWN_MS);
      });
  }

  private tasks(): TaskList {
    return Object.fromEntries(this.handlers.map((handler) => [handler.name, this.task(handler)]));
  }

  private task(handler: JobHandler<object>): Task {
    return async (payload, { job }) => {
      const signal = AbortSignal.timeout(JOB_LIMIT_MS);
      try {
        await Promise.race([handler.run(payload as object, signal), whenAborted(signal)]);
      } catch (error) {
        const attempt = `attempt ${job.attempts} of ${job.max_attempts}`;
        this.log.failure(`The job ${handler.name} ${job.key} failed, ${attempt}`, error);
        // The queue keeps the message, so it is not the error's own.
        throw new Error(kindOf(error), { cause: error });
      }
    };
  }

  /** By the database's clock, which also set the locks. @returns false: there is never more at once */
  private async freeJobsOfDead(now: Date): Promise<boolean> {
    if (now.getTime() - this.lookedForDeadAt.getTime() < LOOK_FOR_DEAD_MS) return false;
    this.lookedForDeadAt = now;
    await this.database.read(
      `SELECT ${SCHEMA}.force_unlock_workers(array_agg(DISTINCT locked_by)) FROM ${SCHEMA}.jobs
       WHERE locked_at < now() - interval '${DEAD_AFTER}' HAVING count(*) > 0`,
      [],
    );
    return false;
  }

  private async logger() {
    const { Logger } = await import('graphile-worker');
    return new Logger(() => (level, _message, meta) => {
      const ownFailure = meta?.['failure'] === true; // of a job, which is logged where it happens
      if ((level as string) === 'error' && !ownFailure)
        this.complain(meta?.['error'] ?? meta?.['fatalError']);
    });
  }

  private complain(error: unknown): void {
    this.log.failure('The job queue met a failure', error);
  }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

function kindOf(error: unknown): string {
  const { name = typeof error, code } = error as { name?: string; code?: unknown };
  return typeof code === 'string' ? `${name} ${code}` : name;
}
