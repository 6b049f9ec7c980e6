import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CursorPage, cursorOf, CursorRequest, cutPage, unknownCursor } from '../../../kernel/pages';
import { ListPage, listStatement } from '../../../platform/database/cursor-list';
import { Database } from '../../../platform/database/database';
import { statementOf } from '../../../platform/database/statement';
import { safeBigint, Table } from '../../../platform/database/table';
import { guardFaults } from '../../../platform/database/table-guards';
import { Snapshot, Statement } from '../../../platform/database/tx';
import { AuditEntry } from '../domain/audit-entry';
import { AuditFilter, AuditLogRepository, ChainHead } from '../domain/audit-log.repository';
import { auditEntrySchema, auditListFilters, auditLogGuards } from './audit-entry.schema';

/** How many rows are read at a time. */
const BATCH = 5_000;

const ALL = { before: Number.MAX_SAFE_INTEGER, after: 0 };

interface Bounds {
  /** Whether there is an entry with the id that is the cursor. */
  readonly is_known: boolean;
  /** Null where nothing bounds the page. */
  readonly before: string | null;
  readonly after: string | null;
}

@Injectable()
export class TypeormAuditLogRepository extends AuditLogRepository {
  private readonly table: Table<AuditEntry>;

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
  ) {
    super();
    this.table = new Table(dataSource, auditEntrySchema);
  }

  async find(id: string): Promise<AuditEntry | null> {
    const sql = `SELECT ${this.table.columns} FROM audit_log WHERE id = $1`;
    const [row] = await this.database.query(sql, [id]);
    return row ? this.table.entity(row) : null;
  }

  async list(filter: AuditFilter, page: CursorRequest): Promise<CursorPage<AuditEntry>> {
    const bounds = await this.boundsOf(filter, page);
    const { sql, params } = listStatement(auditListFilters, this.table.columns, filter, { ...page, bounds });
    const rows = await this.database.query(sql, params);
    return cutPage(
      rows.map((row) => this.table.entity(row)),
      page,
    );
  }

  /**
   * The sequences between which the entries of a page are.
   * @throws DomainError `invalid_request` for an unknown cursor
   */
  private async boundsOf(filter: AuditFilter, page: CursorRequest): Promise<ListPage['bounds']> {
    const cursor = cursorOf(page);
    if ((filter.dateFrom ?? filter.dateTo ?? cursor) === undefined) return ALL;
    const { sql, params } = boundsStatement(filter, page);
    const [row] = await this.database.query<Bounds>(sql, params);
    const { is_known: isKnown, before, after } = row!;
    if (cursor !== undefined && !isKnown) throw unknownCursor();
    return {
      before: before === null ? ALL.before : safeBigint.from(before),
      after: after === null ? ALL.after : safeBigint.from(after),
    };
  }

  async *stream(snapshot: Snapshot): AsyncIterable<AuditEntry[]> {
    // The service never writes an infinite time, which no Date can have: such an entry is reported as missing.
    const sql = `SELECT ${this.table.columns} FROM audit_log WHERE isfinite(created_at) ORDER BY sequence`;
    for await (const rows of snapshot.stream(sql, BATCH)) yield rows.map((row) => this.table.entity(row));
  }

  async head(snapshot: Snapshot): Promise<ChainHead | null> {
    let head: ChainHead | null = null;
    const sql = 'SELECT sequence, hash FROM audit_log_head';
    for await (const [row] of snapshot.stream<{ sequence: string; hash: Buffer }>(sql, BATCH))
      if (row) head = { sequence: safeBigint.from(row.sequence), hash: row.hash };
    return head;
  }

  async guardFaults(snapshot: Snapshot): Promise<readonly string[]> {
    const faults: string[] = [];
    for (const guards of auditLogGuards) faults.push(...(await guardFaults(snapshot, guards)));
    return faults;
  }
}

/**
 * An entry was created at most `max_lag` before any entry ahead of it (see PostgresAuditTrail). So all entries behind one
 * that was created more than that after `dateTo` were created after `dateTo` as well, and all ahead of one that was created
 * more than that before `dateFrom`, before it. Entries that were created after `recent_since` were so at most `recent_lag`
 * before any ahead of them. There are no such bounds while the last entries are those of a release that does not keep
 * `max_lag`.
 */
function boundsStatement({ dateFrom, dateTo }: AuditFilter, page: CursorRequest): Statement {
  return statementOf((placeholder) => {
    const [startingAfter, endingBefore] = [placeholder(page.startingAfter), placeholder(page.endingBefore)];
    const [from, to] = [placeholder(dateFrom), placeholder(dateTo)].map((time) => `${time}::timestamptz`);
    const ofCursor = (id: string): string => `SELECT sequence FROM audit_log WHERE id = ${id}`;
    const lagIf = (isRecent: string): string =>
      `(SELECT CASE WHEN ${isRecent} THEN recent_lag ELSE max_lag END FROM audit_log_head WHERE measured_sequence = sequence)`;
    const firstAfter = `SELECT sequence FROM audit_log
      WHERE created_at > ${to} + ${lagIf(`${to} >= recent_since`)} AND created_at < 'infinity'
      ORDER BY created_at, sequence LIMIT 1`;
    const lastBefore = `SELECT sequence FROM audit_log
      WHERE created_at < ${from} - ${lagIf(`${from} - recent_lag > recent_since`)} AND created_at > '-infinity'
      ORDER BY created_at DESC, sequence DESC LIMIT 1`;
    return `SELECT EXISTS (${ofCursor(`coalesce(${startingAfter}, ${endingBefore})`)}) AS is_known,
      least((${ofCursor(startingAfter)}), (${firstAfter})) AS before,
      greatest((${ofCursor(endingBefore)}), (${lastBefore})) AS after`;
  });
}
