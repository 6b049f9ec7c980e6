import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { copyCitusDatabase, dropCitusDatabase, isOnCitus } from './citus';

export const TEMPLATE = 'countinghouse_template';

/** The URL of a database on the PostgreSQL server of this test run. */
export function databaseUrl(name: string): string {
  const url = process.env['TEST_CLUSTER_URL'];
  if (!url) throw new Error('The test cluster is not running: run the tests with Jest.');
  return url.replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${name}`);
}

/** The same URL for another role. */
export function asRole(url: string, role: string, password = ''): string {
  const changed = new URL(url.replace(/^postgres(ql)?:\/\/[^/]*\//, 'http://localhost/'));
  changed.searchParams.set('user', role);
  if (password) changed.searchParams.set('password', password);
  return changed.href.replace('http://localhost', 'postgresql://');
}

/** Runs statements on the server's maintenance database. */
export async function onServer(...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: databaseUrl('postgres') });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Creates a migrated database for one suite, a distributed one if TEST_CITUS_URL names a coordinator. */
export async function createDatabase(template = TEMPLATE): Promise<{ name: string; url: string }> {
  const name = `suite_${randomBytes(6).toString('hex')}`;
  if (isOnCitus && template === TEMPLATE) return { name, url: await copyCitusDatabase(TEMPLATE, name) };
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  return { name, url: databaseUrl(name) };
}

export async function dropDatabase(name: string): Promise<void> {
  if (isOnCitus) await dropCitusDatabase(name);
  await onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}
