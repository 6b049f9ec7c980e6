/** The length of a text in code points, the unit of `minLength` and `maxLength` in JSON Schema. */
export function countCharacters(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

/** Looks like white space, or starts a new line. U+2800 is a Braille pattern without dots. */
const BLANKS = /[\p{Cc}\p{Z}\s\u2800]+/gu;

/**
 * Invisible characters, among them bidirectional controls, soft hyphens and fillers. The zero-width joiner and
 * non-joiner and two variation selectors are not included, because some scripts and emoji require them.
 */
const INVISIBLE = /(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** The start of an encoded word (RFC 2047), which mail programs decode, some of them also where it is not allowed. */
const ENCODED_WORD = /=\?/g;

/**
 * Returns a text that users provided as customers may see it: on one line, and without what could disguise it.
 * Compatibility characters such as a full-width `＠` become the characters that they look like (NFKC).
 */
export function displayText(text: string): string {
  return text
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .replace(BLANKS, ' ')
    .replace(ENCODED_WORD, '= ?')
    .trim();
}

const VISIBLE = /[^\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether a text has a character that can be seen: neither white space nor an invisible one. */
export function hasVisibleCharacter(text: string): boolean {
  return VISIBLE.test(text);
}

/** What quotes a part of an address, which can then be spelled in many ways, and what encloses one. */
const QUOTING = /["\\<>]/;

const HIDDEN = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Z}/u;

/**
 * Whether an email address reads as what it is: without quotation marks, control and invisible characters, characters that
 * look like others (NFKC), and encoded words, which some mail systems decode into another address.
 */
export function isUnambiguousEmail(email: string): boolean {
  if (HIDDEN.test(email) || QUOTING.test(email) || email.includes('=?')) return false;
  return email.normalize('NFKC') === email.normalize('NFC');
}

/** In UTF-16 units, far above the 254 characters of an email, since NFC composes characters that are sent in parts. */
const MAX_EMAIL_UNITS = 2_000;

/**
 * The form in which emails are compared, without regard to case. It does not depend on the database's collation.
 * @param email any text: one that is too long for an email is not normalized, which could take a second for 100 KB of
 * combining characters, and its key is that of no email
 */
export function emailKey(email: string): string {
  const normalize = (text: string): string => (text.length > MAX_EMAIL_UNITS ? text : text.normalize('NFC'));
  // A letter may have two small forms, and one without a large form is composed once it is small.
  return normalize(normalize(email).toLowerCase().replaceAll('ς', 'σ'));
}
