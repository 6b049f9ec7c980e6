import type { Statement } from '../../domain/statement';
import type { Canvas, Element } from './canvas';
import type { Column, Table } from './layout';
import {
  columns,
  firstTable,
  FOOTER_Y,
  laterTable,
  LEFT,
  LINE_HEIGHT,
  pagesFor,
  ROW_HEIGHT,
  WIDTH,
} from './layout';
import type { Row } from './statement-rows';
import { amountText, dayOf, rowCountOf } from './statement-rows';

/** Rows of a table whose rows and cells are tagged. The tags of a document are in memory until its end. */
const MAX_TAGGED_ROWS = 5_000;

/** Whether a cell can show a text without cutting it and with all of its characters. */
const isDrawnAsItIs = (text: string): boolean => /^[\x20-\x7e]{0,30}$/.test(text);

/** Draws the pages of a statement. */
export class StatementPages {
  private readonly pageCount: number;
  /** Null where the rows of a page are one paragraph, because there are too many for tags. */
  private table: Element | null = null;
  private page = 0;

  constructor(
    private readonly canvas: Canvas,
    private readonly statement: Statement,
  ) {
    this.pageCount = pagesFor(rowCountOf(statement));
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
        canvas.text(this.title, { x: LEFT, y: 40, width: WIDTH, size: 8, color: 'soft' }),
      );
    this.drawColumnTitles(place);
    this.drawRows(rows, place);
    canvas.artifact(() => this.drawFooter());
  }

  private get title(): string {
    const { accountId, period } = this.statement;
    return `Account statement ${period.name} of ${accountId}`;
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
    this.drawFact('Period (UTC)', `${dayOf(period.start)} to ${dayOf(period.last)}`, LEFT + 228, 126, 170);
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
    if (this.page > 1 || rowCountOf(this.statement) > MAX_TAGGED_ROWS) {
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
    canvas.text(this.title, line);
    canvas.text(`Page ${this.page} of ${this.pageCount}`, { ...line, align: 'right' });
  }
}
