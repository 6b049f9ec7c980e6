import { ConstraintErrors, Insertion, Statement } from './tx';

export interface QueuedStatement extends Statement {
  readonly errors: ConstraintErrors;
  /** Set for inserted rows, which can be merged with those of other tasks. */
  readonly insertion?: Insertion;
  /** Set for the update of a whole row, which replaces earlier updates of that row. */
  readonly row?: string;
}

/**
 * Merges the insertions into each table into one statement, directly after its lock if it has one, and keeps the last
 * update of each row; other statements stay as they are.
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
  const merged = Array.from(insertions, ([ofRows, sameTable]) => {
    const { lock } = sameTable[0]!;
    const sql = ofRows(sameTable.reduce((sum, { rows }) => sum + rows, 0));
    const insertion = { sql, params: sameTable.flatMap(({ params }) => params) };
    return lock === undefined ? [insertion] : [{ sql: lock, params: [] }, insertion];
  });
  return [...merged.flat(), ...others];
}
