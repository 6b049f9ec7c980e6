import { escapeIdentifier } from 'pg';
import type { DatabaseSchema } from '../engine/data-source';

type Query = (sql: string, params: readonly unknown[]) => Promise<{ readonly name: string }[]>;

/** A mapped table that the database lacks. */
interface MissingTable {
  /** The name of the EntitySchema. */
  readonly entity: string;
  readonly table: string;
}

/** Returns the mapped tables that a database lacks. */
export async function missingTables(query: Query, { entities }: DatabaseSchema): Promise<MissingTable[]> {
  const mapped = entities.map(({ options: { name, tableName = name, schema } }) => ({
    entity: name,
    table: [schema, tableName]
      .filter((part) => part !== undefined)
      .map(escapeIdentifier)
      .join('.'),
  }));
  const sql = 'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NULL';
  const missing = (await query(sql, [mapped.map(({ table }) => table)])).map(({ name }) => name);
  return mapped.filter(({ table }) => missing.includes(table));
}

export function describeMissing({ entity, table }: MissingTable): string {
  return `The table ${table} of the entity ${entity} does not exist, and no migration is pending.`;
}

export const HOW_TO_CREATE =
  'Add the migration that creates it to the migrations of its module: "countinghouse migrations check" prints what is missing.';
