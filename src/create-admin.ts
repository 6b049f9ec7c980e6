import 'reflect-metadata';
import { SystemClock } from './kernel/clock';
import { Config, ConfigError, readConfig } from './platform/config/config';
import { startEmbeddedPostgres } from './platform/database/embedded/embedded-postgres';
import { runningPostgresUrl } from './platform/database/embedded/running-postgres';
import { Log } from './platform/telemetry/log';
import { ensureAdmin } from './service';
import { startFault } from './start-fault';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** The command that makes sure an admin exists, also while the service runs: `npm run admin:create`. */
async function main(): Promise<void> {
  try {
    const config = readConfig(process.env);
    if (config.admin === null) {
      throw new ConfigError('ADMIN_EMAIL, ADMIN_PASSWORD: the admin to create must be given by both');
    }
    const { email, password } = config.admin;
    const created = await onDatabase(config, (databaseUrl) =>
      ensureAdmin(
        { config, databaseUrl, clock: new SystemClock(), log: new Log(config.logLevel) },
        email,
        password,
      ),
    );
    say(
      created
        ? `The admin ${email} was created.`
        : `Nothing was changed: a user with the email ${email} exists already.`,
    );
  } catch (error) {
    process.stderr.write(`The admin cannot be created. ${startFault(error)}\n`);
    process.exitCode = 1;
  }
}

/** On the configured database, else on the embedded one: beside the service that runs it, or started for this. */
async function onDatabase<T>(config: Config, work: (url: string) => Promise<T>): Promise<T> {
  const url = config.databaseUrl ?? (await runningPostgresUrl(config.dataDir));
  if (url !== null) return work(url);
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, say });
  try {
    return await work(postgres.url);
  } finally {
    await postgres.stop();
  }
}

void main();
