import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { setTimeout as delay } from 'node:timers/promises';
import { SECOND_MS } from '../../kernel/clock';
import { Refusal } from '../../kernel/refusal';
import { Database } from '../database/database';
import { Shown } from './fields';
import { Operation } from './operation';
import { Draining } from './draining';

/** A database that has not answered by then is not ready. */
const READY_WITHIN_MS = 2 * SECOND_MS;

export class HealthAnswer {
  @Shown({ type: 'string', enum: ['ok'], example: 'ok' })
  status: 'ok';
}

const ok: HealthAnswer = { status: 'ok' };

/** For orchestrators: restart what is not live, send nothing to what is not ready. */
@ApiTags('Health')
@Controller('health')
export class HealthController {
  constructor(
    private readonly database: Database,
    private readonly draining: Draining,
  ) {}

  @Get('live')
  @Operation({
    id: 'getLiveness',
    summary: 'Whether the process runs',
    access: 'public',
    refusals: [],
    answers: { status: 200, type: HealthAnswer, description: 'It runs.' },
  })
  live(): HealthAnswer {
    return ok;
  }

  @Get('ready')
  @Operation({
    id: 'getReadiness',
    summary: 'Whether the service can answer requests',
    access: 'public',
    refusals: [],
    answers: { status: 200, type: HealthAnswer, description: 'It can.' },
  })
  async ready(): Promise<HealthAnswer> {
    if (this.draining.begun) throw new Refusal('unavailable', 'The service is stopping.');
    const late = delay(READY_WITHIN_MS, null, { ref: false });
    const answered = await Promise.race([this.database.read('SELECT 1', []), late]);
    if (answered === null) throw new Refusal('unavailable', 'The database does not answer.', 1);
    return ok;
  }
}
