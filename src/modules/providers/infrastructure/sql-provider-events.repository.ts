import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../../../kernel/clock';
import { Database } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { ProviderEventsRepository } from '../domain/provider-events.repository';

/** Stripe repeats an event for three days; a person can have it sent again for thirty. */
const KEEP_DAYS = 60;
const DELETE_BATCH = 1_000;

@Injectable()
export class SqlProviderEventsRepository extends ProviderEventsRepository {
  constructor(private readonly database: Database) {
    super();
  }

  /** Who comes second waits here for the first, and finds the event once that has committed. */
  async claim(tx: Tx, id: string, now: Date): Promise<boolean> {
    const claimed = await tx.read(
      'INSERT INTO processor_events (id, received_at) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id',
      [id, now],
    );
    return claimed.length > 0;
  }

  async deleteOld(now: Date): Promise<boolean> {
    const sql = `DELETE FROM processor_events WHERE id IN (
                   SELECT id FROM processor_events WHERE received_at <= $1 ORDER BY received_at LIMIT ${DELETE_BATCH}
                 ) RETURNING id`;
    const deleted = await this.database.read(sql, [new Date(now.getTime() - KEEP_DAYS * DAY_MS)]);
    return deleted.length === DELETE_BATCH;
  }
}
