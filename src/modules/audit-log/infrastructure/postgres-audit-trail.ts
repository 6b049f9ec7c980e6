import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock';
import { Actor, AuditEvent, AuditTrail } from '../../../platform/audit/audit-trail';
import { Database } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { digestOf, NewAuditEntry, newAuditEntry } from '../domain/audit-entry';
import { RecentReads } from '../domain/recent-reads';
import { auditEntrySchema } from './audit-entry.schema';

/** The columns whose values come from the service. The database computes the sequence and the hash. */
const COLUMNS = Object.entries(auditEntrySchema.options.columns)
  .filter(([member]) => member !== 'sequence' && member !== 'hash')
  .map(([member, { name = member, type }]) => ({
    member: member as keyof NewAuditEntry,
    name,
    type: type as string,
  }));
const NAMES = COLUMNS.map(({ name }) => name).join(', ');
const TYPES = [...COLUMNS.map(({ type }) => type), 'bytea'];

/** More than requests take, and than clocks of servers that are kept right differ. */
const WRONG_CLOCK = '1 minute';

/** Every addition locks the head of the chain, which makes the order of the entries that of their commits. */
const LOCK_HEAD = 'SELECT sequence FROM audit_log_head FOR UPDATE';

@Injectable()
export class PostgresAuditTrail extends AuditTrail {
  private readonly insertTexts = new Map<number, string>();
  private readonly reads = new RecentReads();

  constructor(
    private readonly clock: Clock,
    private readonly database: Database,
  ) {
    super();
  }

  recordRead(actor: Actor, event: AuditEvent): Promise<void> {
    return this.reads.once(actor, event, this.clock.now(), () =>
      this.database.transaction(async (tx) => this.record(tx, actor, event)),
    );
  }

  record(tx: Tx, actor: Actor, event: AuditEvent): void {
    const entry = newAuditEntry(actor, event, this.clock.now());
    const values = COLUMNS.map(({ member, type }) =>
      type === 'json' ? JSON.stringify(entry[member]) : entry[member],
    );
    tx.enqueueInsert({
      lock: LOCK_HEAD,
      sql: this.insertOfRows(1),
      params: [...values, digestOf(entry)],
      rows: 1,
      ofRows: this.insertOfRows,
    });
  }

  private readonly insertOfRows = (rows: number): string => {
    const text = this.insertTexts.get(rows) ?? insertOfRows(rows);
    this.insertTexts.set(rows, text);
    return text;
  };
}

/**
 * Extends the chain by entries. The hash depends on the head, which is known only under its lock, so the database
 * computes it; the digest of an entry comes from the service. Without a head, the sequence is null and the insert fails.
 *
 * The head also keeps by how much an entry was created before one ahead of it, at most: requests take time before they
 * commit, and clocks differ. The list needs it to find the entries of a time. Once the clock of a server was wrong, this
 * is much, so it is also kept for the entries since the order was restored. The entries that a replica of a release
 * without it has added since are measured here.
 */
function insertOfRows(rows: number): string {
  const width = TYPES.length;
  const row = (_: unknown, index: number): string =>
    `(${index + 1}, ${TYPES.map((type, column) => `$${index * width + column + 1}::${type}`).join(', ')})`;
  return `WITH RECURSIVE
    entry (position, ${NAMES}, digest) AS (VALUES ${Array.from({ length: rows }, row).join(', ')}),
    chain (position, sequence, hash) AS (
      SELECT 0, sequence, hash FROM audit_log_head
      UNION ALL
      SELECT entry.position, chain.sequence + 1, sha256(chain.hash || entry.digest)
      FROM chain JOIN entry ON entry.position = chain.position + 1
    ),
    added (sequence, created_at) AS (
      SELECT measured_sequence, latest_at FROM audit_log_head
      UNION ALL
      SELECT sequence, created_at FROM audit_log
      WHERE sequence > (SELECT measured_sequence FROM audit_log_head) AND isfinite(created_at)
      UNION ALL
      SELECT chain.sequence, entry.created_at FROM chain JOIN entry USING (position)
    ),
    clock (latest_at, lag, is_restored) AS (
      SELECT max(created_at), max(latest_at - created_at),
        min(created_at) >= (SELECT latest_at FROM audit_log_head)
          AND (SELECT recent_lag FROM audit_log_head) > interval '${WRONG_CLOCK}'
      FROM (SELECT created_at, max(created_at) OVER (ORDER BY sequence) AS latest_at FROM added) AS in_order
    ),
    head AS (
      UPDATE audit_log_head SET sequence = chain.sequence, hash = chain.hash, measured_sequence = chain.sequence,
        latest_at = clock.latest_at, max_lag = greatest(audit_log_head.max_lag, clock.lag),
        recent_since = CASE WHEN is_restored THEN audit_log_head.latest_at ELSE recent_since END,
        recent_lag = CASE WHEN is_restored THEN clock.lag ELSE greatest(recent_lag, clock.lag) END
      FROM chain, clock WHERE chain.position = ${rows}
    )
    INSERT INTO audit_log (sequence, ${NAMES}, hash)
    SELECT chain.sequence, ${NAMES}, chain.hash FROM entry LEFT JOIN chain USING (position) ORDER BY position`;
}
