import type { Pool, PoolClient } from 'pg';
import { SECOND_MS } from '../../../kernel/clock';
import { destroySilentConnections } from '../engine/connection';
import { optionsFor, type Pools, similarPool } from '../engine/data-source';
import { PipelinedReads } from '../engine/pipelined-reads';
import type { RunSql } from './placement';

/** How long a worker may take for a short read across accounts, which waits for all of them. */
const READ_SILENCE_MS = 5 * SECOND_MS;

/** A worker of Citus, as the coordinator knows it. */
export interface WorkerAddress {
  /** The number of the group that it is the primary server of. */
  readonly server: number;
  readonly host: string;
  readonly port: number;
}

/** The same on a server and its standbys, and nowhere else. */
const IDENTITY = 'SELECT system_identifier::text AS id FROM pg_control_system()';
const IDENTITY_BY_COORDINATOR = `
  SELECT result AS id FROM master_run_on_worker(ARRAY[$1], ARRAY[$2::int],
    ARRAY['SELECT system_identifier FROM pg_control_system()'], true) WHERE success`;

class Worker {
  /** Whether it can be reached, and is the server that the coordinator reaches under this address. */
  isKnown = false;
  private isChecked = false;
  private readonly requests: Pool;
  private readonly background: Pool;
  private readonly pools: readonly Pool[];
  readonly reads: PipelinedReads;

  constructor(
    readonly address: WorkerAddress,
    { requests, background, prepare }: Pools,
  ) {
    const changed = optionsFor(address.host, address.port, requests);
    this.requests = similarPool(requests, requests.options.max, changed);
    this.background = similarPool(background, background.options.max, changed);
    for (const pool of [this.requests, this.background]) prepare(pool);
    const forReads = { ...changed, statement_timeout: READ_SILENCE_MS };
    const acrossAccounts = similarPool(background, background.options.max, forReads);
    destroySilentConnections(acrossAccounts, READ_SILENCE_MS);
    this.reads = new PipelinedReads(acrossAccounts);
    this.pools = [this.requests, this.background, acrossAccounts];
  }

  async connect(isBackground: boolean): Promise<PoolClient | null> {
    if (!this.isKnown) return null;
    try {
      return await (isBackground ? this.background : this.requests).connect();
    } catch {
      this.isKnown = false;
      return null;
    }
  }

  /** An address can mean another server here than on the coordinator, as `localhost` does. */
  async check(run: RunSql): Promise<void> {
    if (this.isKnown || this.isChecked) return;
    this.isChecked = true;
    try {
      const own = (await this.background.query<{ id: string }>(IDENTITY)).rows[0]!.id;
      const { host, port } = this.address;
      const [seen] = await run<{ id: string }>(IDENTITY_BY_COORDINATOR, [host, port]);
      this.isKnown = seen?.id === own;
    } catch {
      // It is checked again later. Until then, the coordinator is the way to it.
    } finally {
      this.isChecked = false;
    }
  }

  async close(): Promise<void> {
    this.isKnown = false;
    await Promise.all(this.pools.map((pool) => pool.end()));
  }
}

/**
 * Connections straight to the workers, with the role, the database and the settings of those to the coordinator, which each
 * statement would pass otherwise. A worker that cannot be reached from here is reached through the coordinator.
 */
export class WorkerConnections {
  private readonly workers = new Map<number, Worker>();

  constructor(private readonly pools: Pools) {}

  /** @returns null where the coordinator is the way to the server */
  connect(server: number, isBackground: boolean): Promise<PoolClient | null> | null {
    return this.workers.get(server)?.connect(isBackground) ?? null;
  }

  /** For reads across accounts. @returns null where the coordinator is the way to the server */
  readsOn(server: number): PipelinedReads | null {
    const worker = this.workers.get(server);
    return worker?.isKnown ? worker.reads : null;
  }

  /** Replaces the workers whose address is another one, and checks those that are not reached. @param run on the coordinator */
  async update(addresses: readonly WorkerAddress[], run: RunSql): Promise<void> {
    for (const [server, worker] of this.workers) {
      const { host, port } = worker.address;
      if (addresses.some((one) => one.server === server && one.host === host && one.port === port)) continue;
      this.workers.delete(server);
      void worker.close();
    }
    for (const address of addresses) {
      if (this.workers.has(address.server)) continue;
      this.workers.set(address.server, new Worker(address, this.pools));
    }
    await Promise.all([...this.workers.values()].map((worker) => worker.check(run)));
  }

  async close(): Promise<void> {
    await Promise.all([...this.workers.values()].map((worker) => worker.close()));
    this.workers.clear();
  }
}
