import type { ConstraintErrors, Insertion, RowUpdate, Statement } from '../tx';

/**
 * How many rows one statement writes. A statement has at most 65,535 parameters, and its text is kept and prepared for
 * each number of rows.
 */
export const MAX_ROWS = 100;

export interface QueuedStatement extends Statement {
  readonly errors: ConstraintErrors;
  /** Set for inserted rows, which can be merged with those of other tasks. */
  readonly insertion?: Insertion;
  /** Set for the update of a whole row, which replaces earlier updates of that row. */
  readonly update?: RowUpdate;
}

/** Statements that several rows share: their text for a number of rows, and the params of these, row by row. */
interface RowStatement {
  readonly params: readonly unknown[];
  readonly rows: number;
  readonly ofRows: (count: number) => string;
}

/**
 * Merges the insertions into each table into few statements and keeps the last update of each row; other statements stay
 * as they are.
 * @param mergesUpdates whether the updates of rows of one table merge too
 */
export function merge(statements: readonly QueuedStatement[], mergesUpdates: boolean): Statement[] {
  const lastUpdates = new Map(statements.map(({ update }) => [update?.row, update]));
  const byText = new Map<RowStatement['ofRows'], RowStatement[]>();
  const add = (statement: RowStatement): void => {
    const others = byText.get(statement.ofRows);
    if (others === undefined) byText.set(statement.ofRows, [statement]);
    else others.push(statement);
  };
  const unmerged: Statement[] = [];
  for (const statement of statements) {
    const { insertion, update } = statement;
    if (insertion !== undefined) add(insertion);
    else if (update === undefined) unmerged.push(statement);
    else if (lastUpdates.get(update.row) !== update) continue;
    else if (mergesUpdates) add({ ...update, rows: 1 });
    else unmerged.push(update);
  }
  return [...Array.from(byText, ([ofRows, same]) => mergeRows(same, ofRows)).flat(), ...unmerged];
}

/** A loop, since `flatMap` takes several times as long for what is most of the work of a group. */
function joinParams(statements: readonly RowStatement[]): unknown[] {
  const joined: unknown[] = [];
  for (const { params } of statements) for (const param of params) joined.push(param);
  return joined;
}

function mergeRows(statements: readonly RowStatement[], ofRows: RowStatement['ofRows']): Statement[] {
  const rows = statements.reduce((sum, statement) => sum + statement.rows, 0);
  const params = statements.length === 1 ? statements[0]!.params : joinParams(statements);
  if (rows <= MAX_ROWS) return [{ sql: ofRows(rows), params }];
  const width = params.length / rows;
  return Array.from({ length: Math.ceil(rows / MAX_ROWS) }, (_, part) => {
    const first = part * MAX_ROWS;
    const count = Math.min(MAX_ROWS, rows - first);
    return { sql: ofRows(count), params: params.slice(first * width, (first + count) * width) };
  });
}
