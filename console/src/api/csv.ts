/** Writes rows as CSV (RFC 4180). Spreadsheets compute cells that begin like a formula, so those get a quote in front. */
function toCsv(header: readonly string[], rows: readonly (readonly unknown[])[]): string {
  return [header, ...rows].map((row) => row.map(cell).join(',')).join('\r\n') + '\r\n';
}

function cell(value: unknown): string {
  if (typeof value === 'number') return String(value);
  const text = textOf(value).replace(/^[=+\-@\t\r]/, "'$&");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Saves the items of a list by page number, which the API does not export. @param count gets the rows so far */
export async function saveItems<T extends object>(
  items: AsyncIterable<T>,
  columns: readonly (keyof T & string)[],
  file: string,
  count: (rows: number) => void,
): Promise<void> {
  const rows: unknown[][] = [];
  for await (const item of items) {
    rows.push(columns.map((column) => item[column]));
    if (rows.length % 100 === 0) count(rows.length);
  }
  saveFile(file, 'text/csv;charset=utf-8', toCsv(columns, rows));
}

/** Gives the browser a file to save. */
export function saveFile(name: string, type: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
