import type { QueryResultRow } from 'pg';
import { UNDEFINED_TABLE } from '../failures';

/** What a checked read returns besides. */
export interface CheckedRow extends QueryResultRow {
  readonly placed: string | null;
  readonly found: true | null;
}

/** Null if the shards have moved, and else the rows. */
export type ReadShards<Row> = Promise<Row[] | null>;

/**
 * A read of shards by the names of their tables that also tells which shards are there, in the same snapshot: a table that
 * has moved stays for a while, as it was. It returns one row even if there are none, and the rows in their order, as a nested loop over the
 * one row does.
 * @param placed selects the shards that are there as one text, `placed`
 */
export function withPlacement(sql: string, placed: string): string {
  return `SELECT here.placed, read.*
    FROM (${placed}) AS here LEFT JOIN (SELECT true AS found, * FROM (${sql}) AS shards) AS read ON true`;
}

/** @param expected the shards whose tables are read */
export async function rowsIfPlaced<Row extends CheckedRow>(
  read: Promise<Row[]>,
  expected: string,
): ReadShards<Row> {
  try {
    const rows = await read;
    return rows[0]!.placed === expected ? rows.filter(({ found }) => found) : null;
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return null;
    throw error;
  }
}
