/** How many characters a text has: code points, as the bounds of the OpenAPI document are counted. */
export function countCharacters(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

/**
 * A text without line breaks, other controls and marks that hide what is shown or turn it around; those that join
 * letters or keep them apart stay, since names are written with them.
 */
export function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/(?![\u200c\u200d])\p{Cf}/gu, '')
    .trim();
}
