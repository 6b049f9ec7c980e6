import type { ConstraintErrors, Insertion, RowUpdate, Statement } from '../tx';

/**
 * How many rows one statement writes. A statement has at most 65,535 parameters, and its text is kept and prepared for
 * each number of rows.
 */
export const MAX_ROWS = 100;

/** Returns the text that inserts a number of rows, each of which is built once. @param columns as SQL names them */
export function insertOfRows(table: string, columns: readonly string[]): Insertion['ofRows'] {
  const texts = new Map<number, string>();
  return (count) => {
    const known = texts.get(count);
    if (known !== undefined) return known;
    const rows = Array.from({ length: count }, (_, row) => {
      const params = columns.map((_column, index) => `$${row * columns.length + index + 1}`);
      return `(${params.join(', ')})`;
    });
    const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${rows.join(', ')}`;
    texts.set(count, text);
    return text;
  };
}

export interface QueuedStatement extends Statement {
  readonly errors: ConstraintErrors;
  /** Set for what is executed before the insertions. */
  readonly isFirst?: true;
  /** Set for inserted rows, which can be merged with those of other tasks. */
  readonly insertion?: Insertion;
  /** Set for the update of a whole row, which replaces earlier updates of that row. */
  readonly update?: RowUpdate;
}

/**
 * Merges the insertions into each table into few statements and keeps the last update of each row; other statements stay
 * as they are.
 * @param mergesUpdates whether the updates of rows of one table merge too
 */
export function merge(statements: readonly QueuedStatement[], mergesUpdates: boolean): Statement[] {
  const lastUpdates = new Map(statements.map(({ update }) => [update?.row, update]));
  const insertions = new Map<Insertion['ofRows'], Insertion[]>();
  const updates = new Map<string, RowUpdate[]>();
  const first: Statement[] = [];
  const unmerged: Statement[] = [];
  for (const statement of statements) {
    const { insertion, update, isFirst } = statement;
    if (isFirst) first.push(statement);
    else if (insertion !== undefined) append(insertions, insertion.ofRows, insertion);
    else if (update === undefined) unmerged.push(statement);
    else if (lastUpdates.get(update.row) !== update) continue;
    else if (mergesUpdates && update.mergedSql !== null) append(updates, update.mergedSql, update);
    else unmerged.push(update);
  }
  return [
    ...first,
    ...Array.from(insertions, ([ofRows, same]) => mergeInsertions(same, ofRows)).flat(),
    ...Array.from(updates, ([sql, same]) => mergeUpdates(same, sql)),
    ...unmerged,
  ];
}

function append<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

function mergeInsertions(insertions: readonly Insertion[], ofRows: Insertion['ofRows']): Statement[] {
  const rows = insertions.reduce((sum, insertion) => sum + insertion.rows, 0);
  const params = insertions.length === 1 ? insertions[0]!.params : joinParams(insertions);
  if (rows <= MAX_ROWS) return [{ sql: ofRows(rows), params }];
  const width = params.length / rows;
  return Array.from({ length: Math.ceil(rows / MAX_ROWS) }, (_, part) => {
    const first = part * MAX_ROWS;
    const count = Math.min(MAX_ROWS, rows - first);
    return { sql: ofRows(count), params: params.slice(first * width, (first + count) * width) };
  });
}

/** A loop, since `flatMap` takes several times as long for what is most of the work of a group. */
function joinParams(statements: readonly Statement[]): unknown[] {
  const joined: unknown[] = [];
  for (const { params } of statements) for (const param of params) joined.push(param);
  return joined;
}

function mergeUpdates(updates: readonly RowUpdate[], mergedSql: string): Statement {
  const [first] = updates as [RowUpdate];
  if (updates.length === 1) return first;
  return {
    sql: mergedSql,
    params: first.params.map((_, column) => updates.map(({ params }) => params[column])),
  };
}
