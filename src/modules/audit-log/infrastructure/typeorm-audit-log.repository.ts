import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CursorPage, CursorRequest, cutPage } from '../../../kernel/pages';
import { Database } from '../../../platform/database/database';
import { safeBigint, Table } from '../../../platform/database/table';
import { guardFaults } from '../../../platform/database/table-guards';
import { Snapshot } from '../../../platform/database/tx';
import { AuditEntry } from '../domain/audit-entry';
import { AuditFilter, AuditLogRepository, ChainHead } from '../domain/audit-log.repository';
import { auditEntrySchema, auditLogGuards } from './audit-entry.schema';

/** How many rows are read at a time. */
const BATCH = 5_000;

/** By filter: the condition on its value. */
const CONDITIONS: { readonly [Member in keyof Required<AuditFilter>]: string } = {
  actorId: 'actor_id =',
  action: 'action =',
  objectId: 'object_id =',
  accountId: 'account_id =',
  outcome: 'outcome =',
  dateFrom: 'created_at >=',
  dateTo: 'created_at <=',
};

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

  /** The sequence follows the order of the commits, so an entry never appears on a page that a client has read. */
  async list(filter: AuditFilter, page: CursorRequest): Promise<CursorPage<AuditEntry>> {
    const { startingAfter, endingBefore, limit } = page;
    const params: unknown[] = [];
    const placeholder = (value: unknown): string => `$${params.push(value)}`;
    const sequenceOf = (id: string): string =>
      `(SELECT sequence FROM audit_log WHERE id = ${placeholder(id)})`;
    const conditions = Object.entries(CONDITIONS).flatMap(([member, condition]) => {
      const value = filter[member as keyof AuditFilter];
      return value === undefined ? [] : [`${condition} ${placeholder(value)}`];
    });
    if (startingAfter !== undefined) conditions.push(`sequence < ${sequenceOf(startingAfter)}`);
    if (endingBefore !== undefined) conditions.push(`sequence > ${sequenceOf(endingBefore)}`);
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    const order = endingBefore === undefined ? 'DESC' : 'ASC';
    const sql = `SELECT ${this.table.columns} FROM audit_log ${where} ORDER BY sequence ${order} LIMIT ${limit + 1}`;
    const rows = await this.database.query(sql, params);
    return cutPage(
      rows.map((row) => this.table.entity(row)),
      page,
    );
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
