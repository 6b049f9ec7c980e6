import type { INestApplicationContext } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Client, type QueryResultRow } from 'pg';
import { LedgerVerification } from '../modules/ledger';
import { type NewFault, type ScriptedFault, TestClock, type TestOperations } from '../modules/testing';
import { Log } from '../platform/telemetry/log';
import type { RunningService } from '../service/application';
import { defineService, type ServiceDefinition } from '../service/define-service';
import { ApiClient } from './api-client';
import { createTestDatabase } from './test-database';

const PASSWORD = 'correct horse battery';
const ADMIN_EMAIL = 'admin@example.com';

const TEST_SETTINGS = {
  NODE_ENV: 'test',
  PORT: '0',
  BCRYPT_COST: '4',
  JWT_SECRETS: 'a secret that is only used in tests',
  ADMIN_EMAIL,
  ADMIN_PASSWORD: PASSWORD,
  PROCESSOR: 'sandbox',
  RUN_WORKER: 'false',
};

export interface TestServiceOptions extends ServiceDefinition {
  /** Settings that override the defaults for tests. */
  readonly env?: NodeJS.ProcessEnv;
}

/** A user who is logged in. */
export interface TestUser {
  readonly id: string;
  readonly email: string;
  readonly api: ApiClient;
}

/** The time of a service, which a test moves. */
export interface TestServiceClock {
  now(): Date;
  /**
   * Moves time forward. What becomes due meanwhile is settled, expired, billed and delivered, in its order.
   * @param period for example `90 seconds`, `2 days` or `1 month`; months and years are those of the calendar in UTC
   * @returns the time that it is then
   * @throws Error for any other text; the first error of background work
   */
  advance(period: string): Promise<Date>;
  /** Moves time forward and processes nothing; negative numbers move it back. */
  move(by: { days?: number; minutes?: number; seconds?: number }): void;
}

/** The faults of a service that a test scripts. */
export interface TestServiceFaults {
  /**
   * Lets the next requests for an operation fail.
   * @throws Error for an operation that does not exist, and for a number that is not allowed
   */
  script(fault: NewFault): ScriptedFault;
  /** Those that have not taken effect yet. */
  list(): readonly ScriptedFault[];
  clear(): void;
}

/**
 * Starts the whole service, with extensions if there are any, on its own empty database and a clock that the test
 * moves. No background work runs on its own: `clock.advance` does what becomes due. The first start of a run of tests also
 * starts a PostgreSQL, which all its processes share and which stops ten seconds after them.
 * @throws ConfigError for settings that are invalid
 */
export async function startCountinghouse({ env, extensions }: TestServiceOptions = {}): Promise<TestService> {
  const definition = defineService({ extensions });
  const testDatabase = await createTestDatabase(definition);
  const database = new Client({ connectionString: testDatabase.url });
  const settings = { ...TEST_SETTINGS, ...env, DATABASE_URL: testDatabase.url };
  // Errors of the service, and of extensions, reach the output of the test.
  const log = new Log('error', { write: (line) => void process.stderr.write(line) }, true);
  const options = { clock: new TestClock(), log };
  try {
    const service = await definition.start(settings, options);
    const operations = service.testOperations!;
    await operations.start();
    await database.connect();
    return new TestService(
      service,
      operations,
      database,
      () => definition.run(settings, faultsOfLedger, options),
      async () => {
        await database.end();
        await service.stop();
        await testDatabase.drop();
      },
    );
  } catch (error) {
    await testDatabase.drop();
    throw error;
  }
}

/** A running service, with shortcuts for what tests of extensions need. */
export class TestService {
  readonly url: string;
  /** A client without a token. */
  readonly api: ApiClient;
  readonly clock: TestServiceClock;
  readonly faults: TestServiceFaults;

  constructor(
    private readonly service: RunningService,
    private readonly operations: TestOperations,
    private readonly database: Client,
    /** Runs the audit of the journal. @returns one line for each fault */
    readonly verifyLedger: () => Promise<readonly string[]>,
    readonly stop: () => Promise<void>,
  ) {
    this.url = service.url;
    this.api = new ApiClient(service.url);
    const { clock } = operations;
    this.clock = {
      now: () => clock.now(),
      advance: (period) => operations.advance(period),
      move: (by) => clock.move(by),
    };
    this.faults = {
      script: (fault) => operations.scriptFault(fault),
      list: () => operations.faults,
      clear: () => operations.clearFaults(),
    };
  }

  /**
   * Settles, expires and bills what is due by the clock, and delivers webhooks and emails. By itself the service does not.
   * @throws the first error of background work
   */
  runDueTasks(): Promise<void> {
    return this.service.runDueTasks();
  }

  /**
   * Does to a payment request what its customer would do.
   * @param outcome `declined`: one attempt to pay is declined; the fifth one fails the request
   * @throws Error for a request that does not exist or has ended
   */
  async simulatePayment(id: string, outcome: 'succeeded' | 'failed' | 'declined'): Promise<void> {
    await this.operations.simulatePayment(id, outcome);
  }

  /**
   * Lets the service be as it was after its start: with its first admin and nothing else, without faults, at the time of
   * the system. Nobody is logged in. Call it while no request is in progress.
   */
  reset(): Promise<void> {
    return this.operations.reset();
  }

  /** Runs SQL on the database of the service. */
  async sql<Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.database.query<Row>(text, values)).rows;
  }

  admin(): Promise<TestUser> {
    return this.logIn(ADMIN_EMAIL);
  }

  /** Creates an account and logs in with its own credentials. `id` is the id of the account. */
  async account(settings: object = {}): Promise<TestUser> {
    const email = `${randomUUID()}@example.com`;
    const body = { email, password: PASSWORD, name: 'Lovelace Ltd', type: 'business', settings };
    const { id } = await this.create(this.api, '/v1/accounts', body);
    return { ...(await this.logIn(email)), id };
  }

  /** Posts a creation. @returns the body of the response @throws Error when the status is not 201 */
  async create(
    api: ApiClient,
    path: string,
    body: object,
  ): Promise<{ id: string } & Record<string, unknown>> {
    const response = await api.post<{ id: string }>(path, body);
    if (response.status === 201) return response.body;
    throw new Error(`POST ${path} returned ${response.status}: ${JSON.stringify(response.body)}`);
  }

  /**
   * Logs in with the password that `account` and `admin` use. A token ends as the clock moves: after 15 minutes, and its
   * session after 30 days without a request.
   */
  async logIn(email: string): Promise<TestUser> {
    const { status, body } = await this.api.post<{ access_token: string; user: { id: string } }>(
      '/v1/auth/login',
      { email, password: PASSWORD },
    );
    if (status !== 200) throw new Error(`The login of ${email} returned ${status}.`);
    return { id: body.user.id, email, api: this.api.as(body.access_token) };
  }
}

async function faultsOfLedger(app: INestApplicationContext): Promise<readonly string[]> {
  const { faults } = await app.get(LedgerVerification).run(() => undefined);
  return faults;
}
