import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Database } from '../../../platform/database/database';
import { Snapshot } from '../../../platform/database/snapshot';
import { safeBigint, Table } from '../../../platform/database/table';
import { Tx } from '../../../platform/database/tx';
import { Entry } from '../domain/entry';
import { JournalRepository } from '../domain/journal.repository';
import { AccountFault, Moved } from '../domain/journal-sources';
import { entrySchema } from './entry.schema';

/** What the service itself can have written; anything else would stop a walk instead of being reported by it. */
const READABLE = `amount BETWEEN -9007199254740991 AND 9007199254740991
  AND balance BETWEEN -9007199254740991 AND 9007199254740991 AND isfinite(posted_at)`;

/** Rows that a walk holds at a time. */
const BATCH = 5_000;

@Injectable()
export class TypeormJournalRepository extends JournalRepository {
  private readonly table: Table<Entry>;

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
  ) {
    super();
    this.table = new Table(dataSource, entrySchema);
  }

  append(tx: Tx, entries: readonly Entry[]): void {
    tx.insert(this.table.insert(...entries));
  }

  async postedAt(accountId: string, at: Date): Promise<number> {
    const sql = `SELECT balance FROM journal_entries WHERE account_id = $1 AND leg = 'customer' AND posted_at <= $2
                 ORDER BY posted_at DESC, number DESC LIMIT 1`;
    const [last] = await this.database.read<{ balance: string }>(sql, [accountId, at]);
    return last ? safeBigint.from(last.balance) : 0;
  }

  async *stream(snapshot: Snapshot): AsyncIterable<Entry[]> {
    const sql = `SELECT ${this.table.columns} FROM journal_entries WHERE ${READABLE}
                 ORDER BY account_id COLLATE "C", number`;
    for await (const rows of snapshot.stream(sql, BATCH)) yield rows.map((row) => this.table.entity(row));
  }

  async *postings(snapshot: Snapshot): AsyncIterable<Moved[]> {
    const sql = `SELECT account_id, transaction_id, amount, currency FROM journal_entries
                 WHERE leg = 'customer' AND ${READABLE}
                 ORDER BY account_id COLLATE "C", transaction_id COLLATE "C"`;
    for await (const rows of snapshot.stream<
      Record<'account_id' | 'transaction_id' | 'amount' | 'currency', string>
    >(sql, BATCH)) {
      yield rows.map((row) => ({
        accountId: row.account_id,
        transactionId: row.transaction_id,
        amount: safeBigint.from(row.amount),
        currency: row.currency,
      }));
    }
  }

  async *unreadable(snapshot: Snapshot): AsyncIterable<AccountFault[]> {
    const sql = `SELECT account_id, number FROM journal_entries WHERE NOT (${READABLE})
                 ORDER BY account_id, number`;
    for await (const rows of snapshot.stream<Record<'account_id' | 'number', string>>(sql, BATCH)) {
      yield rows.map((row) => ({
        accountId: row.account_id,
        fault: `entry ${row.number}: it holds what no entry can`,
      }));
    }
  }

  async isGuarded(snapshot: Snapshot): Promise<boolean> {
    const sql = `SELECT tgname FROM pg_trigger WHERE tgrelid = 'journal_entries'::regclass AND tgenabled = 'O'
                 AND tgname IN ('journal_append_only', 'journal_balanced')`;
    let guards = 0;
    for await (const rows of snapshot.stream(sql, BATCH)) guards += rows.length;
    return guards === 2;
  }
}
