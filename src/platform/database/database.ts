import type { Type } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import type { EntitySchema, ObjectLiteral, Repository } from 'typeorm';
import type { ApiVersion } from '../versions/api-versions';
import type { RowKey, Snapshot, Statement, Tx } from './tx';

export type { AccountWrites, ReadTx, RowKey, Snapshot, Tx, WriteTx } from './tx';

/** What runs in a database transaction. `now` is the time of its start. */
export type Work<T> = (tx: Tx, now: Date) => Promise<T>;

/** What a transaction locks first: the row of a key, or several rows. */
export type Locks = string | readonly RowKey[];

/** The identity of a creation request, so that a repeat creates nothing more. */
export interface IdempotentRequest {
  /** The owner of the key: two principals may use the same key. */
  readonly principal: string;
  /** The only account that the principal acts for, beside which the response is stored; null for all other principals. */
  readonly accountId: string | null;
  /** The `Idempotency-Key`; null when the client sent none, and then nothing is looked up or stored. */
  readonly key: string | null;
  /** With a key: method, path and body of the request, without secrets. The same key with different ones is rejected. */
  readonly request: string;
  /** Whether the caller wants to know what would happen, and nothing is to be stored. */
  readonly dryRun?: boolean;
  /** The version of the API in which the response is sent and stored; the newest by default. */
  readonly version?: ApiVersion;
  /** The class of the response, in its newest shape. */
  readonly response?: Type;
}

/** A creation request, and how its result is rendered. */
export interface IdempotentOperation<T> extends IdempotentRequest {
  readonly render: (result: T) => object;
  /**
   * For a creation after which the principal acts for an account: returns its id. The response is stored beside it too, where
   * it is looked up from then on.
   */
  readonly linksTo?: (result: T) => string;
  /**
   * For a response that shows a secret once: returns the id of what was created. Only the id is stored, and a repeat is
   * rejected with DomainError `conflict`, which names it.
   */
  readonly showsSecretOf?: (result: T) => string;
}

/** Renders the response of a creation, in the version of the request. */
export function renderResponse<T>({ render, version, response }: IdempotentOperation<T>, result: T): object {
  const newest = render(result);
  return version && response ? version.convert(response, newest) : newest;
}

/** The body of a creation's response as it is sent, and whether an earlier request stored it. */
export class StoredResponse {
  constructor(
    readonly body: string,
    readonly replayed: boolean,
    /** 200 for a dry run, which creates nothing. */
    readonly status: 200 | 201 = 201,
    /** The version of the body, if that is not the version of the request. */
    readonly version: string | null = null,
  ) {}
}

/** Runs one of several creations, unless its response is stored. */
export type CreateOnce = <T>(
  operation: IdempotentOperation<T>,
  create: () => Promise<T>,
) => Promise<StoredResponse>;

/** The database as application code sees it: single statements, transactions and snapshots. */
export abstract class Database {
  /** Resolves if the server responds and accepts writes. It has a connection that nothing else delays. */
  abstract ping(): Promise<void>;

  /** Runs one statement on its own and returns its rows. */
  abstract query<Row extends QueryResultRow>(sql: string, params: readonly unknown[]): Promise<Row[]>;

  /** Returns a repository of TypeORM each of whose statements runs on its own, like `query`. */
  abstract repository<Entity extends ObjectLiteral>(schema: EntitySchema<Entity>): Repository<Entity>;

  /** Whether accounts are spread over shards, so that a statement about one account is faster than one about several. */
  abstract readonly isDistributed: boolean;

  /**
   * Returns a number of the server that has the rows of an account: the same one for all, where the database is one
   * server. Reads of several accounts that share a statement are of one server, so that no account waits for the servers
   * of others or fails with them.
   */
  abstract serverOf(accountId: string): number;

  /** The same by an id of what an account owns. It is a guess: ids from before this release do not tell. */
  abstract serverOfId(id: string): number;

  /**
   * Returns the rows of a read that is always short: one page by an index, for example. It shares its connection with
   * others of the same moment, and may wait for them.
   * @param accountId whose rows are read; null for a read across accounts
   */
  abstract read<Row extends QueryResultRow>(
    sql: string,
    params: readonly unknown[],
    accountId: string | null,
  ): Promise<Row[]>;

  /**
   * Returns the rows of a read across accounts that is always short, with one statement for each server, in no order.
   * @param statementOf a SELECT over several tables, which together have the rows of `table` on a server
   * @param server the number of the one to read from; null for all
   * @returns null where the database is one server, or has to put the rows together: `read` or `query` then returns them
   */
  abstract readByServer<Row extends QueryResultRow>(
    table: string,
    statementOf: (tables: readonly string[]) => Statement,
    server: number | null,
  ): Promise<Row[] | null>;

  /**
   * Returns the rows of a look-up across accounts by background work, with one statement for each server, in no order.
   * A server that does not respond is left out until it does, so that the work for accounts elsewhere goes on.
   * @param select a SELECT from one of the tables that together have the rows of `table`; a LIMIT is that of each
   * @param source the transaction that waits for it, whose connection it may use
   */
  abstract sweep<Row extends QueryResultRow>(
    table: string,
    select: (name: string) => string,
    params: readonly unknown[],
    source?: Pick<Tx, 'query'>,
  ): Promise<Row[]>;

  /**
   * Runs `work` in one database transaction: all of its changes are committed, or none.
   *
   * `work` may run again after a deadlock, so it must have no effects outside `tx`.
   *
   * With `locks`, concurrent calls may share a database transaction, which is faster and changes nothing else: those
   * with the same key still run one after another. `work` then starts by locking the row of that key with `tx.lockRow`.
   * With several rows instead, `work` locks no others for which it may wait.
   * @throws DomainError from `work` or from a violated constraint; `unavailable` when deadlocks persist; the
   * driver's error when the database does not respond, and then the outcome is unknown
   */
  abstract transaction<T>(work: Work<T>, locks?: Locks): Promise<T>;

  /**
   * Runs the creation `work` like `transaction`, and stores its rendered response in the same database transaction. A
   * repeat of the request returns the stored response without running `work`.
   * @throws DomainError `conflict` for a repeat of an operation with `showsSecretOf`; like `transaction`; after an
   * unknown outcome, a repeat with the same idempotency key returns the result
   */
  abstract idempotent<T>(
    operation: IdempotentOperation<T>,
    work: Work<T>,
    locks?: Locks,
  ): Promise<StoredResponse>;

  /**
   * Runs several creations in one database transaction: all of them, or none. `work` locks what they change, and then
   * passes each to `once` in turn, which returns the stored response of one that was made before.
   * @throws DomainError like `idempotent`
   */
  abstract idempotentAll(
    requests: readonly IdempotentRequest[],
    work: (tx: Tx, now: Date, once: CreateOnce) => Promise<StoredResponse[]>,
    locks?: Locks,
  ): Promise<StoredResponse[]>;

  /** Runs `work` like `transaction`, and then rolls it back. What only the COMMIT would find out is not known. */
  abstract dryRun<T>(work: Work<T>, locks?: Locks): Promise<T>;

  /**
   * Runs `work` and charges the connections that it uses to `holder`, such as an account, who may use only a part of the
   * pool at a time. What exceeds it waits, and ends with DomainError `unavailable` when it waits for too long.
   * @param holder null when it is not known yet (see `chargeTo`)
   */
  abstract runFor<T>(holder: string | null, work: () => T): T;

  /** Charges what the current `runFor` does from now on to another holder. */
  abstract chargeTo(holder: string): void;

  /** Runs `work` on one consistent snapshot of the database, without blocking writers. */
  abstract snapshot<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T>;
}
