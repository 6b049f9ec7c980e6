import { decimalAmount } from '../../../../platform/i18n/money';
import { Statement } from '../../domain/statement';

/** A row of the table: a text for each column. */
export interface Row {
  readonly cells: readonly string[];
  readonly isBold?: true;
}

/** How many rows a statement has: its entries between the two balances. */
export const rowCountOf = ({ entryCount }: Statement): number => entryCount + 2;

export async function* rowsOf(statement: Statement): AsyncIterable<readonly Row[]> {
  const { period, openingBalance, closingBalance, totalIn, totalOut, entries, currency } = statement;
  const amount = (minorUnits: number): string => amountText(minorUnits, currency);
  yield [
    { cells: [dayOf(period.start), '', 'Opening balance', '', '', amount(openingBalance)], isBold: true },
  ];
  for await (const batch of entries)
    yield batch.map(({ postedAt, number, transactionId, amount: change, balance }): Row => {
      const [out, into] = change < 0 ? [amount(-change), ''] : ['', amount(change)];
      return { cells: [dayOf(postedAt), String(number), transactionId, out, into, amount(balance)] };
    });
  const totals = [amount(totalOut), amount(totalIn), amount(closingBalance)];
  yield [{ cells: [dayOf(period.last), '', 'Totals, closing balance', ...totals], isBold: true }];
}

export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

/** An amount as people read it, such as `1,234.50`. Intl writes other characters in other versions of Node.js. */
export function amountText(minorUnits: number, currency: string): string {
  const [whole, fraction] = decimalAmount(minorUnits, currency).split('.');
  const grouped = whole!.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
