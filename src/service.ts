import { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';
import { AppModule, Extensions } from './app.module';
import { Clock } from './kernel/clock';
import { Users } from './modules/users';
import { Config } from './platform/config/config';
import { dataSourceOptions } from './platform/database/data-source';
import { migrate } from './platform/database/migrate';
import { Draining } from './platform/http/draining';
import { serveOpenApi } from './platform/http/openapi';
import { RefusalFilter } from './platform/http/refusal.filter';
import { RequestPipe } from './platform/http/request.pipe';
import { createServer } from './platform/http/server';
import { JobQueue } from './platform/jobs/job-queue';
import { Sweeps } from './platform/jobs/sweeps';
import { Log } from './platform/telemetry/log';
import { schema } from './schema';

export interface Service {
  /** Where it listens, for example `http://localhost:3000`. */
  readonly url: string;
  /** Whether this start made the admin of the settings. */
  readonly adminCreated: boolean;
  /** Does the timed work that is due, now. */
  sweep(): Promise<void>;
  /** Answers what was accepted, then closes the database connections. */
  stop(): Promise<void>;
}

interface ServiceParts {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly extensions?: Extensions;
}

/** Brings the service up on a database that runs: migrations, modules, the first admin, the HTTP server. */
export function startService(parts: ServiceParts): Promise<Service> {
  const { config, log } = parts;
  return withModules(parts, async (modules) => {
    const app = await NestFactory.create<NestFastifyApplication>(modules, createServer(config, log), {
      logger: false,
      abortOnError: false,
      bodyParser: false,
    });
    app.useGlobalPipes(new RequestPipe());
    app.useGlobalFilters(new RefusalFilter(log));
    serveOpenApi(app);
    await app.init();
    const { admin } = config;
    const adminCreated = admin !== null && (await app.get(Users).ensureAdmin(admin.email, admin.password));
    if (config.runWorker) await app.get(JobQueue).prepare();
    await app.listen(config.port, config.listenAddress);
    if (config.production && config.paymentPageUrl === null) {
      log.notice('PAYMENT_PAGE_URL is not set: the links that customers get lead to localhost');
    }
    if (config.runWorker) await startTimedWork(app);
    return {
      url: addressOf(app, config),
      adminCreated,
      sweep: () => app.get(Sweeps).sweepAll(),
      stop: () => stop(app),
    };
  });
}

/** Does what is due, and the jobs of the queue, until the modules are closed. */
export async function startTimedWork(app: INestApplicationContext): Promise<void> {
  await app.get(JobQueue).start();
  app.get(Sweeps).start();
}

/** The service's modules without its HTTP server, for the commands of the shell. */
export function createContext(parts: ServiceParts): Promise<INestApplicationContext> {
  return withModules(parts, (modules) =>
    NestFactory.createApplicationContext(modules, { logger: false, abortOnError: false }),
  );
}

/**
 * Starts something on the service's modules and on a database that is brought up to date first. When it cannot start,
 * its connections are closed, or they would keep the process from ending.
 */
async function withModules<T>(
  { config, databaseUrl, clock, log, extensions }: ServiceParts,
  start: (modules: DynamicModule) => Promise<T>,
): Promise<T> {
  await migrate(databaseUrl, schema);
  const dataSource = await new DataSource(
    dataSourceOptions(databaseUrl, config.databasePoolSize, schema),
  ).initialize();
  try {
    return await start(AppModule.with({ config, clock, log, databaseUrl, dataSource }, extensions));
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
}

async function stop(app: NestFastifyApplication): Promise<void> {
  app.get(Draining).begun = true;
  await app.close();
}

function addressOf(app: NestFastifyApplication, config: Config): string {
  const address = app.getHttpServer().address() as { port: number };
  return `${config.tls ? 'https' : 'http'}://localhost:${address.port}`;
}
