export const columns = [
  'anon',
  'self',
  'other',
  'unlinked',
  'member',
  'owner',
  'susp',
  'closed',
  'platform',
  'admin',
  'expired',
  'revoked',
] as const;
export type Column = (typeof columns)[number];

/** The columns whose callers send a valid token. */
export const authenticated: readonly Column[] = [
  'self',
  'other',
  'unlinked',
  'member',
  'owner',
  'susp',
  'platform',
  'admin',
];

export interface Row {
  /** The operation, and after a comma the variation. */
  readonly label: string;
  readonly operationId: string;
  readonly cells: Readonly<Record<Column, string>>;
}

/** @throws Error for a row that does not fill the columns, and for a row that is repeated */
export function readMatrix(text: string): Row[] {
  const [heading, ...lines] = text.split('\n').filter((line) => line.trim() !== '');
  if (heading?.trim().split(/\s+/).join() !== columns.join()) {
    throw new Error(`The heading must name the columns ${columns.join(' ')}.`);
  }
  return assertUnique(lines.map(readRow));
}

/** @throws Error for a row that is repeated */
export function assertUnique(rows: Row[]): Row[] {
  const repeated = rows.find(({ label }, index) => rows.findIndex((row) => row.label === label) < index);
  if (repeated) throw new Error(`The row "${repeated.label}" is repeated.`);
  return rows;
}

function readRow(line: string): Row {
  const [, label, cells] = /^\s+(\S.*?)\s+((?:\d{3}\S?\s*)+)$/.exec(line) ?? [];
  const values = cells?.trim().split(/\s+/) ?? [];
  if (label === undefined || values.length !== columns.length) {
    throw new Error(`"${line.trim()}" is not a row of the table.`);
  }
  const named = columns.map((column, index) => [column, values[index]]);
  return { label, operationId: label.split(',')[0]!, cells: Object.fromEntries(named) as Row['cells'] };
}
