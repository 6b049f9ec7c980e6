import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { setTimeout as delay } from 'node:timers/promises';
import { Clock, MINUTE_MS, SECOND_MS } from '../../kernel/clock';
import { FairQueue } from '../../kernel/fair-queue';
import { isUnavailable } from '../../platform/database/failures';
import type { DueItem, DueItemTask } from '../../platform/jobs/due-items';
import { Mail, Mailer, MailFailure } from '../../platform/mail/mailer';
import { Log } from '../../platform/telemetry/log';
import { readGauge } from '../../platform/telemetry/metrics';
import { inTrace } from '../../platform/telemetry/spans';

/** How many emails a process sends at the same time, in turns of their sorts. */
const PLACES = 4;

/** How long sending one may take: less than the time that a stopping process has for its work. */
const TIMEOUT_MS = 20 * SECOND_MS;

/** How long a claim keeps other processes from an email. If its process dies, another one sends it then. */
const CLAIM_MS = 2 * MINUTE_MS;

/** With delays of up to six hours, they take about a day. */
const MAX_ATTEMPTS = 13;

/** An email that this process has claimed. */
interface ClaimedEmail {
  /** The number of this attempt. */
  readonly attempts: number;
  readonly traceparent?: string | null;
}

/** Where emails of one sort wait. */
interface EmailRows<Email extends ClaimedEmail> {
  /** Finds those that are due, the earliest first, without the excluded ids. */
  findDue(now: Date, excludedIds: readonly string[], limit: number): Promise<readonly DueItem[]>;
  /** Makes the email due at `until` and counts an attempt. @returns null when it is not due, or another process has won */
  claim(item: DueItem, now: Date, until: Date): Promise<Email | null>;
  /** Makes a claimed email due again; with null, it is given up. */
  release(email: Email, until: Date, dueAt: Date | null): Promise<void>;
  /** Ends a claimed email. @param sentAt null when it was not sent, and is not to be */
  complete(email: Email, until: Date, sentAt: Date | null): Promise<void>;
  /** Counts those that wait, and those that are given up. */
  count(): Promise<{ readonly waiting: number; readonly failed: number }>;
}

/** One sort of emails. */
export interface Letters<Email extends ClaimedEmail> {
  /** Names the periodic task. */
  readonly name: string;
  /** Names them in the metrics and the log. */
  readonly job: string;
  /** Precedes the id of an email in the log. */
  readonly idPrefix: string;
  readonly rows: EmailRows<Email>;
  /** Where the due times of the rows are. */
  readonly table: string;
  /** Names the email in the log. */
  describe(email: Email): string;
  /** The email as it is sent now; null when its reason is gone. */
  compose(email: Email, now: Date): Promise<Mail | null>;
  /** Calls `send`, unless a quota is used up. @throws MailFailure when the email waits for the quota; what `send` throws */
  withinQuota(email: Email, mail: Mail, send: () => Promise<void>): Promise<void>;
}

/**
 * Sends emails after the transactions that cause them, and retries failures. An email is a row with a due time. The
 * process that claims the row sends the email outside of any database transaction, and then marks it. If it dies in
 * between, the email is sent again, with the same Message-ID.
 */
@Injectable()
export class Outbox {
  private readonly places = new FairQueue(PLACES, Infinity, () => new Error('Too many.'));
  private readonly sorts: Countable[] = [];
  private readonly runs: Counter<'job' | 'outcome'>;

  constructor(
    private readonly mailer: Mailer,
    private readonly clock: Clock,
    private readonly log: Log,
    registry: Registry,
  ) {
    this.runs = new Counter({
      name: 'countinghouse_job_runs_total',
      help: 'Attempts to send emails in this process by outcome: succeeded or failed.',
      labelNames: ['job', 'outcome'],
      registers: [registry],
    });
    readGauge(
      registry,
      {
        name: 'countinghouse_jobs',
        help: 'Emails by state: waiting, or failed for good.',
        labelNames: ['job', 'state'],
      },
      async () => (await Promise.all(this.sorts.map(countByState))).flat(),
    );
  }

  /** Creates the periodic task that sends one sort of emails; null without a mail server. */
  taskFor<Email extends ClaimedEmail>(letters: Letters<Email>): DueItemTask | null {
    if (!this.mailer.configured) return null;
    this.sorts.push(letters);
    const { name, rows, table } = letters;
    return {
      name,
      wokenBy: [table],
      batchSize: 1,
      places: this.places,
      findDue: (now, excludedIds, limit) => rows.findDue(now, excludedIds, limit),
      process: (accountId, [id]) => this.process(letters, { accountId, id: id! }),
    };
  }

  private async process<Email extends ClaimedEmail>(letters: Letters<Email>, item: DueItem): Promise<void> {
    const { rows, job, idPrefix } = letters;
    const now = this.clock.now();
    const until = new Date(now.getTime() + CLAIM_MS);
    const email = await rows.claim(item, now, until);
    if (email === null) return;
    const { attempts, traceparent } = email;
    if (attempts > MAX_ATTEMPTS) {
      this.log.notice(
        `The job ${job} ${idPrefix}${item.id} is given up: its process died in the last attempt`,
      );
      return rows.release(email, until, null);
    }
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const send = (): Promise<void> =>
      Promise.race([this.send(letters, email, until, signal), whenAborted(signal)]);
    try {
      await inTrace(`job ${job}`, {}, send, traceparent ? { traceparent } : {});
      this.runs.inc({ job, outcome: 'succeeded' });
    } catch (error) {
      this.runs.inc({ job, outcome: 'failed' });
      this.log.failure(
        `The job ${job} ${idPrefix}${item.id} failed, attempt ${attempts} of ${MAX_ATTEMPTS}`,
        error,
      );
      await rows.release(email, until, nextAttemptAt(attempts, this.clock.now()));
    }
  }

  /** @throws MailFailure when a retry may succeed */
  private async send<Email extends ClaimedEmail>(
    letters: Letters<Email>,
    email: Email,
    until: Date,
    signal: AbortSignal,
  ): Promise<void> {
    let sentAt: Date | null = null;
    try {
      const mail = await letters.compose(email, this.clock.now());
      if (mail !== null) {
        await letters.withinQuota(email, mail, () => this.mailer.send(mail, signal));
        sentAt = this.clock.now();
      }
    } catch (error) {
      if (!(error instanceof MailFailure && error.permanent)) throw error;
      this.log.failure(`The mail server permanently rejected the ${letters.describe(email)}`, error);
    }
    await whenAvailable(() => letters.rows.complete(email, until, sentAt), signal);
  }
}

/** 3, 7, 20 seconds and so on, up to six hours. @returns null after the last attempt */
function nextAttemptAt(attempts: number, now: Date): Date | null {
  const delayMs = Math.round(Math.exp(Math.min(attempts, 10)) * SECOND_MS);
  return attempts === MAX_ATTEMPTS ? null : new Date(now.getTime() + delayMs);
}

/** An email that is not marked is sent again, so this waits for an unavailable database as long as the attempt may run. */
async function whenAvailable(mark: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      return await mark();
    } catch (error) {
      if (!isUnavailable(error) || signal.aborted) throw error;
      await delay(SECOND_MS);
    }
  }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

type Countable = Pick<Letters<never>, 'job'> & { readonly rows: Pick<EmailRows<never>, 'count'> };

async function countByState({ job, rows }: Countable) {
  return Object.entries(await rows.count()).map(([state, value]) => ({ labels: { job, state }, value }));
}
