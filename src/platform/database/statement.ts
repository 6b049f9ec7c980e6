import type { QueryResult } from 'pg';
import type { Statement } from './tx';

export type Send = (sql: string, params: readonly unknown[]) => Promise<QueryResult>;

/** Adds a parameter to a statement. @returns its placeholder */
export type Placeholder = (value: unknown) => string;

/** Builds a statement whose parts add their parameters in any order. */
export function buildStatement(sqlWith: (placeholder: Placeholder) => string): Statement {
  const params: unknown[] = [];
  const sql = sqlWith((value) => `$${params.push(value)}`);
  return { sql, params };
}
