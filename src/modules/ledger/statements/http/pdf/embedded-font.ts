/** The parts of a font of pdfkit that its types do not have. They are not documented, so its version is pinned. */
export interface PdfkitFont {
  /** By which the content of a page names it. */
  readonly id: string;
  readonly ascender: number;
  /** Returns the codes of a text, in hexadecimal digits, and the widths in thousandths of the size. */
  encode(text: string): [codes: readonly string[], widths: readonly { readonly advanceWidth: number }[]];
}

interface Glyph {
  readonly code: string;
  readonly width: number;
}

/** A text in the codes of a font, and its width in thousandths of the size. */
export interface EncodedText {
  readonly codes: string;
  readonly width: number;
}

/** The code of what a font does not have. */
const MISSING = '0000';

/**
 * Encodes texts character by character. pdfkit shapes every text again, with kerning and ligatures, which takes ten times as
 * long and is not needed for names, ids and amounts in the scripts of the font.
 */
export class EmbeddedFont {
  private readonly glyphs = new Map<string, Glyph>();

  constructor(readonly font: PdfkitFont) {}

  /**
   * Encodes what fits into a width, in thousandths of the size: all of the text, or its beginning and `…`. A character that
   * the font does not have becomes `?`.
   */
  encode(text: string, maxWidth: number): EncodedText {
    const glyphs = Array.from(text, (character) => this.glyph(character));
    const widthOf = (some: readonly Glyph[]): number => some.reduce((sum, { width }) => sum + width, 0);
    let width = widthOf(glyphs);
    if (width > maxWidth) {
      const ellipsis = this.glyph('…');
      while (glyphs.length > 0 && width + ellipsis.width > maxWidth) width -= glyphs.pop()!.width;
      glyphs.push(ellipsis);
      width += ellipsis.width;
    }
    return { codes: glyphs.map(({ code }) => code).join(''), width };
  }

  private glyph(character: string): Glyph {
    const known = this.glyphs.get(character);
    if (known !== undefined) return known;
    const [[code = MISSING], [position]] = this.font.encode(character);
    const glyph =
      code === MISSING && character !== '?' ? this.glyph('?') : { code, width: position!.advanceWidth };
    this.glyphs.set(character, glyph);
    return glyph;
  }
}
