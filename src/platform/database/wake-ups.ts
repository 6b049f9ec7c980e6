import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';

/** How often writes are announced to other processes, and how often theirs are looked up. */
const EVERY_MS = 200;

/** Rings when rows were written that may be due for a task. */
export class Alarm {
  private rung = new AbortController();

  constructor(readonly tables: readonly string[]) {}

  /** Aborts when it rings. */
  get signal(): AbortSignal {
    return this.rung.signal;
  }

  ring(): void {
    // Every commit rings. Without a reason, `abort` creates an error each time.
    if (!this.signal.aborted) this.rung.abort('rung');
  }

  /** What rings from now on is new. */
  reset(): void {
    if (this.signal.aborted) this.rung = new AbortController();
  }
}

/**
 * Wakes periodic tasks when rows of their tables are written: those of this process at once, those of others by a counter,
 * which they look up. The counter is a sequence, which locks nothing and is on the coordinator of Citus. LISTEN would need
 * a connection that keeps its session, which PgBouncer in transaction mode does not have.
 */
export class WakeUps {
  private readonly alarms: Alarm[] = [];
  private seen: number | null = null;
  private isAnnouncing = false;
  private hasNews = false;

  /** @param pool connections on which nothing waits for rows */
  constructor(private readonly pool: Pool) {}

  alarmFor(tables: readonly string[]): Alarm {
    const alarm = new Alarm(tables);
    this.alarms.push(alarm);
    return alarm;
  }

  ringAll(): void {
    for (const alarm of this.alarms) alarm.ring();
  }

  /** A transaction that has written to these tables has ended. */
  wrote(tables: ReadonlySet<string>): void {
    if (tables.size === 0) return;
    const concerned = this.alarms.filter((alarm) => alarm.tables.some((table) => tables.has(table)));
    for (const alarm of concerned) alarm.ring();
    if (concerned.length > 0) void this.announce();
  }

  /** Rings for writes of other processes. */
  async watch(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      const count = await this.count('SELECT last_value + is_called::int AS count FROM wake_ups');
      if (count === null || count !== this.seen) this.ringAll();
      this.seen = count;
      await delay(EVERY_MS, undefined, { signal: stopping }).catch(() => undefined);
    }
  }

  /** Writes of the same moment are announced together. */
  private async announce(): Promise<void> {
    this.hasNews = true;
    if (this.isAnnouncing) return;
    this.isAnnouncing = true;
    while (this.hasNews) {
      this.hasNews = false;
      const count = await this.count(`SELECT nextval('wake_ups') + 1 AS count`);
      // No other process has announced anything in between.
      if (this.seen !== null && count === this.seen + 1) this.seen = count;
      await delay(EVERY_MS, undefined, { ref: false });
    }
    this.isAnnouncing = false;
  }

  /** @returns null when it is not known: the tasks then look for what is due at each interval, and find out why */
  private async count(sql: string): Promise<number | null> {
    const result = await this.pool.query<{ count: string }>(sql).catch(() => null);
    return result && Number(result.rows[0]!.count);
  }
}
