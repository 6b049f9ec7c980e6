import { ConstraintErrors, Insertion, Statement } from './tx';

export interface QueuedStatement extends Statement {
  readonly errors: ConstraintErrors;
  /** Set for inserted rows, which can be merged with those of other tasks. */
  readonly insertion?: Insertion;
}

/**
 * Merges the insertions into each table into one statement; other statements stay as they are. Insertions with a lock
 * come last, each directly after its lock.
 */
export function merge(statements: readonly QueuedStatement[]): Statement[] {
  const insertions = new Map<Insertion['ofRows'], Insertion[]>();
  const others: QueuedStatement[] = [];
  for (const statement of statements) {
    const { insertion } = statement;
    const sameTable = insertion && insertions.get(insertion.ofRows);
    if (sameTable) sameTable.push(insertion);
    else if (insertion) insertions.set(insertion.ofRows, [insertion]);
    else others.push(statement);
  }
  const first: Statement[] = [];
  const last: Statement[] = [];
  for (const [ofRows, sameTable] of insertions) {
    const { lock } = sameTable[0]!;
    if (lock !== undefined) last.push({ sql: lock, params: [] });
    (lock === undefined ? first : last).push({
      sql: ofRows(sameTable.reduce((sum, { rows }) => sum + rows, 0)),
      params: sameTable.flatMap(({ params }) => params),
    });
  }
  return [...first, ...others, ...last];
}
