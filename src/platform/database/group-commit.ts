import { Pool, PoolClient } from 'pg';
import { Refusal } from '../../kernel/refusal';
import { burst } from './connection';
import { isAfterFailure, isRefusedCommit } from './failures';
import { prepared } from './preparing-client';
import { Insertion, Statement } from './table';
import { NotShareable, quiet, Tx, Write } from './tx';

/** Groups under way at a time: while the database works on one, the next decides. */
const MAX_GROUPS = 2;

/** Bounds what one group holds and what is lost when it fails. */
const MAX_MEMBERS = 32;

/** As long as for a connection: who waits longer for what it is about is told so. */
const MAX_WAIT_MS = 5_000;

/** A work on its way: what it is about, how it runs in a group, and who waits to hear whether it is done so. */
interface Member {
  readonly key: string;
  readonly sinceMs: number;
  readonly start: (client: PoolClient) => Running<unknown>;
  readonly resolve: (done: boolean) => void;
  readonly reject: (error: unknown) => void;
  /** Whether it is under way, so that others about the same thing wait for it. */
  departed: boolean;
}

/** A work under way in `tx`. */
export interface Running<T> {
  readonly tx: Tx;
  readonly result: Promise<T>;
}

/**
 * Group commit: works that come while others are under way share one database transaction, so that they share its
 * round trips and its flush to disk. A work that comes alone starts at once.
 *
 * No two works about the same thing are under way together, and none waits for a lock inside a group. What disturbs a
 * group undoes it whole, and each of its works then runs in a transaction of its own: a group is only ever faster.
 */
export class GroupCommit {
  private readonly waiting: Member[] = [];
  private readonly keysUnderWay = new Set<string>();
  private groups = 0;
  private scheduled = false;

  constructor(private readonly pool: Pool) {}

  /**
   * @param key what the work is about
   * @param start runs the work in a group, synchronously up to its first statement
   * @param alone runs it in a transaction of its own; others about the same thing wait for it meanwhile, and hold no
   * connection while they do
   * @throws what the work threw, or the connection's failure, after which the outcome is unknown
   */
  async run<T>(key: string, start: (client: PoolClient) => Running<T>, alone: () => Promise<T>): Promise<T> {
    let result: Promise<T> | undefined;
    const startAndKeep = (client: PoolClient): Running<T> => {
      const running = start(client);
      result = running.result;
      return running;
    };
    let member: Member | undefined;
    try {
      const done = await new Promise<boolean>((resolve, reject) => {
        const sinceMs = performance.now();
        member = { key, sinceMs, start: startAndKeep, resolve, reject, departed: false };
        this.waiting.push(member);
        this.schedule();
      });
      return await (done ? result! : alone());
    } finally {
      if (member?.departed) this.release(key);
    }
  }

  private release(key: string): void {
    this.keysUnderWay.delete(key);
    this.schedule();
  }

  /** Lets those who come in the same turn of the event loop travel together. */
  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      while (this.groups < MAX_GROUPS && this.depart());
    });
  }

  /** @returns whether a group has set out */
  private depart(): boolean {
    const members = this.nextMembers();
    if (members.length === 0) return false;
    this.groups += 1;
    void this.carry(members).finally(() => {
      this.groups -= 1;
      this.schedule();
    });
    return true;
  }

  private nextMembers(): Member[] {
    const members: Member[] = [];
    const left: Member[] = [];
    for (const member of this.waiting.splice(0)) {
      if (performance.now() - member.sinceMs > MAX_WAIT_MS) {
        member.reject(
          new Refusal('unavailable', 'Too much happens here at once. Repeat the request shortly.', 1),
        );
        continue;
      }
      const goes = members.length < MAX_MEMBERS && !this.keysUnderWay.has(member.key);
      if (goes) {
        member.departed = true;
        this.keysUnderWay.add(member.key);
      }
      (goes ? members : left).push(member);
    }
    this.waiting.push(...left);
    return members;
  }

  private async carry(members: readonly Member[]): Promise<void> {
    let client: PoolClient;
    try {
      client = await this.pool.connect();
    } catch (error) {
      for (const { reject } of members) reject(error);
      return;
    }
    let broken: Error | undefined;
    try {
      await this.transact(client, members);
    } catch (error) {
      broken = error as Error;
      for (const { reject } of members) reject(error);
    } finally {
      client.release(broken);
    }
  }

  private async transact(client: PoolClient, members: readonly Member[]): Promise<void> {
    const underWay = burst(client, () => {
      void quiet(client.query('BEGIN'));
      return members.map((member) => ({ member, ...member.start(client) }));
    });
    const results = await Promise.allSettled(underWay.map(({ result }) => result));
    const staying = underWay.filter((_, index) => results[index]!.status === 'fulfilled');
    let untouched = true;
    for (const [index, { member, tx }] of underWay.entries()) {
      const result = results[index]!;
      if (result.status === 'fulfilled') continue;
      // What it has sent already cannot be taken back alone.
      untouched = tx.withdraw() && untouched;
      if (isNotItsOwn(result.reason)) member.resolve(false);
      else member.reject(result.reason);
    }
    const done = await end(client, staying, untouched);
    for (const { member } of staying) member.resolve(done);
  }
}

/** Commits what the works have queued, or undoes all. @returns whether it is committed; throws when that is unknown */
async function end(
  client: PoolClient,
  works: readonly Running<unknown>[],
  commit: boolean,
): Promise<boolean> {
  const writes = works.flatMap(({ tx }) => (commit ? tx.handOver() : []));
  const ended = burst(client, () => {
    for (const { sql, params } of together(writes)) void quiet(client.query(prepared(sql, params)));
    return client.query(commit ? 'COMMIT' : 'ROLLBACK');
  });
  try {
    // A transaction in which a statement failed answers its COMMIT with ROLLBACK, and with no error.
    return (await ended).command === 'COMMIT';
  } catch (error) {
    if (isRefusedCommit(error)) return false;
    throw error;
  }
}

/** The same writes, with the rows that several works add to a table in one statement. */
function together(writes: readonly Write[]): Statement[] {
  const insertions = new Map<Insertion['ofRows'], Insertion[]>();
  const others: Write[] = [];
  for (const write of writes) {
    const { insertion } = write;
    const alike = insertion && insertions.get(insertion.ofRows);
    if (alike) alike.push(insertion);
    else if (insertion) insertions.set(insertion.ofRows, [insertion]);
    else others.push(write);
  }
  const merged = Array.from(insertions, ([ofRows, alike]) => ({
    sql: ofRows(alike.reduce((sum, { rows }) => sum + rows, 0)),
    params: alike.flatMap(({ params }) => params),
  }));
  return [...merged, ...others];
}

/** Whether a work failed by what another one did to the transaction, or only because it was in a group. */
function isNotItsOwn(error: unknown): boolean {
  return error instanceof NotShareable || isAfterFailure(error);
}
