/** Where a statement has what, in points from the top left corner of a page. A4 is 595.28 by 841.89 points. */
export const LEFT = 40;
export const RIGHT = 555.28;
export const WIDTH = RIGHT - LEFT;
/** Of two lines. */
export const ROW_HEIGHT = 26;
export const LINE_HEIGHT = 10;
export const FOOTER_Y = 805;

const TABLE_HEADER_HEIGHT = 20;
const TABLE_BOTTOM = 792;

/** Where the header of the table is, and how many rows there are below it. */
export interface Table {
  readonly y: number;
  readonly firstRowY: number;
  readonly rows: number;
}

const tableFrom = (y: number): Table => {
  const firstRowY = y + TABLE_HEADER_HEIGHT;
  return { y, firstRowY, rows: Math.floor((TABLE_BOTTOM - firstRowY) / ROW_HEIGHT) };
};

/** The first page begins with the account and the balances. */
export const firstTable = tableFrom(238);
export const laterTable = tableFrom(66);

/** How many pages a table of so many rows takes. */
export function pagesFor(rows: number): number {
  return 1 + Math.ceil(Math.max(0, rows - firstTable.rows) / laterTable.rows);
}

export interface Column {
  readonly title: string;
  readonly x: number;
  readonly width: number;
  readonly align: 'left' | 'right';
}

/** The widths leave room for the largest amount, 90,071,992,547,409.91. */
const widths = [
  ['Date', 50, 'left'],
  ['Line', 38, 'right'],
  ['Transaction', 152, 'left'],
  ['Money out', 91, 'right'],
  ['Money in', 91, 'right'],
  ['Balance', 93, 'right'],
] as const;

/** Between the end of a column and the beginning of the next one. */
const GAP = 8;

export const columns: readonly Column[] = widths.map(([title, width, align], index) => ({
  title,
  x: LEFT + widths.slice(0, index).reduce((sum, [, each]) => sum + each, 0),
  width: width - (index === widths.length - 1 ? 0 : GAP),
  align,
}));
