import { decimalAmount } from '../../../platform/i18n/formats';
import type { DescribedEntry } from '../entry';
import { type Statement, toDay } from './statement';

/** The version that the usage guidelines for payments and cash management of SWIFT (CBPR+) and SEPA name since 2023. */
const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08';

/** The most characters of an id, of a name, of a part of a reference, and of what is said about an entry. */
const ID_CHARACTERS = 35;
const NAME_CHARACTERS = 140;
const REFERENCE_CHARACTERS = 140;
const INFORMATION_CHARACTERS = 500;

type Content = string | readonly string[];

/** What no XML document can contain, not even escaped. */
const NOT_IN_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/**
 * Cuts a text, which may have any characters and any length, into parts of at most so many characters, escaped. A parser
 * would make a carriage return a line feed.
 */
function parts(value: string, maxCharacters: number): string[] {
  const characters = Array.from(value.replace(NOT_IN_XML, '\u{fffd}'));
  const count = Math.ceil(characters.length / maxCharacters);
  return Array.from({ length: count }, (_, index) =>
    characters
      .slice(index * maxCharacters, (index + 1) * maxCharacters)
      .join('')
      .replace(/[&<>"\r]/g, (character) => `&#${character.charCodeAt(0)};`),
  );
}

const element = (name: string, content: Content, attributes = ''): string =>
  `<${name}${attributes}>${typeof content === 'string' ? content : content.join('')}</${name}>`;

/** An amount without a sign, and the direction, which has it. */
function signedAmount(minorUnits: number, currency: string): string {
  const amount = decimalAmount(Math.abs(minorUnits), currency);
  return (
    element('Amt', amount, ` Ccy="${currency}"`) + element('CdtDbtInd', minorUnits < 0 ? 'DBIT' : 'CRDT')
  );
}

/**
 * Writes a statement as an ISO 20022 bank-to-customer statement, in the order of elements of its message definition.
 * Everything in it comes from the journal, so the file is the same whenever it is asked for: the time of its creation is
 * the end of the period.
 */
export async function* writeCamt053(statement: Statement): AsyncIterable<string> {
  const { currency, entries } = statement;
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${NAMESPACE}"><BkToCstmrStmt>${head(statement)}`;
  for await (const batch of entries) yield batch.map((entry) => renderEntry(entry, currency)).join('');
  yield '</Stmt></BkToCstmrStmt></Document>\n';
}

function head(statement: Statement): string {
  const { accountId, currency, period, openingBalance, closingBalance, totalIn, totalOut, entryCount } =
    statement;
  const created = element('CreDtTm', period.end.toISOString());
  const id = `${accountId.slice(accountId.indexOf('_') + 1)}-${period.name.replaceAll('-', '')}`;
  const sum = (amount: number): string => element('Sum', decimalAmount(amount, currency));
  return [
    element('GrpHdr', [element('MsgId', id), created]),
    '<Stmt>',
    element('Id', id),
    created,
    element('FrToDt', [
      element('FrDtTm', period.start.toISOString()),
      element('ToDtTm', period.last.toISOString()),
    ]),
    element('Acct', [element('Id', element('Othr', element('Id', accountId))), element('Ccy', currency)]),
    balance('OPBD', openingBalance, currency, period.start),
    balance('CLBD', closingBalance, currency, period.last),
    element('TxsSummry', [
      element('TtlNtries', element('NbOfNtries', String(entryCount))),
      element('TtlCdtNtries', sum(totalIn)),
      element('TtlDbtNtries', sum(totalOut)),
    ]),
  ].join('');
}

function balance(code: 'OPBD' | 'CLBD', amount: number, currency: string, at: Date): string {
  return element('Bal', [
    element('Tp', element('CdOrPrtry', element('Cd', code))),
    signedAmount(amount, currency),
    element('Dt', element('Dt', toDay(at))),
  ]);
}

/** The bank transaction code says only what the journal knows: money was received, or sent. */
function renderEntry(entry: DescribedEntry, currency: string): string {
  const { number, transactionId, amount, postedAt, type, reference, counterparty } = entry;
  const family = amount < 0 ? 'ICDT' : 'RCDT';
  const money = signedAmount(amount, currency);
  const details = [
    counterparty === null ? '' : relatedParty(amount < 0 ? 'Cdtr' : 'Dbtr', counterparty),
    reference === null ? '' : remittance(reference),
  ].join('');
  return element('Ntry', [
    element('NtryRef', String(number)),
    money,
    element('Sts', element('Cd', 'BOOK')),
    element('BookgDt', element('DtTm', postedAt.toISOString())),
    element('ValDt', element('Dt', toDay(postedAt))),
    element('AcctSvcrRef', parts(transactionId, ID_CHARACTERS)[0]!),
    element('BkTxCd', [
      element('Domn', [
        element('Cd', 'PMNT'),
        element('Fmly', [element('Cd', family), element('SubFmlyCd', 'OTHR')]),
      ]),
    ]),
    details === '' ? '' : element('NtryDtls', element('TxDtls', money + details)),
    type === null ? '' : element('AddtlNtryInf', parts(type, INFORMATION_CHARACTERS)[0]!),
  ]);
}

const relatedParty = (role: 'Cdtr' | 'Dbtr', name: string): string =>
  element('RltdPties', element(role, element('Pty', element('Nm', parts(name, NAME_CHARACTERS)[0]!))));

const remittance = (reference: string): string =>
  element(
    'RmtInf',
    parts(reference, REFERENCE_CHARACTERS).map((part) => element('Ustrd', part)),
  );
