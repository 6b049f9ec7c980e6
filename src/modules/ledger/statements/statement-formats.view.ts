import { stringify } from 'csv-stringify/sync';
import { spreadsheetText } from '../../../platform/http/csv-export';
import type { Statement } from './statement';
import { writeCamt053 } from './camt053.view';
import { writePdf } from './pdf/statement-pdf.view';
import { statementEntryResponse, statementSummary } from './statements.dto';

/** How a statement is written: piece by piece, so that one of a million entries takes no more memory than a short one. */
export interface StatementFormat {
  readonly mediaType: string;
  /** Of the file; none where the response is shown instead. */
  readonly extension?: string;
  readonly write: (statement: Statement) => AsyncIterable<string | Uint8Array>;
}

export const statementFormats = {
  json: { mediaType: 'application/json; charset=utf-8', write: writeJson },
  csv: { mediaType: 'text/csv; charset=utf-8; header=present', extension: 'csv', write: writeCsv },
  camt053: { mediaType: 'application/xml; charset=utf-8', extension: 'xml', write: writeCamt053 },
  pdf: { mediaType: 'application/pdf', extension: 'pdf', write: writePdf },
} as const satisfies Record<string, StatementFormat>;

async function* writeJson(statement: Statement): AsyncIterable<string> {
  yield `${JSON.stringify(statementSummary(statement)).slice(0, -1)},"entries":[`;
  let separator = '';
  for await (const entries of statement.entries) {
    yield separator + entries.map((entry) => JSON.stringify(statementEntryResponse(entry))).join(',');
    separator = ',';
  }
  yield ']}';
}

const columns = [
  ...['line', 'number', 'posted_at', 'transaction_id', 'amount', 'currency', 'balance'],
  ...['type', 'reference', 'counterparty'],
] as const;
type Line = Partial<Record<(typeof columns)[number], string | number | null>>;

/** One line for the opening balance, one for each entry, and one for the closing balance. */
async function* writeCsv(statement: Statement): AsyncIterable<string> {
  const { currency, openingBalance, closingBalance, period, entries } = statement;
  const write = (lines: readonly Line[], header = false): string =>
    stringify([...lines], { columns, header, cast: { string: spreadsheetText } });
  const balance = (line: string, posted_at: Date, amount: number): Line => ({
    line,
    posted_at: posted_at.toISOString(),
    currency,
    balance: amount,
  });
  yield write([balance('opening_balance', period.start, openingBalance)], true);
  for await (const batch of entries)
    yield write(batch.map((entry) => ({ line: 'entry', currency, ...statementEntryResponse(entry) })));
  yield write([balance('closing_balance', period.last, closingBalance)]);
}
