import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../../../kernel/clock';
import { Database } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { ProcessorEventsRepository } from '../domain/processor-events.repository';

/** Processors repeat an event for a few days, and let a person resend one for about a month. */
const KEEP_DAYS = 60;
const DELETE_BATCH = 1_000;

@Injectable()
export class SqlProcessorEventsRepository extends ProcessorEventsRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async claim(tx: Tx, id: string, now: Date): Promise<boolean> {
    const claimed = await tx.query(
      'INSERT INTO processor_events (id, received_at) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id',
      [id, now],
    );
    return claimed.length > 0;
  }

  async deleteOld(now: Date): Promise<boolean> {
    const sql = `DELETE FROM processor_events WHERE id IN (
                   SELECT id FROM processor_events WHERE received_at <= $1 ORDER BY received_at LIMIT ${DELETE_BATCH}
                 ) RETURNING id`;
    const deleted = await this.database.query(sql, [new Date(now.getTime() - KEEP_DAYS * DAY_MS)]);
    return deleted.length === DELETE_BATCH;
  }
}
