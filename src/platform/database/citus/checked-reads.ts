import type { QueryResultRow } from 'pg';
import { isAfterFailure, UNDEFINED_TABLE } from '../failures';

/** What a checked read returns besides. */
export interface CheckedRow extends QueryResultRow {
  readonly here: number;
  readonly found: true | null;
}

/**
 * How many shards are on a worker, as it knows when the statement begins. A move changes it on all servers in one
 * transaction.
 * @param ids an array of bigint, as SQL
 */
export const countHere = (ids: string): string => `
  SELECT count(*)::int AS here FROM pg_dist_placement
  WHERE shardid = ANY (${ids}) AND groupid = (SELECT groupid FROM pg_dist_local_group)`;

/**
 * A read of shards by the names of their tables that also tells whether they are there, in the same snapshot: the tables
 * of one that has moved stay for a while, as they were. It returns a row even if there are none. The order of the rows
 * stays, since a join with one row is a nested loop.
 */
export function checkedRead(sql: string, shardIds: readonly string[]): string {
  return `SELECT checked.here, read.* FROM (${countHere(`'{${shardIds.join()}}'`)}) AS checked
    LEFT JOIN (SELECT true AS found, * FROM (${sql}) AS shards) AS read ON true`;
}

/** @param count how many shards were read @returns null if they are not all there */
export async function rowsIfHere<Row extends CheckedRow>(
  read: Promise<Row[]>,
  count: number,
): Promise<Row[] | null> {
  try {
    const rows = await read;
    return rows[0]!.here === count ? rows.filter(({ found }) => found) : null;
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE || isAfterFailure(error)) return null;
    throw error;
  }
}
