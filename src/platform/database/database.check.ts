import { SECOND_MS } from '../../kernel/clock';
import type { CheckContext, Finding, HealthCheck } from '../config/health-check';
import { fault, ok, warning } from '../config/health-check';
import { environmentSettings, type Settings } from '../config/settings';
import { databaseSettings } from './database.settings';
import { maxConnections, SESSION_SETTINGS } from './engine/data-source';
import { processesSettings } from './processes.settings';

const OLDEST_VERSION = 15;
const NEWEST_TESTED_VERSION = 18;

interface Server {
  readonly version: string;
  readonly read_only: boolean;
  readonly superuser: boolean;
  readonly max_connections: number;
  readonly connections: number;
  /** By name, as text and without units. */
  readonly session: Readonly<Record<string, string>>;
}

const SERVER = `SELECT current_setting('server_version') AS version,
    current_setting('transaction_read_only')::boolean AS read_only,
    (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS superuser,
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS max_connections,
    (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
    (SELECT json_object_agg(name, setting) FROM pg_settings
     WHERE name IN (${Object.keys(SESSION_SETTINGS)
       .map((name) => `'${name}'`)
       .join(', ')})) AS session`;

/** The version of the server, and what the role of the service may do there. */
export const databaseCheck: HealthCheck = {
  name: 'database',
  async run({ settings, query }: CheckContext): Promise<readonly Finding[]> {
    if (query === null) return [];
    const [server] = await query<Server>(SERVER);
    return [
      checkVersion(server!),
      ...checkPrivileges(server!, settings),
      ...checkConnections(server!, settings),
      ...checkSession(server!),
    ];
  },
};

/** Says why a connection failed, without the message of the driver, which quotes parts of the address. */
export function unreachable(error: unknown): Finding {
  const { code = 'no response' } = (error ?? {}) as { code?: string };
  if (/^28/.test(code))
    return fault(
      `The database rejects the user or the password (${code}).`,
      'Correct them in DATABASE_URL, with special characters percent-encoded, or the pg_hba.conf of the server.',
    );
  if (code === '3D000')
    return fault(
      'The database does not exist (3D000).',
      'Create it (CREATE DATABASE), or correct its name in DATABASE_URL.',
    );
  if (code === '08P01')
    return fault(
      'A PgBouncer rejects what the service sets when it connects (08P01).',
      'Let it ignore these parameters (docs/operations.md#pgbouncer).',
    );
  return fault(
    `The database cannot be reached (${code}).`,
    'Start the server, or correct the host and the port in DATABASE_URL.',
  );
}

function checkVersion({ version }: Server): Finding {
  const major = Number.parseInt(version, 10);
  const supported = `The service supports PostgreSQL ${OLDEST_VERSION} to ${NEWEST_TESTED_VERSION}.`;
  if (major < OLDEST_VERSION) return fault(`PostgreSQL ${version} is too old.`, supported);
  if (major > NEWEST_TESTED_VERSION) return warning(`PostgreSQL ${version} is not tested.`, supported);
  return ok(`PostgreSQL ${version} responds.`);
}

function checkPrivileges(server: Server, settings: Settings): Finding[] {
  const findings: Finding[] = [];
  if (server.read_only)
    findings.push(fault('The server accepts no writes.', 'Name the leader in DATABASE_URL, not a standby.'));
  if (server.superuser && settings.of(environmentSettings).production)
    findings.push(
      warning(
        'The role is a superuser, so the service could change the journal.',
        'Use a role that owns the database and is no superuser.',
      ),
    );
  return findings;
}

function checkConnections({ max_connections: maximum, connections }: Server, settings: Settings): Finding[] {
  const opened = maxConnections(settings.of(databaseSettings).poolSize, settings.of(processesSettings).count);
  const counts = `The server allows ${maximum} connections, ${connections} are in use, and this replica opens up to ${opened}.`;
  if (opened > maximum)
    return [fault(counts, 'Lower DATABASE_POOL_SIZE, or raise max_connections of the server.')];
  if (opened + connections > maximum)
    return [
      warning(counts, 'Unless this replica runs already, lower DATABASE_POOL_SIZE or raise max_connections.'),
    ];
  return [ok(counts)];
}

/** The doctor sets the same as the service when it connects. */
function checkSession({ session }: Server): Finding[] {
  const lost = Object.entries(SESSION_SETTINGS).filter(([name, value]) => session[name] !== String(value));
  if (lost.length === 0) return [];
  const names = lost.map(([name]) => name).join(', ');
  const remedy = lost.map(([name, value]) => `ALTER ROLE ... SET ${name} = ${value};`).join(' ');
  return [
    warning(
      `Sessions do not get what the service sets, as behind PgBouncer: ${names}.`,
      `Set it for the role of the service: ${remedy}`,
    ),
  ];
}

const WARNING_MS = SECOND_MS;
const ERROR_MS = 10 * SECOND_MS;

const REMEDY = 'Synchronize both machines with the same time servers (chrony, systemd-timesyncd).';

/** The clock of this machine against that of the database, whose time is taken in the middle of the query. */
export const clockCheck: HealthCheck = {
  name: 'clock',
  async run({ clock, query }: CheckContext): Promise<readonly Finding[]> {
    if (query === null) return [];
    const before = clock.now().getTime();
    const [row] = await query<{ now: Date }>('SELECT clock_timestamp() AS now');
    const after = clock.now().getTime();
    const ahead = Math.round((before + after) / 2 - row!.now.getTime());
    // What the query took is no difference of the clocks.
    const certain = Math.max(0, Math.abs(ahead) - Math.ceil((after - before) / 2));
    const seconds = (Math.abs(ahead) / SECOND_MS).toFixed(1);
    const message = `The clock of this machine is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} that of the database.`;
    if (certain >= ERROR_MS) return [fault(message, REMEDY)];
    if (certain >= WARNING_MS) return [warning(message, REMEDY)];
    return [ok('The clock of this machine agrees with that of the database.')];
  },
};
