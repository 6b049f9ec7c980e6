import { BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Clock, DAY_MS, MINUTE_MS, SECOND_MS } from '../../../kernel/clock';
import { newId } from '../../../kernel/ids';
import { CursorPage, CursorRequest } from '../../../kernel/pages';
import type { PeriodicTask } from '../../../platform/jobs/periodic-tasks';
import { Log } from '../../../platform/telemetry/log';
import { AccountScopedReader, Principal } from '../../auth';
import { LoggedRequest } from './logged-request';
import { RequestFilter, RequestLogRepository } from './request-log.repository';

const KEPT_DAYS = 7;

/** Requests are written together, at the latest after this time. */
const WRITE_WITHIN_MS = SECOND_MS;

/** How many changes and errors of one account are kept in a second. Of successful reads it is one. */
const MAX_OF_ACCOUNT = 100;

/** When more than this are kept in a second, each account gets one: a row of the log costs a tenth of a creation. */
const CROWDED = 200;

/** How many wait to be written at most. */
const MAX_WAITING = 1_000;

/**
 * The requests of the last days, written beside their responses: none waits for it, and those of the last second are lost
 * with a process that is killed.
 */
@Injectable()
export class RequestLog
  extends AccountScopedReader<LoggedRequest, RequestFilter>
  implements BeforeApplicationShutdown
{
  readonly expiry: PeriodicTask = {
    name: 'old requests',
    intervalMs: MINUTE_MS,
    run: (now) => this.repository.deleteOlderThan(new Date(now.getTime() - KEPT_DAYS * DAY_MS)),
  };

  private waiting: LoggedRequest[] = [];
  /** When the second began in which requests are counted. */
  private secondMs = -Infinity;
  /** How many of each account are kept in it, by its id and by whether they are successful reads. */
  private readonly counts = new Map<string, number>();
  private kept = 0;
  private timer: NodeJS.Timeout | undefined;
  private isStopping = false;
  private writing: Promise<void> | undefined;

  constructor(
    private readonly repository: RequestLogRepository,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    super('req', 'request', repository);
  }

  /**
   * Records a request that has ended. Beyond the limits it is left out.
   * @param describe is called for a request that is kept
   */
  record(
    accountId: string,
    isRead: boolean,
    describe: () => Omit<LoggedRequest, 'accountId' | 'id' | 'createdAt'>,
  ): void {
    if (!this.hasPlace(`${accountId} ${isRead}`, isRead ? 1 : MAX_OF_ACCOUNT)) return;
    const createdAt = this.clock.now();
    const id = newId('req', createdAt, accountId);
    this.waiting.push(LoggedRequest.of({ accountId, id, createdAt, ...describe() }));
    this.schedule();
  }

  private hasPlace(key: string, limit: number): boolean {
    const now = performance.now();
    if (now - this.secondMs >= SECOND_MS) {
      this.secondMs = now;
      this.kept = 0;
      this.counts.clear();
    }
    const count = this.counts.get(key) ?? 0;
    if (count >= (this.kept >= CROWDED ? 1 : limit) || this.waiting.length >= MAX_WAITING) return false;
    this.counts.set(key, count + 1);
    this.kept += 1;
    return true;
  }

  /** Lists requests, newest first, also those of this process that have just ended. */
  override async list(
    caller: Principal,
    filter: RequestFilter,
    page: CursorRequest,
  ): Promise<CursorPage<Readonly<LoggedRequest>>> {
    await this.writeAll();
    return super.list(caller, filter, page);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await this.writeAll();
  }

  private async writeAll(): Promise<void> {
    await this.writing;
    await this.write();
  }

  /** Writes what waits, once the write before has ended. What cannot be written is lost: no response depends on it. */
  private write(): Promise<void> {
    this.writing ??= this.writeWaiting().finally(() => {
      this.writing = undefined;
      if (this.waiting.length > 0) this.schedule();
    });
    return this.writing;
  }

  private async writeWaiting(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const requests = this.waiting;
    this.waiting = [];
    try {
      await this.repository.addAll(requests);
    } catch (error) {
      this.log.failure('Requests could not be written to the request log', error);
    }
  }

  /** Requests that end while the service stops are written at once, as the database is closed after the last response. */
  private schedule(): void {
    if (this.isStopping) return void this.write();
    this.timer ??= setTimeout(() => void this.write(), WRITE_WITHIN_MS).unref();
  }
}
