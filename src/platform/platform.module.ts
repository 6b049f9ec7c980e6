import {
  BeforeApplicationShutdown,
  DynamicModule,
  Global,
  Module,
  OnApplicationShutdown,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../kernel/clock';
import { CONFIG, Config } from './config/config';
import { endSilentConnections } from './database/connection';
import { poolOf, SILENCE_MS } from './database/data-source';
import { Database } from './database/database';
import { IdempotencyStore } from './database/idempotency';
import { Draining } from './http/draining';
import { HealthController } from './http/health.controller';
import { JobQueue } from './jobs/job-queue';
import { Sweeps } from './jobs/sweeps';
import { Mailer } from './mail/mailer';
import { SmtpMailer } from './mail/smtp-mailer';
import { Log } from './telemetry/log';

export interface Platform {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly databaseUrl: string;
  /** Initialised; closed with the application. */
  readonly dataSource: DataSource;
}

/** The plumbing every module stands on: configuration, clock, log, database, timed work, mail. */
@Global()
@Module({})
export class PlatformModule implements BeforeApplicationShutdown, OnApplicationShutdown {
  private jobsDone: Promise<void> | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly sweeps: Sweeps,
    private readonly jobs: JobQueue,
  ) {}

  static with({ config, clock, log, databaseUrl, dataSource }: Platform): DynamicModule {
    const pool = poolOf(dataSource);
    endSilentConnections(pool, SILENCE_MS);
    const database = new Database(pool, clock, new IdempotencyStore(config.jwtSecrets));
    const sweeps = new Sweeps(clock, log);
    sweeps.join({ name: 'stored answers', run: (now) => database.forgetOldAnswers(now) });
    const providers = [
      { provide: CONFIG, useValue: config },
      { provide: Clock, useValue: clock },
      { provide: Log, useValue: log },
      { provide: DataSource, useValue: dataSource },
      { provide: Database, useValue: database },
      { provide: Sweeps, useValue: sweeps },
      { provide: JobQueue, useValue: new JobQueue(database, databaseUrl, sweeps, log) },
      { provide: Mailer, useValue: new SmtpMailer(config.mail) },
      { provide: Draining, useValue: new Draining() },
    ];
    return { module: PlatformModule, controllers: [HealthController], providers, exports: providers };
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.jobsDone = this.jobs.stop(); // a slow one must not keep the HTTP server from closing
    await this.sweeps.stop();
  }

  /** Runs after the HTTP server has answered its last request. */
  async onApplicationShutdown(): Promise<void> {
    await this.jobsDone;
    await this.dataSource.destroy();
  }
}
