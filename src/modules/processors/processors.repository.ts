import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../../kernel/clock';
import { Database, Tx } from '../../platform/database/database';

/** Processors repeat an event for a few days, and let a person resend one for about a month. */
const KEEP_DAYS = 60;
const DELETE_BATCH = 1_000;

/** The events that have been processed. */
@Injectable()
export class ProcessorEventsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Records an event in the database transaction that processes it. A concurrent call for the same event waits until
   * that transaction ends.
   * @returns whether the event is new
   */
  async claim(tx: Tx, id: string, now: Date): Promise<boolean> {
    const claimed = await tx.query(
      'INSERT INTO processor_events (id, received_at) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id',
      [id, now],
    );
    return claimed.length > 0;
  }

  /** Deletes a bounded number of events that the processor no longer repeats. @returns whether there may be more */
  async deleteOld(now: Date): Promise<boolean> {
    const sql = `DELETE FROM processor_events WHERE id IN (
                   SELECT id FROM processor_events WHERE received_at <= $1 ORDER BY received_at LIMIT ${DELETE_BATCH}
                 ) RETURNING id`;
    const deleted = await this.database.query(sql, [new Date(now.getTime() - KEEP_DAYS * DAY_MS)]);
    return deleted.length === DELETE_BATCH;
  }
}

/** The mode in which a database is used: test money and real money never share one. */
export type InstallationMode = 'test' | 'live';

@Injectable()
export class InstallationRepository {
  constructor(private readonly database: Database) {}

  /** Records the mode at the first start. @returns the recorded mode */
  async claimMode(mode: InstallationMode): Promise<InstallationMode> {
    await this.database.query('INSERT INTO installation (mode) VALUES ($1) ON CONFLICT DO NOTHING', [mode]);
    const [row] = await this.database.query<{ mode: InstallationMode }>('SELECT mode FROM installation', []);
    return row!.mode;
  }
}

type Query = <Row extends object>(sql: string) => Promise<readonly Row[]>;

/** The mode of a database, without claiming it; null before the first start of a service on it. */
export async function recordedMode(query: Query): Promise<InstallationMode | null> {
  const [table] = await query<{ name: string | null }>("SELECT to_regclass('installation')::text AS name");
  if (table!.name === null) return null;
  const [row] = await query<{ mode: InstallationMode }>('SELECT mode FROM installation');
  return row?.mode ?? null;
}
