import type { INestApplicationContext } from '@nestjs/common';
import { embeddedPostgresSettings } from '../embedded-postgres/embedded-postgres.settings';
import { type Clock, SystemClock } from '../kernel/clock';
import { TestClock, testOperationsSettings } from '../modules/testing';
import type { HealthCheck } from '../platform/config/health-check';
import { ConfigError, type Settings } from '../platform/config/settings';
import type { DatabaseSchema } from '../platform/database/engine/data-source';
import { migrate, pendingMigrations } from '../platform/database/migrations/migrate';
import { Log } from '../platform/telemetry/log';
import { telemetrySettings } from '../platform/telemetry/telemetry.settings';
import { createContext, type RunningService, startApplication } from './application';
import type { Composition } from './composition';
import { attachDatabase, hasDatabase, type ServiceDatabase, startDatabase } from './service-database';

export interface StartOptions {
  readonly clock?: Clock;
  readonly log?: Log;
  /** Receives lines about the start of an embedded PostgreSQL. */
  readonly print?: (line: string) => void;
  /** Whether the embedded PostgreSQL, if there is no other, is run by another process. */
  readonly attach?: boolean;
}

export interface RunOptions extends StartOptions {
  /** Whether the work is on data that is there: an empty database, for example of a mistyped DATA_DIR, is an error. */
  readonly onExisting?: boolean;
}

/** A service that can be started, and on which commands can be run. */
export class Service {
  private composed: Composition | undefined;

  /** @param compose runs at first use, so that a command reports a wrong declaration like any other error */
  constructor(private readonly compose: () => Composition) {}

  private get composition(): Composition {
    return (this.composed ??= this.compose());
  }

  /** All mapped tables and migrations. */
  get schema(): DatabaseSchema {
    return this.composition.schema;
  }

  get idPrefixes(): readonly string[] {
    return this.composition.idPrefixes;
  }

  /** What `countinghouse doctor` checks. */
  get healthChecks(): readonly HealthCheck[] {
    return this.composition.healthChecks;
  }

  /** @throws ConfigError naming the settings that are missing or invalid */
  readSettings(env: NodeJS.ProcessEnv): Settings {
    return this.composition.readSettings(env);
  }

  /** Applies the pending migrations to a database, one process at a time. @returns their names */
  async migrate(databaseUrl: string): Promise<string[]> {
    const applied: string[] = [];
    for (const step of this.composition.migrationSteps) applied.push(...(await migrate(databaseUrl, step)));
    return applied;
  }

  /** Returns the names of the migrations that a database lacks, without changing it. */
  async pendingMigrations(databaseUrl: string): Promise<string[]> {
    return pendingMigrations(databaseUrl, this.schema);
  }

  /** Starts the service. @throws ConfigError for settings that are missing or invalid */
  async start(env: NodeJS.ProcessEnv, options: StartOptions = {}): Promise<RunningService> {
    const { composition } = this;
    const open = options.attach ? attachDatabase : startDatabase;
    const database = await open(composition.readSettings(env), options.print ?? ignore);
    const { url: databaseUrl, settings } = database;
    try {
      await this.migrate(databaseUrl);
      const clock = settings.of(testOperationsSettings).enabled ? new TestClock() : new SystemClock();
      const parts = { composition, settings, databaseUrl, ...clockAndLog(settings, { clock, ...options }) };
      const running = await startApplication(parts);
      // Requests that were accepted still need the database.
      return { ...running, stop: () => running.stop().then(() => database.stop()) };
    } catch (error) {
      await database.stop();
      throw error;
    }
  }

  /**
   * Runs `work` on the database of the settings. Without a configured one it uses the embedded PostgreSQL of a running
   * service, or starts it.
   */
  async onDatabase<T>(
    env: NodeJS.ProcessEnv,
    work: (database: ServiceDatabase) => Promise<T>,
    { print = ignore }: Pick<StartOptions, 'print'> = {},
  ): Promise<T> {
    const database = await attachDatabase(this.composition.readSettings(env), print);
    try {
      return await work(database);
    } finally {
      await database.stop();
    }
  }

  /**
   * Runs `work` on the modules and the migrated database, without an HTTP server.
   * @throws ConfigError `onExisting` when there is no database, or an empty one
   */
  async run<T>(
    env: NodeJS.ProcessEnv,
    work: (app: INestApplicationContext, settings: Settings) => Promise<T>,
    options: RunOptions = {},
  ): Promise<T> {
    if (options.onExisting) assertDatabase(this.readSettings(env));
    const run = async ({ url: databaseUrl, settings }: ServiceDatabase): Promise<T> => {
      if (options.onExisting) await this.assertNotEmpty(databaseUrl);
      await this.migrate(databaseUrl);
      const parts = {
        composition: this.composition,
        settings,
        databaseUrl,
        ...clockAndLog(settings, options),
      };
      const app = await createContext(parts);
      try {
        return await work(app, settings);
      } finally {
        await app.close();
      }
    };
    return this.onDatabase(env, run, options);
  }

  private async assertNotEmpty(databaseUrl: string): Promise<void> {
    const pending = await this.pendingMigrations(databaseUrl);
    if (pending.length < this.schema.migrations.length) return;
    throw new ConfigError(`DATABASE_URL, DATA_DIR: the database is empty. ${CREATED_BY_MIGRATE}`);
  }
}

const CREATED_BY_MIGRATE = 'Correct the setting, or create the tables with "countinghouse migrate"';

function assertDatabase(settings: Settings): void {
  if (hasDatabase(settings)) return;
  const { dataDir } = settings.of(embeddedPostgresSettings);
  throw new ConfigError(`DATA_DIR: there is no database in ${dataDir}. ${CREATED_BY_MIGRATE}`);
}

function clockAndLog(settings: Settings, { clock, log }: StartOptions): { clock: Clock; log: Log } {
  return {
    clock: clock ?? new SystemClock(),
    log: log ?? new Log(settings.of(telemetrySettings).logLevel),
  };
}

const ignore = (): void => undefined;
