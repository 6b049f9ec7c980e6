import { Injectable } from '@nestjs/common';
import { DataSource, EntitySchema } from 'typeorm';
import { isId } from '../../../kernel/ids';
import { Page, PageRequest } from '../../../kernel/pages';
import { batchedReads } from '../../../platform/database/batched-reads';
import { Database, RowKey, Snapshot, Tx } from '../../../platform/database/database';
import { MAX_SELECTED, PageList, Selection } from '../../../platform/database/lists/page-list';
import { PartSearch } from '../../../platform/database/lists/part-search';
import { PageFilter } from '../../../platform/database/lists/page-rows';
import { eventCount, safeBigint, Table } from '../../../platform/database/table';
import { EventRecorder } from '../../../platform/events/event-recorder';
import { Account } from '../domain/account';
import { accountLifecycle } from '../domain/account.lifecycle';
import { accountCounts, AccountFilter, AccountsRepository } from '../domain/accounts.repository';

export const accountSchema = new EntitySchema<Account>({
  name: 'Account',
  target: Account,
  tableName: 'accounts',
  columns: {
    id: { type: 'text', primary: true },
    email: { type: 'text' },
    name: { type: 'text' },
    type: { type: 'text', update: false },
    status: { type: 'text' },
    currency: { type: 'text' },
    timezone: { type: 'text' },
    language: { type: 'text' },
    posted: { type: 'bigint', transformer: safeBigint },
    held: { type: 'bigint', transformer: safeBigint },
    pendingIn: { name: 'pending_in', type: 'bigint', transformer: safeBigint },
    entryCount: { name: 'entry_count', type: 'bigint', transformer: safeBigint, default: 0 },
    chainHead: { name: 'chain_head', type: 'bytea', nullable: true },
    lastIdAt: { name: 'last_id_at', type: 'timestamptz', precision: 3, nullable: true },
    lastIdNumber: { name: 'last_id_number', type: 'integer' },
    lastEventAt: { name: 'last_event_at', type: 'timestamptz', precision: 3, nullable: true },
    lastEventNumber: { name: 'last_event_number', type: 'integer', default: 0 },
    deliversEvents: { name: 'delivers_events', type: 'boolean', default: false },
    eventCount,
    signUpNetwork: { name: 'sign_up_network', type: 'text', nullable: true, update: false },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3, update: false },
    updatedAt: { name: 'updated_at', type: 'timestamptz', precision: 3 },
    closedAt: { name: 'closed_at', type: 'timestamptz', precision: 3, nullable: true },
  },
  checks: [
    { expression: accountLifecycle.sqlCheck('status') },
    {
      expression:
        '0 <= held AND held <= posted AND 0 <= pending_in AND posted + pending_in <= 9007199254740991',
    },
  ],
  // One for each combination of filters of the list.
  indices: [
    { name: 'accounts_newest', columns: ['createdAt', 'id'] },
    { name: 'accounts_status', columns: ['status', 'createdAt', 'id'] },
    { name: 'accounts_type', columns: ['type', 'createdAt', 'id'] },
    // An expression, which TypeORM cannot declare.
    { name: 'accounts_name', columns: ['name'], synchronize: false },
    // Of trigrams, which TypeORM cannot declare.
    { name: 'accounts_text', columns: ['name', 'email'], synchronize: false },
    { name: 'accounts_status_type', columns: ['status', 'type', 'createdAt', 'id'] },
  ],
});

/** How many rows are read at a time. */
const BATCH = 1_000;

/** What accounts_name indexes: the order of bytes, in which a prefix is a range. */
const NAME = 'lower(name) COLLATE "C"';

/** What accounts_text indexes, folded. */
const SEARCHED = "name || ' ' || email";

const NEWEST = 'created_at DESC, id DESC';

/** In SQL, since each change of an account waits for its row, which a group reads, keeps and writes once. */
@Injectable()
export class SqlAccountsRepository extends AccountsRepository {
  private readonly table: Table<Account>;
  private readonly pages: PageList<Account>;
  private readonly texts: PartSearch<Account>;
  private readonly findById = batchedReads(
    (ids) => this.findOutside(ids),
    (id) => this.database.serverOf(id),
  );

  constructor(
    private readonly database: Database,
    private readonly events: EventRecorder,
    dataSource: DataSource,
  ) {
    super();
    this.table = new Table(dataSource, accountSchema);
    this.pages = new PageList(database, this.table);
    this.texts = new PartSearch(database, this.table, {
      text: SEARCHED,
      newest: NEWEST,
      newestOfScope: 'id',
      trigrams: 'accounts_text',
    });
  }

  find(id: string): Promise<Account | null> {
    return this.findById(id);
  }

  list(filter: AccountFilter, page: PageRequest): Promise<Page<Account>> {
    const byIds = filter.ids && ofIds(filter.ids);
    const { namePrefix } = filter;
    if (namePrefix !== undefined)
      return this.pages.readSelected(beginningWith(namePrefix), toPageFilter(filter), page, byIds);
    if (byIds) return this.pages.readSelected(byIds, toPageFilter(filter), page);
    return this.pages.read(toPageFilter(filter), page);
  }

  async *walk(filter: AccountFilter): AsyncIterable<Account[]> {
    // Names that begin so, and ids, are on one page: the list rejects more.
    if (filter.namePrefix !== undefined || filter.ids !== undefined)
      yield (await this.list(filter, { page: 1, limit: MAX_SELECTED })).items;
    else yield* this.pages.walk(toPageFilter(filter));
  }

  findParts(part: string, id: string | null, limit: number): Promise<Account[]> {
    return this.texts.find(part, id === null ? null : { column: 'id', value: id }, limit);
  }

  async lock(tx: Tx, id: string): Promise<Account | null> {
    if (!isId('acc', id)) return null;
    const sql = `SELECT ${this.table.columns} FROM accounts WHERE id = $1`;
    const row = await tx.lockRow(sql, [id], this.table.rowKey(id));
    return row && this.table.entity(row);
  }

  rowKey(id: string): RowKey {
    return this.table.rowKey(id);
  }

  read(tx: Tx, ids: readonly string[]): Promise<Map<string, Account>> {
    const known = ids.filter((id) => isId('acc', id));
    return this.findAll(known, (sql, params) => tx.read(sql, params));
  }

  async *stream(snapshot: Snapshot): AsyncIterable<Account[]> {
    const sql = `SELECT ${this.table.columns} FROM accounts ORDER BY id COLLATE "C"`;
    for await (const rows of snapshot.stream(sql, BATCH)) yield rows.map((row) => this.table.entity(row));
  }

  add(tx: Tx, account: Account): void {
    this.events.write(tx, account, account);
    const { sql, params } = this.table.insert(account);
    tx.enqueue(sql, params);
  }

  save(tx: Tx, account: Account): void {
    this.events.write(tx, account, account);
    tx.enqueueUpdate(this.table.update(account));
  }

  private async findAll(ids: readonly string[], read: Tx['read']): Promise<Map<string, Account>> {
    return this.byId(await read(`SELECT ${this.table.columns} FROM accounts WHERE id = ANY ($1)`, [ids]));
  }

  private async findOutside(ids: readonly string[]): Promise<Map<string, Account>> {
    const { database, table } = this;
    if (!database.isDistributed) return this.findAll(ids, (sql, params) => database.query(sql, params));
    const server = database.serverOf(ids[0]!);
    const found = await database.readByServer(table.name, (tables) => table.byIds(ids, tables), server);
    const accounts = this.byId(found ?? []);
    // What is not found there may have moved to another server.
    const missing = ids.filter((id) => !accounts.has(id));
    const sql = `SELECT ${table.columns} FROM accounts WHERE id = $1`;
    const others = (await Promise.all(missing.map((id) => database.read(sql, [id], id)))).flat();
    return new Map([...accounts, ...this.byId(others)]);
  }

  private byId(rows: readonly object[]): Map<string, Account> {
    const accounts = rows.map((row) => this.table.entity(row));
    return new Map(accounts.map((account) => [account.id, account]));
  }
}

function toPageFilter({ status, type, createdAfter: from, createdBefore: to }: AccountFilter): PageFilter {
  return { equal: { status, type }, from, to, counts: accountCounts.view };
}

function ofIds(ids: readonly string[]): Selection {
  return { index: 'id', sql: (value) => `id = ANY (${value})`, value: ids };
}

function beginningWith(prefix: string): Selection {
  const sql = (value: string): string => {
    const first = `lower(${value}) COLLATE "C"`;
    return `${NAME} >= ${first} AND ${NAME} < ${first} || chr(1114111)`;
  };
  return { index: NAME, sql, value: prefix };
}
