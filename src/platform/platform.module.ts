import {
  BeforeApplicationShutdown,
  DynamicModule,
  Global,
  Module,
  OnApplicationShutdown,
} from '@nestjs/common';
import { APP_FILTER, HttpAdapterHost } from '@nestjs/core';
import { Server } from 'node:http';
import { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { Clock, MINUTE_MS, SECOND_MS } from '../kernel/clock';
import { ApiScopes } from './config/api-scopes';
import { secretsSettings } from './config/secrets.settings';
import { environmentSettings, Settings } from './config/settings';
import { CitusWorkers } from './database/citus/citus-workers';
import { citusCheck } from './database/citus/citus.check';
import { Database } from './database/database';
import { clockCheck, databaseCheck } from './database/database.check';
import { databaseSettings } from './database/database.settings';
import { destroySilentConnections, PreparingClient } from './database/engine/connection';
import { measurePool, Pools, SILENCE_MS } from './database/engine/data-source';
import { IdempotencyStore } from './database/engine/idempotency-store';
import { PostgresDatabase } from './database/engine/postgres-database';
import { foldListCounts } from './database/lists/list-counts';
import { processesSettings } from './database/processes.settings';
import { WakeUps } from './database/wake-ups';
import { EventTypes } from './events/event-types';
import { Batches } from './http/batches';
import { ErrorFilter } from './http/error.filter';
import { HealthController, ShutdownState } from './http/health.controller';
import { httpSettings, HttpSettings } from './http/http.settings';
import { PeriodicTasks } from './jobs/periodic-tasks';
import { TaskLocks } from './jobs/task-locks';
import { mailSettings } from './mail/mail.settings';
import { Mailer } from './mail/mailer';
import { mailCheck, SmtpMailer } from './mail/smtp-mailer';
import { PageAddress, pagesSettings, PagesSettings } from './pages/pages.settings';
import { ServiceModule } from './service-module';
import { Log } from './telemetry/log';
import { MetricsServer } from './telemetry/metrics';
import { telemetrySettings } from './telemetry/telemetry.settings';
import { Tracing } from './telemetry/tracing';
import { ApiVersions } from './versions/api-versions';

export interface Platform {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  /** Initialised; closed with the application. */
  readonly dataSource: DataSource;
}

/** What the modules of a service declare, together. */
interface Declarations {
  readonly events: EventTypes;
  readonly scopes: ApiScopes;
  readonly versions: ApiVersions;
}

/** The settings, the checks and the OpenAPI tag of the platform itself. */
export const platform: Omit<ServiceModule, 'module'> = {
  settings: [
    environmentSettings,
    processesSettings,
    secretsSettings,
    databaseSettings,
    httpSettings,
    mailSettings,
    pagesSettings,
    telemetrySettings,
  ],
  healthChecks: [databaseCheck, citusCheck, clockCheck, mailCheck],
  tags: [{ name: 'Health', description: 'Liveness and readiness, for orchestrators and load balancers.' }],
};

/** Provides what all modules use: settings, clock, log, database, background work, email. */
@Global()
@Module({})
export class PlatformModule implements BeforeApplicationShutdown, OnApplicationShutdown {
  private backgroundDone: Promise<unknown> | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly pools: Pools,
    private readonly workers: CitusWorkers,
    private readonly periodicTasks: PeriodicTasks,
    private readonly metrics: MetricsServer,
    private readonly tracing: Tracing,
  ) {}

  static with(
    { settings, clock, log, dataSource }: Platform,
    { events, scopes, versions }: Declarations,
  ): DynamicModule {
    const pools = new Pools(dataSource, (pool) => {
      destroySilentConnections(pool, SILENCE_MS);
      pool.on('release', (_error, client) =>
        wakeUps.wrote((client as unknown as PreparingClient).takeWritten()),
      );
    });
    const wakeUps = new WakeUps(pools.signals);
    const registry = new Registry();
    measurePool(pools.requests, registry);
    const workers = new CitusWorkers(pools);
    const database = new PostgresDatabase(
      dataSource,
      clock,
      new IdempotencyStore(settings.of(secretsSettings)),
      settings.of(databaseSettings).groupCommit,
      registry,
      workers,
      pools,
    );
    const periodicTasks = new PeriodicTasks(clock, log, new TaskLocks(pools.background), registry, wakeUps);
    periodicTasks.register({
      name: 'expired idempotency records',
      intervalMs: MINUTE_MS,
      run: (now) => database.deleteOldResponses(now),
    });
    periodicTasks.register({
      name: 'list counts',
      intervalMs: 5 * SECOND_MS,
      run: () => foldListCounts(database),
    });
    const providers = [
      ...settings.providers(),
      { provide: Clock, useValue: clock },
      { provide: Log, useValue: log },
      { provide: Registry, useValue: registry },
      { provide: Tracing, useValue: new Tracing(settings.of(telemetrySettings).tracing, log) },
      {
        provide: MetricsServer,
        useValue: new MetricsServer(registry, settings.of(telemetrySettings).metrics),
      },
      { provide: DataSource, useValue: dataSource },
      { provide: Pools, useValue: pools },
      { provide: Database, useValue: database },
      Batches,
      { provide: CitusWorkers, useValue: workers },
      { provide: EventTypes, useValue: events },
      { provide: ApiScopes, useValue: scopes },
      { provide: ApiVersions, useValue: versions },
      { provide: PeriodicTasks, useValue: periodicTasks },
      { provide: Mailer, useValue: new SmtpMailer(settings.of(mailSettings)) },
      { provide: ShutdownState, useValue: new ShutdownState() },
      {
        provide: PageAddress,
        inject: [pagesSettings.token, httpSettings.token, HttpAdapterHost],
        useFactory: pageAddress,
      },
    ];
    // Registered first, so that a filter of a module comes before it.
    const errors = { provide: APP_FILTER, useValue: new ErrorFilter(log) };
    return {
      module: PlatformModule,
      controllers: [HealthController],
      providers: [errors, ...providers],
      exports: providers,
    };
  }

  beforeApplicationShutdown(): void {
    // Not awaited here: slow background work, such as a webhook, must not keep the HTTP server from closing.
    this.backgroundDone = this.periodicTasks.stop();
  }

  /** Runs after the HTTP server has sent its last response. */
  async onApplicationShutdown(): Promise<void> {
    await this.backgroundDone;
    await this.metrics.stop();
    await this.tracing.stop();
    await this.workers.stop();
    await this.pools.end();
    await this.dataSource.destroy();
  }
}

/** The default address is the service's own, with the port on which it listens. */
function pageAddress(
  { address }: PagesSettings,
  { tls, port }: HttpSettings,
  adapters: HttpAdapterHost,
): PageAddress {
  return new PageAddress(() => {
    if (address !== null) return address;
    const server = adapters.httpAdapter?.getHttpServer() as Server | undefined;
    const listening = server?.address() as AddressInfo | null | undefined;
    return `${tls ? 'https' : 'http'}://localhost:${listening?.port ?? port}`;
  });
}
