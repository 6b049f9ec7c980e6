import { DAY_MS } from '../../src/kernel/clock';
import { schema } from './core';
import { TestService } from './service';

/** The tables whose rows count their events. */
const sources = schema.entities.filter(({ options }) => 'eventCount' in options.columns);

/**
 * Compares all rows of resources with their events of the last 30 days.
 * @returns one line for each row whose last change has no event, or whose events are not numbered from 1 without a gap
 */
export async function unrecordedChanges({
  sql,
  clock,
}: Pick<TestService, 'sql' | 'clock'>): Promise<string[]> {
  const keptSince = new Date(clock.now().getTime() - 30 * DAY_MS);
  const faults: string[] = [];
  for (const { options } of sources) {
    const lastChange = 'updatedAt' in options.columns ? 'r.updated_at' : 'r.created_at';
    // Each side of a transfer is a row of one account, and has its own events.
    const ofAccount = options.name === 'Transfer' ? 'e.account_id = r.account_id' : 'true';
    const isRevoked = 'revokedAt' in options.columns ? 'r.revoked_at IS NOT NULL' : 'false';
    const rows = await sql<{ id: string }>(
      `WITH e AS MATERIALIZED (
         SELECT object_id, min(account_id) AS account_id, count(*) AS count, min(sequence) AS first, max(sequence) AS last,
           max((object ->> 'updated_at')::timestamptz) AS changed, bool_or(type LIKE '%.revoked') AS revoked
         FROM events GROUP BY object_id, CASE WHEN object_id LIKE 'trf\\_%' THEN account_id END
       )
       SELECT r.id FROM ${options.tableName} r LEFT JOIN e ON e.object_id = r.id AND ${ofAccount}
       WHERE ${lastChange} > $1 AND (e.count IS NULL OR e.last <> r.event_count OR e.count <> e.last - e.first + 1
         OR e.changed <> ${lastChange} OR e.revoked <> (${isRevoked}) OR (e.first <> 1 AND r.created_at > $1))`,
      [keptSince],
    );
    faults.push(...rows.map(({ id }) => `${options.tableName}: ${id}`));
  }
  return faults;
}
