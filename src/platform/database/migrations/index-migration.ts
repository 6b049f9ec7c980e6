import type { QueryRunner } from 'typeorm';

/**
 * Creates an index without blocking writes, so that the previous release goes on while it is built. The migration must
 * have `transaction = false`. An index that an interrupted attempt left is built again; a complete one stays.
 * @param definition what follows `CREATE INDEX name`, for example `ON "transactions" ("id")`
 */
export async function createIndex(
  queryRunner: QueryRunner,
  table: string,
  name: string,
  definition: string,
): Promise<void> {
  const sql = `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)`;
  const [index] = (await queryRunner.query(sql, [`"${name}"`])) as { valid: boolean }[];
  if (index?.valid) return;
  const concurrently = await concurrentlyOn(queryRunner, table);
  if (index) await queryRunner.query(`DROP INDEX ${concurrently} "${name}"`);
  await queryRunner.query(`CREATE INDEX ${concurrently} "${name}" ON "${table}" ${definition}`);
}

/** Drops an index without blocking writes, if it exists. */
export async function dropIndex(queryRunner: QueryRunner, table: string, name: string): Promise<void> {
  await queryRunner.query(`DROP INDEX ${await concurrentlyOn(queryRunner, table)} IF EXISTS "${name}"`);
}

/** PostgreSQL cannot do it concurrently on partitioned tables. */
async function concurrentlyOn(queryRunner: QueryRunner, table: string): Promise<string> {
  const sql = `SELECT relkind FROM pg_class WHERE oid = to_regclass($1)`;
  const [{ relkind }] = (await queryRunner.query(sql, [`"${table}"`])) as [{ relkind: string }];
  return relkind === 'p' ? '' : 'CONCURRENTLY';
}
