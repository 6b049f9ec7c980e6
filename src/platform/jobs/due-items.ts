import { MINUTE_MS, SECOND_MS } from '../../kernel/clock';
import { DomainError } from '../../kernel/domain-error';
import type { FairQueue } from '../../kernel/fair-queue';
import { isServerUnavailable, isTimeout } from '../database/failures';
import type { Log } from '../telemetry/log';
import type { TaskLocks } from './task-locks';

/** A row that is due. Every row is stored under the account that owns it. */
export interface DueItem {
  readonly accountId: string;
  readonly id: string;
  /** When it became due: a test clock that moves on stops there. */
  readonly dueAt?: Date;
}

/** A periodic task that processes due rows. */
export interface DueItemTask {
  readonly name: string;
  readonly intervalMs?: number;
  /** Like that of a PeriodicTask, for items with `dueAt`. */
  readonly wokenBy?: readonly string[];
  /** The maximum number of items in a call of `process`, all of one account; 1 where it calls another system. */
  readonly batchSize: number;
  /**
   * Whether batches of different accounts are processed at the same time: for work that shares database transactions (see
   * `Database.transaction`).
   */
  readonly concurrent?: true;
  /**
   * The items of a task that calls another system which are processed at the same time, also by other tasks that share the
   * places. A run waits for a place for each item, and not for the end: one that takes long delays none that become due
   * meanwhile.
   */
  readonly places?: FairQueue;
  /** Finds due items, the earliest first, without the excluded ids. */
  findDue(now: Date, excludedIds: readonly string[], limit: number): Promise<readonly DueItem[]>;
  /**
   * Processes items of one account. Another replica may have processed them in the meantime, so it first locks them and
   * checks again whether they are due. All changes are made in one database transaction, except by a task that calls
   * another system.
   */
  process(accountId: string, ids: readonly string[]): Promise<void>;
  /** Whether an error of `process` suggests that the other system is down. The whole task then pauses. */
  isOutage?(error: unknown): boolean;
}

/** How many due items one look-up returns. */
const PAGE_SIZE = 500;

/** How many items of different accounts are processed at the same time. */
const MAX_TOGETHER = 64;

/** Bounds the due items that the metrics count, since every replica counts them whenever it is scraped. */
const MAX_COUNT = 100;

const FIRST_RETRY_MS = SECOND_MS;
const MAX_RETRY_MS = 30 * MINUTE_MS;

/** Bounds the items of one run that stay due and are excluded from its look-ups. The run ends beyond it. */
const MAX_STAYING_DUE = 5_000;

/**
 * Bounds the memory for failed items. More failures than this mean an outage: those that failed first are then retried
 * before their delay is over, one page per run.
 */
const MAX_POSTPONED = 5_000;

interface Failure {
  readonly attempts: number;
  readonly retryAt: Date;
}

/** What the calls of `run` that form one run share. */
interface RunState {
  readonly lastPage: ReadonlySet<string>;
  /** Items found again after they were processed, for example because another transaction locks them. */
  readonly stayingDue: Set<string>;
  /** Accounts of which an item timed out, probably at a lock on the account. Their other items wait for the next run. */
  readonly timedOutAccounts: Set<string>;
  /** What has ended the processing of an item in its place, and ends the run. */
  outage?: Error;
}

const newRun = (): RunState => ({ lastPage: new Set(), stayingDue: new Set(), timedOutAccounts: new Set() });

/**
 * Processes due rows with one failure policy: an item that fails is postponed by a delay that doubles with each
 * failure, and does not block other items. After a timeout, the other items of its account wait for the next run.
 *
 * The number of excluded items is bounded: items that become due later than `MAX_POSTPONED` failing items and a page,
 * or than `MAX_STAYING_DUE` items that stay due and a page, may wait until there are fewer of those.
 */
export class DueItems {
  readonly name: string;
  readonly intervalMs: number | undefined;
  readonly wokenBy: readonly string[] | undefined;
  private readonly failures = new Map<string, Failure>();
  private state = newRun();
  /** The errors of items in the latest run. A DomainError is a decision, for example the veto of a hook, and not an error. */
  itemErrors: unknown[] = [];
  /** What has a place, or waits for one, by the id of the item. */
  private readonly inProgress = new Map<string, Promise<void>>();

  constructor(
    private readonly task: DueItemTask,
    private readonly log: Log,
    private readonly locks?: TaskLocks,
  ) {
    this.name = task.name;
    this.intervalMs = task.intervalMs;
    this.wokenBy = task.wokenBy;
  }

  /**
   * Processes one page of due items. The calls up to the first that returns false or throws are one run, in which an
   * item that stays due is not processed again. Nothing is processed while another replica runs the task, except by a
   * task that calls another system: it claims its items one by one, and replicas share the waiting.
   * @param stopping ends the page early, between two batches
   * @returns whether there may be more
   */
  async run(now: Date, stopping: AbortSignal): Promise<boolean> {
    const isFirstPage = this.state.lastPage.size === 0;
    if (isFirstPage) this.itemErrors = [];
    const runPage = (): Promise<boolean> => this.runPage(now, stopping);
    if (this.locks === undefined || this.task.batchSize === 1) return runPage();
    // The lock takes a connection and three statements, so nothing takes it while nothing is due.
    if (isFirstPage && (await this.task.findDue(now, this.excluded(now), 1)).length === 0) return false;
    const more = await this.locks.run(this.name, runPage);
    if (more === undefined) this.state = newRun();
    return more ?? false;
  }

  /** Waits for the items that runs have left in their places. */
  async settle(): Promise<void> {
    await Promise.all(this.inProgress.values());
  }

  async nextRun(now: Date, until: Date): Promise<Date | null> {
    const [first] = await this.task.findDue(until, this.excluded(now), 1);
    const retries = [...this.failures.values()].map(({ retryAt }) => retryAt).filter((time) => time > now);
    const times = first === undefined ? retries : [first.dueAt ?? now, ...retries];
    return times.reduce<Date | null>((one, other) => (one === null || other < one ? other : one), null);
  }

  async nextDue(now: Date, until: Date): Promise<Date | null> {
    const found = await this.task.findDue(until, this.excluded(now), PAGE_SIZE);
    return found.find(({ dueAt }) => dueAt !== undefined && dueAt > now)?.dueAt ?? null;
  }

  /** The number of items that have failed and wait to be tried again. */
  get postponed(): number {
    return this.failures.size;
  }

  /** The number of items that are due, at most `MAX_COUNT`. */
  async countDue(now: Date): Promise<number> {
    return (await this.task.findDue(now, [], MAX_COUNT)).length;
  }

  private async runPage(now: Date, stopping: AbortSignal): Promise<boolean> {
    const { state, task } = this;
    const { places } = task;
    const excluded = this.excluded(now);
    this.state = newRun(); // also when this call throws
    const found = await task.findDue(now, excluded, PAGE_SIZE);
    const items = found.filter(({ id }) => !state.lastPage.has(id));
    for (const { id } of found) if (state.lastPage.has(id)) state.stayingDue.add(id);
    for (const wave of waves(items, task)) {
      if (stopping.aborted) return false;
      const work = wave.map((batch) =>
        places === undefined
          ? this.process(batch.accountId, batch.ids, now, state.timedOutAccounts)
          : this.place(places, batch, now, state, stopping),
      );
      const failed = (await Promise.allSettled(work)).find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
      if (state.outage !== undefined) throw state.outage;
    }
    const isOverloaded = this.failures.size === MAX_POSTPONED || state.stayingDue.size >= MAX_STAYING_DUE;
    const more = found.length === PAGE_SIZE && !isOverloaded;
    if (more) this.state = { ...state, lastPage: new Set(found.map(({ id }) => id)) };
    return more;
  }

  /** The ids of the items that the run leaves alone. */
  private excluded(now: Date): string[] {
    const postponed = [...this.failures].filter(([, { retryAt }]) => retryAt > now).map(([id]) => id);
    return [...postponed, ...this.state.stayingDue, ...this.inProgress.keys()];
  }

  /** Resolves when the item has got a place, where it is then processed. */
  private place(
    places: FairQueue,
    { accountId, ids: [id] }: Batch,
    now: Date,
    state: RunState,
    stopping: AbortSignal,
  ): Promise<void> {
    return new Promise((resolve) => {
      const placed = places.run([this.name], async () => {
        resolve();
        if (!stopping.aborted) await this.process(accountId, [id!], now, state.timedOutAccounts);
      });
      const done = placed.catch((error: Error) => {
        state.outage = error;
        resolve();
      });
      this.inProgress.set(
        id!,
        done.finally(() => this.inProgress.delete(id!)),
      );
    });
  }

  /** A failure rolls the whole batch back, so its items are then processed one by one. */
  private async process(
    accountId: string,
    ids: readonly string[],
    now: Date,
    timedOutAccounts: Set<string>,
  ): Promise<void> {
    if (timedOutAccounts.has(accountId)) return;
    try {
      await this.task.process(accountId, ids);
      for (const id of ids) this.failures.delete(id);
    } catch (error) {
      if (isServerUnavailable(error) || this.task.isOutage?.(error)) {
        // The item may be the cause after all: the next run starts with another one.
        for (const id of ids) this.postpone(id, error, now);
        throw error;
      }
      if (ids.length > 1) {
        for (const id of ids) await this.process(accountId, [id], now, timedOutAccounts);
        return;
      }
      this.postpone(ids[0]!, error, now);
      if (isTimeout(error) || isBusy(error)) timedOutAccounts.add(accountId);
    }
  }

  private postpone(id: string, error: unknown, now: Date): void {
    const attempts = (this.failures.get(id)?.attempts ?? 0) + 1;
    const delayMs = Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), MAX_RETRY_MS);
    this.failures.delete(id); // moves it to the end of the map
    this.failures.set(id, { attempts, retryAt: new Date(now.getTime() + delayMs) });
    const [oldest] = this.failures.keys();
    if (this.failures.size > MAX_POSTPONED) this.failures.delete(oldest!);
    const what = `The periodic task "${this.name}" postponed ${id} by ${delayMs / SECOND_MS} s, attempt ${attempts}`;
    if (error instanceof DomainError) return this.log.notice(`${what}: ${error.code}`);
    this.itemErrors.push(error);
    this.log.failure(what, error);
  }
}

/** Whether the work has not started in time, because other work waits for the account. */
function isBusy(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'unavailable';
}

/** Items of one account. */
interface Batch {
  readonly accountId: string;
  readonly ids: readonly string[];
}

/** Splits items into batches, and puts those together that are processed at the same time. */
function waves(items: readonly DueItem[], { batchSize, concurrent }: DueItemTask): Batch[][] {
  const result: { readonly wave: Batch[]; free: number }[] = [];
  const next = new Map<string, number>(); // the batches of one account are in successive waves
  for (const batch of batches(items, batchSize)) {
    const { accountId, ids } = batch;
    let place = concurrent ? (next.get(accountId) ?? 0) : result.length;
    while (place < result.length && result[place]!.free < ids.length) place += 1;
    if (place === result.length) result.push({ wave: [], free: MAX_TOGETHER });
    const chosen = result[place]!;
    chosen.wave.push(batch);
    chosen.free -= ids.length;
    next.set(accountId, place + 1);
  }
  return result.map(({ wave }) => wave);
}

/** Splits items into batches of one account each, in the order in which their accounts appear. */
function batches(items: readonly DueItem[], size: number): Batch[] {
  const byAccount = new Map<string, string[]>();
  for (const { accountId, id } of items) {
    byAccount.set(accountId, [...(byAccount.get(accountId) ?? []), id]);
  }
  return [...byAccount].flatMap(([accountId, ids]) => {
    const count = Math.ceil(ids.length / size);
    return Array.from({ length: count }, (_, index) => ({
      accountId,
      ids: ids.slice(index * size, (index + 1) * size),
    }));
  });
}
