/** Prints a further row of a table. */
export const printRow = (cells) => console.log(`| ${cells.join(' | ')} |`);

/** Prints a table in Markdown. */
export function printTable(heads, lines) {
  for (const cells of [heads, heads.map(() => '---'), ...lines]) printRow(cells);
}
