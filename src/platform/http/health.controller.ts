import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { setTimeout as delay } from 'node:timers/promises';
import { SECOND_MS } from '../../kernel/clock';
import { DomainError } from '../../kernel/domain-error';
import { Database } from '../database/database';
import { Operation } from './operation';
import { ResponseField } from './response-fields';

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

const ok: HealthResponse = { status: 'ok' };

/** Probes for orchestrators, which restart a process that is not live and send no requests to one that is not ready. */
@ApiTags('Health')
@Controller('health')
export class HealthController {
  private check: Promise<boolean> = Promise.resolve(false);
  private checkedAtMs = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly shutdown: ShutdownState,
  ) {}

  @Get('live')
  @Operation({
    id: 'getLiveness',
    summary: 'Check whether the process is running',
    access: 'public',
    response: { type: HealthResponse, description: 'The process is running.' },
  })
  live(): HealthResponse {
    return ok;
  }

  @Get('ready')
  @Operation({
    id: 'getReadiness',
    summary: 'Check whether the service can serve requests',
    access: 'public',
    response: { type: HealthResponse, description: 'The service can serve requests.' },
  })
  async ready(): Promise<HealthResponse> {
    if (this.shutdown.isShuttingDown) throw new DomainError('unavailable', 'The service is shutting down.');
    if (!(await this.databaseResponds())) {
      throw new DomainError('unavailable', 'The database does not respond.', 1);
    }
    return ok;
  }

  private databaseResponds(): Promise<boolean> {
    const now = performance.now();
    if (now - this.checkedAtMs >= CHECKED_EVERY_MS) {
      this.checkedAtMs = now;
      const timeout = delay(READY_WITHIN_MS, false, { ref: false });
      this.check = Promise.race([this.database.query('SELECT 1', []).then(() => true), timeout]);
    }
    return this.check;
  }
}
