import type { Task, TaskList, WorkerPool } from 'graphile-worker';
import { Pool } from 'pg';
import type { Registry } from 'prom-client';
import { Counter } from 'prom-client';
import { SECOND_MS } from '../../kernel/clock';
import { ConfigError } from '../config/settings';
import { poolConfig, QUEUE_CONNECTIONS } from '../database/engine/data-source';
import type { Database } from '../database/database';
import { underMigrationLock } from '../database/migrations/migrate';
import type { Tx } from '../database/tx';
import type { Log } from '../telemetry/log';
import { readGauge } from '../telemetry/metrics';
import type { TraceParent } from '../telemetry/spans';
import { currentTrace, inTrace } from '../telemetry/spans';
import type { PeriodicTasks } from './periodic-tasks';

/** Runs one kind of job, which works outside the database. */
export interface JobHandler<Payload extends object> {
  readonly name: string;
  /** How many times a job is attempted, with delays that grow from seconds to six hours. */
  readonly attempts: number;
  /** Must be idempotent, since a process can die before it records the completion. Ends when `signal` aborts. */
  run(payload: Payload, signal: AbortSignal): Promise<void>;
}

/** The schema of graphile-worker's tables, which it migrates itself. */
const SCHEMA = 'graphile_worker';
const CONCURRENCY = QUEUE_CONNECTIONS - 1;

/** How long a job may take: less than the time that a stopping process has for its jobs. */
const JOB_TIMEOUT_MS = 20 * SECOND_MS;

/** A job that is locked for longer than the timeout belongs to a dead process and is unlocked. */
const UNLOCK_AFTER = '2 minutes';
const UNLOCK_INTERVAL_MS = 30 * SECOND_MS;

const RESTART_DELAY_MS = SECOND_MS;

/** SQLSTATE: insufficient privilege. */
const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Runs work outside the database, such as sending email, after the transaction that requires it, and retries failures.
 * The queue is in the database: a job is added in a transaction, and any worker may run it.
 *
 * Adding a job notifies all workers, which makes commits wait for each other. Add jobs in periodic tasks, never in a
 * transaction that posts.
 */
export class JobQueue {
  private readonly handlers: JobHandler<object>[] = [];
  private pool: Pool | null = null;
  private workers: WorkerPool | null = null;
  private restart: NodeJS.Timeout | undefined;
  private stopped = false;
  private lastUnlockAt = new Date(0);
  private readonly runs: Counter<'job' | 'outcome'>;

  constructor(
    private readonly database: Database,
    private readonly databaseUrl: string,
    private readonly periodicTasks: PeriodicTasks,
    private readonly log: Log,
    registry: Registry,
  ) {
    this.runs = new Counter({
      name: 'countinghouse_job_runs_total',
      help: 'Attempts at jobs of the queue in this process by outcome: succeeded or failed.',
      labelNames: ['job', 'outcome'],
      registers: [registry],
    });
    readGauge(
      registry,
      {
        name: 'countinghouse_jobs',
        help: 'Jobs of the queue by state: waiting, or failed for good.',
        labelNames: ['job', 'state'],
      },
      () => this.countJobs(),
    );
  }

  register<Payload extends object>(handler: JobHandler<Payload>): void {
    this.handlers.push(handler);
  }

  /**
   * Adds a job when `tx` commits.
   * @param key identifies the job: a key has at most one waiting job
   * @param payload is stored unencrypted, so it contains ids and no secrets
   * @param traceparent the trace that the job becomes a part of; that of the caller if it is null
   */
  add<Payload extends object>(
    tx: Tx,
    handler: JobHandler<Payload>,
    key: string,
    payload: Payload,
    traceparent: string | null = null,
  ): void {
    const trace = traceparent === null ? currentTrace() : { traceparent };
    tx.enqueue(
      `SELECT ${SCHEMA}.add_job($1::text, $2::json, job_key => $3::text, max_attempts => $4::integer)`,
      [handler.name, JSON.stringify({ ...payload, ...trace }), key, handler.attempts],
    );
  }

  /**
   * Migrates the queue's tables if any job handler is registered.
   * @throws ConfigError when the database role may not create the schema
   */
  async prepare(): Promise<void> {
    if (this.handlers.length === 0) return;
    const { runMigrations } = await import('graphile-worker');
    const options = { connectionString: this.databaseUrl, schema: SCHEMA, logger: await this.logger() };
    try {
      await underMigrationLock(this.databaseUrl, () => runMigrations(options));
    } catch (error) {
      if ((error as { code?: string }).code !== INSUFFICIENT_PRIVILEGE) throw error;
      throw new ConfigError(
        `SMTP_URL: email requires a job queue in the schema ${SCHEMA}, which the role of DATABASE_URL must be allowed to create: GRANT CREATE ON DATABASE`,
      );
    }
  }

  /** Runs jobs until `stop`. Does nothing if no job handler is registered. */
  async start(): Promise<void> {
    if (this.handlers.length === 0) return;
    this.pool = new Pool({ ...poolConfig(this.databaseUrl), max: QUEUE_CONNECTIONS });
    // The code that uses a connection receives its error too, but an emitter without a listener would end the process.
    this.pool.on('error', () => undefined);
    this.pool.on('connect', (client) => client.on('error', () => undefined));
    this.periodicTasks.register({ name: 'abandoned jobs', run: (now) => this.unlockAbandonedJobs(now) });
    await this.work(this.pool);
  }

  /** Waits for the jobs in progress and starts no others. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.restart);
    try {
      await this.workers?.gracefulShutdown();
      await this.pool?.end();
    } catch (error) {
      this.logFailure(error);
    }
  }

  /** Workers end when they cannot record a job's completion in the database, so new ones are started after a delay. */
  private async work(pool: Pool): Promise<void> {
    const { runTaskList } = await import('graphile-worker');
    if (this.stopped) return;
    this.workers = runTaskList(
      {
        schema: SCHEMA,
        logger: await this.logger(),
        concurrency: CONCURRENCY,
        noHandleSignals: true,
        // In graphile-worker 0.17 an unbatched completion that fails is an unhandled rejection, which ends the process.
        preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      },
      this.tasks(),
      pool,
    );
    void this.workers.promise
      .catch((error) => this.logFailure(error))
      .then(() => {
        if (!this.stopped) this.restart = setTimeout(() => void this.work(pool), RESTART_DELAY_MS);
      });
  }

  private tasks(): TaskList {
    return Object.fromEntries(this.handlers.map((handler) => [handler.name, this.task(handler)]));
  }

  private task(handler: JobHandler<object>): Task {
    return async (payload, { job }) => {
      const signal = AbortSignal.timeout(JOB_TIMEOUT_MS);
      try {
        const run = (): Promise<void> =>
          Promise.race([handler.run(payload as object, signal), whenAborted(signal)]);
        await inTrace(`job ${handler.name}`, {}, run, payload as TraceParent);
        this.runs.inc({ job: handler.name, outcome: 'succeeded' });
      } catch (error) {
        this.runs.inc({ job: handler.name, outcome: 'failed' });
        const attempt = `attempt ${job.attempts} of ${job.max_attempts}`;
        this.log.failure(`The job ${handler.name} ${job.key} failed, ${attempt}`, error);
        // The queue stores the message, which could contain personal data, so only the kind of error is passed on.
        throw new Error(classifyError(error), { cause: error });
      }
    };
  }

  /** Uses the database's clock, which also set the locks. @returns false, since one statement unlocks all */
  private async unlockAbandonedJobs(now: Date): Promise<boolean> {
    if (now.getTime() - this.lastUnlockAt.getTime() < UNLOCK_INTERVAL_MS) return false;
    this.lastUnlockAt = now;
    await this.database.query(
      `SELECT ${SCHEMA}.force_unlock_workers(array_agg(DISTINCT locked_by)) FROM ${SCHEMA}.jobs
       WHERE locked_at < now() - interval '${UNLOCK_AFTER}' HAVING count(*) > 0`,
      [],
    );
    return false;
  }

  private async countJobs() {
    if (this.handlers.length === 0) return []; // the tables may not exist
    const rows = await this.database.query<{ job: string; state: string; count: string }>(
      `SELECT task_identifier AS job, CASE WHEN attempts < max_attempts THEN 'waiting' ELSE 'failed' END AS state, count(*)
       FROM ${SCHEMA}.jobs GROUP BY job, state`,
      [],
    );
    return rows.map(({ job, state, count }) => ({ labels: { job, state }, value: Number(count) }));
  }

  private async logger() {
    const { Logger } = await import('graphile-worker');
    return new Logger(() => (level, _message, meta) => {
      const isJobFailure = meta?.['failure'] === true; // logged by `task`
      if ((level as string) === 'error' && !isJobFailure)
        this.logFailure(meta?.['error'] ?? meta?.['fatalError']);
    });
  }

  private logFailure(error: unknown): void {
    this.log.failure('The job queue failed', error);
  }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

function classifyError(error: unknown): string {
  const { name = typeof error, code } = error as { name?: string; code?: unknown };
  return typeof code === 'string' ? `${name} ${code}` : name;
}
