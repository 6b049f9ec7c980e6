import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Client } from 'pg';
import { embeddedPostgresSettings } from '../embedded-postgres/embedded-postgres.settings';
import { SystemClock } from '../kernel/clock';
import type { CheckContext, CheckQuery, Finding } from '../platform/config/health-check';
import { fault, ok, warning } from '../platform/config/health-check';
import { ConfigError, Settings } from '../platform/config/settings';
import { unreachable } from '../platform/database/database.check';
import { SESSION_PARAMETERS } from '../platform/database/engine/data-source';
import { describeMissing, HOW_TO_CREATE, missingTables } from '../platform/database/migrations/migrate';
import type { Service, StartOptions } from './service';
import { attachDatabase, hasDatabase } from './service-database';

/** A finding, with the name of its check. */
export interface CheckedFinding extends Finding {
  readonly check: string;
}

const CONNECT_MS = 5_000;

/**
 * Checks the settings, the database, the migrations, and what the modules declare. It creates no module, so that it also
 * works when the service cannot start.
 */
export async function* diagnose(
  service: Service,
  env: NodeJS.ProcessEnv,
  { clock = new SystemClock(), print = (): void => undefined }: Pick<StartOptions, 'clock' | 'print'> = {},
): AsyncIterable<CheckedFinding> {
  const settings = readSettings(service, env);
  if (!(settings instanceof Settings)) {
    yield* named('settings', settings);
    return;
  }
  yield* named('settings', [ok('All settings are valid.')]);
  const database = await openDatabase(service, settings, print);
  try {
    yield* named('database', database.findings);
    yield* named('migrations', database.pending);
    for (const check of service.healthChecks) {
      const findings = check.run({ settings, clock, query: database.query });
      yield* named(check.name, await findings.catch(failed));
    }
  } finally {
    await database.close();
  }
}

function* named(check: string, findings: readonly Finding[]): Iterable<CheckedFinding> {
  for (const finding of findings) yield { check, ...finding };
}

function readSettings(service: Service, env: NodeJS.ProcessEnv): Settings | Finding[] {
  try {
    return service.readSettings(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const remedy = 'Correct the setting (docs/configuration.md). All other checks need it.';
    return error.message.split('; ').map((message) => fault(`${message}.`, remedy));
  }
}

interface OpenDatabase extends Pick<CheckContext, 'query'> {
  readonly findings: readonly Finding[];
  readonly pending: readonly Finding[];
  close(): Promise<void>;
}

const none = { findings: [], pending: [], query: null, close: async () => undefined };

async function openDatabase(
  service: Service,
  settings: Settings,
  print: (line: string) => void,
): Promise<OpenDatabase> {
  if (!hasDatabase(settings)) return { ...none, findings: [describeNewDatabase(settings)] };
  const database = await attachDatabase(settings, print);
  const client = new Client({
    connectionString: database.url,
    connectionTimeoutMillis: CONNECT_MS,
    ...SESSION_PARAMETERS,
    application_name: 'countinghouse doctor',
  });
  client.on('error', () => undefined); // the query in progress reports the failure
  const close = async (): Promise<void> => {
    await client.end().catch(() => undefined);
    await database.stop();
  };
  try {
    await client.connect();
    const query: CheckQuery = async <Row extends object>(sql: string) => (await client.query<Row>(sql)).rows;
    return { ...none, query, pending: await reportSchema(service, database.url, client), close };
  } catch (error) {
    return { ...none, findings: [unreachable(error)], close };
  }
}

/** An embedded database that does not exist yet. */
function describeNewDatabase(settings: Settings): Finding {
  const { dataDir } = settings.of(embeddedPostgresSettings);
  const parent = dirname(resolve(dataDir));
  if (existsSync(parent)) return ok('The first start creates the embedded database.');
  return fault(`DATA_DIR cannot be created: ${parent} does not exist.`, 'Create it, or correct DATA_DIR.');
}

/** Tables can only be missing for good when no migration is pending. */
async function reportSchema(service: Service, url: string, client: Client): Promise<Finding[]> {
  const pending = await service.pendingMigrations(url);
  if (pending.length > 0) return [reportPending(pending, await mayMigrate(client))];
  const query = async (sql: string, params: readonly unknown[]): Promise<{ name: string }[]> =>
    (await client.query<{ name: string }>(sql, [...params])).rows;
  const missing = await missingTables(query, service.schema);
  return [
    ok('All migrations are applied.'),
    ...missing.map((table) => fault(describeMissing(table), HOW_TO_CREATE)),
  ];
}

/** A role that only reads and writes rows is enough for the service, but not for migrations. */
async function mayMigrate(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ allowed: boolean | null }>(
    "SELECT has_schema_privilege(current_schema(), 'CREATE') AS allowed",
  );
  return rows[0]!.allowed === true;
}

function reportPending(names: readonly string[], applicable: boolean): Finding {
  const first = names.slice(0, 3).join(', ') + (names.length > 3 ? ', ...' : '');
  const pending = `${names.length} migrations are pending: ${first}`;
  if (!applicable)
    return fault(
      `${pending}, and the role may not create tables.`,
      'Run "countinghouse migrate" as the role that owns the tables and grants this one its rights on them, or GRANT CREATE ON SCHEMA public to it.',
    );
  return warning(`${pending}.`, 'The next start applies them; "countinghouse migrate" applies them now.');
}

/** A check that fails unexpectedly. The message of its error may contain secrets. */
function failed(error: unknown): Finding[] {
  const { code, name } = (error ?? {}) as { code?: string; name?: string };
  return [fault(`The check failed (${code ?? name ?? 'unknown error'}).`, 'Report it as a defect.')];
}
