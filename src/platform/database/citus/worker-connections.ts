import type { Pool, PoolClient } from 'pg';
import { SECOND_MS } from '../../../kernel/clock';
import { destroySilentConnections } from '../engine/connection';
import { optionsFor, type Pools, similarPool } from '../engine/data-source';
import { PipelinedReads } from '../engine/pipelined-reads';
import { isTimeout } from '../failures';
import { busy } from '../waiting';
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

interface Identity {
  readonly id: string;
}

/** How to reach a server: `unknown` until it is checked, also after a failure; `none` while the coordinator does not reach it either. */
export type Way = 'straight' | 'coordinator' | 'unknown' | 'none';

class Worker {
  way: Way = 'unknown';
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

  /** @throws DomainError `unavailable` where there is no way: to wait for it would keep connections from others */
  async connect(isBackground: boolean): Promise<PoolClient | null> {
    if (this.way === 'none') throw busy();
    if (this.way !== 'straight') return null;
    try {
      return await (isBackground ? this.background : this.requests).connect();
    } catch {
      this.doubt();
      return null;
    }
  }

  doubt(): void {
    if (this.way === 'straight') this.way = 'unknown';
  }

  /** An address can mean another server here than on the coordinator, as `localhost` does. @param run on the coordinator */
  async check(run: RunSql): Promise<void> {
    if (this.way === 'straight' || this.isChecked) return;
    this.isChecked = true;
    const { host, port } = this.address;
    const [own, seen] = await Promise.allSettled([
      this.background.query<Identity>(IDENTITY).then(({ rows }) => rows[0]!.id),
      run<Identity>(IDENTITY_BY_COORDINATOR, [host, port]).then(([row]) => row?.id),
    ]);
    this.isChecked = false;
    const ids = [own, seen].map((result) => (result.status === 'fulfilled' ? result.value : undefined));
    if (ids[0] !== undefined && ids[0] === ids[1]) this.way = 'straight';
    else if (ids[0] !== undefined || ids[1] !== undefined) this.way = 'coordinator';
    // What else fails may be the coordinator, or that no connection to it was free, which says nothing about the worker.
    else if (seen.status === 'fulfilled' || isTimeout(seen.reason)) this.way = 'none';
  }

  close(): Promise<unknown> {
    this.way = 'unknown';
    return Promise.all(this.pools.map((pool) => pool.end()));
  }
}

/**
 * Connections straight to the workers, with the role, the database and the settings of those to the coordinator, which each
 * statement would pass otherwise. A worker that cannot be reached from here is reached through the coordinator.
 */
export class WorkerConnections {
  private readonly workers = new Map<number, Worker>();

  constructor(private readonly pools: Pools) {}

  /** @returns null where the coordinator is the way to the server @throws DomainError `unavailable` where there is none */
  connect(server: number, isBackground: boolean): Promise<PoolClient | null> | null {
    return this.workers.get(server)?.connect(isBackground) ?? null;
  }

  wayTo(server: number): Way {
    return this.workers.get(server)?.way ?? 'coordinator';
  }

  /** For reads across accounts. @returns null unless the way to the server is straight */
  readsOn(server: number): PipelinedReads | null {
    const worker = this.workers.get(server);
    return worker?.way === 'straight' ? worker.reads : null;
  }

  /** The server has not responded. */
  doubt(server: number): void {
    this.workers.get(server)?.doubt();
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
