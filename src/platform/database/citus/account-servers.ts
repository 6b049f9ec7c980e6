import type { Database } from '../database';
import { hashOfText } from './hash-of-text';
import type { RunSql } from './placement';
import { assertPlaced, isDistributed, ROOT_TABLE } from './placement';

/** Tells which server has the rows of an account. What writes on one server only commits in one phase. */
export abstract class AccountServers {
  /** @returns a number of the server, the same for all accounts where the database is one server */
  abstract serverOf(accountId: string): number;
  /** How many servers there are. */
  abstract readonly count: number;
  /** Whether accounts are spread over shards, so that a statement which locks or changes their rows names one of them. */
  abstract readonly isDistributed: boolean;
  /**
   * The time of the oldest commit in two phases that a server has not completed. Nobody sees yet what it has written there.
   * @returns milliseconds since 1970; Infinity if there is none
   * @throws when a server does not respond
   */
  abstract oldestUnfinishedCommit(): Promise<number>;
}

/** A range of hashes whose rows are on one worker. */
interface Shard {
  /** The lowest hash. */
  readonly from: number;
  readonly server: number;
}

const SHARDS = `
  SELECT shardminvalue::int AS "from", groupid AS server
  FROM pg_dist_shard JOIN pg_dist_placement USING (shardid)
  WHERE logicalrelid = '${ROOT_TABLE}'::regclass ORDER BY 1`;

const PARTITIONED = `SELECT FROM pg_class WHERE oid = '${ROOT_TABLE}'::regclass AND relkind = 'p'`;

/** The error of a worker that does not respond is no number, which makes the statement fail. */
const OLDEST_UNFINISHED = `
  SELECT min(result::float8) AS ms FROM run_command_on_workers($$
    SELECT coalesce(extract(epoch FROM min(prepared)) * 1000, 'infinity') FROM pg_prepared_xacts
    WHERE database = current_database()$$)`;

/**
 * The workers of Citus, as they were at the start. After shards have moved, groups of accounts may span workers until the
 * next start, which takes longer and changes nothing else.
 */
export class CitusWorkers extends AccountServers {
  /** In ascending order; empty if the database is not distributed. */
  private shards: readonly Shard[] = [];
  private run: RunSql | null = null;
  count = 1;
  isDistributed = false;

  /** @throws ConfigError when the database is distributed only in part */
  async start(database: Database): Promise<void> {
    const run: RunSql = (sql, params) => database.query(sql, params);
    this.isDistributed = (await run(PARTITIONED, [])).length > 0;
    if (!(await isDistributed(run))) return;
    this.isDistributed = true;
    await assertPlaced(run);
    this.shards = await run<Shard>(SHARDS, []);
    this.count = new Set(this.shards.map(({ server }) => server)).size;
    this.run = run;
  }

  async oldestUnfinishedCommit(): Promise<number> {
    if (this.run === null) return Infinity;
    const [oldest] = await this.run<{ ms: number }>(OLDEST_UNFINISHED, []);
    return oldest!.ms;
  }

  serverOf(accountId: string): number {
    if (this.shards.length === 0) return 0;
    const hash = hashOfText(accountId);
    return this.shards.findLast(({ from }) => from <= hash)!.server;
  }
}
