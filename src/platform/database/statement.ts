/** Text with the placeholders `$1`, `$2` … of its params. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly unknown[];
}

/** Adds a parameter to a statement. @returns its placeholder */
export type Placeholder = (value: unknown) => string;

/** Builds a statement whose parts add their parameters in any order. */
export function statementOf(sqlWith: (placeholder: Placeholder) => string): Statement {
  const params: unknown[] = [];
  const sql = sqlWith((value) => `$${params.push(value)}`);
  return { sql, params };
}
