import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { EventSource } from '../../../kernel/entity';
import { isId } from '../../../kernel/ids';
import { Page, PageRequest } from '../../../kernel/pages';
import { batchedReads } from '../../../platform/database/batched-reads';
import { Database } from '../../../platform/database/database';
import { countedAccounts } from '../../../platform/database/list-counts';
import { MAX_SELECTED, PageList } from '../../../platform/database/page-list';
import { PageFilter } from '../../../platform/database/page-rows';
import { Table } from '../../../platform/database/table';
import { Snapshot, Tx } from '../../../platform/database/tx';
import { EventRecorder } from '../../../platform/events/event-recorder';
import { Account, ReadonlyAccount } from '../domain/account';
import { AccountFilter, AccountsRepository } from '../domain/accounts.repository';
import { accountSchema } from './account.schema';

/** How many rows are read at a time. */
const BATCH = 1_000;

/** What accounts_name indexes: the order of bytes, in which a prefix is a range. */
const NAME = 'lower(name) COLLATE "C"';

@Injectable()
export class TypeormAccountsRepository extends AccountsRepository {
  private readonly table: Table<Account>;
  private readonly pages: PageList<Account>;
  private readonly findById = batchedReads((ids) => this.findAll(ids));

  constructor(
    private readonly database: Database,
    private readonly events: EventRecorder,
    dataSource: DataSource,
  ) {
    super();
    this.table = new Table(dataSource, accountSchema);
    this.pages = new PageList(database, this.table);
  }

  find(id: string): Promise<Account | null> {
    return this.findById(id);
  }

  list(filter: AccountFilter, page: PageRequest): Promise<Page<Account>> {
    const { namePrefix: prefix } = filter;
    if (prefix === undefined) return this.pages.read(pageFilterOf(filter), page);
    return this.pages.readSelected({ expression: NAME, prefix }, pageFilterOf(filter), page);
  }

  async *walk(filter: AccountFilter): AsyncIterable<Account[]> {
    // Names that begin so, and ids, are on one page: the list rejects more.
    if (filter.namePrefix !== undefined || filter.ids !== undefined)
      yield (await this.list(filter, { page: 1, limit: MAX_SELECTED })).items;
    else yield* this.pages.walk(pageFilterOf(filter));
  }

  async lock(tx: Tx, id: string): Promise<Account | null> {
    if (!isId('acc', id)) return null;
    const sql = `SELECT ${this.table.columns} FROM accounts WHERE id = $1`;
    const row = await tx.lockRow(sql, [id], this.table.row(id));
    return row && this.table.entity(row);
  }

  async *stream(snapshot: Snapshot): AsyncIterable<Account[]> {
    const sql = `SELECT ${this.table.columns} FROM accounts ORDER BY id COLLATE "C"`;
    for await (const rows of snapshot.stream(sql, BATCH)) yield rows.map((row) => this.table.entity(row));
  }

  add(tx: Tx, account: Account): void {
    const { sql, params } = this.table.insert(account);
    tx.enqueue(sql, params);
  }

  protected save(tx: Tx, account: Account): void {
    tx.enqueueUpdate(this.table.update(account));
  }

  protected addEvent(tx: Tx, type: string, resource: EventSource, account: ReadonlyAccount): void {
    this.events.record(tx, type, resource, account);
  }

  private async findAll(ids: readonly string[]): Promise<Map<string, Account>> {
    const sql = `SELECT ${this.table.columns} FROM accounts WHERE id = ANY ($1)`;
    const rows = await this.database.query(sql, [ids]);
    const accounts = rows.map((row) => this.table.entity(row));
    return new Map(accounts.map((account) => [account.id, account]));
  }
}

function pageFilterOf({ ids, namePrefix, ...filter }: AccountFilter): PageFilter {
  const { status, type, createdAfter: from, createdBefore: to } = filter;
  const shared = { equal: { status, type }, from, to };
  if (ids === undefined) return { ...shared, counts: countedAccounts.view };
  const isIndexed = namePrefix === undefined; // otherwise the index of the names finds the rows
  const condition = { sql: (value: string) => `id = ANY (${value})`, value: ids, isIndexed };
  return { ...shared, condition, counts: null };
}
