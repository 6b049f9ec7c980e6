import { XMLParser } from 'fast-xml-parser';
import fc from 'fast-check';
import { writeCamt053 } from '../../../../src/modules/ledger/statements/camt053.view';
import { camt053Violations, describeWithCamt053Schema } from '../../../support/camt053-schema';
import { SEED } from '../../../support/rounds';
import { aStatement, written } from './a-statement';

const MAX_AMOUNT = Number.MAX_SAFE_INTEGER;

type Content = Parameters<typeof aStatement>[0];

const message = async (content?: Content): Promise<string> =>
  (await written(writeCamt053(aStatement(content)))).toString();

/** What an extension may call a transaction. */
const HOSTILE_IDS = [
  'x'.repeat(200),
  `${'x'.repeat(34)}\u{1f600}`,
  '<Ntry>&"\'</Ntry>]]>',
  'a\u0000b\u0001c\u001f\ufffe\uffff',
  'lone \ud800 and \udc00',
  '名前\n\t 42',
];

describe('A statement as camt.053', () => {
  it('has ids of at most 35 characters that XML can contain, whatever an extension calls its transactions', async () => {
    const xml = await message({ amounts: HOSTILE_IDS.map(() => 5), transactionIds: HOSTILE_IDS });
    const parser = new XMLParser({ parseTagValue: false, trimValues: false, htmlEntities: true });
    const entries: { AcctSvcrRef: string }[] = parser.parse(xml).Document.BkToCstmrStmt.Stmt.Ntry;
    expect(entries.map(({ AcctSvcrRef: id }) => id)).toEqual([
      'x'.repeat(35),
      `${'x'.repeat(34)}\u{1f600}`,
      '<Ntry>&"\'</Ntry>]]>',
      'a\ufffdb\ufffdc\ufffd\ufffd\ufffd',
      'lone \ufffd and \ufffd',
      '名前\n\t 42',
    ]);
  });
});

describe('References in camt.053', () => {
  it('are in full, in parts of at most 140 characters that XML can contain, with the type of the transaction', async () => {
    const references = [...HOSTILE_IDS, '=1+1', `${'r'.repeat(139)}\u{1f600}${'s'.repeat(115)}`];
    const types = references.map((_, index) => (index === 0 ? '<payment>' : 'credit'));
    const xml = await message({ amounts: references.map(() => -5), references, types });
    const parser = new XMLParser({
      parseTagValue: false,
      trimValues: false,
      htmlEntities: true,
      isArray: (name) => name === 'Ustrd',
    });
    const entries: any[] = parser.parse(xml).Document.BkToCstmrStmt.Stmt.Ntry;
    const shown = entries.map(({ NtryDtls }): string[] => NtryDtls.TxDtls.RmtInf.Ustrd);
    expect(shown.map((each) => each.join(''))).toEqual(references.map(inXml));
    expect(shown.at(-1)).toEqual([`${'r'.repeat(139)}\u{1f600}`, 's'.repeat(115)]);
    expect(entries.map(({ AddtlNtryInf: type }) => type)).toEqual(types);
  });

  it('are left out where there are none', async () => {
    expect(await message({ amounts: [5] })).not.toMatch(/NtryDtls|AddtlNtryInf/);
  });
});

describe('The other side in camt.053', () => {
  it('is the creditor of what goes out and the debtor of what comes in, by at most 140 characters', async () => {
    const counterparties = ['Market Hall', 'n'.repeat(141), ...HOSTILE_IDS];
    const amounts = counterparties.map((_, index) => (index === 0 ? -5 : 5));
    const xml = await message({ amounts, counterparties, references: ['rent'] });
    const parser = new XMLParser({ parseTagValue: false, trimValues: false, htmlEntities: true });
    const [first, ...others]: any[] = parser.parse(xml).Document.BkToCstmrStmt.Stmt.Ntry;
    expect(first.NtryDtls.TxDtls).toMatchObject({
      CdtDbtInd: 'DBIT',
      RltdPties: { Cdtr: { Pty: { Nm: 'Market Hall' } } },
      RmtInf: { Ustrd: 'rent' },
    });
    expect(Object.keys(first.NtryDtls.TxDtls)).toEqual(['Amt', 'CdtDbtInd', 'RltdPties', 'RmtInf']);
    expect(others.map(({ NtryDtls }) => NtryDtls.TxDtls.RltdPties.Dbtr.Pty.Nm)).toEqual(
      counterparties.slice(1).map((name) => Array.from(inXml(name)).slice(0, 140).join('')),
    );
  });
});

/** What becomes of a text in an XML document. */
const inXml = (text: string): string =>
  ['\0', '\u{1}', '\u{1f}', '\u{fffe}', '\u{ffff}'].reduce(
    (shown, character) => shown.replaceAll(character, '\ufffd'),
    text.toWellFormed(),
  );

describeWithCamt053Schema('A statement as camt.053 is valid against the schema', () => {
  const valid: [string, Content][] = [
    ['without entries', {}],
    ['of a year, a month and a day', { amounts: [1, -1] }],
    ['with the largest amounts', { amounts: [MAX_AMOUNT, -MAX_AMOUNT, MAX_AMOUNT] }],
    ['of a currency without decimals', { amounts: [100, -7], currency: 'JPY' }],
    ['of a currency with three decimals', { amounts: [1_001, -1], currency: 'KWD' }],
    ['of a currency with four decimals', { amounts: [10_001, -1], currency: 'CLF' }],
    ['with hostile ids', { amounts: HOSTILE_IDS.map(() => 5), transactionIds: HOSTILE_IDS }],
    [
      'with hostile references and types',
      {
        amounts: HOSTILE_IDS.map(() => 5),
        references: [...HOSTILE_IDS.slice(1), '\u{1f600}'.repeat(255)],
        types: HOSTILE_IDS.map((id) => id.repeat(3)),
      },
    ],
    [
      'with hostile names of the other side, with and without references',
      {
        amounts: HOSTILE_IDS.map((_, index) => (index % 2 === 0 ? 5 : -5)),
        references: HOSTILE_IDS.slice(0, 3),
        counterparties: HOSTILE_IDS,
      },
    ],
    ['with 5,000 entries', { amounts: Array.from({ length: 5_000 }, (_, index) => index + 1) }],
  ];

  it.each(valid)('%s', async (_, content) => {
    for (const period of ['2026', '2026-02', '2024-02-29'])
      expect(await camt053Violations(await message({ period, ...content }))).toEqual([]);
  });

  it('with any entries', async () => {
    const entry = fc.record({
      amount: fc.integer({ min: 1, max: 1e9 }),
      id: fc.string({ unit: 'binary', minLength: 1 }),
    });
    const entries = fc.array(entry, { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(entries, async (list) => {
        const xml = await message({
          amounts: list.map(({ amount }) => amount),
          transactionIds: list.map(({ id }) => id),
        });
        expect(await camt053Violations(xml)).toEqual([]);
      }),
      { seed: SEED, numRuns: 10 },
    );
  });

  it('and what is not valid is found', async () => {
    const xml = await message({ amounts: [5] });
    const broken = [
      xml.replace('<Sts><Cd>BOOK</Cd></Sts>', ''),
      xml.replace('Ccy="EUR"', 'Ccy="euro"'),
      xml.replace('txn_1', 'x'.repeat(36)),
    ];
    for (const one of broken) expect((await camt053Violations(one)).length).toBeGreaterThan(0);
  });
});
