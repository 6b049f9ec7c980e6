import { readFile } from 'node:fs/promises';
import { displayText } from '../../../../kernel/text';
import { EmbeddedFont, type PdfkitFont, unpackWoff } from './font.view';

/** The margins of A4 pages of 595.28 by 841.89 points. */
export const LEFT = 40;
const RIGHT = 555.28;
export const WIDTH = RIGHT - LEFT;

const fontFiles = {
  regular: require.resolve('roboto-fontface/fonts/roboto/Roboto-Regular.woff'),
  bold: require.resolve('roboto-fontface/fonts/roboto/Roboto-Medium.woff'),
} as const;

type FontName = keyof typeof fontFiles;

const colors = { text: '#1b2330', soft: '#56606d', line: '#dfe3e8', box: '#f2f4f7' } as const;

/** A part of the logical structure of a document, such as a heading or a cell, as screen readers see it. */
export type Element = PDFKit.PDFStructureElement;

/** Where and how a line of text is drawn. */
interface TextOptions {
  readonly x: number;
  readonly y: number;
  /** What does not fit is cut. */
  readonly width: number;
  readonly size: number;
  readonly font?: FontName;
  readonly color?: 'text' | 'soft';
  readonly align?: 'left' | 'right';
}

interface DocumentOptions {
  readonly title: string;
  /** The time of the file's creation. Documents with the same content and time are the same file. */
  readonly createdAt: Date;
}

/** A tagged PDF document of A4 pages. What is finished of it can be taken before the rest is drawn. */
export class Canvas {
  readonly root: Element;

  private constructor(
    private readonly pdf: PDFKit.PDFDocument,
    private readonly fonts: Readonly<Record<FontName, EmbeddedFont>>,
  ) {
    this.root = pdf.struct('Document');
    pdf.addStructure(this.root);
  }

  static async open({ title, createdAt }: DocumentOptions): Promise<Canvas> {
    const { default: PdfDocument } = await import('pdfkit');
    const pdf = new PdfDocument({
      size: 'A4',
      margin: 0,
      autoFirstPage: false,
      font: '', // none but those below
      pdfVersion: '1.7',
      tagged: true,
      lang: 'en',
      displayTitle: true,
      compress: false, // zlib does not write the same bytes in every version of Node.js and on every processor
      fontLayoutCache: false, // would keep every word
      info: { Title: title, CreationDate: createdAt, Creator: 'Countinghouse', Producer: 'Countinghouse' },
    });
    const embedded = async (name: FontName): Promise<EmbeddedFont> => {
      pdf.registerFont(name, unpackWoff(await readFile(fontFiles[name])));
      const { _font: font } = pdf.font(name) as unknown as { _font: PdfkitFont };
      return new EmbeddedFont(font);
    };
    return new Canvas(pdf, { regular: await embedded('regular'), bold: await embedded('bold') });
  }

  addPage(): void {
    this.pdf.addPage();
    // A page knows the fonts of what pdfkit has drawn on it, if only a blank.
    const blank = (name: string): unknown => this.pdf.font(name).text(' ', 0, 0, { lineBreak: false });
    this.artifact(() => Object.keys(fontFiles).forEach(blank));
  }

  /** Returns the bytes of all pages before the present one that have not been taken. */
  take(): Uint8Array {
    return (this.pdf.read() as Uint8Array | null) ?? new Uint8Array();
  }

  /** Ends the document, and returns the rest of its bytes. */
  end(): Uint8Array {
    this.pdf.end();
    return this.take();
  }

  /** Adds an element for which nothing is drawn by itself, such as a table or a row. */
  group(parent: Element, type: string): Element {
    const element = this.pdf.struct(type);
    parent.add(element);
    return element;
  }

  /** Adds an element and draws it. @param text what it says, where that is more than what is drawn */
  element(parent: Element, type: string, draw: () => void, text?: string): void {
    const options = {
      ...(text !== undefined && { actual: text }),
      ...(type === 'TH' && { scope: 'Column' }),
    };
    parent.add(this.pdf.struct(type, options, draw));
  }

  /** Draws what repeats itself or decorates the page, which screen readers leave out. */
  artifact(draw: () => void): void {
    this.pdf.markContent('Artifact', { type: 'Pagination' });
    draw();
    this.pdf.endMarkedContent();
  }

  text(
    value: string,
    { x, y, width, size, font: name = 'regular', color = 'text', align = 'left' }: TextOptions,
  ): void {
    const { pdf } = this;
    const font = this.fonts[name];
    const { codes, width: used } = font.encode(displayText(value), (width * 1_000) / size);
    const start = align === 'left' ? x : x + width - (used * size) / 1_000;
    const baseline = y + (font.font.ascender * size) / 1_000;
    pdf.fillColor(colors[color]);
    const { id } = font.font;
    // The axes of pages point down, those of texts up.
    pdf.addContent(
      `BT /${id} ${size} Tf 1 0 0 -1 ${start.toFixed(2)} ${baseline.toFixed(2)} Tm <${codes}> Tj ET`,
    );
  }

  line(y: number): void {
    this.pdf.moveTo(LEFT, y).lineTo(RIGHT, y).lineWidth(0.5).strokeColor(colors.line).stroke();
  }

  box(x: number, y: number, width: number, height: number): void {
    this.pdf.roundedRect(x, y, width, height, 4).fill(colors.box);
  }
}
