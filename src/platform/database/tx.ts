import { PoolClient, QueryResult, QueryResultRow } from 'pg';
import { isAfterFailure, violatedConstraint } from './failures';
import { prepared } from './preparing-client';

/** The refusal that a violated constraint stands for, by the constraint's name. */
export type ConstraintRefusals = Readonly<Record<string, () => Error>>;

interface Write {
  readonly sql: string;
  readonly params: readonly unknown[];
  readonly refusals: ConstraintRefusals;
}

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

  constructor(
    private readonly client: PoolClient,
    /** Runs in the first burst, before the first read's answer is given out. */
    private readonly inFirstBurst: ((send: Tx['send']) => Promise<void>) | null,
  ) {}

  /** Sends one statement, with what was queued before it, and answers its rows. */
  async read<Row extends QueryResultRow>(sql: string, params: readonly unknown[]): Promise<Row[]> {
    this.assertOpen();
    let gate: Promise<void> | undefined;
    const result = this.burst(() => {
      if (!this.begun) gate = this.begin();
      this.flush();
      return this.send(sql, params);
    });
    this.sent.push(result);
    await this.settle(gate);
    return (await result).rows as Row[];
  }

  /** Queues one statement. Its failure shows at the next read or at the COMMIT, never here. */
  write(sql: string, params: readonly unknown[], refusals: ConstraintRefusals = {}): void {
    this.assertOpen();
    this.queue.push({ sql, params, refusals });
  }

  /** Sends all queued writes and the COMMIT in one burst. */
  async commit(): Promise<void> {
    this.assertOpen();
    this.open = false;
    if (!this.begun && this.queue.length === 0) return;
    let gate: Promise<void> | undefined;
    const committed = this.burst(() => {
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

  /** Undoes everything. Throws only when the connection is lost, which undoes everything as well. */
  async rollback(): Promise<void> {
    this.open = false;
    if (!this.begun) return;
    await Promise.allSettled(this.sent);
    await this.client.query('ROLLBACK');
  }

  private begin(): Promise<void> | undefined {
    this.begun = true;
    this.sent.push(quiet(this.client.query('BEGIN')));
    if (this.inFirstBurst === null) return undefined;
    return quiet(this.inFirstBurst(this.send));
  }

  private readonly send = (sql: string, params: readonly unknown[]): Promise<QueryResult> =>
    quiet(this.client.query(prepared(sql, params)));

  private flush(): void {
    for (const { sql, params, refusals } of this.queue.splice(0)) {
      this.sent.push(
        quiet(
          this.send(sql, params).catch((error: unknown) => {
            throw asRefusal(error, refusals);
          }),
        ),
      );
    }
  }

  /** One packet for all that `statements` sends, where the socket allows it. */
  private burst<T>(statements: () => T): T {
    const { stream } = (
      this.client as unknown as { connection: { stream: { cork(): void; uncork(): void } } }
    ).connection;
    stream.cork();
    try {
      return statements();
    } finally {
      stream.uncork();
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

/** Marks a promise as looked after: it is awaited later, and until then its failure is not an unhandled one. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

function asRefusal(error: unknown, refusals: ConstraintRefusals): unknown {
  const constraint = violatedConstraint(error);
  const refusal = constraint === null ? undefined : refusals[constraint];
  return refusal ? refusal() : error;
}
