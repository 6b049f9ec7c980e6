import { Client } from 'pg';
import { PreparingClient } from '../../src/platform/database/engine/connection';

/** Values that a statement was sent with: several, since one account may say less than another. */
const MAX_SAMPLES = 3;

/** The statements that services in this process send, by their text. */
export class SentStatements {
  private readonly samplesOf = new Map<string, unknown[][]>();
  private readonly countOf = new Map<string, number>();
  private readonly original = Object.getOwnPropertyDescriptor(Client.prototype, 'query')!;

  /** Records from now on, until `stop`. */
  constructor() {
    const { original, samplesOf, countOf } = this;
    const send = original.value as (...args: unknown[]) => unknown;
    const value = function query(this: Client, ...args: unknown[]): unknown {
      const [config] = args as [{ text?: string; values?: unknown[] }];
      if (this instanceof PreparingClient && config.text !== undefined) {
        countOf.set(config.text, (countOf.get(config.text) ?? 0) + 1);
        const samples = samplesOf.get(config.text) ?? [];
        if (samples.length < MAX_SAMPLES) samplesOf.set(config.text, [...samples, config.values ?? []]);
      }
      return send.apply(this, args);
    };
    Object.defineProperty(Client.prototype, 'query', { ...original, value });
  }

  stop(): void {
    Object.defineProperty(Client.prototype, 'query', this.original);
  }

  get size(): number {
    return this.samplesOf.size;
  }

  /** The table that the first statement reads. */
  get firstTable(): string | undefined {
    return /\bFROM\s+"?(\w+)/.exec([...this.samplesOf.keys()].join())?.[1];
  }

  /** How many statements with `part` in their text were sent. */
  timesSent(part: string): number {
    return [...this.countOf].reduce((sum, [text, count]) => sum + (text.includes(part) ? count : 0), 0);
  }

  /** What `check` finds in the statements, one line for each that has a fault. */
  async faults(check: (sql: string, values: unknown[]) => Promise<string | null>): Promise<string[]> {
    const lines: string[] = [];
    for (const [sql, samples] of this.samplesOf) {
      for (const values of samples) {
        const fault = await check(sql, values);
        if (fault === null) continue;
        lines.push(`${fault}: ${sql.replace(/\s+/g, ' ')}`);
        break;
      }
    }
    return lines;
  }
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

/**
 * Examines statements against the rules of a distributed PostgreSQL, on a database whose tables are partitioned by
 * account. The planner tells what a statement reaches, so no text has to be interpreted.
 */
export class StatementRules {
  private constructor(
    private readonly client: Client,
    private readonly parents: ReadonlyMap<string, string>,
  ) {}

  static async on(databaseUrl: string): Promise<StatementRules> {
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    const { rows } = await client.query<{ part: string; parent: string }>(
      'SELECT inhrelid::regclass::text AS part, inhparent::regclass::text AS parent FROM pg_inherits',
    );
    return new StatementRules(client, new Map(rows.map(({ part, parent }) => [part, parent])));
  }

  close(): Promise<void> {
    return this.client.end();
  }

  /** The rule for what waits for a request: it reaches one partition of a table, because it names the account. */
  readonly namesAccount = async (sql: string, values: unknown[]): Promise<string | null> => {
    const reached = new Map<string, Set<string>>();
    for (const { 'Relation Name': part = '' } of await this.plan(sql, values)) {
      const parent = this.parents.get(part);
      if (parent !== undefined) reached.set(parent, (reached.get(parent) ?? new Set()).add(part));
    }
    const spanned = [...reached].find(([, parts]) => parts.size > 1);
    return spanned === undefined ? null : `reaches ${spanned[1].size} partitions of ${spanned[0]}`;
  };

  /** The rule for every statement that locks or changes rows: it stays within one account. */
  readonly locksOneAccount = async (sql: string, values: unknown[]): Promise<string | null> => {
    const nodes = await this.plan(sql, values);
    const locks = nodes.some(({ 'Node Type': type }) => type === 'LockRows' || type === 'ModifyTable');
    return locks ? this.namesAccount(sql, values) : null;
  };

  /** The rule for every statement that spans accounts: Citus moves the rows of a subselect, which then needs columns. */
  readonly selectsColumns = async (sql: string, values: unknown[]): Promise<string | null> => {
    if (!/\(\s*SELECT\s+FROM\b/i.test(sql) || (await this.namesAccount(sql, values)) === null) return null;
    return 'spans accounts with a subselect that has no columns';
  };

  /** The rule for every statement that changes rows: the result of its functions depends on their arguments only. */
  readonly changesByImmutableFunctions = async (sql: string, values: unknown[]): Promise<string | null> => {
    const nodes = await this.plan(sql, values);
    if (!nodes.some(({ 'Node Type': type }) => type === 'ModifyTable')) return null;
    const { rows } = await this.client.query<{ name: string }>(
      'SELECT oid::regprocedure::text AS name FROM pg_proc WHERE oid = ANY($1) AND provolatile <> $2 ORDER BY 1',
      [await this.functionsOf(sql), 'i'],
    );
    return rows.length === 0 ? null : `calls ${rows.map(({ name }) => name).join(', ')}`;
  };

  private async plan(sql: string, values: unknown[]): Promise<PlanNode[]> {
    const { rows } = await this.client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `EXPLAIN (FORMAT JSON) ${sql}`,
      values,
    );
    const nodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodes)];
    return nodes(rows[0]!['QUERY PLAN'][0].Plan);
  }

  /** The functions and operators of a statement: PostgreSQL keeps the parsed body of a SQL function. */
  private async functionsOf(sql: string): Promise<string[]> {
    await this.client.query('BEGIN');
    try {
      await this.client.query(`PREPARE examined AS ${sql}`);
      const { rows } = await this.client.query<{ types: string[] }>(
        `SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'examined'`,
      );
      await this.client.query('DEALLOCATE examined');
      // A function has at most a hundred parameters, and a statement may have more.
      const { types } = rows[0]!;
      const typed = sql.replace(/\$(\d+)/g, (_, number) => `NULL::${types[Number(number) - 1]!}`);
      await this.client.query(`CREATE FUNCTION pg_temp.examined() RETURNS void BEGIN ATOMIC ${typed}; END`);
      const body = await this.client.query<{ body: string }>(
        `SELECT prosqlbody::text AS body FROM pg_proc WHERE oid = 'pg_temp.examined'::regproc`,
      );
      return [...body.rows[0]!.body.matchAll(/:(?:op)?funcid (\d+)/g)].map(([, oid]) => oid!);
    } finally {
      await this.client.query('ROLLBACK');
    }
  }
}
