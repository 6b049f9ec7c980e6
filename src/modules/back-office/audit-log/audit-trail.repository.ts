import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock';
import { Actor, AuditEvent, AuditTrail } from '../../../platform/audit/audit-trail';
import { Database, Tx } from '../../../platform/database/database';
import { digestEntry, newAuditEntry, newChanges } from './audit-entry';
import { RecentReads } from './recent-reads';
import { recordedColumns, recordedNames } from './audit-entry.schema';

const TYPES = [...recordedColumns.map(({ type }) => type), 'bytea'];

/** Records entries with the changes. They are sealed afterwards (AuditLogSealing), so nothing here is shared or locked. */
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
    const kept = newChanges(event);
    const entry = newAuditEntry(actor, event, this.clock.now(), kept);
    const values = recordedColumns.map(({ member, type }) =>
      type === 'json' ? JSON.stringify(entry[member]) : entry[member],
    );
    tx.enqueueInsert({
      sql: this.insertOfRows(1),
      params: [...values, digestEntry(entry)],
      rows: 1,
      ofRows: this.insertOfRows,
    });
    if (kept !== null)
      tx.enqueue('INSERT INTO audit_log_changes (id, salt, changes) VALUES ($1, $2, $3)', [
        entry.id,
        kept.salt,
        JSON.stringify(kept.changes),
      ]);
  }

  private readonly insertOfRows = (rows: number): string => {
    const text = this.insertTexts.get(rows) ?? insertOfRows(rows);
    this.insertTexts.set(rows, text);
    return text;
  };
}

/**
 * The receipt of an entry stays when the entry is moved to the chain. With it the verification finds an entry that was
 * changed or deleted before it was sealed.
 */
function insertOfRows(rows: number): string {
  const width = TYPES.length;
  const row = (_: unknown, index: number): string =>
    `(${TYPES.map((type, column) => `$${index * width + column + 1}::${type}`).join(', ')})`;
  return `WITH entry (${recordedNames}, digest) AS (VALUES ${Array.from({ length: rows }, row).join(', ')}),
    receipt AS (INSERT INTO audit_log_receipts (id, digest) SELECT id, digest FROM entry)
    INSERT INTO audit_log_unsealed (${recordedNames}, digest) SELECT ${recordedNames}, digest FROM entry`;
}
