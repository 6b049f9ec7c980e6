import 'reflect-metadata';
import { SystemClock } from './kernel/clock';
import { Config, readConfig } from './platform/config/config';
import { generatedSecret } from './platform/config/generated-secret';
import { EmbeddedPostgres, startEmbeddedPostgres } from './platform/database/embedded/embedded-postgres';
import { Log } from './platform/telemetry/log';
import { Service, startService } from './service';
import { startFault } from './start-fault';

/** What was accepted is answered within this time, or the process ends without it. */
const DRAIN_MS = 25_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** The process: configuration, database, service, signals. */
async function main(): Promise<void> {
  let postgres: EmbeddedPostgres | null = null;
  try {
    const config = readConfig(process.env);
    postgres = config.databaseUrl ? null : await startEmbeddedPostgres({ dataDir: config.dataDir, say });
    const service = await startService({
      config: withSecrets(config),
      databaseUrl: postgres?.url ?? config.databaseUrl!,
      clock: new SystemClock(),
      log: new Log(config.logLevel),
    });
    announce(service, config);
    stopOnSignal(service, postgres);
  } catch (error) {
    await postgres?.stop();
    process.stderr.write(`Countinghouse cannot start. ${startFault(error)}\n`);
    process.exitCode = 1;
  }
}

function withSecrets(config: Config): Config {
  return config.jwtSecrets.length > 0 ? config : { ...config, jwtSecrets: [generatedSecret(config.dataDir)] };
}

function announce({ url, adminCreated }: Service, { admin }: Config): void {
  say(`Countinghouse listens on ${url}`);
  say(`API documentation: ${url}/docs`);
  if (admin === null) say('To make the first admin, start it once with ADMIN_EMAIL and ADMIN_PASSWORD set');
  else if (adminCreated) say(`The admin ${admin.email} was created`);
  else say(`A user with the email ${admin.email} exists already; nothing of it was changed`);
}

/** Answers what was accepted, then stops the database, then goes. The database must not go first. */
function stopOnSignal(service: Service, postgres: EmbeddedPostgres | null): void {
  let stopping = false;
  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), DRAIN_MS).unref();
    await service.stop();
    await postgres?.stop();
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop());
  process.on('SIGINT', () => void stop());
}

void main();
