import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import { Actor, AuditEvent, AuditTrail, isAudited, RefusedChange } from '../../../platform/audit/audit-trail';
import { Database, Tx } from '../../../platform/database/database';
import { insertOfRows } from '../../../platform/database/table';
import type { Insertion } from '../../../platform/database/tx';
import { digestEntry, newAuditEntry, type NewAuditEntry, newChanges } from './audit-entry';
import { RecentReads } from './recent-reads';
import { recordedColumns } from './audit-entry.schema';

const ENTRY = [...recordedColumns.map(({ name }) => name), 'digest'];

/** Errors of requests that ask for nothing that could be refused, and of passwords, whose failures are recorded. */
const UNAUDITED_ERRORS = [
  'invalid_request',
  'not_found',
  'account_not_found',
  'invalid_credentials',
  'rate_limited',
  'unavailable',
];

/**
 * Where entries wait to be sealed, and their receipts. A receipt stays when its entry is moved to the chain: with it the
 * verification finds an entry that was changed or deleted before.
 */
interface Place {
  readonly insertEntries: Insertion['ofRows'];
  readonly insertReceipts: Insertion['ofRows'];
  readonly receipt: (entry: NewAuditEntry, digest: Buffer) => readonly unknown[];
}

const shared: Place = {
  insertEntries: insertOfRows('audit_log_unsealed', ENTRY),
  insertReceipts: insertOfRows('audit_log_receipts', ['id', 'digest']),
  receipt: ({ id }, digest) => [id, digest],
};

const besideAccount: Place = {
  insertEntries: insertOfRows('account_audit_entries', ENTRY),
  insertReceipts: insertOfRows('account_audit_receipts', ['account_id', 'id', 'digest']),
  receipt: ({ accountId, id }, digest) => [accountId, id, digest],
};

/** Records entries with the changes. They are sealed afterwards (AuditLogSealing), so nothing here is shared or locked. */
@Injectable()
export class PostgresAuditTrail extends AuditTrail {
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

  async recordRefusal(
    actor: Actor,
    { operation, objectId }: RefusedChange,
    error: DomainError,
  ): Promise<unknown> {
    if (!isAudited(actor) || UNAUDITED_ERRORS.includes(error.code)) return error;
    const details = { operation, error: error.code };
    const event = { action: 'request', objectId, outcome: 'refused', details } as const;
    return this.database
      .transaction(async (tx) => this.record(tx, actor, event))
      .then(
        () => error,
        (failure: unknown) => failure,
      );
  }

  record(tx: Tx, actor: Actor, event: AuditEvent): void {
    this.recordIn(shared, tx, actor, event);
  }

  protected recordInAccount(tx: Tx, actor: Actor, event: AuditEvent & { readonly accountId: string }): void {
    this.recordIn(besideAccount, tx, actor, event);
  }

  private recordIn(place: Place, tx: Tx, actor: Actor, event: AuditEvent): void {
    const kept = newChanges(event);
    const entry = newAuditEntry(actor, event, this.clock.now(), kept);
    const values = recordedColumns.map(({ member, type }) =>
      type === 'json' ? JSON.stringify(entry[member]) : entry[member],
    );
    const digest = digestEntry(entry);
    tx.enqueueInsert(oneRow(place.insertEntries, [...values, digest]));
    tx.enqueueInsert(oneRow(place.insertReceipts, place.receipt(entry, digest)));
    if (kept !== null)
      tx.enqueue('INSERT INTO audit_log_changes (id, salt, changes) VALUES ($1, $2, $3)', [
        entry.id,
        kept.salt,
        JSON.stringify(kept.changes),
      ]);
  }
}

function oneRow(ofRows: Insertion['ofRows'], params: readonly unknown[]): Insertion {
  return { sql: ofRows(1), params, rows: 1, ofRows };
}
