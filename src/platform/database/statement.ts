import { Statement } from './tx';

/** Adds a parameter to a statement. @returns its placeholder */
export type Placeholder = (value: unknown) => string;

/** Builds a statement whose parts add their parameters in any order. */
export function statementOf(sqlWith: (placeholder: Placeholder) => string): Statement {
  const params: unknown[] = [];
  const sql = sqlWith((value) => `$${params.push(value)}`);
  return { sql, params };
}
