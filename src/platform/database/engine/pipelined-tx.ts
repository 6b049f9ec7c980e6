import type { PoolClient, QueryResult, QueryResultRow } from 'pg';
import type { DataSource, EntitySchema, ObjectLiteral, Repository } from 'typeorm';
import { ignoreRejection, pipeline, prepared } from './connection';
import { isAfterFailure, violatedConstraint } from '../failures';
import { type FindByKey, KeyedLookUps } from './keyed-look-ups';
import type { QueuedStatement } from './queued-statement';
import { entityManager } from '../repositories';
import type {
  AccountWrites,
  ConstraintErrors,
  Insertion,
  KeyedLookUp,
  ReadTx,
  RowUpdate,
  Send,
  Tx,
} from '../tx';

/**
 * A transaction on a connection. The last pipeline carries all queued statements and the COMMIT. The server runs the
 * statements of a pipeline in order; after one fails it rejects the rest, COMMIT included, so a transaction is never
 * partially committed.
 */
export class PipelinedTx implements Tx {
  protected readonly queue: QueuedStatement[] = [];
  /** Statements that are sent but not awaited, in order, so that the first failure can be reported. */
  protected sent: Promise<unknown>[] = [];
  private begun = false;
  private open = true;
  /** The result of what runs in the first pipeline, until it is awaited. */
  private lookUp: Promise<void> | undefined;
  /** The last statement of a repository. The next one waits for it, and fails if it has failed. */
  private lastOfRepositories: Promise<unknown> = Promise.resolve();

  /** @param inFirstPipeline runs in the first pipeline, before the first query returns its rows */
  constructor(
    protected readonly client: PoolClient,
    private readonly dataSource: DataSource,
    private readonly inFirstPipeline: ((find: FindByKey) => Promise<void>) | null,
  ) {}

  read<Row extends QueryResultRow>(sql: string, params: readonly unknown[]): Promise<Row[]> {
    return this.fetch(sql, params);
  }

  async query<Row extends QueryResultRow>(sql: string, params: readonly unknown[]): Promise<Row[]> {
    return (await this.runAlone(sql, params)).rows as Row[];
  }

  async lockRow<Row extends QueryResultRow>(select: string, params: readonly unknown[]): Promise<Row | null> {
    return (await this.fetch<Row>(`${select} FOR UPDATE`, params))[0] ?? null;
  }

  async lockFreeRows<Row extends QueryResultRow>(
    selectFrom: string,
    accountId: string,
    ids: readonly string[],
  ): Promise<Row[]> {
    const select = `${selectFrom} WHERE account_id = $1 AND id = ANY ($2) FOR UPDATE SKIP LOCKED`;
    const rows = await this.fetch<Row>(select, [accountId, ids]);
    const rowsById = new Map(rows.map((row) => [row['id'] as string, row]));
    return ids.map((id) => rowsById.get(id)).filter((row) => row !== undefined);
  }

  async together<Results extends readonly unknown[]>(
    ...calls: { readonly [Index in keyof Results]: () => Promise<Results[Index]> }
  ): Promise<Results> {
    const results = await pipeline(this.client, () => Promise.allSettled(calls.map((call) => call())));
    return results.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    }) as unknown as Results;
  }

  enqueue(sql: string, params: readonly unknown[], errors: ConstraintErrors = {}): void {
    this.assertOpen();
    this.queue.push({ sql, params, errors });
  }

  enqueueUpdate(update: RowUpdate): void {
    this.assertOpen();
    this.queue.push({ update, errors: {}, ...update });
  }

  /** A group inserts the rows of all its tasks into a table with one statement. If it fails, they run one by one. */
  enqueueInsert(insertion: Insertion, errors: ConstraintErrors = {}): void {
    this.assertOpen();
    const { deletion } = insertion;
    if (deletion !== undefined) this.queue.push({ ...deletion, errors: {}, isFirst: true });
    this.queue.push({ insertion, errors, ...insertion });
  }

  repository<Entity extends ObjectLiteral>(
    schema: EntitySchema<Entity>,
    errors: ConstraintErrors = {},
  ): Repository<Entity> {
    const send: Send = (sql, params) => this.sendInOrder(sql, params, errors);
    return entityManager(this.dataSource, true, send).getRepository(schema);
  }

  writesUnder(...[account, now]: Parameters<Tx['writesUnder']>): AccountWrites {
    return {
      enqueue: (sql, params, errors) => this.enqueue(sql, params, errors),
      issueId: (prefix) => account.issueId(prefix, now),
      add: (table, resource) => {
        if (resource.accountId !== account.id)
          throw new Error(`The account ${resource.accountId} of ${resource.id} is not locked.`);
        table.add(this, resource);
      },
    };
  }

  readOnly(): ReadTx {
    return {
      read: (sql, params) => {
        assertReads(sql);
        if (locks(sql)) throw new Error('`read` locks no rows: use `query`.');
        return this.read(sql, params);
      },
      query: (sql, params) => {
        assertReads(sql);
        return this.query(sql, params);
      },
    };
  }

  /** Sends all queued statements and the COMMIT in one pipeline. */
  async commit(): Promise<void> {
    this.assertOpen();
    this.close();
    if (!this.begun && this.queue.length === 0) return;
    const committed = pipeline(this.client, () => {
      this.begin();
      this.flush();
      return this.client.query('COMMIT');
    });
    this.sent.push(committed);
    await this.settle();
    // The COMMIT of an aborted transaction completes with the command ROLLBACK and without an error.
    const { command } = await committed;
    if (command !== 'COMMIT') throw new Error(`The transaction ended with ${command} instead of COMMIT.`);
  }

  /** Rolls the transaction back. Throws only when the connection is lost, which rolls it back as well. */
  async rollback(): Promise<void> {
    this.close();
    if (!this.begun) return;
    await Promise.allSettled(this.sent);
    await this.client.query('ROLLBACK');
  }

  protected async fetch<Row extends QueryResultRow>(sql: string, params: readonly unknown[]): Promise<Row[]> {
    return (await this.run(sql, params)).rows as Row[];
  }

  /** Sends all queued statements and this one, which may lock and write. */
  protected runAlone(sql: string, params: readonly unknown[]): Promise<QueryResult> {
    return this.run(sql, params);
  }

  /** Sends all queued statements and this one. */
  protected async run(sql: string, params: readonly unknown[]): Promise<QueryResult> {
    this.assertOpen();
    const result = pipeline(this.client, () => {
      this.begin();
      this.flush();
      return this.send(sql, params);
    });
    this.sent.push(result);
    await this.settle();
    return result;
  }

  private sendInOrder(
    sql: string,
    params: readonly unknown[],
    errors: ConstraintErrors,
  ): Promise<QueryResult> {
    const result = this.lastOfRepositories
      .then(() => (reads(sql) && !locks(sql) ? this.run(sql, params) : this.runAlone(sql, params)))
      .catch((error: unknown) => {
        throw asDomainError(error, errors);
      });
    this.lastOfRepositories = ignoreRejection(result);
    return result;
  }

  protected begin(): void {
    if (this.begun) return;
    this.begun = true;
    this.sendBegin();
    const find: FindByKey = (lookUp, key) => this.findByKey(lookUp, key);
    if (this.inFirstPipeline !== null) this.lookUp = ignoreRejection(this.inFirstPipeline(find));
  }

  protected sendBegin(): void {
    this.sent.push(ignoreRejection(this.client.query('BEGIN')));
  }

  /** Finds a row by its key. Tasks of a group find theirs with one statement. */
  protected findByKey(lookUp: KeyedLookUp, key: readonly string[]): Promise<QueryResultRow | null> {
    return KeyedLookUps.findOne(this.send, lookUp, key);
  }

  protected readonly send: Send = (sql, params) => ignoreRejection(this.client.query(prepared(sql, params)));

  protected flush(): void {
    for (const { sql, params, errors } of this.queue.splice(0)) {
      const result = this.send(sql, params).catch((error: unknown) => {
        throw asDomainError(error, errors);
      });
      this.sent.push(ignoreRejection(result));
    }
  }

  /**
   * Awaits all sent statements and throws the first failure that is not a consequence of an earlier one. The look-up
   * is the first: its result explains why a statement that was sent with it failed.
   */
  protected async settle(): Promise<void> {
    const results = await Promise.allSettled([...(this.lookUp ? [this.lookUp] : []), ...this.sent]);
    this.sent = [];
    this.lookUp = undefined;
    const failures = results
      .filter((result) => result.status === 'rejected')
      .map(({ reason }) => reason as unknown);
    if (failures.length > 0) throw failures.find((reason) => !isAfterFailure(reason)) ?? failures[0];
  }

  protected close(): void {
    this.open = false;
  }

  protected assertOpen(): void {
    if (!this.open) throw new Error('The transaction has ended: a call that uses it was not awaited.');
  }
}

function locks(sql: string): boolean {
  return /\bFOR\s+(NO\s+KEY\s+|KEY\s+)?(UPDATE|SHARE)\b|\bpg_(try_)?advisory_/i.test(sql);
}

/** Not WITH, since a top-level WITH may contain statements that write. */
export function reads(sql: string): boolean {
  return /^\s*SELECT\b/i.test(sql);
}

function assertReads(sql: string): void {
  if (!reads(sql)) throw new Error('A ReadTx runs SELECT statements only.');
  // SELECT ... INTO creates a table. Literals are not told apart: that takes a parser of SQL.
  if (/\bINTO\b/i.test(sql)) {
    throw new Error('A ReadTx runs no statement with the word INTO: pass text values as parameters.');
  }
}

/** On a distributed PostgreSQL, the name of a constraint ends with the number of its shard. */
const SHARD_SUFFIX = /_\d+$/;

function asDomainError(error: unknown, errors: ConstraintErrors): unknown {
  const constraint = violatedConstraint(error);
  const toError =
    constraint === null ? undefined : (errors[constraint] ?? errors[constraint.replace(SHARD_SUFFIX, '')]);
  return toError ? toError() : error;
}
