import { parseArgs } from 'node:util';
import { onTemporaryPostgres } from '../embedded-postgres/temporary-postgres';
import { AuditLogVerification } from '../modules/audit-log';
import { LedgerVerification } from '../modules/ledger';
import { ConfigError } from '../platform/config/settings';
import { distribute } from '../platform/database/citus/distribute';
import { assertPlaced } from '../platform/database/citus/placement';
import { Database } from '../platform/database/database';
import { databaseSettings } from '../platform/database/database.settings';
import { pendingSchemaChanges } from '../platform/database/migrate';
import { JobQueue } from '../platform/jobs/job-queue';
import { ensureFirstAdmin, startBackgroundWork, startTelemetry } from './application';
import { Service } from './service';
import { describeStartupError } from './startup-error';

/** The process ends after this time even if accepted requests are not complete. */
const SHUTDOWN_MS = 25_000;
const PROGRESS_INTERVAL_MS = 1000;

interface Command {
  /** What is printed before the reason when the command fails. */
  readonly failure: string;
  /** @returns the exit code */
  run(service: Service, args: readonly string[]): Promise<number>;
}

const commands: Readonly<Record<string, Command>> = {
  start: { failure: 'Countinghouse cannot start', run: start },
  worker: { failure: 'The worker cannot start', run: work },
  'admin:create': { failure: 'The admin cannot be created', run: createAdmin },
  'ledger:verify': { failure: 'The journal cannot be verified', run: verifyLedger },
  'citus:distribute': { failure: 'The database cannot be distributed', run: distributeTables },
  'migrations:check': { failure: 'The migrations cannot be checked', run: checkMigrations },
  openapi: { failure: 'The OpenAPI document cannot be created', run: printOpenApi },
};

/** Runs the command of the first argument, by default `start`, and sets the exit code of the process. */
export async function runCommand(
  service: Service,
  [name = 'start', ...args]: readonly string[],
): Promise<void> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    process.stderr.write(`Unknown command "${name}". Commands: ${Object.keys(commands).join(', ')}.\n`);
    process.exitCode = 2;
    return;
  }
  try {
    process.exitCode = await command.run(service, args);
  } catch (error) {
    process.stderr.write(`${command.failure}. ${describeStartupError(error)}\n`);
    process.exitCode = 1;
  }
}

async function start(service: Service): Promise<number> {
  const stopping = stopSignal();
  const running = await service.start(process.env, { print });
  const { url, metricsUrl, firstAdmin } = running;
  print(`Countinghouse listens on ${url}`);
  print(`API documentation: ${url}/docs`);
  if (metricsUrl !== null) print(`Metrics: ${metricsUrl}`);
  if (firstAdmin === null)
    print('To create the first admin, start once with ADMIN_EMAIL and ADMIN_PASSWORD set');
  else if (firstAdmin.created) print(`The admin ${firstAdmin.email} was created`);
  else print(`A user with the email ${firstAdmin.email} exists already; it was not changed`);
  await stopping;
  setTimeout(() => process.exit(1), SHUTDOWN_MS).unref();
  await running.stop();
  process.exit(0);
}

/** Runs background work apart from the service, which then has RUN_WORKER=false. */
function work(service: Service): Promise<number> {
  return service.run(
    process.env,
    async (app) => {
      await app.get(JobQueue).prepare();
      await assertPlaced(app.get(Database));
      await startTelemetry(app);
      const stopping = stopSignal();
      await startBackgroundWork(app);
      print('The worker runs background work');
      await stopping;
      return 0;
    },
    { print },
  );
}

function createAdmin(service: Service): Promise<number> {
  return service.run(
    process.env,
    async (app, settings) => {
      const admin = await ensureFirstAdmin(app, settings);
      if (admin === null) {
        throw new ConfigError(
          'ADMIN_EMAIL, ADMIN_PASSWORD: must be set, to the email and password of the admin',
        );
      }
      print(
        admin.created
          ? `The admin ${admin.email} was created.`
          : `Nothing was changed: a user with the email ${admin.email} exists already.`,
      );
      return 0;
    },
    { print },
  );
}

/** Compares the whole journal with the accounts and checks the audit log, while the service may run. */
function verifyLedger(service: Service): Promise<number> {
  return service.run(
    process.env,
    async (app) => {
      const ledger = await timed((progress) => app.get(LedgerVerification).run(progress));
      report(ledger, `${ledger.entries} entries of ${ledger.accounts} accounts`);
      const auditLog = await timed((progress) => app.get(AuditLogVerification).run(progress));
      report(auditLog, `${auditLog.entries} entries of the audit log`);
      return ledger.faults.length + auditLog.faults.length === 0 ? 0 : 1;
    },
    { print },
  );
}

const DEFAULT_SHARDS = 32;

/** Distributes the tables over the workers of Citus. `--dry-run` prints the plan; `--shards=64` sets their number. */
async function distributeTables(service: Service, args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { 'dry-run': { type: 'boolean' }, shards: { type: 'string' } },
  });
  const { 'dry-run': dryRun = false } = values;
  const shards = Number(values.shards ?? DEFAULT_SHARDS);
  if (!Number.isInteger(shards) || shards < 1) throw new ConfigError('--shards: must be a positive integer');
  const { url } = service.readSettings(process.env).of(databaseSettings);
  if (url === null) throw new ConfigError('DATABASE_URL: must be set, to a coordinator of Citus');
  // The tables of the queue have to exist, so that they are placed too.
  if (!dryRun) await service.run(process.env, (app) => app.get(JobQueue).prepare(), { print });
  const missing = await distribute(url, { dryRun, shards, print });
  if (missing.length === 0) print('All tables are placed.');
  else print(`Not placed: ${missing.join(', ')}.`);
  return missing.length === 0 || dryRun ? 0 : 1;
}

/** Runs a verification and shows its progress. */
async function timed<Result>(
  run: (progress: (entries: number) => void) => Promise<Result>,
): Promise<Result & { readonly seconds: number }> {
  const started = performance.now();
  let reported = started;
  const result = await run((count) => {
    if (performance.now() - reported < PROGRESS_INTERVAL_MS) return;
    reported = performance.now();
    process.stderr.write(`${count} entries ...\n`);
  });
  return { ...result, seconds: (performance.now() - started) / 1000 };
}

function report({ faults, seconds }: { faults: readonly string[]; seconds: number }, checked: string): void {
  for (const fault of faults) print(`FAULT ${fault}`);
  const result = faults.length === 0 ? 'no faults found' : `${faults.length} faults found`;
  print(`${checked} in ${seconds.toFixed(1)} s: ${result}.`);
}

/** Compares the migrations with the mapped tables, on a temporary PostgreSQL. */
async function checkMigrations(service: Service): Promise<number> {
  const changes = await onTemporaryPostgres(async (url) => {
    await service.migrate(url);
    return pendingSchemaChanges(url, service.schema);
  });
  for (const sql of changes) print(`The mapped tables need: ${sql}`);
  print(changes.length === 0 ? 'The migrations create the mapped tables.' : 'A migration is missing.');
  return changes.length === 0 ? 0 : 1;
}

/** Prints the OpenAPI document of a service that runs on a temporary PostgreSQL. */
async function printOpenApi(service: Service): Promise<number> {
  const document = await onTemporaryPostgres(async (databaseUrl) => {
    const running = await service.start({
      ...process.env, // extensions may require settings
      NODE_ENV: 'test',
      PORT: '0',
      LOG_LEVEL: 'silent',
      RUN_WORKER: 'false',
      DATABASE_URL: databaseUrl,
      DATABASE_URL_FILE: '',
      JWT_SECRETS: 'a placeholder because no token is signed here',
      JWT_SECRETS_FILE: '',
    });
    try {
      return (await (await fetch(`${running.url}/openapi.json`)).json()) as object;
    } finally {
      await running.stop();
    }
  });
  print(JSON.stringify(document, null, 2));
  return 0;
}

/** Resolves at the first signal to stop. Further signals have no effect. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.on('SIGTERM', () => resolve());
    process.on('SIGINT', () => resolve());
  });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
