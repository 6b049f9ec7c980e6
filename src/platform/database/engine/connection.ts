import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Client, type ClientConfig, type Pool, type PoolClient, Query, type QueryConfig, types } from 'pg';
import { READ_ONLY } from '../failures';

/** Sends all statements that `send` issues in one packet, as far as the socket allows. */
export function pipeline<T>(client: PoolClient, send: () => T): T {
  const stream = readSocket(client);
  stream.cork();
  try {
    return send();
  } finally {
    stream.uncork();
  }
}

/**
 * Destroys a checked-out connection whose server stays silent for `silenceMs`: the server hangs, or the network is
 * down. A healthy server responds earlier, since its own timeouts are shorter.
 */
export function destroySilentConnections(pool: Pool, silenceMs: number): void {
  pool.on('acquire', (client) => readSocket(client).setTimeout(silenceMs, destroySilent));
  pool.on('release', (_error, client) => readSocket(client).setTimeout(0, destroySilent));
}

/** Lets the server of a checked-out connection be silent for longer, until the connection is released. */
export function allowSilence(client: PoolClient, silenceMs: number): void {
  readSocket(client).setTimeout(silenceMs);
}

function destroySilent(this: Socket): void {
  this.destroy(new Error('Connection terminated: the server does not respond.'));
}

/**
 * Rejects a server that does not accept writes: its reads may be old, too.
 * @throws an error with SQLSTATE 25006
 */
export async function rejectReadOnly(client: Client | Pool): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
  if (rows[0]!.transaction_read_only === 'off') return;
  throw Object.assign(new Error('the server accepts no writes'), { code: READ_ONLY });
}

/**
 * Drops a connection as soon as its server shows that it may no longer be the leader of its cluster:
 * - it rejects a write;
 * - it ends the wait of a COMMIT for the synchronous standby, at the statement timeout for example. The server reports
 *   success with a warning, but a standby that becomes the leader may not have the transaction: its outcome is unknown.
 */
function dropFormerLeader(client: Client): void {
  const connection = connectionOf(client);
  connection.on('errorMessage', ({ code }: { code?: string }) => {
    if (code === READ_ONLY) connection.stream.destroy();
  });
  connection.on('notice', ({ routine }: { routine?: string }) => {
    if (routine !== 'SyncRepWaitForLSN') return;
    connection.emit('error', new Error('Connection terminated: no standby has confirmed the COMMIT.'));
  });
}

/** Marks a promise as awaited later: until then its rejection does not count as unhandled. */
export function ignoreRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

function readSocket(client: PoolClient): Socket {
  return connectionOf(client).stream;
}

/** A connection of the driver, whose types leave these members out. */
interface DriverConnection extends EventEmitter {
  readonly stream: Socket;
  /** The texts of the statements that the server has prepared, and of those that it has not responded to, by name. */
  readonly parsedStatements: Readonly<Record<string, string>>;
  readonly submittedNamedStatements: Readonly<Record<string, string>>;
  close(message: { type: 'S'; name: string }): void;
}

function connectionOf(client: Client | PoolClient): DriverConnection {
  return (client as unknown as { connection: DriverConnection }).connection;
}

interface PreparedStatement extends QueryConfig {
  /** The tables that it inserts into or updates. */
  readonly writes: readonly string[];
}

const statements = new Map<string, Pick<PreparedStatement, 'name' | 'writes'>>();
const WRITTEN_TABLE = /\b(?:INSERT\s+INTO|UPDATE)\s+"?(\w+)/gi;

/**
 * Names a statement by its text. Texts come from the code and never from a request, so the map stays small. Names are
 * unique in the process; each connection prepares a name on its first use.
 * @param original the text by the names that the tables have in the code
 */
export function prepared(text: string, values: readonly unknown[], original = text): PreparedStatement {
  let statement = statements.get(text);
  if (statement === undefined) {
    const writes = Array.from(original.matchAll(WRITTEN_TABLE), ([, table]) => table!);
    statement = { name: `s${statements.size + 1}`, writes };
    statements.set(text, statement);
  }
  return { name: statement.name, text, values: values as unknown[], writes: statement.writes };
}

/** Parses times in UTC, which are most of the values of a list, three times as fast as the driver. */
function parseTime(text: string): Date {
  return text.endsWith('+00') && text[10] === ' '
    ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`)
    : parseAnyTime(text);
}

const TIMESTAMPTZ: number = types.builtins.TIMESTAMPTZ;
const parseAnyTime = types.getTypeParser(TIMESTAMPTZ) as (text: string) => Date;

function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === TIMESTAMPTZ && format !== 'binary') return parseTime;
  return types.getTypeParser(oid, format) as (value: string) => unknown;
}

type Callback = (error: Error | undefined, result: unknown) => void;

/** The driver would copy an object with its property descriptors, which takes longer than the rest of what it does here. */
class NamedQuery extends Query {
  readonly name: string;

  constructor({ name, text, values }: PreparedStatement, callback: Callback) {
    super(text, values as unknown[], callback);
    this.name = name!;
  }
}

/** As the driver does, the stack of an error leads to the caller. */
function promised(send: (callback: Callback) => void): Promise<unknown> {
  return new Promise((resolve, reject) =>
    send((error, result) => (error ? reject(error) : resolve(result))),
  ).catch(throwFromHere);
}

function throwFromHere(error: Error): never {
  Error.captureStackTrace(error, throwFromHere);
  throw error;
}

/**
 * A client that prepares every statement with parameters once per connection, also those of TypeORM.
 *
 * An `error` event without a listener would end the process, and a connection can fail before the pool returns it. The
 * client therefore has a listener from the start; the query in progress reports the failure.
 */
export class PreparingClient extends Client {
  private written = new Set<string>();
  /** The names of statements that it has sent. */
  private readonly named = new Set<string>();

  constructor(config: ClientConfig = {}) {
    super({ ...config, types: { getTypeParser: getTypeParser as typeof types.getTypeParser } });
    this.on('error', () => undefined);
    dropFormerLeader(this);
  }

  // `query` has many overloads. Only statements of `prepared`, and a text with values, are sent in a different way.
  override query(...args: unknown[]): never {
    const [text, values, last] = args;
    const statement = (
      typeof text === 'string' && Array.isArray(values) ? prepared(text, values) : text
    ) as Partial<PreparedStatement>;
    const { name, writes } = statement;
    if (name === undefined || writes === undefined)
      return (super.query as (...args: unknown[]) => never)(...args);
    for (const table of writes) this.written.add(table);
    this.freeIfRejected(name);
    const send = (callback: Callback): void =>
      void super.query(new NamedQuery(statement as PreparedStatement, callback));
    const callback = [values, last].find((each) => typeof each === 'function') as Callback | undefined;
    return (callback ? send(callback) : promised(send)) as never;
  }

  /**
   * Frees the name of a statement that the server did not prepare, for example since the transaction was aborted: a
   * PgBouncer in transaction mode keeps the name all the same, and closes a connection that prepares it again.
   */
  private freeIfRejected(name: string): void {
    const connection = connectionOf(this);
    if (name in connection.parsedStatements || name in connection.submittedNamedStatements) return;
    if (this.named.has(name)) connection.close({ type: 'S', name });
    this.named.add(name);
  }

  /** Returns the tables that it has written to since the last call. */
  takeWritten(): ReadonlySet<string> {
    const { written } = this;
    if (written.size > 0) this.written = new Set();
    return written;
  }
}
