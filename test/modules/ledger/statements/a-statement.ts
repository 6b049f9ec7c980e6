import { DescribedEntry, Entry } from '../../../../src/modules/ledger/entry';
import { Period, Statement } from '../../../../src/modules/ledger/statements/statement';

/** What tests of formats choose. Positive amounts come in, negative ones go out. */
interface StatementContent {
  readonly amounts?: readonly number[];
  readonly opening?: number;
  readonly period?: string;
  readonly currency?: string;
  readonly accountName?: string;
  /** By default `txn_1` and so on. */
  readonly transactionIds?: readonly string[];
  /** By default null. */
  readonly types?: readonly string[];
  readonly references?: readonly string[];
  readonly counterparties?: readonly string[];
}

export const ACCOUNT_ID = 'acc_01k9x8v2t4e6rb3m5n7p9q1s0w';

/** A statement whose entries are a second apart, and in batches as the journal has them. */
export function aStatement({
  amounts = [],
  opening = 0,
  period: name = '2026-10',
  currency = 'EUR',
  accountName = 'Lovelace Ltd',
  transactionIds = [],
  types = [],
  references = [],
  counterparties = [],
}: StatementContent = {}): Statement {
  const period = Period.parse(name)!;
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  let balance = opening;
  const entries = amounts.map((amount, index): DescribedEntry => {
    balance += amount;
    const fields = {
      accountId: ACCOUNT_ID,
      number: 2 * index + 1,
      transactionId: transactionIds[index] ?? `txn_${index + 1}`,
      amount,
      currency,
      balance,
      postedAt: new Date(period.start.getTime() + (index + 1) * 1_000),
    };
    const description = {
      type: types[index] ?? null,
      reference: references[index] ?? null,
      counterparty: counterparties[index] ?? null,
    };
    return { ...Entry.create({ ...fields, leg: 'customer' }, null), ...description };
  });
  async function* batches(): AsyncIterable<readonly DescribedEntry[]> {
    for (let start = 0; start < entries.length; start += 1_000) yield entries.slice(start, start + 1_000);
  }
  return {
    accountId: ACCOUNT_ID,
    accountName,
    currency,
    period,
    openingBalance: opening,
    closingBalance: balance,
    totalIn: sum(amounts.filter((amount) => amount > 0)),
    totalOut: -sum(amounts.filter((amount) => amount < 0)),
    entryCount: entries.length,
    entries: batches(),
  };
}

/** A statement as a program writes it. */
export async function written(parts: AsyncIterable<string | Uint8Array>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const part of parts) chunks.push(Buffer.from(part as string));
  return Buffer.concat(chunks);
}
