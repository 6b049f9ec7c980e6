import { escapeIdentifier } from 'pg';
import type { DataSource, EntitySchemaIndexOptions, QueryRunner } from 'typeorm';
import type { DatabaseSchema } from '../engine/data-source';
import { UNDEFINED_COLUMN, UNDEFINED_TABLE } from '../failures';

/** An index that TypeORM cannot declare. */
export interface DefinedIndex extends EntitySchemaIndexOptions {
  readonly name: string;
  /** What follows `CREATE INDEX name ON table`. */
  readonly definition: string;
}

/** Returns the SQL that creates the defined indexes of the mapped tables, where a database has none or another one. */
export async function missingIndexes(
  dataSource: DataSource,
  { entities }: DatabaseSchema,
): Promise<string[]> {
  const runner = dataSource.createQueryRunner();
  const missing: string[] = [];
  try {
    for (const { options } of entities) {
      const { tablePath } = dataSource.getMetadata(options.name);
      const table = tablePath.split('.').map(escapeIdentifier).join('.');
      for (const index of options.indices ?? [])
        if (isDefined(index) && !(await isThere(runner, table, index)))
          missing.push(`CREATE INDEX ${escapeIdentifier(index.name)} ON ${table} ${index.definition}`);
    }
  } finally {
    await runner.release();
  }
  return missing;
}

const isDefined = (index: EntitySchemaIndexOptions): index is DefinedIndex => 'definition' in index;

const LACKS: readonly unknown[] = [UNDEFINED_TABLE, UNDEFINED_COLUMN];

/** An empty table gets the index, too, for PostgreSQL to write the definitions of both in the same way. */
async function isThere(
  runner: QueryRunner,
  table: string,
  { name, definition }: DefinedIndex,
): Promise<boolean> {
  await runner.startTransaction();
  try {
    await runner.query(`CREATE TEMP TABLE wanted (LIKE ${table})`);
    await runner.query(`CREATE INDEX wanted_index ON wanted ${definition}`);
    return ((await runner.query(SAME, [table, name])) as object[]).length > 0;
  } catch (error) {
    if (LACKS.includes((error as { code?: string }).code)) return false;
    throw error;
  } finally {
    await runner.rollbackTransaction();
  }
}

const SAME = `
  SELECT FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
  WHERE indrelid = $1::regclass AND relname = $2 AND indisvalid
    AND substring(pg_get_indexdef(indexrelid) from ' USING .*')
      = substring(pg_get_indexdef('wanted_index'::regclass) from ' USING .*')`;
