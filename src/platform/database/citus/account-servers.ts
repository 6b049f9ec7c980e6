import type { PoolClient, QueryResultRow } from 'pg';
import type { Send, Statement } from '../tx';
import type { Shard } from './shard';

/** Tells which server has the rows of an account. What writes on one server only commits in one phase. */
export abstract class AccountServers {
  /** @returns a number of the server, the same for all accounts where the database is one server */
  abstract serverOf(accountId: string): number;
  /** @returns the number of the server that has what an account owns with this id, unless the id is an old one */
  abstract serverOfId(id: string): number;
  /** How many servers there are. */
  abstract readonly count: number;
  /** Whether accounts are spread over shards, so that a statement which locks or changes their rows names one of them. */
  abstract readonly isDistributed: boolean;
  /**
   * Connects straight to a server, whose other connections are not a part of the pool.
   * @returns null where the way to it is a connection of the pool
   */
  abstract connect(server: number, isBackground: boolean): Promise<PoolClient | null> | null;
  /** The tables with the rows of an account, as a connection straight to its server names them. */
  abstract shardOf(accountId: string): Shard;
  /**
   * Reads straight from the servers.
   * @param statementOf a SELECT over several tables, which together have the rows of a server
   * @param server the number of the one to read from; null for all
   * @returns the rows; null when they cannot be read so
   */
  abstract readByServer<Row extends QueryResultRow>(
    table: string,
    statementOf: (tables: readonly string[]) => Statement,
    server: number | null,
  ): Promise<Row[] | null>;
  /** Reads straight from all servers that respond. @returns the rows; null when they cannot be read so */
  abstract sweep<Row extends QueryResultRow>(
    table: string,
    statementOf: (tables: readonly string[]) => Statement,
  ): Promise<Row[] | null>;
  /**
   * Keeps shards from moving to other servers until a transaction ends.
   * @param send on a connection straight to a server
   * @returns whether they are there; if not, what was read there is old
   */
  abstract hold(send: Send, shards: readonly Shard[]): Promise<boolean>;
  /** A read has not found a shard where it was: the placement is read again. */
  abstract noticeMove(): void;
  /**
   * The time of the oldest commit in two phases that a server has not completed. Nobody sees yet what it has written there.
   * @returns milliseconds since 1970; Infinity if there is none
   * @throws when a server does not respond
   */
  abstract oldestUnfinishedCommit(): Promise<number>;
}
