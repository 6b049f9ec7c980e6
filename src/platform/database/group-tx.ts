import { PoolClient, QueryResultRow } from 'pg';
import { Chain, TaskWrites } from './chain';
import { PipelinedTx, Send } from './pipelined-tx';
import { RowUpdate } from './tx';

/** Statements that may lock rows, other than those of `lockRow`. Mistaking another one for them costs only time. */
const MAY_LOCK = /^(?!\s*SELECT\b)|\bFOR\s+(NO\s+KEY\s+|KEY\s+)?(UPDATE|SHARE)\b|lock/i;

/** One task's part of the database transaction of a group, which begins and ends it. */
export class GroupTx extends PipelinedTx {
  /** Identifies the row of the key; null until the task has locked it. */
  private key: { readonly name: string | undefined } | null = null;
  private keyRow: TaskWrites['keyRow'] = null;
  private wrote = false;

  /** @param chain the tasks of the group with the same key */
  constructor(
    client: PoolClient,
    inFirstPipeline: ((send: Send) => Promise<void>) | null,
    private readonly chain: Chain,
  ) {
    super(client, inFirstPipeline);
  }

  get hasLockedKey(): boolean {
    return this.key !== null;
  }

  /** Sends what the first pipeline carries, before the task starts. */
  prepare(): void {
    this.begin();
  }

  /**
   * A lock would not exclude the tasks of the same database transaction, and all of them would wait for it.
   * @throws NotBatchable beside tasks with other keys, for a statement that may lock rows
   */
  override async query<Row extends QueryResultRow>(sql: string, params: readonly unknown[]): Promise<Row[]> {
    if (this.chain.isShared && MAY_LOCK.test(sql)) throw new NotBatchable();
    return this.read(sql, params);
  }

  /**
   * Beside tasks with other keys, a task never waits for a lock: if the row is missing or locked elsewhere, it leaves the
   * group. So it does if it locks another row by which tasks are grouped.
   * @throws NotBatchable
   */
  override async lockRow<Row extends QueryResultRow>(
    select: string,
    params: readonly unknown[],
    row?: string,
  ): Promise<Row | null> {
    const isKey = this.key === null || this.key.name === row;
    if (this.chain.isShared && row !== undefined && !isKey) throw new NotBatchable();
    const known = this.key === null ? this.chain.rowOf(row) : null;
    const locked = known === null ? await this.lock(select, params) : await this.keep(known);
    this.key ??= { name: row };
    return locked as Row | null;
  }

  override enqueueUpdate(update: RowUpdate): void {
    super.enqueueUpdate(update);
    const { row: name, values } = update;
    if (this.key?.name === name) this.keyRow = { name, values };
  }

  /** Ends a task that commits with its group. */
  handOver(): TaskWrites {
    this.assertOpen();
    if (this.key === null) throw new Error('A task in a group must lock the row of its key first.');
    this.close();
    const { queue, last, keyRow } = this;
    return { queue, last, keyRow };
  }

  /** Ends a task that does not commit with its group. @returns whether it has written nothing */
  withdraw(): boolean {
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

  private async lock(select: string, params: readonly unknown[]): Promise<QueryResultRow | null> {
    const { isShared } = this.chain;
    const [row] = await this.read(`${select} FOR UPDATE${isShared ? ' SKIP LOCKED' : ''}`, params);
    if (row === undefined && isShared) throw new NotBatchable();
    return row ?? null;
  }

  /** Returns the row that an earlier task has locked, when this task's look-up has ended. */
  private async keep(row: QueryResultRow): Promise<QueryResultRow> {
    this.begin();
    await this.settle();
    return row;
  }
}

/** A task that would make its group wait, or that takes a lock of its own. It runs again without other keys. */
export class NotBatchable extends Error {
  constructor() {
    super('The row is locked elsewhere or missing, or the task takes another lock.');
  }
}
