import { XMLParser } from 'fast-xml-parser';
import Papa from 'papaparse';
import { getDocumentProxy } from 'unpdf';

/** What a statement in any format says, in minor units. */
export interface ReadStatement {
  readonly opening: number;
  readonly closing: number;
  /** Of the entries; positive amounts come in. */
  readonly amounts: readonly number[];
}

/** How other programs read each format. */
export const readers: Readonly<Record<'csv' | 'camt053' | 'pdf', (file: Buffer) => Promise<ReadStatement>>> =
  {
    csv: async (file) => {
      type Line = Record<'line' | 'amount' | 'balance', string>;
      const { data } = Papa.parse<Line>(file.toString(), { header: true, skipEmptyLines: true });
      const balance = (name: string): number => Number(data.find(({ line }) => line === name)!.balance);
      const amounts = data.filter(({ line }) => line === 'entry').map(({ amount }) => Number(amount));
      return { opening: balance('opening_balance'), closing: balance('closing_balance'), amounts };
    },
    camt053: async (file) => {
      const parser = new XMLParser({ parseTagValue: false, isArray: (name) => name === 'Ntry' });
      const { Bal: balances, Ntry: entries = [] } = parser.parse(file).Document.BkToCstmrStmt.Stmt;
      const signed = ({ Amt, CdtDbtInd }: any): number => minorUnits(Amt) * (CdtDbtInd === 'DBIT' ? -1 : 1);
      const [opening, closing] = balances.map(signed);
      return { opening, closing, amounts: entries.map(signed) };
    },
    pdf: async (file) => {
      const { rows } = await readPdf(file);
      const balanceOf = (row: readonly string[]): number => minorUnits(row.at(-1)!);
      const amounts = rows
        .slice(1, -1)
        .filter((row) => row[0] !== '') // not the second line of a row
        .map(([, , , out, into]) => (out === '' ? minorUnits(into!) : -minorUnits(out!)));
      return { opening: balanceOf(rows[0]!), closing: balanceOf(rows.at(-1)!), amounts };
    },
  };

interface PdfStatement {
  /** The texts of each page, from the top to the bottom and from the left to the right. */
  readonly pages: readonly (readonly string[])[];
  /** The rows of the table, with a text for each column. */
  readonly rows: readonly (readonly string[])[];
}

export const TITLES = ['Date', 'Line', 'Transaction', 'Money out', 'Money in', 'Balance'];
/** Where columns end or begin, in points: texts in between belong to one. */
const COLUMN_STARTS = [40, 91, 127, 279, 371, 462];

/** Reads a statement of any length with pdf.js. */
export async function readPdf(file: Uint8Array): Promise<PdfStatement> {
  const document = await getDocumentProxy(new Uint8Array(file));
  const pages: string[][] = [];
  const rows: string[][] = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    const { items } = await (await document.getPage(number)).getTextContent();
    const texts = items.flatMap((item) =>
      'str' in item && item.str.trim() !== ''
        ? [{ text: item.str, x: item.transform[4] as number, y: item.transform[5] as number }]
        : [],
    );
    pages.push(texts.map(({ text }) => text));
    const titles = texts.find(({ text }) => text === 'Balance');
    const table = texts.filter(({ y }) => y < titles!.y - 1 && y > 45);
    for (const y of new Set(table.map((one) => one.y))) {
      const row = TITLES.map(() => '');
      for (const { text, x } of table.filter((one) => one.y === y))
        row[COLUMN_STARTS.findLastIndex((start) => x >= start - 0.5)] += text;
      rows.push(row);
    }
  }
  return { pages, rows };
}

/** @param digits after the point */
export const minorUnits = (text: string, digits = 2): number => {
  const [whole, fraction = ''] = text.replaceAll(',', '').split('.');
  if (fraction.length !== digits) throw new Error(`${text} has not ${digits} decimals.`);
  return Number(whole + fraction);
};
