import { setImmediate } from 'node:timers/promises';
import { type Statement, toDay } from '../statement';
import { Canvas, type Element, LEFT, WIDTH } from './canvas.view';
import { amountText, countRows, listRows, type Row } from './statement-rows.view';

/** Where a statement has what, in points from the top left corner of a page. */
const ROW_HEIGHT = 26; // of two lines
const LINE_HEIGHT = 10;
const FOOTER_Y = 805;

const TABLE_HEADER_HEIGHT = 20;
const TABLE_BOTTOM = 792;

/** Where the header of the table is, and how many rows there are below it. */
interface Table {
  readonly y: number;
  readonly firstRowY: number;
  readonly rows: number;
}

const tableFrom = (y: number): Table => {
  const firstRowY = y + TABLE_HEADER_HEIGHT;
  return { y, firstRowY, rows: Math.floor((TABLE_BOTTOM - firstRowY) / ROW_HEIGHT) };
};

/** The first page begins with the account and the balances. */
const firstTable = tableFrom(238);
const laterTable = tableFrom(66);

/** How many pages a table of so many rows takes. */
function pagesFor(rows: number): number {
  return 1 + Math.ceil(Math.max(0, rows - firstTable.rows) / laterTable.rows);
}

/** The widths leave room for the largest amount, 90,071,992,547,409.91, and for a gap before the next column. */
const columns = [
  { title: 'Date', x: LEFT, width: 42, align: 'left' },
  { title: 'Line', x: LEFT + 50, width: 30, align: 'right' },
  { title: 'Transaction', x: LEFT + 88, width: 144, align: 'left' },
  { title: 'Money out', x: LEFT + 240, width: 83, align: 'right' },
  { title: 'Money in', x: LEFT + 331, width: 83, align: 'right' },
  { title: 'Balance', x: LEFT + 422, width: 93, align: 'right' },
] as const;
type Column = (typeof columns)[number];

/** Rows of a table whose rows and cells are tagged. The tags of a document are in memory until its end. */
const MAX_TAGGED_ROWS = 5_000;

/** Whether a cell can show a text without cutting it and with all of its characters. */
const isDrawnAsItIs = (text: string): boolean => /^[\x20-\x7e]{0,30}$/.test(text);

const toTitle = ({ accountId, period }: Statement): string =>
  `Account statement ${period.name} of ${accountId}`;

class StatementPages {
  private readonly pageCount: number;
  /** Null where the rows of a page are one paragraph, because there are too many for tags. */
  private table: Element | null = null;
  private page = 0;

  constructor(
    private readonly canvas: Canvas,
    private readonly statement: Statement,
  ) {
    this.pageCount = pagesFor(countRows(statement));
  }

  add(rows: readonly Row[]): void {
    const { canvas } = this;
    canvas.addPage();
    this.page += 1;
    const isFirst = this.page === 1;
    const place = isFirst ? firstTable : laterTable;
    if (isFirst) this.drawHead();
    else
      canvas.artifact(() =>
        canvas.text(toTitle(this.statement), { x: LEFT, y: 40, width: WIDTH, size: 8, color: 'soft' }),
      );
    this.drawColumnTitles(place);
    this.drawRows(rows, place);
    canvas.artifact(() => this.drawFooter());
  }

  /** What only the first page has: who, when, and the balances. */
  private drawHead(): void {
    const { canvas, statement } = this;
    const { accountId, accountName, currency, period } = statement;
    const { root } = canvas;
    canvas.element(root, 'H1', () =>
      canvas.text('Account statement', { x: LEFT, y: 38, width: WIDTH, size: 20, font: 'bold' }),
    );
    canvas.artifact(() => canvas.line(72));
    this.drawFact('Account holder', accountName, LEFT, 84, WIDTH);
    this.drawFact('Account', accountId, LEFT, 126, 210);
    this.drawFact('Period (UTC)', `${toDay(period.start)} to ${toDay(period.last)}`, LEFT + 228, 126, 170);
    this.drawFact('Currency', currency, LEFT + 420, 126, 90);
    canvas.artifact(() => canvas.box(LEFT, 176, WIDTH, 46));
    const balances = [
      ['Opening balance', statement.openingBalance],
      ['Money in', statement.totalIn],
      ['Money out', statement.totalOut],
      ['Closing balance', statement.closingBalance],
    ] as const;
    balances.forEach(([label, amount], index) =>
      this.drawFact(
        label,
        amountText(amount, currency),
        LEFT + 12 + (index * WIDTH) / 4,
        184,
        WIDTH / 4 - 16,
      ),
    );
  }

  private drawFact(label: string, value: string, x: number, y: number, width: number): void {
    const { canvas } = this;
    const draw = (): void => {
      canvas.text(label, { x, y, width, size: 8, color: 'soft' });
      canvas.text(value, { x, y: y + 12, width, size: 11, font: 'bold' });
    };
    canvas.element(canvas.root, 'P', draw, `${label}: ${value}`);
  }

  /** Every page has them. Screen readers get them once, as the header of one table. */
  private drawColumnTitles({ y }: Table): void {
    const { canvas } = this;
    const draw = (column: Column): void =>
      canvas.text(column.title, { ...column, y, size: 8, color: 'soft', font: 'bold' });
    const drawLine = (): void => canvas.artifact(() => canvas.line(y + 14));
    if (this.page > 1 || countRows(this.statement) > MAX_TAGGED_ROWS) {
      canvas.artifact(() => columns.forEach(draw));
      return drawLine();
    }
    this.table = canvas.group(canvas.root, 'Table');
    const row = canvas.group(this.table, 'TR');
    for (const column of columns) canvas.element(row, 'TH', () => draw(column));
    drawLine();
  }

  private drawRows(rows: readonly Row[], { firstRowY }: Table): void {
    const { canvas, table } = this;
    const draw = ({ cells, isBold }: Row, index: number, column: Column, place: number): void => {
      const [text, below] = [cells[place]!].flat();
      const y = firstRowY + index * ROW_HEIGHT;
      canvas.text(text!, { ...column, y, size: 8, font: isBold ? 'bold' : 'regular' });
      if (below !== undefined) canvas.text(below, { ...column, y: y + LINE_HEIGHT, size: 7, color: 'soft' });
    };
    canvas.artifact(() => rows.forEach((_, index) => canvas.line(firstRowY + (index + 1) * ROW_HEIGHT - 5)));
    if (table === null) {
      const drawAll = (): void =>
        rows.forEach((row, index) => columns.forEach((column, place) => draw(row, index, column, place)));
      return canvas.element(canvas.root, 'P', drawAll);
    }
    rows.forEach((row, index) => {
      const element = canvas.group(table, 'TR');
      for (const [place, column] of columns.entries()) {
        const text = [row.cells[place]!].flat().join(', ');
        const exact = isDrawnAsItIs(text) ? undefined : text;
        canvas.element(element, 'TD', () => draw(row, index, column, place), exact);
      }
    });
  }

  private drawFooter(): void {
    const { canvas } = this;
    const line = { x: LEFT, y: FOOTER_Y, width: WIDTH, size: 8, color: 'soft' } as const;
    canvas.text(toTitle(this.statement), line);
    canvas.text(`Page ${this.page} of ${this.pageCount}`, { ...line, align: 'right' });
  }
}

/**
 * Writes a statement for people, page by page. All of it but the name of the account comes from the journal, and the time
 * of the file's creation is the end of the period, so the file is the same whenever it is asked for.
 */
export async function* writePdf(statement: Statement): AsyncIterable<Uint8Array> {
  const canvas = await Canvas.open({ title: toTitle(statement), createdAt: statement.period.end });
  const pages = new StatementPages(canvas, statement);
  for await (const rows of rowsByPage(listRows(statement))) {
    pages.add(rows);
    yield canvas.take();
    await setImmediate(); // a page takes some milliseconds, and other requests wait
  }
  yield canvas.end();
}

async function* rowsByPage(batches: AsyncIterable<readonly Row[]>): AsyncIterable<readonly Row[]> {
  let page: Row[] = [];
  let capacity = firstTable.rows;
  for await (const batch of batches) {
    for (const row of batch) {
      if (page.length === capacity) {
        yield page;
        page = [];
        capacity = laterTable.rows;
      }
      page.push(row);
    }
  }
  yield page;
}
