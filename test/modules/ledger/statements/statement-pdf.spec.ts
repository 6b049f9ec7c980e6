import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { getDocumentProxy } from 'unpdf';
import { writePdf } from '../../../../src/modules/ledger/statements/pdf/statement-pdf.view';
import { SEED } from '../../../support/rounds';
import { ACCOUNT_ID, aStatement, written } from './a-statement';
import { minorUnits, readPdf, TITLES } from './statement-readers';

type Content = Parameters<typeof aStatement>[0];

const pdf = async (content?: Content): Promise<Buffer> => written(writePdf(aStatement(content)));

describe('A statement as PDF', () => {
  it('shows the account, the period, the balances, and each entry with the balance after it', async () => {
    const { pages, rows } = await readPdf(
      await pdf({ opening: 123_456_789, amounts: [1_250, -50], transactionIds: ['txn_in', 'txn_out'] }),
    );
    expect(pages).toHaveLength(1);
    expect(pages[0]).toEqual(
      expect.arrayContaining([
        'Account statement',
        ...['Account holder', 'Lovelace Ltd', 'Account', ACCOUNT_ID],
        ...['Period (UTC)', '2026-10-01 to 2026-10-31', 'Currency', 'EUR'],
        ...['Money in', '12.50', 'Money out', '0.50'],
        `Account statement 2026-10 of ${ACCOUNT_ID}`,
        'Page 1 of 1',
        ...TITLES,
      ]),
    );
    expect(rows).toEqual([
      ['2026-10-01', '', 'Opening balance', '', '', '1,234,567.89'],
      ['2026-10-01', '1', 'txn_in', '', '12.50', '1,234,580.39'],
      ['2026-10-01', '2', 'txn_out', '0.50', '', '1,234,579.89'],
      ['2026-10-31', '', 'Totals, closing balance', '0.50', '12.50', '1,234,579.89'],
    ]);
  });

  it.each([
    ['JPY', 0, '9,007,199,254,740,991'],
    ['EUR', 2, '90,071,992,547,409.91'],
    ['KWD', 3, '9,007,199,254,740.991'],
    ['CLF', 4, '900,719,925,474.0991'],
  ])('has amounts in %s with %i decimals, also the largest', async (currency, _, largest) => {
    const { pages, rows } = await readPdf(await pdf({ currency, amounts: [Number.MAX_SAFE_INTEGER] }));
    expect(rows.at(-1)!.slice(-2)).toEqual([largest, largest]);
    expect(pages[0]!.filter((text) => text === largest)).toHaveLength(6);
  });

  it('has entries that lead from the opening to the closing balance, and every one once, on any number of pages', async () => {
    const amounts = fc.array(fc.integer({ min: 1, max: 1e12 }), { maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(amounts, fc.integer({ min: 0, max: 1e12 }), async (list, opening) => {
        const { pages, rows } = await readPdf(await pdf({ opening, amounts: list }));
        let balance = opening;
        const entries = rows.slice(1, -1);
        expect(entries.map((row) => row[1])).toEqual(list.map((__, index) => `${index + 1}`));
        for (const [index, [, , , , money, after]] of entries.entries()) {
          balance += list[index]!;
          expect([minorUnits(money!), minorUnits(after!)]).toEqual([list[index], balance]);
        }
        expect([rows[0]!.at(-1), rows.at(-1)!.at(-1)].map((text) => minorUnits(text!))).toEqual([
          opening,
          balance,
        ]);
        pages.forEach((texts, index) => {
          expect(texts).toEqual(expect.arrayContaining([...TITLES, `Page ${index + 1} of ${pages.length}`]));
        });
      }),
      { seed: SEED, numRuns: 10 },
    );
  });

  it.each([
    ['of other scripts', 'Ωμέγα Чёрный Żółć Nguyễn', 'Ωμέγα Чёрный Żółć Nguyễn'],
    ['with characters that the font lacks', 'A 日本 B', 'A ?? B'],
    ['with controls and other directions', 'a\u202eb\u0000c\nd\ud800', 'ab c d?'],
    ['like syntax of PDF', '(Tj) ET\\ << /Name >> %', '(Tj) ET\\ << /Name >> %'],
  ])('shows names %s', async (_, accountName, shown) => {
    const { pages } = await readPdf(await pdf({ accountName }));
    expect(pages[0]!.join('|')).toContain(`Account holder|${shown}|`);
  });

  it('cuts what is too long for its place', async () => {
    const { pages, rows } = await readPdf(
      await pdf({ accountName: 'W'.repeat(255), amounts: [1], transactionIds: ['x'.repeat(500)] }),
    );
    expect(pages[0]!.find((text) => text.startsWith('WWW'))!.length).toBeLessThan(60);
    expect(rows[1]![2]).toMatch(/^x{20,45}…$/);
  });

  it('shows the type and the reference of a transaction above its id, and cuts long ones', async () => {
    const { rows } = await readPdf(
      await pdf({
        amounts: [1, 2, 3],
        types: ['payment', 'bank_fee', 'credit'],
        references: ['invoice-2041', 'Ω\n7', 'x'.repeat(255)],
      }),
    );
    const texts = rows.map((row) => row[2]);
    expect(texts.slice(1, 5)).toEqual(['Payment invoice-2041', 'txn_1', 'Bank fee Ω 7', 'txn_2']);
    expect(texts[5]).toMatch(/^Credit x{20,45}…$/);
    expect(texts[6]).toBe('txn_3');
  });

  it('shows the other side beside the reference', async () => {
    const types = ['transfer', 'transfer'];
    const counterparties = ['Market Hall', 'Corner Shop'];
    const { rows } = await readPdf(
      await pdf({ amounts: [1, 2], types, references: ['rent'], counterparties }),
    );
    const shown = ['Transfer rent, Market Hall', 'txn_1', 'Transfer, Corner Shop', 'txn_2'];
    expect(rows.map((row) => row[2]).slice(1, 5)).toEqual(shown);
  });

  it('has a title, a language and tags, with one table whose header is not repeated', async () => {
    const document = await getDocumentProxy(
      new Uint8Array(await pdf({ amounts: Array.from({ length: 40 }, () => 1) })),
    );
    const { info } = await document.getMetadata();
    expect(info).toMatchObject({ Title: `Account statement 2026-10 of ${ACCOUNT_ID}`, Language: 'en' });
    expect(await document.getMarkInfo()).toMatchObject({ Marked: true });
    const roles = async (number: number): Promise<string[]> => {
      const tree = await (await document.getPage(number)).getStructTree();
      // The elements of other pages are in the tree too, without content.
      const rolesIn = ({ role, children = [] }: any): string[] => [
        ...(children.some(({ type }: any) => type === 'content') ? [role] : []),
        ...children.flatMap(rolesIn),
      ];
      return rolesIn(tree);
    };
    expect(document.numPages).toBe(2);
    const [first, second] = [await roles(1), await roles(2)];
    expect(first.slice(0, 2)).toEqual(['H1', 'P']);
    expect(first.filter((role) => role === 'TH')).toHaveLength(TITLES.length);
    expect(second).not.toContain('TH');
    expect([...first, ...second].filter((role) => role === 'TD')).toHaveLength(42 * TITLES.length);
  });

  it('is the same file for the same content, in every version of Node.js', async () => {
    const file = await pdf({ amounts: [1_250, -50] });
    expect(await pdf({ amounts: [1_250, -50] })).toEqual(file);
    expect(createHash('sha256').update(file).digest('hex')).toBe(
      '0e34aba1233ea05657db37b90e4f063b7cf49dd1c2c7af7b4073c0724223af7e',
    );
  });

  it('is sent page by page, and has no tags for thousands of rows', async () => {
    const amounts = Array.from({ length: 6_000 }, () => 1);
    const sizes: number[] = [];
    for await (const part of writePdf(aStatement({ amounts }))) sizes.push(part.length);
    expect(sizes.length).toBeGreaterThan(130);
    expect(Math.max(...sizes.slice(0, -1))).toBeLessThan(200_000);
  });
});
