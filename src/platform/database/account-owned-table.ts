import type { DataSource, EntitySchema, EntitySchemaColumnOptions, ObjectLiteral } from 'typeorm';
import { DomainError } from '../../kernel/domain-error';
import { EventSource } from '../../kernel/entity';
import { type IdPrefix, idRange } from '../../kernel/ids';
import { type CursorPage, type CursorRequest, cutPage, reversed } from '../../kernel/pages';
import {
  type AccountOwned,
  AccountOwnedRepository,
  type AmountFilter,
  type AmountOrder,
  type Backlog,
} from './account-owned-repository';
import {
  type AmountPosition,
  amountStatements,
  MAX_SCANNED,
  type ScannedRow,
  sortedStatements,
} from './lists/amount-range';
import { backlogStatement, MAX_COUNTED } from './lists/backlog';
import { batchedReads } from './batched-reads';
import { listStatement } from './lists/cursor-list';
import type { Database } from './database';
import { type DueRow, findDueRows } from './due-rows';
import type { ListFilters } from './lists/list-filters';
import { PartSearch } from './lists/part-search';
import { type RowReader, safeBigint, Table } from './table';
import type { Statement, Tx } from './tx';

/**
 * The columns that the tables of what accounts own have in common. The primary key starts with the account, so it
 * serves the account's list and the table can be partitioned by account.
 */
export const accountOwnedColumns = {
  accountId: { name: 'account_id', type: 'text', primary: true },
  id: { type: 'text', primary: true },
  status: { type: 'text' },
  createdAt: { name: 'created_at', type: 'timestamptz', precision: 3, update: false },
  updatedAt: { name: 'updated_at', type: 'timestamptz', precision: 3 },
} as const satisfies Record<string, EntitySchemaColumnOptions>;

/** The further columns of amounts. */
export const amountColumns = {
  amount: { type: 'bigint', transformer: safeBigint, update: false },
  currency: { type: 'text', update: false },
} as const satisfies Record<string, EntitySchemaColumnOptions>;

type Key = Pick<AccountOwned, 'accountId' | 'id'>;
type KeyRow = Readonly<Record<'account_id' | 'id', string>>;

interface BacklogRow {
  readonly currency: string;
  readonly count: number;
  readonly amount: string;
  readonly oldest_id: string;
}

/**
 * A table of entities that accounts own, with the primary key (account_id, id). Repositories extend it with their own
 * queries. It is SQL, since a group merges what is queued, reads of the same moment share a statement, and lists have a
 * cursor.
 */
export class AccountOwnedTable<
  Entity extends AccountOwned,
  Filter extends object,
> extends AccountOwnedRepository<Entity, Filter> {
  protected readonly table: Table<Entity>;
  /** Which of several rows with one id is found by it alone: SQL. */
  protected readonly foundById: string = 'true';
  private readonly parted: PartSearch<Entity> | null;
  private readonly findById = batchedReads(
    (ids) => this.findAll(ids),
    (id) => this.database.serverOfId(id),
  );
  private readonly findByKey = batchedReads(
    (keys) => this.findAllByKey(keys.map(splitKey)),
    (key) => this.database.serverOf(splitKey(key).accountId),
  );

  /** @param events the EventRecorder, for entities that collect events: they are written with the rows */
  constructor(
    protected readonly database: Database,
    dataSource: DataSource,
    schema: EntitySchema<Entity>,
    private readonly filters: ListFilters,
    private readonly events: { write(tx: Tx, resource: EventSource): void } | null = null,
  ) {
    super();
    if ('eventCount' in schema.options.columns && events === null)
      throw new Error(`The repository of ${schema.options.name} needs the EventRecorder.`);
    this.table = new Table(dataSource, schema);
    const { searched } = filters;
    // As the indexes are sorted (see listIndices).
    const orders = { newest: 'id DESC NULLS LAST', newestOfScope: 'id DESC' };
    this.parted = searched ? new PartSearch(database, this.table, { text: searched, ...orders }) : null;
  }

  get idPrefix(): IdPrefix {
    return this.filters.prefix;
  }

  async find(id: string, accountId: string | null): Promise<Entity | null> {
    return accountId === null ? this.findById(id) : this.findByKey(joinKey({ accountId, id }));
  }

  /**
   * Reads one page, newest first by default. Ids are issued in order under the account's lock, so a row that commits while a
   * client walks the list never lands on a page that the client has already read.
   * @throws DomainError `invalid_request` for a range of amounts, or a filter of a list sorted by amount, whose rows are
   * neither few nor among the first; for a cursor whose amount is unknown
   */
  async list<Member extends keyof Entity = keyof Entity>(
    filter: Filter,
    page: CursorRequest,
    members?: readonly Member[],
  ): Promise<CursorPage<Pick<Entity, Member>>> {
    const { sort, order, ...others } = filter as Filter & AmountFilter & AmountOrder;
    const part: RowReader<Pick<Entity, Member>> =
      members === undefined ? this.table : this.table.part(members);
    const isAscending = order === 'asc';
    const request = isAscending ? reversed(page, idRange(this.idPrefix).after) : page;
    const rows =
      sort === 'amount'
        ? await this.findSorted(others, request, page.startingAfter ?? page.endingBefore)
        : await this.findByTime(others, request, part.columnNames);
    const { items, hasMore } = cutPage(
      rows.map((row) => part.entity(row)),
      request,
    );
    return { items: isAscending ? items.toReversed() : items, hasMore };
  }

  async findParts(part: string, accountId: string | null, limit: number): Promise<Entity[]> {
    const scope = accountId === null ? null : { column: 'account_id', value: accountId };
    return this.parted?.find(part, scope, limit) ?? [];
  }

  private async findByTime(
    { amountMin, amountMax, ...filter }: AmountFilter,
    page: CursorRequest,
    columns: readonly string[],
  ): Promise<ObjectLiteral[]> {
    if (amountMin === undefined && amountMax === undefined) return this.readPage(filter, page, columns);
    const list = { filters: this.filters, columns: this.table.columns, filter, page };
    const found = await this.findFirst(amountStatements(list, { amountMin, amountMax }), page);
    return found ?? this.rejectScan('have such an amount, and too few of the newest');
  }

  /** @param cursor the id of the row from whose place the page begins */
  private async findSorted(
    { amountMin, amountMax, ...filter }: AmountFilter & { readonly accountId?: string },
    page: CursorRequest,
    cursor: string | undefined,
  ): Promise<ObjectLiteral[]> {
    const row = cursor === undefined ? null : await this.find(cursor, filter.accountId ?? null);
    if (cursor !== undefined && row === null) throw new DomainError('invalid_request', 'Unknown cursor.');
    const place = row as (AccountOwned & AmountPosition) | null;
    const list = { filters: this.filters, columns: this.table.columns, filter, page };
    const found = await this.findFirst(sortedStatements(list, { amountMin, amountMax }, place), page);
    return found ?? this.rejectScan('match the filter, and too few of the next by amount');
  }

  /** @returns the rows of the first statement that has the page; null if none has it */
  private async findFirst(
    statements: readonly Statement[],
    { limit }: CursorRequest,
  ): Promise<ObjectLiteral[] | null> {
    for (const { sql, params } of statements) {
      const rows = await this.database.query<ScannedRow>(sql, params);
      const found = rows.filter(({ id }) => id !== null);
      if (!rows[0]!.is_cut || found.length > limit) return found;
    }
    return null;
  }

  private rejectScan(reason: string): never {
    throw new DomainError(
      'invalid_request',
      `More than ${MAX_SCANNED} ${reason}. Send narrower amounts or dates.`,
    );
  }

  private async readPage(
    filter: { readonly accountId?: string },
    page: CursorRequest,
    columns: readonly string[],
  ): Promise<ObjectLiteral[]> {
    const { accountId = null } = filter;
    const pages = accountId === null ? await this.readPages(filter, page, columns) : null;
    if (pages !== null) return mergePages(pages, page);
    const { sql, params } = listStatement(this.filters, columns, filter, page);
    return this.database.read(sql, params, accountId);
  }

  private readPages(
    filter: object,
    page: CursorRequest,
    columns: readonly string[],
  ): Promise<Pick<Entity, 'id'>[] | null> {
    const withId = [...new Set([...columns, '"id"'])];
    return this.database.readByServer(
      this.table.name,
      (tables) => listStatement(this.filters, withId, filter, page, tables),
      null,
    );
  }

  /** Counts the rows of a list, the oldest first, and adds up their amounts. It reads at most `MAX_COUNTED` for each enum. */
  protected async backlogOf(filter: Filter): Promise<Backlog> {
    const { sql, params } = backlogStatement(this.filters, filter);
    const rows = await this.database.query<BacklogRow>(sql, params);
    const count = rows.reduce((sum, row) => sum + row.count, 0);
    const oldestId = rows.map(({ oldest_id: id }) => id).toSorted()[0];
    return {
      count,
      isCut: count === MAX_COUNTED,
      amounts: new Map(rows.map(({ currency, amount }) => [currency, BigInt(amount)])),
      oldest: oldestId === undefined ? null : await this.find(oldestId, null),
    };
  }

  async lock(tx: Tx, accountId: string, id: string): Promise<Entity | null> {
    const row = await tx.lockRow(this.selectWith('WHERE account_id = $1 AND id = $2'), [accountId, id]);
    return row && this.table.entity(row);
  }

  add(tx: Tx, entity: Readonly<Entity>): void {
    this.writeEvents(tx, entity);
    tx.enqueueInsert(this.table.insert(entity));
  }

  save(tx: Tx, entity: Readonly<Entity>): void {
    this.writeEvents(tx, entity);
    tx.enqueueUpdate(this.table.update(entity));
  }

  /** @param rest what follows `SELECT … FROM table` */
  protected async select(
    source: Pick<Tx, 'query'>,
    rest: string,
    params: readonly unknown[],
  ): Promise<Entity[]> {
    const rows = await source.query(this.selectWith(rest), params);
    return rows.map((row) => this.table.entity(row));
  }

  /** Locks rows of a locked account, without those that another transaction has locked, in the order of `ids`. */
  protected async lockFree(tx: Tx, accountId: string, ids: readonly string[]): Promise<Entity[]> {
    const rows = await tx.lockFreeRows(this.selectWith(''), accountId, ids);
    return rows.map((row) => this.table.entity(row));
  }

  /** Finds rows for a due item task, the earliest first. @param where the predicate of the index that serves it */
  protected findDueBy(
    { column, where }: { readonly column: string; readonly where?: string },
    now: Date,
    excludedIds: readonly string[],
    limit: number,
  ): Promise<DueRow[]> {
    const due = { table: this.table.name, dueAt: column, where };
    return findDueRows(this.database, due, now, excludedIds, limit);
  }

  /**
   * Finds the first rows before a bound of a column, and deletes them.
   * @param deleting is called for each account, with the ids in the order of the column
   * @returns whether there may be more
   */
  protected async deleteFirst(
    column: string,
    before: unknown,
    limit: number,
    deleting?: (tx: Tx, accountId: string, ids: readonly string[]) => void,
  ): Promise<boolean> {
    const { name } = this.table;
    const sql = `SELECT account_id, id FROM ${name} WHERE ${column} < $1 ORDER BY ${column} LIMIT ${limit}`;
    const old = await this.database.query<KeyRow>(sql, [before]);
    await this.database.transaction(async (tx) => {
      for (const [accountId, ids] of idsByAccount(old)) {
        tx.enqueue(`DELETE FROM ${name} WHERE account_id = $1 AND id = ANY ($2)`, [accountId, ids]);
        deleting?.(tx, accountId, ids);
      }
    });
    return old.length === limit;
  }

  private writeEvents(tx: Tx, entity: Readonly<Entity>): void {
    if (entity instanceof EventSource) this.events?.write(tx, entity);
  }

  private selectWith(rest: string): string {
    return `SELECT ${this.table.columns} FROM ${this.table.name} ${rest}`;
  }

  private async findAll(ids: readonly string[]): Promise<Map<string, Entity>> {
    const found = this.database.isDistributed ? await this.findNear(ids) : await this.findAnywhere(ids);
    return new Map(found.map((entity) => [entity.id, entity]));
  }

  /** What is not found on the server that the ids name is looked for on all. */
  private async findNear(ids: readonly string[]): Promise<Entity[]> {
    const found = (await this.findByServer(ids, this.database.serverOfId(ids[0]!), this.foundById)) ?? [];
    const foundIds = new Set(found.map(({ id }) => id));
    const missing = ids.filter((id) => !foundIds.has(id));
    if (missing.length === 0) return found;
    const others =
      (await this.findByServer(missing, null, this.foundById)) ?? (await this.findAnywhere(missing));
    return [...found, ...others];
  }

  private findAnywhere(ids: readonly string[]): Promise<Entity[]> {
    return this.select(this.database, `WHERE id = ANY ($1) AND ${this.foundById}`, [ids]);
  }

  /** @param server the number of the one that has them; null to look on all @returns null where there is one server */
  private async findByServer(
    ids: readonly string[],
    server: number | null,
    condition?: string,
  ): Promise<Entity[] | null> {
    const { table } = this;
    const rows = await this.database.readByServer(
      table.name,
      (tables) => table.byIds(ids, tables, condition),
      server,
    );
    return rows?.map((row) => this.table.entity(row)) ?? null;
  }

  private async findAllByKey(keys: readonly Key[]): Promise<Map<string, Entity>> {
    const accountIds = [...new Set(keys.map(({ accountId }) => accountId))];
    const ids = keys.map(({ id }) => id);
    const found = this.database.isDistributed
      ? await this.findDistributed(keys, ids)
      : await this.select(this.database, 'WHERE account_id = ANY ($1) AND id = ANY ($2)', [accountIds, ids]);
    return new Map(found.map((entity) => [joinKey(entity), entity]));
  }

  /** What is not found on the server is looked for under its account, which may have moved to another one. */
  private async findDistributed(keys: readonly Key[], ids: readonly string[]): Promise<Entity[]> {
    const found = (await this.findByServer(ids, this.database.serverOf(keys[0]!.accountId))) ?? [];
    const foundKeys = new Set(found.map(joinKey));
    const missing = keys.filter((key) => !foundKeys.has(joinKey(key)));
    const sql = this.selectWith('WHERE account_id = $1 AND id = $2');
    const others = missing.map(({ accountId, id }) => this.database.read(sql, [accountId, id], accountId));
    return [...found, ...(await Promise.all(others)).flat().map((row) => this.table.entity(row))];
  }
}

/** A statement that changes or locks rows names one account, in a fixed order of the accounts. */
export function idsByAccount(keys: readonly KeyRow[]): [accountId: string, ids: string[]][] {
  const ids = new Map<string, string[]>();
  for (const { account_id: accountId, id } of keys) ids.set(accountId, [...(ids.get(accountId) ?? []), id]);
  return [...ids].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** The page that the pages of several servers contain, in the order of a statement for all of them. */
function mergePages<Row extends Pick<AccountOwned, 'id'>>(pages: Row[], request: CursorRequest): Row[] {
  const sign = request.endingBefore === undefined ? -1 : 1;
  return pages.toSorted((one, other) => (one.id < other.id ? -sign : sign)).slice(0, request.limit + 1);
}

function joinKey({ accountId, id }: Key): string {
  return `${accountId}/${id}`;
}

function splitKey(key: string): Key {
  const end = key.indexOf('/');
  return { accountId: key.slice(0, end), id: key.slice(end + 1) };
}
