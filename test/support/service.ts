import { Client } from 'pg';
import { Extensions } from '../../src/app.module';
import { readConfig } from '../../src/platform/config/config';
import { Log } from '../../src/platform/telemetry/log';
import { Service, startService } from '../../src/service';
import { Api } from './api';
import { TestClock } from './clock';
import { createDatabase, dropDatabase } from './databases';

export const ADMIN = { email: 'admin@countinghouse.test', password: 'admins know a long one' };

export interface TestService {
  readonly url: string;
  readonly databaseUrl: string;
  readonly clock: TestClock;
  /** A client without a token; `api.as(token)` has one. */
  readonly api: Api;
  /** What the service logged. */
  readonly logged: string[];
  /** Runs SQL on the service's database, to look at what it stored. */
  sql<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Does the timed work that is due by the clock, now. It never runs by itself in tests. */
  sweep(): Promise<void>;
  /** Another process's worth of the service on the same database, with the same secrets and modules. */
  replica(env?: NodeJS.ProcessEnv): Promise<TestService>;
  stop(): Promise<void>;
}

const TEST_ENV = {
  NODE_ENV: 'test',
  PORT: '0',
  BCRYPT_COST: '4',
  JWT_SECRETS: 'a test secret that is only used in tests',
  PAYMENT_PAGE_URL: 'https://pay.countinghouse.test',
  ADMIN_EMAIL: ADMIN.email,
  ADMIN_PASSWORD: ADMIN.password,
  LOG_LEVEL: 'info',
  RUN_WORKER: 'false',
  PROCESSOR: 'sandbox',
};

/**
 * The real service, over HTTP, on a database of its own. `env` overrides settings; `extensions` are further modules,
 * as a team adds them.
 */
export async function startTestService(
  env: NodeJS.ProcessEnv = {},
  template?: string,
  extensions: Extensions = [],
): Promise<TestService> {
  const database = await createDatabase(template);
  return start(database.url, env, extensions, () => dropDatabase(database.name));
}

async function start(
  databaseUrl: string,
  env: NodeJS.ProcessEnv,
  extensions: Extensions,
  afterStop: () => Promise<void>,
): Promise<TestService> {
  const clock = new TestClock();
  const logged: string[] = [];
  const log = new Log('info', { write: (line: string) => void logged.push(line) });
  const config = readConfig({ ...TEST_ENV, ...env });
  const service: Service = await startService({ config, databaseUrl, clock, log, extensions });
  const inspector = new Client({ connectionString: databaseUrl });
  inspector.on('error', () => undefined);
  await inspector.connect();
  return {
    url: service.url,
    databaseUrl,
    clock,
    logged,
    api: await Api.of(service.url),
    sql: async <Row extends object>(text: string, values: unknown[] = []) =>
      (await inspector.query<Row>(text, values)).rows,
    replica: (more = {}) => start(databaseUrl, { ...env, ...more }, extensions, async () => undefined),
    sweep: () => service.sweep(),
    stop: async () => {
      await inspector.end();
      await service.stop();
      await afterStop();
    },
  };
}
