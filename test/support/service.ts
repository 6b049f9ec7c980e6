import { Client } from 'pg';
import { TestClock as OperationsClock } from '../../src/modules/testing';
import { ServiceModule } from '../../src/platform/service-module';
import { Log } from '../../src/platform/telemetry/log';
import { defineService } from '../../src/service/define-service';
import { Api } from './api';
import { isOnCitus, upgradeCitusDatabase } from './citus';
import { TestClock } from './clock';
import { createDatabase, dropDatabase } from './databases';

export const ADMIN = { email: 'admin@countinghouse.test', password: 'admins know a long one' };

export interface TestService {
  readonly url: string;
  readonly databaseUrl: string;
  readonly metricsUrl: string | null;
  readonly clock: Pick<TestClock, 'now' | 'move'>;
  /** A client without a token; `api.as(token)` has one. */
  readonly api: Api;
  /** What the service logged. */
  readonly logged: string[];
  /** Runs SQL on the service's database. */
  sql<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Runs all due periodic tasks. In tests, they do not run by themselves. @throws the first error of a task */
  runDueTasks(): Promise<void>;
  /** Runs all due periodic tasks, of which some are meant to fail. */
  tryDueTasks(): Promise<void>;
  /** Starts another replica on the same database with the same settings and modules. */
  replica(env?: NodeJS.ProcessEnv): Promise<TestService>;
  stop(): Promise<void>;
}

const TEST_ENV = {
  NODE_ENV: 'test',
  PORT: '0',
  BCRYPT_COST: '4',
  // Each connection is a process, whose start takes longer than most tests.
  DATABASE_POOL_SIZE: '4',
  JWT_SECRETS: 'a test secret that is only used in tests',
  PAYMENT_PAGE_URL: 'https://pay.countinghouse.test',
  ADMIN_EMAIL: ADMIN.email,
  ADMIN_PASSWORD: ADMIN.password,
  LOG_LEVEL: 'info',
  RUN_WORKER: 'false',
  PROCESSOR: 'sandbox',
};

/**
 * Starts the service on a new database.
 * @param env overrides settings
 * @param template the database to copy
 * @param extensions further modules
 */
export async function startTestService(
  env: NodeJS.ProcessEnv = {},
  template?: string,
  extensions: readonly ServiceModule[] = [],
): Promise<TestService> {
  const database = await createDatabase(template);
  if (isOnCitus && template === undefined && extensions.length > 0)
    await upgradeCitusDatabase(database.url, defineService({ extensions }).schema);
  return startTestServiceOn(database.url, env, extensions, () => dropDatabase(database.name));
}

/** Starts the service on a database that is there. */
export async function startTestServiceOn(
  databaseUrl: string,
  env: NodeJS.ProcessEnv = {},
  extensions: readonly ServiceModule[] = [],
  afterStop: () => Promise<void> = async () => undefined,
): Promise<TestService> {
  const clock = env['TEST_OPERATIONS'] ? new OperationsClock() : new TestClock();
  const logged: string[] = [];
  const log = new Log('info', { write: (line: string) => void logged.push(line) });
  const settings = { ...TEST_ENV, ...env, DATABASE_URL: databaseUrl };
  const service = await defineService({ extensions }).start(settings, { clock, log });
  const inspector = new Client({ connectionString: databaseUrl });
  inspector.on('error', () => undefined);
  await inspector.connect();
  return {
    url: service.url,
    databaseUrl,
    metricsUrl: service.metricsUrl,
    clock,
    logged,
    api: await (extensions.length === 0 && !env['TEST_OPERATIONS']
      ? Api.ofCore(service.url)
      : Api.of(service.url)),
    sql: async <Row extends object>(text: string, values: unknown[] = []) =>
      (await inspector.query<Row>(text, values)).rows,
    replica: (more = {}) => startTestServiceOn(databaseUrl, { ...env, ...more }, extensions),
    runDueTasks: () => service.runDueTasks(),
    tryDueTasks: () => service.runDueTasks().catch(() => undefined),
    stop: async () => {
      await inspector.end();
      await service.stop();
      await afterStop();
    },
  };
}
