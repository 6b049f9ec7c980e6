import { Client } from 'pg';
import { dataSourceOptions } from '../../src/platform/database/engine/data-source';
import { schema } from './core';

interface ExecutedPlan {
  readonly 'Node Type': string;
  readonly 'Parent Relationship'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly ExecutedPlan[];
}

/** What the execution of a statement read: rows of tables and indexes, and pages of 8 KiB. */
export interface Reads {
  readonly rows: number;
  readonly pages: number;
}

/** Executes statements that a service has sent, with the same settings, to see what they read. */
export class StatementReads {
  private constructor(private readonly client: Client) {}

  static async on(databaseUrl: string): Promise<StatementReads> {
    const { extra } = dataSourceOptions(databaseUrl, 1, schema) as { extra: { options?: string } };
    const client = new Client({ connectionString: databaseUrl, options: extra.options });
    await client.connect();
    return new StatementReads(client);
  }

  close(): Promise<void> {
    return this.client.end();
  }

  /**
   * The most that a statement reads: planned for its values, as in its first executions on a connection, and for any
   * values, as in later ones. Changes are rolled back.
   */
  async of(sql: string, values: unknown[]): Promise<Reads> {
    const plans = [
      await this.execute('force_custom_plan', sql, values),
      await this.execute('force_generic_plan', sql, values),
    ];
    return {
      rows: Math.max(...plans.map(rowsOf)),
      pages: Math.max(...plans.map((plan) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks'])),
    };
  }

  private async execute(mode: string, sql: string, values: unknown[]): Promise<ExecutedPlan> {
    await this.client.query(`BEGIN; SET LOCAL plan_cache_mode = ${mode}; PREPARE executed AS ${sql}`);
    try {
      const list = values.map((value) => this.literal(value)).join(', ');
      const { rows } = await this.client.query<{ 'QUERY PLAN': [{ Plan: ExecutedPlan }] }>(
        `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE executed${list && `(${list})`}`,
      );
      return rows[0]!['QUERY PLAN'][0].Plan;
    } finally {
      await this.client.query('ROLLBACK; DEALLOCATE ALL');
    }
  }

  private literal(value: unknown): string {
    if (value === null || value === undefined) return 'NULL';
    if (Array.isArray(value))
      return `ARRAY[${value.map((element) => this.literal(element)).join(', ')}]::text[]`;
    if (value instanceof Date) return this.literal(value.toISOString());
    return this.client.escapeLiteral(typeof value === 'string' ? value : JSON.stringify(value));
  }
}

/** An index of trigrams: it has many entries for one row, and lists those of a trigram, however few rows are read. */
const TRIGRAMS = 'users_search';

/**
 * The rows that the scans of a plan read: those that they returned, and those that they discarded. Where an index of
 * trigrams finds them, the entries of the index are not counted.
 */
function rowsOf(plan: ExecutedPlan): number {
  const { Plans: children = [] } = plan;
  const isByTrigrams = plan['Node Type'] === 'Bitmap Heap Scan' && readsTrigrams(plan);
  if (children.length > 0 && !isByTrigrams) return children.map(rowsOf).reduce((sum, rows) => sum + rows);
  const discarded = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  return (plan['Actual Rows'] + discarded) * plan['Actual Loops'];
}

function readsTrigrams({ Plans: children = [], ...plan }: ExecutedPlan): boolean {
  const inputs = children.filter((child) => child['Parent Relationship'] !== 'InitPlan');
  return inputs.length > 0 ? inputs.every(readsTrigrams) : plan['Index Name'] === TRIGRAMS;
}
