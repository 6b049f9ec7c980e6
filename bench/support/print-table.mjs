/** Prints a table in Markdown. */
export function printTable(heads, lines) {
  for (const cells of [heads, heads.map(() => '---'), ...lines]) console.log(`| ${cells.join(' | ')} |`);
}
