import type { Pool } from 'pg';
import type { Registry } from 'prom-client';
import { Gauge } from 'prom-client';

/** Measures the use of the connection pool, when the metrics are read. */
export function measurePool(pool: Pool, registry: Registry): void {
  const registers = [registry];
  new Gauge({
    name: 'countinghouse_database_connections',
    help: 'Connections of the pool by state: used or idle.',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'used' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'idle' }, pool.idleCount);
    },
  });
  new Gauge({
    name: 'countinghouse_database_connections_max',
    help: 'The largest number of connections (DATABASE_POOL_SIZE).',
    registers,
    collect() {
      this.set(pool.options.max);
    },
  });
  new Gauge({
    name: 'countinghouse_database_connections_waiting',
    help: 'Statements and transactions that wait for a connection.',
    registers,
    collect() {
      this.set(pool.waitingCount);
    },
  });
}
