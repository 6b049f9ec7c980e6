/** How many characters a text has: code points, as the bounds of the OpenAPI document are counted. */
export function countCharacters(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}
