import { EntitySchema } from 'typeorm';
import { safeBigint } from '../../../platform/database/table';
import type { TableGuards } from '../../../platform/database/migrations/table-guards';
import { Entry } from '../domain/entry';

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
