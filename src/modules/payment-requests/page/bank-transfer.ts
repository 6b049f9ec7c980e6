import { decimalAmount } from './money';

/** Where customers transfer money to. */
export interface BankAccount {
  readonly payee: string;
  readonly iban: string;
  readonly bic: string | null;
}

const REFERENCE_CHARACTERS = 10;

/**
 * What a customer writes on a transfer, so that the money finds its request: the end of the request's id, of which 42
 * bits are random. Its letters cannot be taken for digits.
 */
export function transferReference(requestId: string): string {
  const end = requestId.slice(-REFERENCE_CHARACTERS).toUpperCase();
  return `${end.slice(0, 5)}-${end.slice(5)}`;
}

/** The end of the request's id that a payment reference stands for, however banks have spaced and cased it. */
export function idEndOf(reference: string): string {
  return reference.replace(/[^0-9a-z]/gi, '').toLowerCase();
}

/** An IBAN as it is printed. */
export function groupIban(iban: string): string {
  return iban.replace(/(.{4})(?=.)/g, '$1 ');
}

/** The bounds of EPC069-12 on what a code may hold. */
const MAX_EURO_CENTS = 99_999_999_999;
const MAX_NAME_CHARACTERS = 70;

/**
 * The text of a QR code that a banking app turns into a SEPA credit transfer (EPC069-12, version 002).
 * @returns null for an amount that is too large for it
 */
export function epcPayload(
  { payee, iban, bic }: BankAccount,
  euroCents: number,
  reference: string,
): string | null {
  if (euroCents > MAX_EURO_CENTS) return null;
  return [
    'BCD',
    '002',
    '1', // UTF-8
    'SCT',
    bic ?? '',
    oneLine(payee),
    iban,
    `EUR${decimalAmount(euroCents, 'EUR')}`,
    '', // purpose
    '', // structured reference
    reference,
  ].join('\n');
}

/** A line break in a name would be read as the end of its field. */
function oneLine(name: string): string {
  return [...name.replace(/\s+/g, ' ').trim()].slice(0, MAX_NAME_CHARACTERS).join('').trim();
}
