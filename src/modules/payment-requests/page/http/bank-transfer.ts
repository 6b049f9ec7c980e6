import { decimalAmount } from '../../../../platform/i18n/formats';

/** The bank account to which customers transfer money. */
interface BankAccount {
  readonly payee: string;
  readonly iban: string;
  readonly bic: string | null;
}

/** Returns an IBAN in groups of four characters, the usual printed form. */
export function groupIban(iban: string): string {
  return iban.replace(/(.{4})(?=.)/g, '$1 ');
}

/** The limits of EPC069-12. */
const MAX_EURO_CENTS = 99_999_999_999;
const MAX_NAME_CHARACTERS = 70;

/**
 * Returns the text of a QR code that banking apps turn into a SEPA credit transfer (EPC069-12, version 002), or null
 * for an amount above its limit.
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
    shortName(payee),
    iban,
    `EUR${decimalAmount(euroCents, 'EUR')}`,
    '', // purpose
    '', // structured reference
    reference,
  ].join('\n');
}

/** A line break in the name would end its field. */
function shortName(name: string): string {
  const line = name.replace(/\s+/g, ' ').trim();
  return [...line].slice(0, MAX_NAME_CHARACTERS).join('').trim();
}
