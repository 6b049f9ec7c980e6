import { join } from 'node:path';
import 'reflect-metadata';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres';
import { migrate } from '../../src/platform/database/migrations/migrate';
import { createCitusTemplate, dropCitusDatabase, isOnCitus } from './citus';
import { schema } from './core';
import { databaseUrl, TEMPLATE } from './databases';

/**
 * Starts one PostgreSQL server for the run, with a migrated template database that every suite copies. TEST_DATABASE_URL
 * names a server to use instead, for example another version.
 * @returns what to do after the run
 */
export async function startCluster(folder: string): Promise<() => Promise<void>> {
  const given = process.env['TEST_DATABASE_URL'];
  const postgres = given
    ? null
    : await startEmbeddedPostgres({ dataDir: join(folder, 'data'), temporary: true });
  process.env['TEST_CLUSTER_URL'] = given ?? postgres!.url;
  const client = new Client({ connectionString: process.env['TEST_CLUSTER_URL'] });
  await client.connect();
  await client.query(`DROP DATABASE IF EXISTS ${TEMPLATE}`);
  await client.query(`CREATE DATABASE ${TEMPLATE}`);
  await client.end();
  await migrate(databaseUrl(TEMPLATE), schema);
  if (isOnCitus) {
    await dropCitusDatabase(TEMPLATE);
    await createCitusTemplate(TEMPLATE);
  }
  return async () => {
    if (isOnCitus) await dropCitusDatabase(TEMPLATE);
    await postgres?.stop();
  };
}
