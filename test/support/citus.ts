import { accountCounts } from '../../src/modules/accounts';
import { Client } from 'pg';
import { distribute } from '../../src/platform/database/citus/distribute';
import { DatabaseSchema } from '../../src/platform/database/engine/data-source';
import { migrate } from '../../src/platform/database/migrations/migrate';
import { schema } from './core';

/**
 * The URL of a superuser's database on a coordinator of Citus, to which workers are added. If it is set, suites run on
 * distributed databases. There is no package of Citus to install with the others, so nothing requires it.
 */
const COORDINATOR = process.env['TEST_CITUS_URL'];

export const isOnCitus = COORDINATOR !== undefined && COORDINATOR !== '';

/** Suites about Citus: skipped visibly without a coordinator. */
export function describeOnCitus(name: string, suite: () => void): void {
  if (isOnCitus) describe(name, suite);
  else describe.skip(`${name} (needs TEST_CITUS_URL)`, suite);
}

/** Suites about one PostgreSQL server: skipped visibly on Citus, with the reason. */
export function describeOnOneServer(name: string, reason: string, suite: () => void): void {
  if (isOnCitus) describe.skip(`${name} (not on Citus: ${reason})`, suite);
  else describe(name, suite);
}

const SHARDS = 4;

/** A PostgreSQL server of the cluster. */
export interface Node {
  readonly host: string;
  readonly port: number;
}

/** Runs statements on a database of a server. @returns the rows of the last one */
export function onNode<Row extends object>(
  node: Node,
  database: string,
  ...statements: string[]
): Promise<Row[]> {
  return onUrl(urlOn(node, database), ...statements);
}

/** Runs statements on a database. @returns the rows of the last one */
export async function onUrl<Row extends object>(url: string, ...statements: string[]): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  let rows: Row[] = [];
  try {
    for (const statement of statements) ({ rows } = await client.query<Row>(statement));
  } finally {
    await client.end();
  }
  return rows;
}

/** The workers that the coordinator of TEST_CITUS_URL knows. */
export function workers(): Promise<Node[]> {
  return onNode<Node>(
    coordinator(),
    databaseOf(COORDINATOR!),
    `SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE groupid <> 0 AND noderole = 'primary' ORDER BY 2`,
  );
}

/** Creates a database with the extension on all servers. @param asWorkers the addresses of the workers to add */
export async function createClusterDatabase(name: string, asWorkers?: readonly Node[]): Promise<string> {
  const nodes = await workers();
  const { host, port } = coordinator();
  for (const node of [coordinator(), ...nodes]) {
    await onNode(node, 'postgres', `CREATE DATABASE ${name}`);
    await onNode(node, name, 'CREATE EXTENSION citus');
  }
  const added = (asWorkers ?? nodes).map((node) => `SELECT citus_add_node('${node.host}', ${node.port})`);
  await onNode(coordinator(), name, `SELECT citus_set_coordinator_host('${host}', ${port})`, ...added);
  return urlOn(coordinator(), name);
}

/** Creates a migrated and distributed database. @returns its URL */
export async function createCitusDatabase(name: string, asWorkers?: readonly Node[]): Promise<string> {
  const url = await createClusterDatabase(name, asWorkers);
  await migrate(url, schema);
  await distribute(url, {
    dryRun: false,
    shards: SHARDS,
    countedLists: [accountCounts],
    print: () => undefined,
  });
  return url;
}

/** Migrates a distributed database, and places the tables that it gets, as an operator does at an upgrade. */
export async function upgradeCitusDatabase(url: string, to: DatabaseSchema): Promise<void> {
  await migrate(url, to);
  await distribute(url, {
    dryRun: false,
    shards: SHARDS,
    countedLists: [accountCounts],
    print: () => undefined,
  });
}

/** Creates a distributed database that others are copied from, on each server. */
export async function createCitusTemplate(name: string): Promise<void> {
  await createCitusDatabase(name);
  const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`;
  for (const node of [coordinator(), ...(await workers())])
    await onNode(node, 'postgres', `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`, end);
}

/** Copies a distributed database. @returns its URL */
export async function copyCitusDatabase(template: string, name: string): Promise<string> {
  for (const node of [coordinator(), ...(await workers())])
    await onNode(node, 'postgres', `CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = urlOn(coordinator(), name);
  // A copy lacks the settings of the database, which are set anew.
  await distribute(url, {
    dryRun: false,
    shards: SHARDS,
    countedLists: [accountCounts],
    print: () => undefined,
  });
  return url;
}

export async function dropCitusDatabase(name: string): Promise<void> {
  const nodes = [coordinator(), ...(await workers())];
  // What a failed test has left prepared or half moved keeps a database, and the moves of others wait for it.
  await onNode(coordinator(), name, 'CALL citus_cleanup_orphaned_resources()').catch(() => undefined);
  for (const node of nodes) await rollBackPrepared(node, name).catch(() => undefined);
  for (const node of nodes) await onNode(node, 'postgres', `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

async function rollBackPrepared(node: Node, database: string): Promise<void> {
  const prepared = 'SELECT gid FROM pg_prepared_xacts WHERE database = current_database()';
  const rows = await onNode<{ gid: string }>(node, database, prepared);
  await onNode(node, database, ...rows.map(({ gid }) => `ROLLBACK PREPARED '${gid}'`));
}

function coordinator(): Node {
  const { hostname, port } = new URL(COORDINATOR!);
  return { host: hostname, port: Number(port || 5432) };
}

function urlOn({ host, port }: Node, database: string): string {
  const url = new URL(COORDINATOR!);
  return Object.assign(url, { hostname: host, port: String(port), pathname: `/${database}` }).href;
}

function databaseOf(url: string): string {
  return new URL(url).pathname.slice(1);
}
