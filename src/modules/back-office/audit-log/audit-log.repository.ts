import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { idRange } from '../../../kernel/ids';
import { CursorPage, CursorRequest, cutPage } from '../../../kernel/pages';
import type { AuditOutcome } from '../../../platform/audit/audit-trail';
import { Database } from '../../../platform/database/database';
import { rowsFor, unestimated } from '../../../platform/database/lists/cursor-list';
import { guardFaults } from '../../../platform/database/migrations/table-guards';
import { safeBigint, Table } from '../../../platform/database/table';
import { buildStatement, Placeholder, Snapshot, Statement, Tx } from '../../../platform/database/tx';
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

/** An entry that waits to be sealed, and where. */
export interface WaitingEntry {
  readonly table: (typeof UNSEALED_TABLES)[number];
  readonly id: string;
  readonly accountId: string | null;
  readonly digest: Buffer;
}

/** An entry with the place in the chain that it gets. */
export type Seal = WaitingEntry & ChainHead;

/** An entry with what is kept beside it. */
interface StreamedEntry<Entry> {
  readonly entry: Entry;
  readonly kept: KeptChanges | null;
}

/** A receipt with the entry that it is of; null for one that is missing. */
interface Receipt {
  readonly id: string;
  readonly digest: Buffer;
  readonly entry: AuditEntry | null;
}

/** How many rows are read at a time. */
const BATCH = 5_000;

/** The columns of an entry, which has no place in the chain until it is sealed. */
const SEALED = `sequence, ${recordedNames}, hash`;
const UNSEALED = `NULL::bigint AS sequence, ${recordedNames}, NULL::bytea AS hash`;

/** Where entries wait to be sealed: one place for all, and one beside each account. */
const SHARED = 'audit_log_unsealed';
const OF_ACCOUNTS = 'account_audit_entries';
const UNSEALED_TABLES = [SHARED, OF_ACCOUNTS] as const;
const RECEIPTS = [
  'SELECT id, digest FROM audit_log_receipts',
  'SELECT id, digest FROM account_audit_receipts',
];

/** What waits is read first: between the statements an entry could be sealed. */
const EVERYWHERE = [
  ...UNSEALED_TABLES.map((table) => `${UNSEALED} FROM ${table}`),
  `${SEALED} FROM audit_log`,
];

/** The service never writes an infinite time, which no Date can have: the verification misses such an entry. */
const READABLE = 'isfinite(created_at)';

type HeadRow = { readonly sequence: string; readonly hash: Buffer };

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
    for (const from of EVERYWHERE) {
      const entries = await this.read({ sql: `SELECT ${from} WHERE id = $1`, params: [id] });
      if (entries.length > 0) return (await this.withChanges(entries))[0]!;
    }
    return null;
  }

  /** Reads one page, newest first. */
  async list(filter: AuditFilter, page: CursorRequest): Promise<CursorPage<ShownEntry>> {
    const entries = new Map<string, AuditEntry>(); // one that is sealed meanwhile is read twice
    for (const part of pageStatements(filter, page))
      for (const entry of await this.read(part)) entries.set(entry.id, entry);
    const isDescending = page.endingBefore === undefined;
    const listed = [...entries.values()].sort((a, b) => (a.id < b.id === isDescending ? 1 : -1));
    const { items, hasMore } = cutPage(listed, page);
    return { items: await this.withChanges(items), hasMore };
  }

  private async read({ sql, params }: Statement): Promise<AuditEntry[]> {
    return (await this.database.query(sql, params)).map((row) => this.table.entity(row));
  }

  private async withChanges(entries: readonly AuditEntry[]): Promise<ShownEntry[]> {
    if (entries.length === 0) return [];
    const kept = await this.database.query<Pick<ShownEntry, 'id' | 'changes'>>(
      'SELECT id, changes FROM audit_log_changes WHERE id = ANY ($1)',
      [entries.map(({ id }) => id)],
    );
    const changes = new Map(kept.map((row) => [row.id, row.changes]));
    return entries.map((entry) => ({ ...entry, changes: changes.get(entry.id) ?? null }));
  }

  /** Erases what the entries about a user, an account and what it owns say was changed. @returns how many had that */
  async eraseChanges(tx: Tx, id: string): Promise<number> {
    const unsealed: string[] = [];
    for (const table of UNSEALED_TABLES) {
      const sql = `SELECT id FROM ${table} WHERE $1 IN (object_id, account_id)`;
      for (const row of await tx.read<{ id: string }>(sql, [id])) unsealed.push(row.id);
    }
    const sql = `UPDATE audit_log_changes SET salt = NULL, changes = NULL WHERE changes IS NOT NULL AND id IN (
      SELECT id FROM audit_log WHERE object_id = $1 UNION SELECT id FROM audit_log WHERE account_id = $1
      UNION SELECT unnest($2::text[])) RETURNING id`;
    return (await tx.query(sql, [id, unsealed])).length;
  }

  async hasUnsealed(): Promise<boolean> {
    // In the order of the keys, since an index skips what was deleted.
    for (const sql of [
      'SELECT FROM audit_log_unsealed ORDER BY id LIMIT 1',
      'SELECT FROM account_audit_entries ORDER BY account_id, id LIMIT 1',
    ])
      if ((await this.database.query(sql, [])).length > 0) return true;
    return false;
  }

  /** Locks the head of the chain, which orders those who extend it, and returns it; null when it is missing. */
  async lockHead(tx: Tx): Promise<ChainHead | null> {
    const row = await tx.lockRow<HeadRow>('SELECT sequence, hash FROM audit_log_head', []);
    return row && toHead(row);
  }

  /** The first entries that wait to be sealed, in the order of their ids. The head of the chain is locked. */
  async unsealed(tx: Tx, limit: number): Promise<WaitingEntry[]> {
    const waiting: WaitingEntry[] = [];
    for (const table of UNSEALED_TABLES) {
      const sql = `SELECT id, account_id AS "accountId", digest FROM ${table} ORDER BY id LIMIT $1`;
      const rows = await tx.read<Omit<WaitingEntry, 'table'>>(sql, [limit]);
      waiting.push(...rows.map((row) => ({ ...row, table })));
    }
    const sealed = await this.findSealed(tx, waiting);
    const unsealed = waiting.filter(({ id }) => !sealed.has(id));
    return unsealed.sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit);
  }

  /**
   * On Citus, sealing commits on the coordinator before it commits on the workers: what is in the chain can still be seen
   * among the entries of an account, until it is deleted there.
   */
  private async findSealed(tx: Tx, waiting: readonly WaitingEntry[]): Promise<ReadonlySet<string>> {
    const ids = waiting.filter(({ table }) => table === OF_ACCOUNTS).map(({ id }) => id);
    if (ids.length === 0) return new Set();
    const rows = await tx.read<{ id: string }>('SELECT id FROM audit_log WHERE id = ANY ($1)', [ids]);
    return new Set(rows.map(({ id }) => id));
  }

  /** Moves entries to the end of the chain. */
  seal(tx: Tx, seals: readonly Seal[]): void {
    const { sequence, hash } = seals.at(-1)!;
    for (const table of UNSEALED_TABLES) {
      const moved = seals.filter((seal) => seal.table === table);
      if (moved.length === 0) continue;
      const ids = moved.map(({ id }) => id);
      tx.enqueue(
        `INSERT INTO audit_log (${SEALED}) SELECT ${SEALED} FROM ${table}
         JOIN unnest($1::text[], $2::bigint[], $3::bytea[]) AS seal (id, sequence, hash) USING (id)`,
        [ids, moved.map((seal) => seal.sequence), moved.map((seal) => seal.hash)],
      );
      const deletion = `DELETE FROM ${table} WHERE id = ANY ($1::text[])`;
      if (table === SHARED) tx.enqueue(deletion, [ids]);
      else
        tx.enqueue(`${deletion} AND account_id = ANY ($2::text[])`, [
          ids,
          [...new Set(moved.map(({ accountId }) => accountId))],
        ]);
    }
    tx.enqueue('UPDATE audit_log_head SET sequence = $1, hash = $2', [sequence, hash]);
  }

  /** Reads all sealed entries in batches, in the order of the chain. */
  async *stream(snapshot: Snapshot): AsyncIterable<StreamedEntry<SealedEntry>[]> {
    const sql = `SELECT ${SEALED} FROM audit_log WHERE ${READABLE} ORDER BY sequence`;
    for await (const rows of snapshot.stream(sql, BATCH))
      yield this.withKept(
        snapshot,
        rows.map((row) => this.table.entity(row) as SealedEntry),
      );
  }

  /** Reads all entries that wait to be sealed, in batches. */
  async *streamUnsealed(snapshot: Snapshot): AsyncIterable<StreamedEntry<UnsealedEntry>[]> {
    for (const table of UNSEALED_TABLES) {
      const sql = `SELECT ${UNSEALED}, digest FROM ${table} WHERE ${READABLE}`;
      for await (const rows of snapshot.stream<{ digest: Buffer }>(sql, BATCH))
        yield this.withKept(
          snapshot,
          rows.map((row) => ({ ...this.table.entity(row), digest: row.digest })),
        );
    }
  }

  private async withKept<Entry extends { readonly id: string }>(
    snapshot: Snapshot,
    entries: readonly Entry[],
  ): Promise<StreamedEntry<Entry>[]> {
    const rows = await snapshot.query<KeptChanges & { readonly id: string }>(
      'SELECT id, salt, changes FROM audit_log_changes WHERE id = ANY ($1)',
      [entries.map(({ id }) => id)],
    );
    const kept = new Map(rows.map((row) => [row.id, row]));
    return entries.map((entry) => ({ entry, kept: kept.get(entry.id) ?? null }));
  }

  /**
   * Reads all receipts in batches, each with its entry. They are read as they are stored, since they have no index by id,
   * and a join with the entries would hash or sort all of them before its first row.
   */
  async *streamReceipts(snapshot: Snapshot): AsyncIterable<Receipt[]> {
    for (const sql of RECEIPTS) {
      for await (const receipts of snapshot.stream<Omit<Receipt, 'entry'>>(sql, BATCH)) {
        const entries = await this.findAll(snapshot, receipts);
        // Where accounts are on other servers, receipts can be read a moment later than the rest, which is asked again.
        const missed = receipts.filter(({ id }) => !entries.has(id));
        const found = missed.length > 0 ? await this.findAll(this.database, missed) : entries;
        yield receipts.map((receipt) => ({
          ...receipt,
          entry: entries.get(receipt.id) ?? found.get(receipt.id) ?? null,
        }));
      }
    }
  }

  private async findAll(
    from: Pick<Snapshot, 'query'>,
    receipts: readonly { readonly id: string }[],
  ): Promise<ReadonlyMap<string, AuditEntry>> {
    const ids = receipts.map(({ id }) => id);
    const found = new Map<string, AuditEntry>();
    for (const columns of EVERYWHERE)
      for (const row of await from.query(`SELECT ${columns} WHERE id = ANY ($1) AND ${READABLE}`, [ids]))
        found.set(row['id'] as string, this.table.entity(row));
    return found;
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

function toHead({ sequence, hash }: HeadRow): ChainHead {
  return { sequence: safeBigint.from(sequence), hash };
}

/**
 * The statements of one page, newest first, or oldest first for `endingBefore`: of entries that wait to be sealed, and
 * then of those in the chain. Times are bounds of the id, which starts with the millisecond of `created_at`.
 */
function pageStatements(filter: AuditFilter, page: CursorRequest): Statement[] {
  return [
    ...UNSEALED_TABLES.map((table) =>
      buildStatement((placeholder) => unsealedPage(table, filter, page, placeholder)),
    ),
    buildStatement((placeholder) => sealedPage(filter, page, placeholder)),
  ];
}

/** Few entries are unsealed, so they are read without an index of the filters. */
function unsealedPage(
  table: string,
  filter: AuditFilter,
  page: CursorRequest,
  placeholder: Placeholder,
): string {
  const { before, after, given, isNoRead, order } = pageConditions(filter, page, placeholder);
  const isCompared = given.map(({ column, value }) => `${column} = ${value}`);
  const where = [`id < ${before} AND id > ${after}`, ...isCompared, ...isNoRead].join(' AND ');
  return `SELECT ${UNSEALED} FROM ${table} WHERE ${where} ORDER BY id ${order} LIMIT ${rowsFor(page.limit)}`;
}

/**
 * The chain is read by the index of one filter, in its order: the comparison of rows leaves the planner no other way (see
 * listStatement).
 */
function sealedPage(filter: AuditFilter, page: CursorRequest, placeholder: Placeholder): string {
  const { before, after, given, isNoRead, order } = pageConditions(filter, page, placeholder);
  // No index has the entries that succeeded, which nearly all do.
  const index = given.find(({ member }) => member !== 'outcome' || filter.outcome !== 'succeeded');
  const key = index?.column ?? 'id';
  const bound = (id: string): string => `(${index === undefined ? id : `(SELECT ${index.value})`}, ${id})`;
  const others = given.filter((one) => one !== index).map(({ column, value }) => `${column} = ${value}`);
  const where = [
    `(${key}, id) < ${bound(before)} AND (${key}, id) > ${bound(after)}`,
    ...(index?.where ? [index.where] : []),
    ...[...others, ...isNoRead].map(unestimated),
  ].join(' AND ');
  return `SELECT ${SEALED} FROM audit_log WHERE ${where}
    ORDER BY ${key} ${order}, id ${order} LIMIT ${rowsFor(page.limit)}`;
}

function pageConditions(filter: AuditFilter, page: CursorRequest, placeholder: Placeholder) {
  const { startingAfter, endingBefore } = page;
  const range = idRange('aud', filter.dateFrom, filter.dateTo);
  const before = placeholder([range.before, startingAfter ?? range.before].toSorted()[0]);
  const after = placeholder([range.after, endingBefore ?? range.after].toSorted()[1]);
  const given = auditLogIndexes
    .filter(({ member }) => filter[member] !== undefined)
    .map((index) => ({ ...index, value: placeholder(filter[index.member]) }));
  const isNoRead = filter.reads === 'false' ? [`action NOT LIKE ALL (ARRAY[${READS}])`] : [];
  const order = endingBefore === undefined ? 'DESC' : 'ASC';
  return { before, after, given, isNoRead, order };
}
