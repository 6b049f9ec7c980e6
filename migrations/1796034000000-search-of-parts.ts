import { MigrationInterface, QueryRunner } from 'typeorm';
import { folded, keyWordIndex } from '../src/platform/database/lists/folded-text';
import { createIndex, dropIndex } from '../src/platform/database/migrations/index-migration';

const NAMES = { accounts: "name || ' ' || email", users: "coalesce(name, '') || ' ' || email" };

const REFERENCES = ['transactions', 'payment_requests', 'subscriptions'].map((table) => {
  return { table, ...keyWordIndex(table, 'reference') };
});

/**
 * Indexes for searches of parts: of the trigrams of names and emails, where pg_trgm may be used, and of the key words of
 * references.
 */
export class SearchOfParts1796034000000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    const [encoding] = (await queryRunner.query('SHOW server_encoding')) as [{ server_encoding: string }];
    if (encoding.server_encoding !== 'UTF8') throw new Error('The database must have the encoding UTF8.');
    if (await createTrigrams(queryRunner))
      for (const [table, text] of Object.entries(NAMES))
        await createIndex(queryRunner, table, `${table}_text`, `USING gin ((${folded(text)}) gin_trgm_ops)`);
    for (const { table, name, definition } of REFERENCES)
      await createIndex(queryRunner, table, name, definition);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const { table, name } of REFERENCES) await dropIndex(queryRunner, table, name);
    for (const table of Object.keys(NAMES)) await dropIndex(queryRunner, table, `${table}_text`);
  }
}

/** @returns whether the extension is there now */
async function createTrigrams(queryRunner: QueryRunner): Promise<boolean> {
  const usable = `SELECT FROM pg_available_extensions WHERE name = 'pg_trgm'
    AND (installed_version IS NOT NULL OR has_database_privilege(current_database(), 'CREATE'))`;
  if (((await queryRunner.query(usable)) as object[]).length === 0) return false;
  await queryRunner.query('CREATE EXTENSION IF NOT EXISTS pg_trgm');
  return true;
}
