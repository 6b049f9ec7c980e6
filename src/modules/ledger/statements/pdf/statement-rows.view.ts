import { decimalAmount } from '../../../../platform/i18n/formats';
import type { DescribedEntry } from '../../entry';
import { type Statement, toDay } from '../statement';

/** A row of the table: for each column a text, or a text and another one below it. */
export interface Row {
  readonly cells: readonly (string | readonly [text: string, below: string])[];
  readonly isBold?: true;
}

/** How many rows a statement has: its entries between the two balances. */
export const countRows = ({ entryCount }: Statement): number => entryCount + 2;

export async function* listRows(statement: Statement): AsyncIterable<readonly Row[]> {
  const { period, openingBalance, closingBalance, totalIn, totalOut, entries, currency } = statement;
  const amount = (minorUnits: number): string => amountText(minorUnits, currency);
  yield [
    { cells: [toDay(period.start), '', 'Opening balance', '', '', amount(openingBalance)], isBold: true },
  ];
  let line = 0;
  for await (const batch of entries)
    yield batch.map((entry): Row => {
      const { postedAt, amount: change, balance } = entry;
      const [out, into] = change < 0 ? [amount(-change), ''] : ['', amount(change)];
      line += 1;
      return {
        cells: [toDay(postedAt), String(line), describeTransaction(entry), out, into, amount(balance)],
      };
    });
  const totals = [amount(totalOut), amount(totalIn), amount(closingBalance)];
  yield [{ cells: [toDay(period.last), '', 'Totals, closing balance', ...totals], isBold: true }];
}

/** Its type, reference and other side, as far as they are known, such as `Payment invoice-2041`, and its id. */
function describeTransaction(entry: DescribedEntry): Row['cells'][number] {
  const { transactionId, type, reference, counterparty } = entry;
  const name = type && type.charAt(0).toUpperCase() + type.slice(1).replaceAll('_', ' ');
  const named = [name, reference].filter((part) => part !== null).join(' ');
  const text = [named, counterparty].filter(Boolean).join(', ');
  return text === '' ? transactionId : [text, transactionId];
}

/** An amount as people read it, such as `1,234.50`. Intl writes other characters in other versions of Node.js. */
export function amountText(minorUnits: number, currency: string): string {
  const [whole, fraction] = decimalAmount(minorUnits, currency).split('.');
  const grouped = whole!.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
