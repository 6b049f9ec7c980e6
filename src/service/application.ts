import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { setTimeout as delay } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { AppModule } from '../app.module';
import type { Clock } from '../kernel/clock';
import { DomainError } from '../kernel/domain-error';
import { ContinuedAccess, TokenSessions } from '../modules/auth/auth.module';
import { FaultHooks, TestClock, TestOperations, testOperationsSettings } from '../modules/testing';
import { Admins, usersSettings } from '../modules/users';
import { ConfigError, type Settings } from '../platform/config/settings';
import { CitusWorkers } from '../platform/database/citus/citus-workers';
import { Database } from '../platform/database/database';
import { databaseSettings } from '../platform/database/database.settings';
import { dataSourceOptions } from '../platform/database/engine/data-source';
import { describeMissing, HOW_TO_CREATE, missingTables } from '../platform/database/migrations/migrate';
import { processesSettings } from '../platform/database/processes.settings';
import { serveDocumentation } from '../platform/documentation/documentation';
import { ShutdownState } from '../platform/http/health.controller';
import { httpSettings, type HttpSettings } from '../platform/http/http.settings';
import { serveOpenApi } from '../platform/http/openapi/openapi';
import { FormatGuard, UndeclaredInputGuard } from '../platform/http/request.guards';
import { measureRequests, traceRequests } from '../platform/http/request-telemetry';
import { RequestPipe } from '../platform/http/request.pipe';
import { renderVersions } from '../platform/http/requested-version';
import { allowOrigins } from '../platform/http/security-headers';
import { limitRate } from '../platform/http/server/rate-limit';
import { createServer } from '../platform/http/server/server';
import { recheckAccess } from '../platform/http/streamed-file';
import { PeriodicTasks } from '../platform/jobs/periodic-tasks';
import type { Log } from '../platform/telemetry/log';
import { MetricsServer } from '../platform/telemetry/metrics';
import { telemetrySettings } from '../platform/telemetry/telemetry.settings';
import { Tracing } from '../platform/telemetry/tracing';
import type { Composition } from './composition';
import { assertDeclarations } from './declarations';

/** A service that accepts requests. */
export interface RunningService {
  /** The address that it listens on, for example `http://localhost:3000`. */
  readonly url: string;
  /** The address of the metrics, or null when they are not served. */
  readonly metricsUrl: string | null;
  /** The admin of ADMIN_EMAIL, and whether this start created it. */
  readonly firstAdmin: { readonly email: string; readonly created: boolean } | null;
  /** What a test controls, if the clock of the service can be moved. */
  readonly testOperations: TestOperations | null;
  /** Runs the periodic tasks that are due now. */
  runDueTasks(): Promise<void>;
  /** Completes the accepted requests, then closes the database. */
  stop(): Promise<void>;
}

interface ApplicationParts {
  readonly composition: Composition;
  readonly settings: Settings;
  readonly databaseUrl: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Starts the HTTP server on a migrated database: modules, the first admin, background work. */
export function startApplication(parts: ApplicationParts): Promise<RunningService> {
  const { settings, clock, log, composition } = parts;
  const http = settings.of(httpSettings);
  const { runWorker } = settings.of(processesSettings);
  assertDistinctPorts(settings);
  const create = (modules: DynamicModule): Promise<NestFastifyApplication> =>
    NestFactory.create<NestFastifyApplication>(modules, createServer(http, log), {
      logger: false,
      abortOnError: false,
      bodyParser: false,
    });
  return withModules(parts, create, async (app) => {
    const server = app.getHttpAdapter().getInstance();
    app.useGlobalGuards(new UndeclaredInputGuard(), new FormatGuard());
    app.useGlobalPipes(new RequestPipe());
    renderVersions(server);
    allowOrigins(app, http.corsOrigins);
    scopeConnections(server, app.get(Database));
    measureRequests(server, app.get(Registry));
    if (settings.of(telemetrySettings).tracing) traceRequests(server);
    const testOperations = clock instanceof TestClock ? app.get(TestOperations) : null;
    if (testOperations !== null) app.get(FaultHooks).addTo(server);
    const sessions = app.get(TokenSessions);
    limitRate(server, http.rateLimitPerSecond, (request) => sessions.identify(request));
    recheckAccess(server, (request) => app.get(ContinuedAccess).assert(request));
    const tags = composition.listTags(composition.enabledModules(parts));
    serveOpenApi(app, tags);
    serveDocumentation(app, tags);
    await app.init();
    assertDeclarations(app, composition.idPrefixes);
    const firstAdmin = await ensureFirstAdmin(app, settings);
    await app.get(CitusWorkers).start(app.get(Database));
    if (settings.of(testOperationsSettings).enabled) await app.get(TestOperations).start();
    await startTelemetry(app);
    await app.listen(http.port, http.listenAddress);
    if (runWorker) app.get(PeriodicTasks).start();
    return {
      url: readAddress(app, http),
      metricsUrl: app.get(MetricsServer).url,
      firstAdmin,
      testOperations,
      runDueTasks: () => app.get(PeriodicTasks).runDue(),
      stop: async () => {
        app.get(ShutdownState).isShuttingDown = true;
        await delay(http.shutdownDelayMs);
        await app.close();
      },
    };
  });
}

/** Creates the modules without an HTTP server, for commands. */
export function createContext(parts: ApplicationParts): Promise<INestApplicationContext> {
  const { composition } = parts;
  const create = (modules: DynamicModule): Promise<INestApplicationContext> =>
    NestFactory.createApplicationContext(modules, { logger: false, abortOnError: false });
  return withModules(parts, create, async (app) => {
    assertDeclarations(app, composition.idPrefixes);
    return app;
  });
}

/** Does on modules without an HTTP server what else a service does beside requests, until the application closes. */
export async function startWorker(app: INestApplicationContext): Promise<void> {
  await app.get(CitusWorkers).start(app.get(Database));
  await startTelemetry(app);
  app.get(PeriodicTasks).start();
}

/** Serves metrics and sends traces, if the settings ask for it. */
async function startTelemetry(app: INestApplicationContext): Promise<void> {
  await app.get(Tracing).start();
  await app.get(MetricsServer).start();
}

/** @throws ConfigError for an email or a password that is not acceptable */
export async function ensureFirstAdmin(
  app: INestApplicationContext,
  settings: Settings,
): Promise<RunningService['firstAdmin']> {
  const { firstAdmin } = settings.of(usersSettings);
  if (firstAdmin === null) return null;
  const { email, password } = firstAdmin;
  try {
    return { email, created: await app.get(Admins).ensure(email, password) };
  } catch (error) {
    if (error instanceof DomainError) throw new ConfigError(`ADMIN_EMAIL, ADMIN_PASSWORD: ${error.message}`);
    throw error;
  }
}

/** Opens the connection pools and creates the modules, all of which are closed again when `start` fails. */
async function withModules<App extends INestApplicationContext, T>(
  { composition, settings, databaseUrl, clock, log }: ApplicationParts,
  create: (modules: DynamicModule) => Promise<App>,
  start: (app: App) => Promise<T>,
): Promise<T> {
  const { poolSize } = settings.of(databaseSettings);
  const dataSource = await new DataSource(
    dataSourceOptions(databaseUrl, poolSize, composition.schema),
  ).initialize();
  let app: App | undefined;
  try {
    await assertTables(dataSource, composition);
    app = await create(
      AppModule.with({ settings, clock, log, dataSource }, composition.enabledModules({ settings, clock })),
    );
    return await start(app);
  } catch (error) {
    // What a stop cannot close either does not hide the error.
    await app?.close().catch(() => undefined);
    if (dataSource.isInitialized) await dataSource.destroy();
    throw error;
  }
}

/** @throws ConfigError when a mapped table does not exist, although all migrations are applied */
async function assertTables(dataSource: DataSource, { schema }: Composition): Promise<void> {
  const [missing] = await missingTables((sql, params) => dataSource.query(sql, [...params]), schema);
  if (missing !== undefined) throw new ConfigError(`${describeMissing(missing)} ${HOW_TO_CREATE}`);
}

/** @throws ConfigError when metrics would be served on the port of the API */
function assertDistinctPorts(settings: Settings): void {
  const { port } = settings.of(httpSettings);
  if (port !== 0 && settings.of(telemetrySettings).metrics?.port === port)
    throw new ConfigError('METRICS_PORT: must not be PORT, where clients of the API could read the metrics');
}

function readAddress(app: NestFastifyApplication, { tls }: HttpSettings): string {
  const address = app.getHttpServer().address() as { port: number };
  return `${tls ? 'https' : 'http'}://localhost:${address.port}`;
}

/**
 * Runs the guards and the controller of each request in its own scope, in which a guard can name the holder of its
 * database connections (`Database.chargeTo`). An interceptor could do both, but would cost every request more time than
 * its queries.
 */
function scopeConnections(server: FastifyInstance, database: Database): void {
  // The last hook before the handler: the parser of the body would leave an earlier scope.
  server.addHook('preHandler', (_request, _reply, done) => database.runFor(null, done));
}
