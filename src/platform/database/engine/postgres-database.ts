import { setTimeout as delay } from 'node:timers/promises';
import type { Pool, QueryResult, QueryResultRow } from 'pg';
import { Registry } from 'prom-client';
import type { DataSource, EntityManager, EntitySchema, ObjectLiteral, Repository } from 'typeorm';
import type { Clock } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import { currentCall, inScopeOfCaller, runInScope } from '../../telemetry/call-scope';
import { inSpan } from '../../telemetry/spans';
import type { AccountServers } from '../citus/account-servers';
import { CitusWorkers } from '../citus/citus-workers';
import type { RunSql } from '../citus/placement';
import type {
  CreateOnce,
  IdempotentOperation,
  IdempotentRequest,
  Locks,
  StoredResponse,
  Work,
} from '../database';
import { Database } from '../database';
import { isRetryable } from '../failures';
import { busy } from '../waiting';
import { entityManager } from '../repositories';
import type { Snapshot, Statement, Tx } from '../tx';
import { allowSilence, prepared, rejectReadOnly } from './connection';
import { ConnectionShares, isBackground, isCharged } from './connection-shares';
import { type Pools, requirePool, SILENCE_MS, SNAPSHOT_STATEMENT_MS } from './data-source';
import { GroupCommit } from './group-commit';
import { GroupTx } from './group-tx';
import { type IdempotencyStore, Replay, secretNotStored, StoredMeanwhile } from './idempotency-store';
import { type FindByKey, KeyedLookUps } from './keyed-look-ups';
import { PipelinedReads } from './pipelined-reads';
import { PipelinedTx } from './pipelined-tx';
import { PostgresSnapshot } from './postgres-snapshot';

/** Rolls a transaction back whose result is known. */
class DryRun extends Error {
  constructor(readonly result: unknown) {
    super('The transaction was a dry run.');
  }
}

/** PostgreSQL expects clients to retry deadlocks and serialization failures; more attempts than this are a defect. */
const MAX_ATTEMPTS = 6;

/** The attributes of all spans: statements are not among them. */
const SYSTEM = { 'db.system.name': 'postgresql' };

/** A transaction that locks more rows runs alone, within the share of its holder, so that others do not wait for it. */
const MAX_GROUPED_ROWS = 8;

/** The database behind a pool of connections, with group commit and stored responses. */
export class PostgresDatabase extends Database {
  private readonly repositories: EntityManager;
  private readonly groups: GroupCommit | null;
  private readonly shares: ConnectionShares;
  private readonly reads: PipelinedReads;
  private readonly backgroundReads: PipelinedReads;

  /** @param groupCommit whether transactions with a lock key may share a database transaction */
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly idempotency: IdempotencyStore,
    groupCommit = true,
    registry = new Registry(),
    private readonly servers: AccountServers = new CitusWorkers(),
    private readonly pools: Pick<Pools, 'background' | 'signals'> = {
      background: requirePool(dataSource),
      signals: requirePool(dataSource),
    },
  ) {
    super();
    const requests = requirePool(dataSource);
    this.repositories = entityManager(dataSource, false, (sql, params) => this.run(sql, params));
    this.groups = groupCommit ? new GroupCommit(requests, pools.background, registry, servers) : null;
    this.reads = new PipelinedReads(requests, servers);
    this.backgroundReads = new PipelinedReads(pools.background, servers, true);
    this.shares = new ConnectionShares(requests.options.max, servers);
  }

  private get pool(): Pool {
    return isBackground() ? this.pools.background : requirePool(this.dataSource);
  }

  get isDistributed(): boolean {
    return this.servers.isDistributed;
  }

  async ping(): Promise<void> {
    await rejectReadOnly(this.pools.signals);
  }

  runFor<T>(holder: string | null, work: () => T): T {
    return runInScope({ holder: { current: holder } }, work);
  }

  chargeTo(holder: string): void {
    const charged = currentCall()?.holder;
    if (charged === undefined) throw new Error('chargeTo works within runFor only.');
    charged.current = holder;
  }

  serverOf(accountId: string): number {
    return this.servers.serverOf(accountId);
  }

  serverOfId(id: string): number {
    return this.servers.serverOfId(id);
  }

  async query<Row extends QueryResultRow>(sql: string, params: readonly unknown[]): Promise<Row[]> {
    return (await this.run<Row>(sql, params)).rows;
  }

  repository<Entity extends ObjectLiteral>(schema: EntitySchema<Entity>): Repository<Entity> {
    return this.repositories.getRepository(schema);
  }

  async read<Row extends QueryResultRow>(
    sql: string,
    params: readonly unknown[],
    accountId: string | null,
  ): Promise<Row[]> {
    return inSpan('query', SYSTEM, () =>
      this.shares.run(() =>
        (isBackground() ? this.backgroundReads : this.reads).read<Row>({ sql, params }, accountId),
      ),
    );
  }

  async readByServer<Row extends QueryResultRow>(
    table: string,
    statementOf: (tables: readonly string[]) => Statement,
    server: number | null,
  ): Promise<Row[] | null> {
    if (this.servers.count === 1) return null;
    return inSpan('query', SYSTEM, () =>
      this.shares.run(() => this.servers.readByServer<Row>(table, statementOf, server)),
    );
  }

  async sweep<Row extends QueryResultRow>(
    table: string,
    select: (name: string) => string,
    params: readonly unknown[],
    source: Pick<Tx, 'query'> = this,
  ): Promise<Row[]> {
    const union = (tables: readonly string[]): Statement => ({
      sql: tables.map((name) => `(${select(name)})`).join(' UNION ALL '),
      params,
    });
    const rows =
      this.servers.count === 1
        ? null
        : await inSpan('query', SYSTEM, () => this.servers.sweep<Row>(table, union));
    return rows ?? source.query<Row>(select(table), params);
  }

  transaction<T>(work: Work<T>, locks?: Locks): Promise<T> {
    return inSpan('transaction', SYSTEM, () => this.runWithRetries(work, undefined, locks));
  }

  async idempotent<T>(
    operation: IdempotentOperation<T>,
    work: Work<T>,
    locks?: Locks,
  ): Promise<StoredResponse> {
    if (operation.dryRun) throw new DomainError('invalid_request', 'This operation has no dry run.');
    const store: Work<StoredResponse> = async (tx, now) =>
      this.idempotency.store(tx, operation, await work(tx, now), now);
    try {
      return await inSpan('transaction', SYSTEM, () => this.runWithRetries(store, operation, locks));
    } catch (error) {
      if (!(error instanceof Replay)) throw error;
      await this.confirm([operation]);
      if (operation.showsSecretOf) throw secretNotStored(error.response.body);
      return error.response;
    }
  }

  async idempotentAll(
    requests: readonly IdempotentRequest[],
    work: (tx: Tx, now: Date, once: CreateOnce) => Promise<StoredResponse[]>,
    locks?: Locks,
  ): Promise<StoredResponse[]> {
    const responses = await this.transaction(async (tx, now) => {
      // It is asked for when `work` has locked what a first request would have changed.
      let stored: Promise<ReadonlyMap<IdempotentRequest, StoredResponse>> | undefined;
      return work(tx, now, async (operation, create) => {
        stored ??= this.idempotency.findAll(tx, requests, now);
        const found = (await stored).get(operation);
        return found ?? this.idempotency.store(tx, operation, await create(), now);
      });
    }, locks);
    if (responses.some(({ replayed }) => replayed)) await this.confirm(requests);
    return responses;
  }

  async dryRun<T>(work: Work<T>, locks?: Locks): Promise<T> {
    try {
      return await this.transaction(async (tx, now) => {
        throw new DryRun(await work(tx, now));
      }, locks);
    } catch (error) {
      if (error instanceof DryRun) return error.result as T;
      throw error;
    }
  }

  /** Deletes stored responses that have expired. @returns whether there may be more */
  deleteOldResponses(now: Date): Promise<boolean> {
    return this.idempotency.deleteOld(this, now);
  }

  async snapshot<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      // Where Citus distributes the tables, each connection to a worker has its own snapshot: one is opened.
      // What the servers exchange for a statement may be larger than the gigabyte that is the default.
      await client.query(
        `SET LOCAL statement_timeout = ${SNAPSHOT_STATEMENT_MS};
         SET LOCAL citus.max_adaptive_executor_pool_size = 1; SET LOCAL citus.max_intermediate_result_size = -1`,
      );
      allowSilence(client, SNAPSHOT_STATEMENT_MS + SILENCE_MS);
      const result = await work(new PostgresSnapshot(client));
      await client.query('COMMIT');
      return result;
    } catch (error) {
      broken = error as Error; // the state of its transaction is unknown, so the connection is not used again
      throw error;
    } finally {
      client.release(broken);
    }
  }

  private run<Row extends QueryResultRow>(
    sql: string,
    params: readonly unknown[],
  ): Promise<QueryResult<Row>> {
    return inSpan('query', SYSTEM, () =>
      this.shares.runLong(() => this.pool.query<Row>(prepared(sql, params))),
    );
  }

  private async runWithRetries<T>(
    work: Work<T>,
    request: IdempotentRequest | undefined,
    locks?: Locks,
  ): Promise<T> {
    const asCaller = inScopeOfCaller();
    for (let attempts = 1; ; attempts += 1) {
      try {
        const runAlone = (): Promise<T> =>
          asCaller(() => this.shares.runLong(() => this.attempt(work, request)));
        const sharing = locks !== undefined && this.canShare(locks) ? locks : undefined;
        if (this.groups === null || sharing === undefined || attempts > 1) return await runAlone();
        return await this.groups.run({
          locks: sharing,
          isBackground: isBackground() || !isCharged(),
          isGlobal: request?.accountId === null && request.key !== null,
          repeatKey: request?.key ? `${request.principal} ${request.key}` : null,
          open: (client, chain) => {
            const tx = new GroupTx(client, this.dataSource, this.lookUpOf(request), chain);
            return { tx, start: () => asCaller(() => work(tx, this.clock.now())) };
          },
          runAlone,
          withinShare: (longWork) => asCaller(() => this.shares.runLong(longWork)),
        });
      } catch (error) {
        if (error instanceof DomainError && request) throw await this.replayOr(error, request);
        if (!isRetryable(error) && !(error instanceof StoredMeanwhile)) throw error;
        if (attempts === MAX_ATTEMPTS) throw busy({ cause: error });
        await delay(Math.random() * 10 * 2 ** attempts);
      }
    }
  }

  /** Whether a transaction with these locks may share a database transaction. */
  private canShare(locks: Locks): boolean {
    return typeof locks === 'string' || locks.length <= MAX_GROUPED_ROWS;
  }

  /** Runs `work` in a separate transaction. */
  private async attempt<T>(work: Work<T>, request: IdempotentRequest | undefined): Promise<T> {
    const client = await this.pool.connect();
    const tx = new PipelinedTx(client, this.dataSource, this.lookUpOf(request));
    let broken: Error | undefined;
    try {
      const outcome = await work(tx, this.clock.now());
      await tx.commit();
      return outcome;
    } catch (error) {
      broken = await undo(tx);
      throw error;
    } finally {
      client.release(broken);
    }
  }

  private confirm(requests: readonly IdempotentRequest[]): Promise<void> {
    const run: RunSql = (sql, params) => this.query(sql, params);
    return this.idempotency.confirm(run, requests, this.servers.isDistributed);
  }

  private lookUpOf(request: IdempotentRequest | undefined): ((find: FindByKey) => Promise<void>) | null {
    return request?.key ? (find) => this.idempotency.lookUp(request, this.clock.now(), find) : null;
  }

  /**
   * The error may be a consequence of an earlier request with the same key that committed while this one waited. In that
   * case, this request is a repeat.
   * @returns the error, or the {@link Replay} that replaces it
   */
  private async replayOr(error: DomainError, request: IdempotentRequest): Promise<unknown> {
    if (request.key === null) return error;
    const find: FindByKey = (lookUp, key) =>
      KeyedLookUps.findOne((sql, params) => this.pool.query(prepared(sql, params)), lookUp, key);
    return this.idempotency.lookUp(request, this.clock.now(), find).then(
      () => error,
      (found: unknown) => found,
    );
  }
}

/** Rolls back. @returns the error of a connection that can no longer be used */
async function undo(tx: PipelinedTx): Promise<Error | undefined> {
  try {
    await tx.rollback();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
