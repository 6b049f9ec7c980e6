import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { setTimeout as delay } from 'node:timers/promises';
import { SECOND_MS } from '../../kernel/clock';
import { DomainError } from '../../kernel/domain-error';
import { Database } from '../database/database';
import { PeriodicTasks } from '../jobs/periodic-tasks';
import { Operation } from './operation';
import { nameEnum, ResponseField } from './response-fields';

/** Whether the service is shutting down: it still serves accepted requests, but reports that it is not ready. */
export class ShutdownState {
  isShuttingDown = false;
}

/** A database that does not respond within this time is not ready. */
const READY_WITHIN_MS = 2 * SECOND_MS;

/** Probes are public and not limited, so however many there are, they query the database once in this time. */
const CHECKED_EVERY_MS = SECOND_MS;

export class HealthResponse {
  @ResponseField({ type: 'string', enum: ['ok'], example: 'ok' })
  status: 'ok';
}

const readinesses = ['ok', 'degraded'] as const;
nameEnum('Readiness', readinesses);

export class ReadinessResponse {
  @ResponseField({
    enum: readinesses,
    description:
      '`degraded`: requests are served, but background work of this replica fails, for example because a server of Citus does not respond.',
  })
  status: (typeof readinesses)[number];
}

/** Probes for orchestrators, which restart a process that is not live and send no requests to one that is not ready. */
@ApiTags('Health')
@Controller('health')
export class HealthController {
  private check: Promise<boolean> = Promise.resolve(false);
  private checkedAtMs = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly shutdown: ShutdownState,
    private readonly tasks: PeriodicTasks,
  ) {}

  @Get('live')
  @Operation({
    id: 'getLiveness',
    summary: 'Check whether the process is running',
    access: 'public',
    response: { type: HealthResponse, description: 'The process is running.' },
  })
  live(): HealthResponse {
    return { status: 'ok' };
  }

  @Get('ready')
  @Operation({
    id: 'getReadiness',
    summary: 'Check whether the service can serve requests',
    access: 'public',
    response: { type: ReadinessResponse, description: 'The service can serve requests.' },
  })
  async ready(): Promise<ReadinessResponse> {
    if (this.shutdown.isShuttingDown) throw new DomainError('unavailable', 'The service is shutting down.');
    if (!(await this.databaseResponds())) {
      throw new DomainError('unavailable', 'The database does not respond.', 1);
    }
    return { status: this.tasks.areFailing ? 'degraded' : 'ok' };
  }

  private databaseResponds(): Promise<boolean> {
    const now = performance.now();
    if (now - this.checkedAtMs >= CHECKED_EVERY_MS) {
      this.checkedAtMs = now;
      const timeout = delay(READY_WITHIN_MS, false, { ref: false });
      this.check = Promise.race([this.database.ping().then(() => true), timeout]);
    }
    return this.check;
  }
}
