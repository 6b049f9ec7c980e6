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
import { Sweeps } from './jobs/sweeps';
import { Log } from './telemetry/log';

export interface Platform {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  /** Initialised; closed with the application. */
  readonly dataSource: DataSource;
}

/** The plumbing every module stands on: configuration, clock, log, database. */
@Global()
@Module({})
export class PlatformModule implements BeforeApplicationShutdown, OnApplicationShutdown {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sweeps: Sweeps,
  ) {}

  static with({ config, clock, log, dataSource }: Platform): DynamicModule {
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
      { provide: Draining, useValue: new Draining() },
    ];
    return { module: PlatformModule, controllers: [HealthController], providers, exports: providers };
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.sweeps.stop();
  }

  /** Runs after the HTTP server has answered its last request. */
  async onApplicationShutdown(): Promise<void> {
    await this.dataSource.destroy();
  }
}
