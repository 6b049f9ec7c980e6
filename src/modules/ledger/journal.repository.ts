import { Injectable } from '@nestjs/common';
import { escapeIdentifier, escapeLiteral } from 'pg';
import { DataSource, EntitySchema } from 'typeorm';
import { CursorPage, CursorRequest, cutPage } from '../../kernel/pages';
import { Database, Snapshot, Tx } from '../../platform/database/database';
import { safeBigint, Table } from '../../platform/database/table';
import { guardFaults, type TableGuards } from '../../platform/database/migrations/table-guards';
import { Direction } from '../accounts';
import { DescribedEntry, Entry, EntryDescription } from './entry';
import { AccountFault, PostedAmount, SubledgerAmount, Subledgers, SubledgerTable } from './ledger';

export interface EntryFilter {
  /** Only the entries of the customer leg by default. */
  readonly legs?: 'both';
  /** Inclusive bounds of the time of the posting. */
  readonly dateFrom?: Date;
  readonly dateTo?: Date;
}

/** What was posted to an account in a time, in minor units. */
export interface JournalSummary {
  /** The balances before the first and after the last entry. */
  readonly opening: number;
  readonly closing: number;
  readonly totalIn: number;
  readonly totalOut: number;
  /** The number of entries of the customer leg. */
  readonly count: number;
}

/** The triggers of the journal. They are in the migrations, since TypeORM cannot declare triggers. */
export const journalGuards: TableGuards = {
  table: 'journal_entries',
  triggers: {
    journal_append_only: '552e63779f5a174a6222ee29ee052f90531aab2448295ace5edbb7d44c70b54b',
    journal_balanced: '5071eb212dac0924f7b4494df67a37f3ddf5721e780108eb192a5238de0886f7',
  },
};

export const entrySchema = new EntitySchema<Entry>({
  name: 'Entry',
  target: Entry,
  tableName: 'journal_entries',
  columns: {
    accountId: { name: 'account_id', type: 'text', primary: true },
    number: { type: 'bigint', primary: true, transformer: safeBigint },
    transactionId: { name: 'transaction_id', type: 'text' },
    leg: { type: 'text' },
    amount: { type: 'bigint', transformer: safeBigint },
    currency: { type: 'text' },
    balance: { type: 'bigint', transformer: safeBigint },
    postedAt: { name: 'posted_at', type: 'timestamptz', precision: 3 },
    hash: { type: 'bytea' },
  },
  checks: [
    { expression: "leg IN ('customer', 'clearing') AND amount <> 0" },
    { expression: "leg <> 'customer' OR balance BETWEEN 0 AND 9007199254740991" },
  ],
  indices: [
    // A transaction is posted once. The other index serves the balance at a point in time.
    {
      name: 'journal_entries_posting',
      columns: ['accountId', 'transactionId'],
      unique: true,
      where: "leg = 'customer'",
    },
    { name: 'journal_entries_time', columns: ['accountId', 'postedAt', 'number'], where: "leg = 'customer'" },
    // A BRIN index, which TypeORM cannot declare.
    { name: 'journal_entries_posted', columns: ['postedAt'], synchronize: false },
  ],
});

/** Values that the service can have written. Others would make the audit fail instead of being reported by it. */
const READABLE = `amount BETWEEN -9007199254740991 AND 9007199254740991
  AND balance BETWEEN -9007199254740991 AND 9007199254740991 AND isfinite(posted_at)`;

/** How many rows are read at a time. */
const BATCH = 5_000;

/** How many entries of a statement: other requests wait while they are written. */
const STATEMENT_BATCH = 500;

/** In SQL, since each posting adds entries, which a group merges, and lists join the tables of other modules. */
@Injectable()
export class JournalRepository {
  private readonly table: Table<Entry>;

  constructor(
    private readonly database: Database,
    private readonly subledgers: Subledgers,
    dataSource: DataSource,
  ) {
    this.table = new Table(dataSource, entrySchema);
  }

  /** Queues the entries of one posting in one statement. The database rejects them unless they sum to zero. */
  append(tx: Tx, entries: readonly Entry[]): void {
    tx.enqueueInsert(this.table.insert(...entries));
  }

  /** The account's posted balance at a point in time. */
  async postedAt(accountId: string, at: Date): Promise<number> {
    const sql = `SELECT balance FROM journal_entries WHERE account_id = $1 AND leg = 'customer' AND posted_at <= $2
                 ORDER BY posted_at DESC, number DESC LIMIT 1`;
    const [last] = await this.database.query<{ balance: string }>(sql, [accountId, at]);
    return last ? safeBigint.from(last.balance) : 0;
  }

  /** One page of an account's entries, newest first. @param page its cursors are numbers of entries */
  async list(
    accountId: string,
    { legs, dateFrom, dateTo }: EntryFilter,
    page: CursorRequest,
  ): Promise<CursorPage<DescribedEntry>> {
    const params: unknown[] = [accountId];
    const conditions = ['account_id = $1'];
    const add = (condition: (value: string) => string, value: unknown): void => {
      if (value !== undefined) conditions.push(condition(`$${params.push(value)}`));
    };
    if (legs === undefined) conditions.push(`leg = 'customer'`);
    add((number) => `number < ${number}`, page.startingAfter);
    add((number) => `number > ${number}`, page.endingBefore);
    // Entries are posted in the order of their numbers, so the times are bounds of the primary key.
    add((time) => `number >= (${firstFrom(time)})`, dateFrom);
    add((time) => `number <= 1 + (${lastUntil(time)})`, dateTo);
    const order = page.endingBefore === undefined ? 'DESC' : 'ASC';
    const entries = `SELECT ${this.table.columns} FROM journal_entries WHERE ${conditions.join(' AND ')}
                     ORDER BY number ${order} LIMIT $${params.push(page.limit + 1)}`;
    const sql = `${describedSql(entries, this.subledgers.members)} ORDER BY number ${order}`;
    const rows = await this.database.read<EntryDescription>(sql, params, accountId);
    return cutPage(
      rows.map((row) => this.describedEntry(row)),
      page,
    );
  }

  async count(snapshot: Snapshot): Promise<number> {
    let count = 0;
    const sql = 'SELECT count(*) FROM journal_entries';
    for await (const [row] of snapshot.stream<{ count: string }>(sql, BATCH)) count = Number(row!.count);
    return count;
  }

  /** The entries of the customer leg between two times, both inclusive: their sums and the balances around them. */
  async summary(accountId: string, from: Date, until: Date): Promise<JournalSummary> {
    const sql = `SELECT count(*) AS count, coalesce(sum(amount) FILTER (WHERE amount > 0), 0) AS total_in,
                   coalesce(-sum(amount) FILTER (WHERE amount < 0), 0) AS total_out
                 FROM journal_entries
                 WHERE account_id = $1 AND leg = 'customer' AND posted_at BETWEEN $2 AND $3`;
    const [opening, closing, [sums]] = await Promise.all([
      this.postedAt(accountId, new Date(from.getTime() - 1)),
      this.postedAt(accountId, until),
      this.database.query<Record<'count' | 'total_in' | 'total_out', string>>(sql, [accountId, from, until]),
    ]);
    const { count, total_in, total_out } = sums!;
    return {
      opening,
      closing,
      totalIn: safeBigint.from(total_in),
      totalOut: safeBigint.from(total_out),
      count: Number(count),
    };
  }

  /** The same entries, oldest first, in batches. They are complete if nothing is posted at these times any more. */
  async *between(accountId: string, from: Date, until: Date): AsyncIterable<DescribedEntry[]> {
    const batch = `SELECT ${this.table.columns} FROM journal_entries
                   WHERE account_id = $1 AND leg = 'customer' AND (posted_at, number) > ($2::timestamptz, $3::bigint)
                     AND posted_at <= $4
                   ORDER BY posted_at, number LIMIT ${STATEMENT_BATCH}`;
    const sql = `${describedSql(batch, this.subledgers.members)} ORDER BY posted_at, number`;
    let [time, number] = [from, 0];
    for (;;) {
      const rows = await this.database.query<EntryDescription>(sql, [accountId, time, number, until]);
      const entries = rows.map((row) => this.describedEntry(row));
      if (entries.length > 0) yield entries;
      if (entries.length < STATEMENT_BATCH) return;
      ({ postedAt: time, number } = entries.at(-1)!);
    }
  }

  /** All entries that can be read, in batches, by account id (byte order) and number. */
  async *stream(snapshot: Snapshot): AsyncIterable<Entry[]> {
    const sql = `SELECT ${this.table.columns} FROM journal_entries WHERE ${READABLE}
                 ORDER BY account_id COLLATE "C", number`;
    for await (const rows of snapshot.stream(sql, BATCH)) yield rows.map((row) => this.table.entity(row));
  }

  /** All postings, in batches, by account id and transaction id (byte order). */
  async *postings(snapshot: Snapshot): AsyncIterable<PostedAmount[]> {
    const sql = `SELECT account_id, transaction_id, amount, currency FROM journal_entries
                 WHERE leg = 'customer' AND ${READABLE}
                 ORDER BY account_id COLLATE "C", transaction_id COLLATE "C"`;
    for await (const rows of snapshot.stream<AmountRow>(sql, BATCH)) yield rows.map(postedAmount);
  }

  /** The held and posted amounts of a subledger, in batches, by account id and row id (byte order). */
  async *amounts(snapshot: Snapshot, table: SubledgerTable): AsyncIterable<SubledgerAmount[]> {
    const sql = `${amountsSql(table)} ORDER BY account_id COLLATE "C", id COLLATE "C"`;
    for await (const rows of snapshot.stream<AmountRow & { is_posted: boolean }>(sql, BATCH)) {
      yield rows.map((row) => ({ ...postedAmount(row), isPosted: row.is_posted }));
    }
  }

  /** @throws Error when the table or one of the columns of a subledger does not exist */
  async assertReadable(table: SubledgerTable): Promise<void> {
    await this.database.query(`${amountsSql(table)} LIMIT 0`, []);
    await this.database.query(`${descriptionSql(table)} LIMIT 0`, []);
  }

  /** Entries with values that the service cannot have written. */
  async *unreadable(snapshot: Snapshot): AsyncIterable<AccountFault[]> {
    const sql = `SELECT account_id, number FROM journal_entries WHERE NOT (${READABLE})
                 ORDER BY account_id, number`;
    for await (const rows of snapshot.stream<Record<'account_id' | 'number', string>>(sql, BATCH)) {
      yield rows.map((row) => ({
        accountId: row.account_id,
        fault: `entry ${row.number}: its values are out of range`,
      }));
    }
  }

  /** One line for each trigger that should protect the journal and does not. */
  guardFaults(snapshot: Snapshot): Promise<readonly string[]> {
    return guardFaults(snapshot, journalGuards);
  }

  private describedEntry(row: EntryDescription): DescribedEntry {
    const { type, reference, counterparty } = row;
    return { ...this.table.entity(row), type, reference, counterparty };
  }
}

/** The number of the first customer entry of the account at a time or later. */
const firstFrom = (time: string): string =>
  `SELECT number FROM journal_entries WHERE account_id = $1 AND leg = 'customer' AND posted_at >= ${time}
   ORDER BY posted_at, number LIMIT 1`;

/** The number of the last customer entry of the account at a time or earlier. */
const lastUntil = (time: string): string =>
  `SELECT number FROM journal_entries WHERE account_id = $1 AND leg = 'customer' AND posted_at <= ${time}
   ORDER BY posted_at DESC, number DESC LIMIT 1`;

type AmountRow = Record<'account_id' | 'transaction_id' | 'amount' | 'currency', string>;

function postedAmount(row: AmountRow): PostedAmount {
  return {
    accountId: row.account_id,
    transactionId: row.transaction_id,
    amount: safeBigint.from(row.amount),
    currency: row.currency,
  };
}

function amountsSql({ table, direction, heldStatuses, postedStatuses }: SubledgerTable): string {
  const sign =
    direction === 'column'
      ? "CASE direction WHEN 'in' THEN 1 ELSE -1 END"
      : typeof direction === 'string'
        ? sqlSign(direction)
        : `CASE type ${Object.entries(direction)
            .map(([type, ofType]) => `WHEN ${escapeLiteral(type)} THEN ${sqlSign(ofType)}`)
            .join(' ')} END`;
  return `SELECT account_id, id AS transaction_id, amount * ${sign} AS amount, currency,
            status IN (${literals(postedStatuses)}) AS is_posted
          FROM ${escapeIdentifier(table)} WHERE status IN (${literals([...heldStatuses, ...postedStatuses])})`;
}

/** @param entries selects entries of the account `$1`. @returns the same with the columns of an {@link EntryDescription} */
function describedSql(entries: string, tables: readonly SubledgerTable[]): string {
  const described = tables.map(
    (table) => `${descriptionSql(table)} WHERE account_id = $1 AND id = entries.transaction_id`,
  );
  // The limit of the entries and this one keep to look-ups by primary key, whatever the tables contain.
  return `SELECT entries.*, described.* FROM (${entries}) AS entries
          LEFT JOIN LATERAL (${described.join(' UNION ALL ')} LIMIT 1) AS described ON true`;
}

/** The columns of an {@link EntryDescription}, of the rows of a subledger. */
function descriptionSql({ table, lines }: SubledgerTable): string {
  const { type = null, referenceColumns = [], counterpartyColumn } = lines ?? {};
  const name =
    type === null ? 'NULL' : typeof type === 'string' ? escapeLiteral(type) : escapeIdentifier(type.column);
  const references = [...referenceColumns.map(escapeIdentifier), 'NULL'];
  const counterparty = counterpartyColumn === undefined ? 'NULL' : escapeIdentifier(counterpartyColumn);
  return `SELECT ${name}::text AS type, nullif(coalesce(${references.join(', ')}), '') AS reference,
            nullif(${counterparty}::text, '') AS counterparty
          FROM ${escapeIdentifier(table)}`;
}

function sqlSign(direction: Direction): string {
  return direction === 'in' ? '1' : '-1';
}

function literals(texts: readonly string[]): string {
  return texts.map(escapeLiteral).join(', ');
}
