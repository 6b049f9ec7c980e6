import 'reflect-metadata';
import { INestApplicationContext } from '@nestjs/common';
import { SystemClock } from './kernel/clock';
import { Config, readConfig } from './platform/config/config';
import { startEmbeddedPostgres } from './platform/database/embedded/embedded-postgres';
import { runningPostgresUrl } from './platform/database/embedded/running-postgres';
import { Log } from './platform/telemetry/log';
import { createContext } from './service';
import { startFault } from './start-fault';

/** Writes a line to the standard output. */
export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** What a command does with the service's modules. @returns the exit code */
type Work = (app: INestApplicationContext, config: Config) => Promise<number>;

/**
 * Runs a command of the shell on the service's modules and database, without serving HTTP.
 * @param failure what to tell when it cannot run, before the reason
 */
export async function runCommand(failure: string, work: Work): Promise<void> {
  try {
    const config = readConfig(process.env);
    process.exitCode = await onDatabase(config, async (databaseUrl) => {
      const parts = { config, databaseUrl, clock: new SystemClock(), log: new Log(config.logLevel) };
      const app = await createContext(parts);
      try {
        return await work(app, config);
      } finally {
        await app.close();
      }
    });
  } catch (error) {
    process.stderr.write(`${failure}. ${startFault(error)}\n`);
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
