import type { QueryResult, QueryResultRow } from 'pg';
import type { EntitySchema, ObjectLiteral, Repository } from 'typeorm';
import type { IdPrefix } from '../../kernel/ids';

/** Text with the placeholders `$1`, `$2` … of its params. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly unknown[];
}

/** Inserts rows. Insertions with the same `ofRows` merge into one statement: its text for all rows, and all params. */
export interface Insertion extends Statement {
  readonly rows: number;
  readonly ofRows: (count: number) => string;
  /** Deletes what the rows replace, before any of a group are inserted. */
  readonly deletion?: Statement;
}

/** Identifies a row by which tasks are grouped, and reads many such rows with one statement. */
export interface RowKey extends KeyedLookUp {
  /** Identifies the row among all tables. */
  readonly row: string;
  /** The value of its only key column. */
  readonly key: string;
}

/** Reads rows by their keys, of which the statement has one array for each column. */
export interface KeyedLookUp {
  readonly sql: string;
  /** The same for one key, of which it has each column: where rows of several keys may be on several servers, or partitions. */
  readonly ofOne?: string;
  /** The columns of the key, which are among those that are read. */
  readonly columns: readonly string[];
}

/**
 * Writes all columns of one row that may change. Updates with the same `mergedSql` merge into one statement where the rows
 * are on one server.
 */
export interface RowUpdate extends Statement {
  /** Identifies the row among all tables. */
  readonly row: string;
  /**
   * Writes any number of rows, with an array of the params of all rows in place of each param: one text, whose plan is kept.
   * Null where the rows are written one by one.
   */
  readonly mergedSql: string | null;
  /** The whole row as it will be, by the names of the columns. */
  readonly values: QueryResultRow;
}

/** The errors to throw for violated constraints, by constraint name. */
export type ConstraintErrors = Readonly<Record<string, () => Error>>;

/**
 * A transaction as an extension sees it before a change. The text of each statement is checked, to prevent mistakes. A
 * function that writes, such as `nextval`, is not detected.
 */
export interface ReadTx {
  /**
   * Sends one SELECT without a lock and returns its rows.
   * @throws Error unless the statement begins with SELECT (not with a comment, a parenthesis or WITH) and is without the
   * word INTO and without a locking clause, also in literals: pass text values as parameters
   */
  read<Row extends QueryResultRow>(sql: string, params: readonly unknown[]): Promise<Row[]>;
  /**
   * Sends one SELECT that may lock, with `FOR UPDATE` for example, and returns its rows. The transaction then shares its
   * database transaction with none of other accounts.
   * @throws Error like `read`, but for the locking clause
   */
  query<Row extends QueryResultRow>(sql: string, params: readonly unknown[]): Promise<Row[]>;
}

/** A transaction as an extension sees it once a change is decided: it adds statements that commit with the change. */
export interface WriteTx {
  /** Queues one statement. Its failure rolls the whole transaction back. */
  enqueue(sql: string, params: readonly unknown[], errors?: ConstraintErrors): void;
}

interface IssuedId {
  readonly id: string;
  readonly at: Date;
}

/** A transaction as an extension sees it once a change under a locked account is decided. */
export interface AccountWrites extends WriteTx {
  /** Issues the next id under the account, with its time. */
  issueId(prefix: IdPrefix): IssuedId;
  /**
   * Queues the row of a new resource of the account, after the events that it has collected.
   * @param table its repository, for example an AccountOwnedTable
   * @throws Error for a resource of another account, which is not locked
   */
  add<Resource extends { readonly id: string; readonly accountId: string }>(
    table: { add(tx: Tx, resource: Readonly<Resource>): void },
    resource: Readonly<Resource>,
  ): void;
}

/**
 * One database transaction, passed from method to method. `Database.transaction` opens and ends it.
 *
 * Round trips dominate the cost of a transaction, so there are few: `query` sends at once and waits, `enqueue` only
 * queues, and all queued statements go out with the next query or the COMMIT.
 */
export interface Tx extends WriteTx {
  /**
   * Sends all queued statements and one SELECT that locks nothing, and returns its rows. Tasks of a group do not wait for
   * each other's reads.
   */
  read<Row extends QueryResultRow>(sql: string, params: readonly unknown[]): Promise<Row[]>;
  /**
   * Sends all queued statements and this one, and returns its rows. It may lock and write, so a task that shares a
   * database transaction with tasks of other keys leaves it, and runs again without them.
   */
  query<Row extends QueryResultRow>(sql: string, params: readonly unknown[]): Promise<Row[]>;
  /**
   * Reads one row by its key and locks it until the transaction ends.
   * @param select without `FOR UPDATE`
   * @param key the key of the row, if all of its changes are queued with `enqueueUpdate`: a group then reads it once, and
   * the rows of all its tasks with one statement
   */
  lockRow<Row extends QueryResultRow>(
    select: string,
    params: readonly unknown[],
    key?: RowKey,
  ): Promise<Row | null>;
  /**
   * Reads rows of an account that this transaction has locked, and locks them until it ends, without those that another
   * transaction has locked. The tasks of a group read theirs with one statement.
   * @param selectFrom up to the table, with `account_id` and `id`
   * @returns those that were found, in the order of `ids`
   */
  lockFreeRows<Row extends QueryResultRow>(
    selectFrom: string,
    accountId: string,
    ids: readonly string[],
  ): Promise<Row[]>;
  /**
   * Makes calls that need nothing of each other. Their first statements go out in one packet, in the order of the calls.
   * @throws the first failure, once all calls have ended, so that none sends anything afterwards
   */
  together<Results extends readonly unknown[]>(
    ...calls: { readonly [Index in keyof Results]: () => Promise<Results[Index]> }
  ): Promise<Results>;
  /** Queues one statement. Its failure appears at the next query or at the COMMIT, never here. */
  enqueue(sql: string, params: readonly unknown[], errors?: ConstraintErrors): void;
  /** Queues the update of a row that this transaction has locked. A group writes the row once, after what it inserts. */
  enqueueUpdate(update: RowUpdate): void;
  /** Queues rows to insert. */
  enqueueInsert(insertion: Insertion, errors?: ConstraintErrors): void;
  /**
   * Returns a repository of TypeORM that sends its statements one after another, like `read` and `query`. A statement that
   * fails ends the transaction, whose other repositories then throw the same error. `save` reads before it writes: use
   * `insert` and `update`.
   */
  repository<Entity extends ObjectLiteral>(
    schema: EntitySchema<Entity>,
    errors?: ConstraintErrors,
  ): Repository<Entity>;
  /** Returns a view of this transaction for hooks, which can only read. */
  readOnly(): ReadTx;
  /**
   * Returns a view of this transaction for hooks, which add to a change.
   * @param account which this transaction has locked, and saves afterwards
   * @param now the time of the change
   */
  writesUnder(
    account: { readonly id: string; issueId(prefix: IdPrefix, now: Date): IssuedId },
    now: Date,
  ): AccountWrites;
}

/** A read-only view of the database at one point in time. */
export interface Snapshot {
  query<Row extends QueryResultRow>(sql: string, params: readonly unknown[]): Promise<Row[]>;
  stream<Row extends QueryResultRow>(sql: string, batchSize: number): AsyncIterable<Row[]>;
}

export type Send = (sql: string, params: readonly unknown[]) => Promise<QueryResult>;

/** Adds a parameter to a statement. @returns its placeholder */
export type Placeholder = (value: unknown) => string;

/** Builds a statement whose parts add their parameters in any order. */
export function buildStatement(sqlWith: (placeholder: Placeholder) => string): Statement {
  const params: unknown[] = [];
  const sql = sqlWith((value) => `$${params.push(value)}`);
  return { sql, params };
}
