/** Apostrophes of all kinds, as they are typed and pasted. */
const APOSTROPHES = "'\\u2018\\u2019\\u02bc\\u0060\\u00b4";

const LETTERS = { ø: 'o', Ø: 'o', ł: 'l', Ł: 'l', đ: 'd', Đ: 'd', ı: 'i' };

/**
 * The SQL of a text without accents, case and apostrophes, so that "muller" is a part of "Müller". Indexes contain it:
 * another result needs new ones. All of its functions are IMMUTABLE, and no extension is needed.
 */
export function folded(operand: string): string {
  const plain = `regexp_replace(lower(normalize(${operand}, NFD)), '[\\u0300-\\u036f${APOSTROPHES.replace("'", "''")}]', '', 'g')`;
  const letters = `translate(${plain}, '${Object.keys(LETTERS).join('')}', '${Object.values(LETTERS).join('')}')`;
  return `replace(replace(${letters}, 'ß', 'ss'), 'æ', 'ae')`;
}

const IGNORED = new RegExp(`[\\p{M}${APOSTROPHES}]`, 'gu');

/** Whether a text is long enough for a search of its parts: an index of trigrams finds no shorter one. */
export function isSearchable(text: string): boolean {
  return /[\p{L}\p{N}]{3}/u.test(text.normalize('NFD').replace(IGNORED, ''));
}

/**
 * The SQL of the word by which an index finds a text: the last one with a digit, such as 2041 in INV-2041-DE, or else the
 * last one. It is in the order of bytes, in which a prefix is a range, and short enough for an index.
 */
export function keyWord(operand: string): string {
  const text = `left(${folded(operand)}, 100)`;
  const numbered = `substring(${text} from '([[:alnum:]]*[0-9][[:alnum:]]*)[^0-9]*$')`;
  const last = `substring(${text} from '([[:alnum:]]+)[^[:alnum:]]*$')`;
  return `coalesce(${numbered}, ${last}) COLLATE "C"`;
}

/** The index of the key words of a column, with those rows that have one. */
export function keyWordIndex(table: string, column: string): { name: string; definition: string } {
  return {
    name: `${table}_${column}_word`,
    definition: `((${keyWord(column)})) WHERE ${column} IS NOT NULL`,
  };
}
