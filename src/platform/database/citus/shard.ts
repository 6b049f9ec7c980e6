import { LRUCache } from 'lru-cache';
import type { QueryResultRow } from 'pg';
import { hashOfText } from '../../../kernel/hash-of-text';
import { checkedRead, type CheckedRow, countHere, rowsIfHere } from './checked-reads';
import type { Send } from '../tx';

/** Tables that together have all rows of some accounts. */
export interface Shard {
  /** Where it is one of Citus, the number of that of `accounts`. */
  readonly id: string;
  /** Whether a statement may name several of the accounts. */
  readonly merges: boolean;
  /** Whether a statement can run here: it names accounts and tables of this shard, and no others. */
  runs(sql: string, params: readonly unknown[]): boolean;
  /** The statement, with the names that the tables have here. */
  named(sql: string): string;
  /** Runs a read of one of the accounts. @param run sends a text @returns null if the tables are not there */
  read<Row extends QueryResultRow>(sql: string, run: (text: string) => Promise<Row[]>): Promise<Row[] | null>;
}

/**
 * All accounts, by the tables that statements name.
 * @param isDistributed whether Citus distributes them: each statement then names one account
 */
export function allTables(isDistributed = () => false): Shard {
  return {
    id: '',
    get merges() {
      return !isDistributed();
    },
    runs: () => true,
    named: (sql) => sql,
    read: (sql, run) => run(sql),
  };
}

/** What the catalog of Citus says of a shard of `accounts`, and of those that are always beside it. */
export interface ShardRow {
  /** The number of the shard of `accounts`. */
  readonly id: string;
  /** The lowest and the highest hash of its accounts. */
  readonly from: number;
  readonly to: number;
  readonly server: number;
  /** The names of the tables on the worker, by those that statements name. */
  readonly tables: Readonly<Record<string, string>>;
}

/** The start of the ids of accounts. */
const ACCOUNT = 'acc_';

/** Requests ask several times for the shard of the same account. */
const hashes = new LRUCache<string, number>({ max: 10_000 });

/** @returns the hash of an account's id, by which Citus assigns it to a shard */
export function hashOfAccount(id: string): number {
  const known = hashes.get(id);
  if (known !== undefined) return known;
  const hash = hashOfText(id);
  hashes.set(id, hash);
  return hash;
}

/** Literals, the names that a statement gives to its columns, and all other words. */
const WORDS = /'[^']*'|\bAS\s+"?\w+|\w+/gi;

/**
 * A shard by the names that its tables have on its worker. Citus plans a statement about a distributed table at each
 * execution, which takes several times as long as the execution. These are ordinary tables of PostgreSQL: their plans are
 * kept, and a statement may name several accounts.
 *
 * Nothing but this class prevents that the row of an account is written to the shard of another one, where nobody finds
 * it. So a statement runs here only if it names tables of the shard, and all accounts among its params are of this shard,
 * and there are some. It does not tell which of them the distribution column is compared with, which takes a parser of SQL:
 * as all are of the shard, that one is. A statement that left it out would fail through Citus, which locks and changes no
 * rows of several shards so. What looks like the id of an account and is none only leads through the coordinator.
 */
export class CitusShard implements Shard {
  readonly merges = true;
  private readonly tables: ReadonlyMap<string, string>;
  /** The statements by those that name the distributed tables; null for what names others. */
  private readonly texts = new Map<string, string | null>();
  /** Reads with their checks, by the same. */
  private readonly checkedTexts = new Map<string, string>();

  /** @param localNames matches the names of what only the coordinator has */
  constructor(
    readonly row: ShardRow,
    private readonly localNames: RegExp,
  ) {
    this.tables = new Map(Object.entries(row.tables));
  }

  get id(): string {
    return this.row.id;
  }

  has(accountId: string): boolean {
    const hash = hashOfAccount(accountId);
    return this.row.from <= hash && hash <= this.row.to;
  }

  runs(sql: string, params: readonly unknown[]): boolean {
    const text = this.textOf(sql);
    if (text === null || text === sql) return false;
    const accountIds = params
      .flat()
      .filter((value): value is string => typeof value === 'string' && value.startsWith(ACCOUNT));
    return accountIds.length > 0 && accountIds.every((id) => this.has(id));
  }

  named(sql: string): string {
    return this.textOf(sql) ?? sql;
  }

  read<Row extends QueryResultRow>(
    sql: string,
    run: (text: string) => Promise<Row[]>,
  ): Promise<Row[] | null> {
    let text = this.checkedTexts.get(sql);
    if (text === undefined) this.checkedTexts.set(sql, (text = checkedRead(this.named(sql), [this.id])));
    return rowsIfHere(run(text) as Promise<(Row & CheckedRow)[]>, 1);
  }

  /** Texts come from the code and never from a request, so the map stays small. */
  private textOf(sql: string): string | null {
    let text = this.texts.get(sql);
    if (text === undefined) this.texts.set(sql, (text = this.localNames.test(sql) ? null : this.rename(sql)));
    return text;
  }

  private rename(sql: string): string {
    return sql.replace(WORDS, (word) => this.tables.get(word) ?? word);
  }
}

export function groupByServer(shards: readonly CitusShard[]): Map<number, CitusShard[]> {
  const servers = new Map<number, CitusShard[]>(shards.map(({ row }) => [row.server, []]));
  for (const shard of shards) servers.get(shard.row.server)!.push(shard);
  return servers;
}

/** As writes through Citus do. A move waits for it on each server before it ends, for all tables of a shard. */
const HOLD = 'SELECT lock_shard_metadata(5, $1)';

/** A separate statement, so that it sees the moves for whose end the lock has waited. */
const HERE = countHere('$1');

/**
 * Keeps shards on a worker until a transaction ends.
 * @param send runs statements of that transaction, on that worker
 * @returns whether all of them are there
 */
export async function holdShards(send: Send, shards: readonly Shard[]): Promise<boolean> {
  const ids = shards.map(({ id }) => id);
  void send(HOLD, [ids]); // if it fails, so does the next one
  return send(HERE, [ids]).then(
    ({ rows }) => (rows as CheckedRow[])[0]!.here === ids.length,
    () => false,
  );
}
