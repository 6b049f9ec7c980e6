import type { PoolClient, QueryResult, QueryResultRow } from 'pg';
import type { DataSource } from 'typeorm';
import type { Shard } from '../citus/shard';
import type { KeyedLookUp, RowKey, RowUpdate, Send, Statement } from '../tx';
import { ignoreRejection, pipeline, prepared } from './connection';
import { type FindByKey, KeyedLookUps } from './keyed-look-ups';
import { PipelinedTx, reads } from './pipelined-tx';
import { merge, type QueuedStatement } from './queued-statement';

/** What a task leaves to its group when it has succeeded. */
export interface TaskWrites {
  readonly queue: readonly QueuedStatement[];
  /**
   * The rows by which it was grouped, by their names; null for one that the task has not saved as a whole. Without names, it
   * may have changed any of them.
   */
  readonly keyRows: ReadonlyMap<string, QueryResultRow | null> | null;
}

/** What the chains of a group have in common whose keys are of one shard. */
export class Part {
  readonly lookUps: KeyedLookUps;

  constructor(
    private readonly client: PoolClient,
    readonly shard: Shard,
  ) {
    this.lookUps = new KeyedLookUps(this.send, shard.merges);
  }

  readonly send: Send = (sql, params) =>
    ignoreRejection(this.client.query(prepared(this.shard.named(sql), params, sql)));
}

/**
 * What tasks with the same key pass on in a group. They run one after another, and each decides on what those before it
 * have decided: it gets the row of the key from memory. Before it reads anything else, the database executes their
 * statements.
 */
export class Chain {
  private readonly queue: QueuedStatement[] = [];

  /**
   * @param isShared whether tasks with other keys are in the same database transaction
   * @param keyRows the rows of the tasks that are locked already, by their names
   */
  constructor(
    readonly isShared: boolean,
    readonly part: Part,
    private readonly keyRows: Map<string, QueryResultRow>,
  ) {}

  /** Adds the writes of a task that has succeeded. */
  add({ queue, keyRows }: TaskWrites): void {
    this.queue.push(...queue);
    if (keyRows === null) this.keyRows.clear();
    for (const [name, values] of keyRows ?? []) {
      if (values === null) this.keyRows.delete(name);
      else this.keyRows.set(name, values);
    }
  }

  /** The row of this name as it was locked, or as the last task has saved it; null when it must be read. */
  rowOf(name: string): QueryResultRow | null {
    return this.keyRows.get(name) ?? null;
  }

  /** Returns, once, the statements that the database executes before a task reads. */
  takeQueue(): Statement[] {
    return merge(this.queue.splice(0), this.part.shard.merges);
  }

  /** Returns, once, all that the database has not executed. */
  takeAll(): QueuedStatement[] {
    return this.queue.splice(0);
  }
}

/** One task's part of the database transaction of a group, which begins and ends it. */
export class GroupTx extends PipelinedTx {
  /** Identifies the row of the key; null until the task has locked it. */
  private key: { readonly name: string | undefined } | null = null;
  private readonly keyRows = new Map<string, QueryResultRow | null>();
  private wrote = false;
  private left = false;
  private leftServer = false;

  /** @param chain the tasks of the group with the same key */
  constructor(
    client: PoolClient,
    dataSource: DataSource,
    inFirstPipeline: ((find: FindByKey) => Promise<void>) | null,
    private readonly chain: Chain,
  ) {
    super(client, dataSource, inFirstPipeline);
  }

  protected override readonly send: Send = (sql, params) => this.chain.part.send(sql, params);

  get hasLockedKey(): boolean {
    return this.key !== null;
  }

  /** Whether the task would make its group wait, or takes its own lock. It runs again without other keys. */
  get hasLeft(): boolean {
    return this.left;
  }

  /** Whether it left because a statement cannot run on the connection. */
  get isGlobal(): boolean {
    return this.leftServer;
  }

  /** Sends what the first pipeline carries, before the task starts. */
  prepare(): void {
    this.begin();
  }

  /** A lock would not exclude the tasks of other keys in the same database transaction, and all would wait for it. */
  protected override async runAlone(sql: string, params: readonly unknown[]): Promise<QueryResult> {
    if (this.chain.isShared) this.leave();
    this.wrote ||= !reads(sql);
    return this.run(sql, params);
  }

  /**
   * Beside tasks with other keys, a task never waits for a lock: if the row is missing or locked elsewhere, it leaves the
   * group. So it does if it locks another row by which tasks are grouped.
   */
  override async lockRow<Row extends QueryResultRow>(
    select: string,
    params: readonly unknown[],
    key?: RowKey,
  ): Promise<Row | null> {
    const row = key?.row;
    const isKey = this.key === null || this.key.name === row;
    if (this.chain.isShared && row !== undefined && !isKey) this.leave();
    const known = row === undefined || this.keyRows.has(row) ? null : this.chain.rowOf(row);
    const locked = known === null ? await this.lock(select, params, key) : await this.reuseRow(known);
    this.key ??= { name: row };
    if (row !== undefined) this.keyRows.set(row, null);
    return locked as Row | null;
  }

  override async lockFreeRows<Row extends QueryResultRow>(
    selectFrom: string,
    accountId: string,
    ids: readonly string[],
  ): Promise<Row[]> {
    if (!this.chain.isShared || !this.chain.part.shard.merges)
      return super.lockFreeRows(selectFrom, accountId, ids);
    const sql = `${selectFrom} WHERE account_id = ANY ($1) AND id = ANY ($2)`;
    const rows = await this.lockByKeys(
      { sql, columns: ['account_id', 'id'] },
      ids.map((id) => [accountId, id]),
    );
    return rows.filter((row) => row !== null) as Row[];
  }

  override enqueue(...statement: Parameters<PipelinedTx['enqueue']>): void {
    this.assertRuns(statement[0], statement[1]);
    super.enqueue(...statement);
  }

  override enqueueInsert(...insert: Parameters<PipelinedTx['enqueueInsert']>): void {
    this.assertRuns(insert[0].sql, insert[0].params);
    super.enqueueInsert(...insert);
  }

  override enqueueUpdate(update: RowUpdate): void {
    this.assertRuns(update.sql, update.params);
    super.enqueueUpdate(update);
    const { row: name, values } = update;
    if (this.keyRows.has(name)) this.keyRows.set(name, values);
  }

  /** Ends a task that commits with its group. */
  handOver(): TaskWrites {
    this.assertOpen();
    if (this.left) throw new Error('The task has caught the error with which it left its group.');
    if (this.key === null) throw new Error('A task in a group must lock the row of its key first.');
    this.close();
    const { queue, keyRows } = this;
    return { queue, keyRows: this.key.name === undefined ? null : keyRows };
  }

  /** Ends a task that does not commit with its group. @returns whether it has written nothing */
  abort(): boolean {
    this.close();
    return !this.wrote;
  }

  /** The group has begun the database transaction. */
  protected override sendBegin(): void {}

  protected override flush(): void {
    // If a statement of an earlier task fails, the following ones fail as a consequence, and all tasks run again.
    for (const { sql, params } of this.chain.takeQueue()) void this.send(sql, params);
    this.wrote ||= this.queue.length > 0;
    super.flush();
  }

  private async lock(
    select: string,
    params: readonly unknown[],
    key?: RowKey,
  ): Promise<QueryResultRow | null> {
    if (!this.chain.isShared) return super.lockRow(select, params);
    if (key !== undefined && this.chain.part.shard.merges)
      return (await this.lockByKeys(key, [params as string[]]))[0] ?? this.leave();
    const [row] = await this.fetch<QueryResultRow>(`${select} FOR UPDATE SKIP LOCKED`, params);
    return row ?? this.leave();
  }

  /** Locks rows together with those of other tasks. @returns null for those that are missing or locked elsewhere */
  private async lockByKeys(
    { sql, columns }: KeyedLookUp,
    keys: readonly (readonly string[])[],
  ): Promise<(QueryResultRow | null)[]> {
    this.assertOpen();
    const lookUp = { sql: `${sql} FOR UPDATE SKIP LOCKED`, columns };
    const found = pipeline(this.client, () => {
      this.begin();
      this.flush();
      return Promise.all(keys.map((key) => this.findByKey(lookUp, key)));
    });
    this.sent.push(ignoreRejection(found));
    await this.settle();
    return found;
  }

  protected override async run(sql: string, params: readonly unknown[]): Promise<QueryResult> {
    this.assertRuns(sql, params);
    return super.run(sql, params);
  }

  protected override async findByKey(
    lookUp: KeyedLookUp,
    key: readonly string[],
  ): Promise<QueryResultRow | null> {
    this.assertRuns(lookUp.sql, key);
    return this.chain.part.lookUps.find(lookUp, key);
  }

  private assertRuns(sql: string, params: readonly unknown[]): void {
    if (this.chain.part.shard.runs(sql, params)) return;
    this.leftServer = true;
    this.leave();
  }

  private leave(): never {
    this.left = true;
    throw new Error('The task runs again without tasks of other keys.');
  }

  /** Returns the row that an earlier task has locked, when this task's look-up has ended. */
  private async reuseRow(row: QueryResultRow): Promise<QueryResultRow> {
    this.begin();
    await this.settle();
    return row;
  }
}
