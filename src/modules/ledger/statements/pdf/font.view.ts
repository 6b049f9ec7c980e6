import { inflateSync } from 'node:zlib';

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
    let width = glyphs.reduce((sum, glyph) => sum + glyph.width, 0);
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

/** The lengths of the headers of a file and of its entry about a table, in bytes. */
const WOFF_HEADER = 44;
const WOFF_ENTRY = 20;
const SFNT_HEADER = 12;
const SFNT_ENTRY = 16;

const aligned = (length: number): number => Math.ceil(length / 4) * 4;

/**
 * Unpacks a font from WOFF 1.0 to the TrueType or OpenType font that it contains. fontkit reads WOFF too, but inflates the
 * outlines again for every glyph, which takes a hundred times as long.
 */
export function unpackWoff(woff: Buffer): Buffer {
  const count = woff.readUInt16BE(12);
  const tables = Array.from({ length: count }, (_, index) => {
    const entry = woff.subarray(WOFF_HEADER + index * WOFF_ENTRY, WOFF_HEADER + (index + 1) * WOFF_ENTRY);
    const [offset, packed, length] = [4, 8, 12].map((position) => entry.readUInt32BE(position)) as [
      number,
      number,
      number,
    ];
    const content = woff.subarray(offset, offset + packed);
    const table = packed < length ? inflateSync(content) : content;
    return { tag: entry.subarray(0, 4), checksum: entry.subarray(16, 20), table };
  });
  const header = Buffer.alloc(SFNT_HEADER + count * SFNT_ENTRY);
  woff.copy(header, 0, 4, 8); // the flavor
  header.writeUInt16BE(count, 4); // what follows is for a binary search, which readers do not need
  const parts: Uint8Array[] = [header];
  let offset = header.length;
  for (const [index, { tag, checksum, table }] of tables.entries()) {
    const position = SFNT_HEADER + index * SFNT_ENTRY;
    tag.copy(header, position);
    checksum.copy(header, position + 4);
    header.writeUInt32BE(offset, position + 8);
    header.writeUInt32BE(table.length, position + 12);
    parts.push(table, Buffer.alloc(aligned(table.length) - table.length));
    offset += aligned(table.length);
  }
  return Buffer.concat(parts);
}
