import { readdirSync, readlinkSync } from 'node:fs';
import { Client } from 'pg';
import { residentMb } from '../../../../support/compiled';

/** What a service process holds at one moment. */
export interface Sample {
  readonly residentMb: number;
  /** Open sockets of clients, the database and the processor. */
  readonly sockets: number;
  readonly databaseConnections: number;
  /** Database transactions that have been idle for more than 5 seconds. */
  readonly idleTransactions: number;
}

/** @param database a connection of the test, which is not counted */
export async function sampleOf(pid: number, database: Client): Promise<Sample> {
  const { rows } = await database.query<Pick<Sample, 'databaseConnections' | 'idleTransactions'>>(
    `SELECT count(*)::int AS "databaseConnections",
            count(*) FILTER (
              WHERE state LIKE 'idle in transaction%' AND state_change < now() - interval '5 seconds'
            )::int AS "idleTransactions"
     FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  );
  return { residentMb: Math.round(residentMb(pid)), sockets: openSockets(pid), ...rows[0]! };
}

/** Linux lists the open files of a process under /proc. */
function openSockets(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  const isSocket = (file: string): boolean => {
    try {
      return readlinkSync(`${folder}/${file}`).startsWith('socket:');
    } catch {
      return false; // closed meanwhile
    }
  };
  return readdirSync(folder).filter(isSocket).length;
}
