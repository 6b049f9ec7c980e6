import { PoolClient, QueryResult, QueryResultRow } from 'pg';
import { burst } from './connection';
import { isAfterFailure, violatedConstraint } from './failures';
import { prepared } from './preparing-client';
import { Insertion, Statement } from './table';

/** The refusal that a violated constraint stands for, by the constraint's name. */
export type ConstraintRefusals = Readonly<Record<string, () => Error>>;

export interface Write extends Statement {
  readonly refusals: ConstraintRefusals;
  /** For rows that a group adds together with those of others. */
  readonly insertion?: Insertion;
}

export type Send = (sql: string, params: readonly unknown[]) => Promise<QueryResult>;

/**
 * One database transaction, handed from method to method.
 *
 * A round trip is what a transaction costs, so there are as few as the story needs: `read` sends at once and waits,
 * `write` only queues, and the last burst carries all queued writes and the COMMIT. Statements of one burst run in
 * order; after one fails the server refuses the rest, COMMIT included, so nothing is ever half written.
 */
export class Tx {
  private readonly queue: Write[] = [];
  /** What was sent and not yet waited for, in order, so that the first failure can be named. */
  private sent: Promise<QueryResult>[] = [];
  private begun = false;
  private open = true;
  private wrote = false;

  /**
   * @param inFirstBurst runs in the first burst, before the first read's answer is given out
   * @param shared whether the database transaction is a group's, which begins and ends it
   */
  constructor(
    private readonly client: PoolClient,
    private readonly inFirstBurst: ((send: Send) => Promise<void>) | null,
    private readonly shared = false,
  ) {}

  /** Sends one statement, with what was queued before it, and answers its rows. */
  async read<Row extends QueryResultRow>(sql: string, params: readonly unknown[]): Promise<Row[]> {
    this.assertOpen();
    let gate: Promise<void> | undefined;
    const result = burst(this.client, () => {
      if (!this.begun) gate = this.begin();
      this.flush();
      return this.send(sql, params);
    });
    this.sent.push(result);
    await this.settle(gate);
    return (await result).rows as Row[];
  }

  /**
   * Reads one row by its key and locks it. In a shared transaction nobody waits for a lock, since all would wait with
   * them: a row that is not to be had at once, or not there, takes the whole work out of the group.
   * @param select without its `FOR UPDATE`
   * @throws NotShareable in a shared transaction
   */
  async lockRow<Row extends QueryResultRow>(select: string, params: readonly unknown[]): Promise<Row | null> {
    if (!this.shared) return (await this.read<Row>(`${select} FOR UPDATE`, params))[0] ?? null;
    const [row] = await this.read<Row>(`${select} FOR UPDATE SKIP LOCKED`, params);
    if (row === undefined) throw new NotShareable();
    return row;
  }

  /** Queues one statement. Its failure shows at the next read or at the COMMIT, never here. */
  write(sql: string, params: readonly unknown[], refusals: ConstraintRefusals = {}): void {
    this.assertOpen();
    this.queue.push({ sql, params, refusals });
  }

  /** Queues rows to add. In a group they go in one statement with those that others add to the same table. */
  insert(insertion: Insertion): void {
    const { sql, params } = insertion;
    this.assertOpen();
    this.queue.push({ sql, params, refusals: {}, insertion });
  }

  /** Sends all queued writes and the COMMIT in one burst. */
  async commit(): Promise<void> {
    this.assertOpen();
    this.open = false;
    if (!this.begun && this.queue.length === 0) return;
    let gate: Promise<void> | undefined;
    const committed = burst(this.client, () => {
      if (!this.begun) gate = this.begin();
      this.flush();
      return this.client.query('COMMIT');
    });
    this.sent.push(committed);
    await this.settle(gate);
    // An aborted transaction answers its COMMIT with ROLLBACK, and with no error.
    const { command } = await committed;
    if (command !== 'COMMIT') throw new Error(`The transaction ended with ${command} instead of COMMIT.`);
  }

  /** Ends a work that goes with its group. @returns what it has queued, for the group to send and commit */
  handOver(): readonly Write[] {
    this.assertOpen();
    if (!this.begun) throw new Error('A work in a group locks what it is about before all else.');
    this.open = false;
    return this.queue;
  }

  /** Ends a work of a group that will not be committed with it. @returns whether the group's transaction is untouched */
  withdraw(): boolean {
    this.open = false;
    return !this.wrote;
  }

  /** Undoes everything. Throws only when the connection is lost, which undoes everything as well. */
  async rollback(): Promise<void> {
    this.open = false;
    if (!this.begun) return;
    await Promise.allSettled(this.sent);
    await this.client.query('ROLLBACK');
  }

  private begin(): Promise<void> | undefined {
    this.begun = true;
    if (!this.shared) this.sent.push(quiet(this.client.query('BEGIN')));
    if (this.inFirstBurst === null) return undefined;
    return quiet(this.inFirstBurst(this.send));
  }

  private readonly send: Send = (sql, params) => quiet(this.client.query(prepared(sql, params)));

  private flush(): void {
    for (const { sql, params, refusals } of this.queue.splice(0)) {
      this.wrote = true;
      this.sent.push(
        quiet(
          this.send(sql, params).catch((error: unknown) => {
            throw asRefusal(error, refusals);
          }),
        ),
      );
    }
  }

  /**
   * Waits for all that is under way and throws the first failure that is not the echo of an earlier one. The gate goes
   * first: what it finds explains why a statement sent along with it failed.
   */
  private async settle(gate: Promise<void> | undefined): Promise<void> {
    const results = await Promise.allSettled([...(gate ? [gate] : []), ...this.sent]);
    this.sent = [];
    const failures = results
      .filter((result) => result.status === 'rejected')
      .map(({ reason }) => reason as unknown);
    if (failures.length > 0) throw failures.find((reason) => !isAfterFailure(reason)) ?? failures[0];
  }

  private assertOpen(): void {
    if (!this.open) throw new Error('The transaction has ended: something used it without being awaited.');
  }
}

/** A work that cannot go on in a shared transaction without keeping the others waiting. It runs again on its own. */
export class NotShareable extends Error {
  constructor() {
    super('The row is locked elsewhere, or not there.');
  }
}

/** Marks a promise as looked after: it is awaited later, and until then its failure is not an unhandled one. */
export function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

function asRefusal(error: unknown, refusals: ConstraintRefusals): unknown {
  const constraint = violatedConstraint(error);
  const refusal = constraint === null ? undefined : refusals[constraint];
  return refusal ? refusal() : error;
}
