import { StreamableFile } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import fc from 'fast-check';
import { text } from 'node:stream/consumers';
import Papa from 'papaparse';
import { listOrCsv } from '../../../src/platform/http/csv-export';
import { rounds, SEED } from '../../support/rounds';

class Item {
  @ApiProperty() id!: string;
  @ApiProperty() amount!: number;
  @ApiProperty() reference!: string;
  @ApiProperty() metadata!: Record<string, string>;
  @ApiProperty() created_at!: string;
}

const CREATED_AT = '2026-01-31T10:00:00.000Z';

async function exported(reference: string, metadata = {}): Promise<string> {
  const item = { id: 'tx_1', amount: -5, reference, metadata, created_at: CREATED_AT };
  const page = async () => ({ data: [item], has_more: false });
  const file = await listOrCsv({ itemTypes: [Item] }, { format: 'csv' }, page);
  return text((file as unknown as StreamableFile).getStream());
}

const cellsOf = (csv: string, delimiter: string): string[] =>
  Papa.parse<string[]>(csv, { delimiter, skipEmptyLines: true }).data.flat();

/** What a spreadsheet computes: a formula, also after white space, invisible characters and quotation marks. */
const isFormula = (cell: string): boolean =>
  /^[\s\p{C}\p{Z}\p{DI}\u2800"]*[=+\-@＝＋－＠]/u.test(cell) && !/^-\d+$/.test(cell);

const FORMULA = '=HYPERLINK("https://evil.example")';

describe('An export as CSV', () => {
  it.each([
    ['nothing', ''],
    ['a space', ' '],
    ['a line feed', '\n'],
    ['a carriage return', '\r'],
    ['a tab', '\t'],
    ['U+FEFF', '\ufeff'],
    ['a no-break space', '\u00a0'],
    ['a zero-width space', '\u200b'],
    ['a filler', '\u3164'],
    ['a variation selector', '\ufe0f'],
    ['a Braille blank', '\u2800'],
    ['a control character', '\u001f'],
    ['several of them', ' \ufeff\n \u200b'],
    ['a semicolon', ';'],
    ['a text and a semicolon', 'order;'],
    ['a semicolon and a space', 'order; '],
    ['a semicolon and a quotation mark', 'order;"'],
    ['a text and a tab', 'order\t'],
    ['a text and a line feed', 'order\n'],
    ['a text, a quotation mark and a line feed', 'order"\r\n '],
  ])('has no formula after %s', async (_, prefix) => {
    for (const start of ['=', '+', '-', '@', '＝', '＋', '－', '＠']) {
      const csv = await exported(prefix + FORMULA.replace('=', start), { note: prefix + FORMULA });
      for (const delimiter of [',', ';', '\t'])
        expect([delimiter, cellsOf(csv, delimiter).filter(isFormula)]).toEqual([delimiter, []]);
    }
  });

  it('has no formula, whatever a text consists of', async () => {
    const part = fc.constantFrom(...'=+-@＝;,\t\r\n "\'\ufeff\u200bax1', '\r\n', '\u{e0020}');
    const texts = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(texts, texts, async (reference, note) => {
        const csv = await exported(reference, { note });
        for (const delimiter of [',', ';', '\t'])
          expect(cellsOf(csv, delimiter).filter(isFormula)).toEqual([]);
        const [line] = Papa.parse<Record<string, string>>(csv, { header: true, delimiter: ',' }).data;
        // An apostrophe before a formula is all that differs.
        expect(line!.reference!.replaceAll("'", '')).toBe(reference.replaceAll("'", ''));
        expect(JSON.parse(line!.metadata!)).toEqual({ note });
      }),
      { seed: SEED, numRuns: rounds(2000) },
    );
  });

  it('leaves numbers, dates and other texts as they are', async () => {
    for (const reference of ['INV-1; 2 = 3', 'a=1;b=2', '1+1', "O'Neill", '2026-01-31', 'plain']) {
      const [, line] = Papa.parse<string[]>(await exported(reference, { a: 'b' })).data;
      expect(line).toEqual(['tx_1', '-5', reference, '{"a":"b"}', CREATED_AT]);
    }
  });

  it('is written in linear time', async () => {
    const started = performance.now();
    await exported(' ;\n'.repeat(30_000), { note: '; '.repeat(30_000) });
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
