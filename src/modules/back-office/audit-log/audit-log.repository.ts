import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { idRange } from '../../../kernel/ids';
import { CursorPage, CursorRequest, cutPage } from '../../../kernel/pages';
import type { AuditOutcome } from '../../../platform/audit/audit-trail';
import { Database } from '../../../platform/database/database';
import { rowsFor, unestimated } from '../../../platform/database/lists/cursor-list';
import { guardFaults } from '../../../platform/database/migrations/table-guards';
import { safeBigint, Table } from '../../../platform/database/table';
import { buildStatement, Snapshot, Statement, Tx } from '../../../platform/database/tx';
import { AuditEntry, ChainHead, KeptChanges, SealedEntry, ShownEntry, UnsealedEntry } from './audit-entry';
import { auditEntrySchema, auditLogGuards, auditLogIndexes, recordedNames } from './audit-entry.schema';

/** Filters entries by the values of members and by inclusive bounds of the time. */
export interface AuditFilter {
  readonly actorId?: string;
  readonly action?: string;
  readonly objectId?: string;
  readonly accountId?: string;
  readonly outcome?: AuditOutcome;
  /** `false` leaves out what was only read. */
  readonly reads?: 'true' | 'false';
  readonly dateFrom?: Date;
  readonly dateTo?: Date;
}

/** The place of an entry in the chain. */
export interface Seal extends ChainHead {
  readonly id: string;
}

/** What the verification reads, each with the digest of its receipt and what is kept beside it. */
interface RecordedEntry<Entry> {
  readonly entry: Entry;
  readonly recorded: Buffer | null;
  readonly kept: KeptChanges | null;
}

/** How many rows are read at a time. */
const BATCH = 5_000;

/** The columns of an entry, which has no place in the chain until it is sealed. */
const SEALED = `sequence, ${recordedNames}, hash`;
const UNSEALED = `NULL::bigint AS sequence, ${recordedNames}, NULL::bytea AS hash`;

type HeadRow = { readonly sequence: string; readonly hash: Buffer };
type RecordedRow = KeptChanges & { readonly recorded: Buffer | null; readonly has_changes: boolean };

/** What is kept beside an entry, from the table as `kept`. */
const KEPT = 'kept.id IS NOT NULL AS has_changes, kept.salt, kept.changes';

/** The actions of reads (see `AuditTrail.recordRead`). */
const READS = `'%.read', '%.list_sessions'`;

/** In SQL, since the chain of the entries is sealed, streamed and compared as a whole. */
@Injectable()
export class AuditLogRepository {
  private readonly table: Table<AuditEntry>;

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
  ) {
    this.table = new Table(dataSource, auditEntrySchema);
  }

  async find(id: string): Promise<ShownEntry | null> {
    // One statement: between two of them the entry could be sealed.
    const sql = withChanges(`SELECT ${SEALED} FROM audit_log WHERE id = $1
      UNION ALL SELECT ${UNSEALED} FROM audit_log_unsealed WHERE id = $1`);
    const [row] = await this.database.query<ShownRow>(sql, [id]);
    return row ? this.shown(row) : null;
  }

  /** Reads one page, newest first. */
  async list(filter: AuditFilter, page: CursorRequest): Promise<CursorPage<ShownEntry>> {
    const { sql, params } = pageStatement(filter, page);
    const rows = await this.database.query<ShownRow>(sql, params);
    return cutPage(
      rows.map((row) => this.shown(row)),
      page,
    );
  }

  private shown(row: ShownRow): ShownEntry {
    return { ...this.table.entity(row), changes: row.changes };
  }

  /** Erases what the entries about a user, an account and what it owns say was changed. @returns how many had that */
  async eraseChanges(tx: Tx, id: string): Promise<number> {
    const sql = `UPDATE audit_log_changes SET salt = NULL, changes = NULL WHERE changes IS NOT NULL AND id IN (
      SELECT id FROM audit_log WHERE object_id = $1 UNION SELECT id FROM audit_log WHERE account_id = $1
      UNION SELECT id FROM audit_log_unsealed WHERE $1 IN (object_id, account_id)) RETURNING id`;
    return (await tx.query(sql, [id])).length;
  }

  async hasUnsealed(): Promise<boolean> {
    return (await this.database.query('SELECT FROM audit_log_unsealed ORDER BY id LIMIT 1', [])).length > 0;
  }

  /** Locks the head of the chain, which orders those who extend it, and returns it; null when it is missing. */
  async lockHead(tx: Tx): Promise<ChainHead | null> {
    const row = await tx.lockRow<HeadRow>('SELECT sequence, hash FROM audit_log_head', []);
    return row && toHead(row);
  }

  /** The first entries that wait to be sealed, in the order of their ids. */
  unsealed(tx: Tx, limit: number): Promise<Pick<UnsealedEntry, 'id' | 'digest'>[]> {
    return tx.read('SELECT id, digest FROM audit_log_unsealed ORDER BY id LIMIT $1', [limit]);
  }

  /** Moves entries to the end of the chain. */
  seal(tx: Tx, seals: readonly Seal[]): void {
    const { sequence, hash } = seals.at(-1)!;
    const ids = seals.map(({ id }) => id);
    tx.enqueue(
      `INSERT INTO audit_log (${SEALED}) SELECT ${SEALED} FROM audit_log_unsealed
       JOIN unnest($1::text[], $2::bigint[], $3::bytea[]) AS seal (id, sequence, hash) USING (id)`,
      [ids, seals.map((seal) => seal.sequence), seals.map((seal) => seal.hash)],
    );
    tx.enqueue('DELETE FROM audit_log_unsealed WHERE id = ANY ($1::text[])', [ids]);
    tx.enqueue('UPDATE audit_log_head SET sequence = $1, hash = $2', [sequence, hash]);
  }

  /** Reads all sealed entries in batches, in the order of the chain. */
  async *stream(snapshot: Snapshot): AsyncIterable<RecordedEntry<SealedEntry>[]> {
    // The service never writes an infinite time, which no Date can have: such an entry is reported as missing.
    const sql = `SELECT entry.*, receipt.digest AS recorded, ${KEPT}
      FROM (SELECT ${SEALED} FROM audit_log WHERE isfinite(created_at)) AS entry
      LEFT JOIN audit_log_receipts AS receipt USING (id) LEFT JOIN audit_log_changes AS kept USING (id)
      ORDER BY sequence`;
    for await (const rows of snapshot.stream<RecordedRow>(sql, BATCH))
      yield rows.map((row) => ({
        entry: this.table.entity(row) as SealedEntry,
        recorded: row.recorded,
        kept: row.has_changes ? row : null,
      }));
  }

  /** Reads all entries that wait to be sealed, in batches. */
  async *streamUnsealed(snapshot: Snapshot): AsyncIterable<RecordedEntry<UnsealedEntry>[]> {
    const sql = `SELECT unsealed.*, receipt.digest AS recorded, ${KEPT}
      FROM (SELECT ${UNSEALED}, digest FROM audit_log_unsealed WHERE isfinite(created_at)) AS unsealed
      LEFT JOIN audit_log_receipts AS receipt USING (id) LEFT JOIN audit_log_changes AS kept USING (id)
      ORDER BY unsealed.id`;
    for await (const rows of snapshot.stream<RecordedRow & { digest: Buffer }>(sql, BATCH))
      yield rows.map((row) => ({
        entry: { ...this.table.entity(row), digest: row.digest },
        recorded: row.recorded,
        kept: row.has_changes ? row : null,
      }));
  }

  /** Reads the ids of entries that have a receipt only, in batches. */
  async *streamLost(snapshot: Snapshot): AsyncIterable<string[]> {
    const sql = `SELECT id FROM audit_log_receipts AS receipt
      WHERE NOT EXISTS (SELECT FROM audit_log WHERE audit_log.id = receipt.id)
        AND NOT EXISTS (SELECT FROM audit_log_unsealed AS unsealed WHERE unsealed.id = receipt.id AND isfinite(created_at))`;
    for await (const rows of snapshot.stream<{ id: string }>(sql, BATCH)) yield rows.map(({ id }) => id);
  }

  /** Returns the head of the chain, or null when it is missing. */
  async head(snapshot: Snapshot): Promise<ChainHead | null> {
    let head: ChainHead | null = null;
    for await (const [row] of snapshot.stream<HeadRow>('SELECT sequence, hash FROM audit_log_head', BATCH))
      if (row) head = toHead(row);
    return head;
  }

  /** One line for each trigger that should keep the log append-only and does not. */
  async guardFaults(snapshot: Snapshot): Promise<readonly string[]> {
    const faults: string[] = [];
    for (const guards of auditLogGuards) faults.push(...(await guardFaults(snapshot, guards)));
    return faults;
  }
}

type ShownRow = Pick<KeptChanges, 'changes'>;

/** Adds what is kept beside them to the entries of a page. */
function withChanges(page: string): string {
  return `SELECT page.*, (SELECT changes FROM audit_log_changes WHERE audit_log_changes.id = page.id) AS changes
    FROM (${page}) AS page`;
}

function toHead({ sequence, hash }: HeadRow): ChainHead {
  return { sequence: safeBigint.from(sequence), hash };
}

/**
 * The statement of one page, newest first, or oldest first for `endingBefore`. Times are bounds of the id, which starts
 * with the millisecond of `created_at`. Few entries are unsealed, so they are read without an index of the filters. Those
 * in the chain are read by the index of one filter, in its order: the comparison of rows leaves the planner no other way
 * (see listStatement).
 */
function pageStatement(filter: AuditFilter, page: CursorRequest): Statement {
  return buildStatement((placeholder) => {
    const { startingAfter, endingBefore, limit } = page;
    const order = endingBefore === undefined ? 'DESC' : 'ASC';
    const range = idRange('aud', filter.dateFrom, filter.dateTo);
    const before = placeholder([range.before, startingAfter ?? range.before].toSorted()[0]);
    const after = placeholder([range.after, endingBefore ?? range.after].toSorted()[1]);
    const rows = `LIMIT ${rowsFor(limit)}`;
    const given = auditLogIndexes
      .filter(({ member }) => filter[member] !== undefined)
      .map((index) => ({ ...index, value: placeholder(filter[index.member]) }));
    const isCompared = given.map(({ column, value }) => `${column} = ${value}`);
    const isNoRead = filter.reads === 'false' ? [`action NOT LIKE ALL (ARRAY[${READS}])`] : [];

    // No index has the entries that succeeded, which nearly all do.
    const index = given.find(({ member }) => member !== 'outcome' || filter.outcome !== 'succeeded');
    const key = index?.column ?? 'id';
    const bound = (id: string): string => `(${index === undefined ? id : `(SELECT ${index.value})`}, ${id})`;
    const sealed = [
      `(${key}, id) < ${bound(before)} AND (${key}, id) > ${bound(after)}`,
      ...(index?.where ? [index.where] : []),
      ...isCompared.filter((_, position) => given[position] !== index).map(unestimated),
      ...isNoRead.map(unestimated),
    ];
    const unsealed = [`id < ${before} AND id > ${after}`, ...isCompared, ...isNoRead];
    return withChanges(`SELECT * FROM (
      (SELECT ${SEALED} FROM audit_log WHERE ${sealed.join(' AND ')} ORDER BY ${key} ${order}, id ${order} ${rows})
      UNION ALL
      (SELECT ${UNSEALED} FROM audit_log_unsealed WHERE ${unsealed.join(' AND ')} ORDER BY id ${order} ${rows})
    ) AS listed ORDER BY id ${order} LIMIT ${placeholder(limit + 1)}`);
  });
}
