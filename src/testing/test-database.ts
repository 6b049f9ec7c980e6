import { createHash, randomBytes } from 'node:crypto';
import { type SharedPostgres, useSharedPostgres } from '../embedded-postgres/temporary-postgres';
import type { DatabaseSchema } from '../platform/database/engine/data-source';

/** A service, of which this needs the migrations. */
interface Migrated {
  readonly schema: DatabaseSchema;
  migrate(databaseUrl: string): Promise<unknown>;
}

export interface TestDatabase {
  readonly url: string;
  /** Drops the database, also while there are connections to it. */
  drop(): Promise<void>;
}

/**
 * Creates a database with the tables of a service. All processes that test at the same time share one server, and one
 * migrated database that is copied, so only the first of them waits for the server and the migrations.
 */
export async function createTestDatabase(service: Migrated): Promise<TestDatabase> {
  const server = await useSharedPostgres();
  try {
    const template = await ensureTemplate(service, server);
    const name = `test_${randomBytes(8).toString('hex')}`;
    await server.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    const drop = async (): Promise<void> => {
      await server.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await server.release();
    };
    return { url: server.urlOf(name), drop };
  } catch (error) {
    await server.release();
    throw error;
  }
}

/** The database with these migrations. It gets its name when it is complete. */
async function ensureTemplate(service: Migrated, server: SharedPostgres): Promise<string> {
  const name = `template_${digestMigrations(service.schema)}`;
  await server.query('SELECT pg_advisory_lock(1, hashtext($1))', [name]);
  try {
    const found = await server.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (found.length > 0) return name;
    const unfinished = `${name}_unfinished`;
    await server.query(`DROP DATABASE IF EXISTS ${unfinished}`);
    await server.query(`CREATE DATABASE ${unfinished}`);
    await service.migrate(server.urlOf(unfinished));
    await server.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
    return name;
  } finally {
    await server.query('SELECT pg_advisory_unlock(1, hashtext($1))', [name]);
  }
}

/** By the text of the migrations, which is another one while somebody writes a new one. */
function digestMigrations({ migrations }: DatabaseSchema): string {
  const text = migrations.map((migration) => `${migration.name} ${String(migration)}`).join('\n');
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
