import type { ConstraintErrors, Insertion, Statement } from './tx';

/**
 * How many rows one statement inserts. A statement has at most 65,535 parameters, and its text is kept and prepared for
 * each number of rows.
 */
export const MAX_INSERTED_ROWS = 100;

export interface QueuedStatement extends Statement {
  readonly errors: ConstraintErrors;
  /** Set for inserted rows, which can be merged with those of other tasks. */
  readonly insertion?: Insertion;
  /** Set for the update of a whole row, which replaces earlier updates of that row. */
  readonly row?: string;
}

/**
 * Merges the insertions into each table into few statements and keeps the last update of each row; other statements stay
 * as they are.
 */
export function merge(statements: readonly QueuedStatement[]): Statement[] {
  const insertions = new Map<Insertion['ofRows'], Insertion[]>();
  const lastUpdates = new Map(statements.map((statement) => [statement.row ?? statement, statement]));
  const others: QueuedStatement[] = [];
  for (const statement of statements) {
    const { insertion, row } = statement;
    const sameTable = insertion && insertions.get(insertion.ofRows);
    if (sameTable) sameTable.push(insertion);
    else if (insertion) insertions.set(insertion.ofRows, [insertion]);
    else if (lastUpdates.get(row ?? statement) === statement) others.push(statement);
  }
  const merged = Array.from(insertions, ([ofRows, sameTable]) => mergeInsertions(sameTable, ofRows));
  return [...merged.flat(), ...others];
}

function mergeInsertions(insertions: readonly Insertion[], ofRows: Insertion['ofRows']): Statement[] {
  const rows = insertions.reduce((sum, insertion) => sum + insertion.rows, 0);
  const params = insertions.flatMap((insertion) => insertion.params);
  const width = params.length / rows;
  return Array.from({ length: Math.ceil(rows / MAX_INSERTED_ROWS) }, (_, part) => {
    const first = part * MAX_INSERTED_ROWS;
    const count = Math.min(MAX_INSERTED_ROWS, rows - first);
    return { sql: ofRows(count), params: params.slice(first * width, (first + count) * width) };
  });
}
