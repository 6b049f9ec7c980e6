import { XMLParser } from 'fast-xml-parser';
import fc from 'fast-check';
import { validateXML } from 'xmllint-wasm';
import { displayText } from '../../../../src/kernel/text';
import { writeCamt053 } from '../../../../src/modules/ledger/statements/camt053.view';
import { writePdf } from '../../../../src/modules/ledger/statements/pdf/statement-pdf.view';
import { camt053Violations, describeWithCamt053Schema } from '../../../support/camt053-schema';
import { draw, rounds, SEED } from '../../../support/rounds';
import { aStatement, written } from './a-statement';
import { readPdf } from './statement-readers';

const ENTRIES = 50;

const hostileParts = fc.constantFrom(
  ...[
    '<Ntry>',
    '</Document>',
    ']]>',
    '<![CDATA[',
    '<!--',
    '-->',
    '<?xml?>',
    '&amp;',
    '&#0;',
    '&lol;',
    '<!DOCTYPE',
  ],
  ...['\0', '\b', '\t', '\r', '\n', '\r\n', '\u001f', '\u0085', '\u2028', '\ufffe', '\uffff', '\ufeff'],
  ...[
    '\ud800',
    '\udfff',
    '\u{1f600}',
    '\u{1f468}\u200d\u{1f469}',
    '\u{10ffff}',
    'e\u0301\u0301',
    '日本',
    'שלום',
    'مرحبا',
  ],
  ...[
    '\u202e',
    '\u2066',
    '\u200f',
    '=HYPERLINK("x")',
    '@SUM(1)',
    ') Tj ET',
    '\\)',
    '<< /JS >>',
    'endstream',
    '%%EOF',
  ],
  ...['x'.repeat(300), ' ', '"', "'", '…', '?', 'ﷺ', 'A'],
);
const hostileTexts = fc
  .array(fc.oneof(hostileParts, fc.string({ unit: 'binary', maxLength: 12 })), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.join(''))
  .filter((text) => text !== '');

/** A statement with other names and references in each round. */
function hostileStatement(round: number, amounts = Array.from({ length: ENTRIES }, (_, index) => index + 1)) {
  const texts = draw(hostileTexts, 4 * amounts.length + 1, round);
  const transactionIds = texts.splice(0, amounts.length);
  const references = texts.splice(0, amounts.length);
  const types = texts.splice(0, amounts.length);
  const counterparties = texts.splice(0, amounts.length);
  return { amounts, transactionIds, references, types, counterparties, accountName: texts[0]! };
}

const messageOf = async (content: Parameters<typeof aStatement>[0]): Promise<string> =>
  (await written(writeCamt053(aStatement(content)))).toString();

/** What an XML document can have of a text. */
const inXml = (text: string): string =>
  text.toWellFormed().replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\ufffd');

const ANY_ELEMENTS = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified"
  targetNamespace="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><xs:element name="Document"/></xs:schema>`;

async function errorsIn(xml: string): Promise<readonly unknown[]> {
  const { errors } = await validateXML({
    xml: [{ fileName: 'statement.xml', contents: xml }],
    schema: [{ fileName: 'any.xsd', contents: ANY_ELEMENTS }],
  });
  return errors;
}

describe(`A camt.053 with hostile names, seed ${SEED}`, () => {
  it('is well-formed for libxml2, and has every text as it was', async () => {
    for (let round = 0; round < rounds(2); round += 1) {
      const content = hostileStatement(round);
      const xml = await messageOf(content);
      expect(await errorsIn(xml)).toEqual([]);
      expect(await errorsIn(xml.replace('</Ntry>', '</Ntry>&'))).not.toEqual([]);
      const parser = new XMLParser({
        parseTagValue: false,
        trimValues: false,
        htmlEntities: true,
        isArray: (name) => name === 'Ustrd',
      });
      const entries: any[] = parser.parse(xml, true).Document.BkToCstmrStmt.Stmt.Ntry;
      const cut = (texts: readonly string[], length: number): string[] =>
        texts.map((text) => Array.from(inXml(text)).slice(0, length).join(''));
      expect(entries.map(({ AcctSvcrRef: id }) => id)).toEqual(cut(content.transactionIds, 35));
      expect(entries.map(({ AddtlNtryInf: type }) => type)).toEqual(cut(content.types, 500));
      expect(entries.map(({ NtryDtls }) => NtryDtls.TxDtls.RmtInf.Ustrd.join(''))).toEqual(
        content.references.map(inXml),
      );
      expect(entries.map(({ NtryDtls }) => NtryDtls.TxDtls.RltdPties.Dbtr.Pty.Nm)).toEqual(
        cut(content.counterparties, 140),
      );
    }
  });
});

describeWithCamt053Schema(`A camt.053 with hostile names is valid, seed ${SEED}`, () => {
  it('whatever they are', async () => {
    for (let round = 0; round < rounds(2); round += 1)
      expect(await camt053Violations(await messageOf(hostileStatement(round)))).toEqual([]);
  });
});

/** The characters of a text as a PDF shows them: those that the font lacks are question marks, and the end may be cut. */
function isShown(shown: string, text: string): boolean {
  const characters = (value: string): string[] => Array.from(value.normalize('NFKC').replaceAll(/\s/g, ''));
  const isCut = shown.endsWith('…');
  const [all, drawn] = [characters(displayText(text)), characters(isCut ? shown.slice(0, -1) : shown)];
  return (
    (isCut || drawn.length === all.length) &&
    drawn.every((character, index) => character === all[index] || character === '?')
  );
}

describe(`A PDF with hostile names, seed ${SEED}`, () => {
  it('is whole, with each name or what the font has of it', async () => {
    for (let round = 0; round < rounds(2); round += 1) {
      const content = hostileStatement(round);
      const { pages, rows } = await readPdf(await written(writePdf(aStatement(content))));
      const entries = rows.filter(([, line]) => /^\d+$/.test(line!));
      expect(entries.map(([, , , , into]) => into)).toEqual(
        content.amounts.map((amount) => (amount / 100).toFixed(2)),
      );
      const [first] = pages;
      const holder = first!.slice(first!.indexOf('Account holder') + 1, first!.indexOf('Account')).join('');
      expect([content.accountName, holder, isShown(holder, content.accountName)]).toEqual([
        content.accountName,
        holder,
        true,
      ]);
    }
  });
});
