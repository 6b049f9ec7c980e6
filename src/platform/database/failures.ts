/** SQLSTATE of a write on a standby, or on a server that is set to reject writes. */
export const READ_ONLY = '25006';

/** SQLSTATE of a statement on a table that does not exist. */
export const UNDEFINED_TABLE = '42P01';

/** SQLSTATE of a statement on a column that does not exist. */
export const UNDEFINED_COLUMN = '42703';

/** SQLSTATEs after which the transaction can be retried: serialization failure, deadlock, another server writes now. */
const RETRYABLE = new Set(['40001', '40P01', READ_ONLY]);

/** SQLSTATEs of a server that is temporarily unavailable: it shuts down, lacks resources or only serves reads. */
const SERVER_UNAVAILABLE = /^(08|53|57P0[1-5]$|58030$|25006$)/;

/** SQLSTATEs of timeouts on a healthy server: of a statement, a lock, an idle transaction, a whole transaction. */
const TIMEOUTS = new Set(['57014', '55P03', '25P03', '25P04']);

/** Socket error codes when the database is unreachable. */
const SOCKET_FAILURES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Messages of pg errors without a code: the connection is lost, or the pool had none in time. */
const CLIENT_FAILURES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after calling end)/;

/** The coordinator of Citus reports a lost connection to a worker as an internal error, which its message tells apart. */
const INTERNAL_ERROR = 'XX000';
const LOST_WORKER =
  /^(server closed the connection|no connection to the server|connection not open|could not (receive|send) data|SSL |failure on connection marked as essential|could not commit transaction for shard)/;

interface DatabaseError {
  readonly code?: string;
  readonly constraint?: string;
  readonly message: string;
}

/** Returns the driver's error, also from TypeORM's wrapper. Errors may come from another realm, so `instanceof` fails. */
function driverError(error: unknown): Partial<DatabaseError> {
  if (typeof error !== 'object' || error === null) return {};
  const { driverError: wrapped } = error as { driverError?: unknown };
  return typeof wrapped === 'object' && wrapped !== null ? wrapped : error;
}

export function isRetryable(error: unknown): boolean {
  return RETRYABLE.has(driverError(error).code ?? '');
}

/**
 * Whether the statement failed only because an earlier one did, whose error is the one to report: in the transaction
 * (25P02), or in the packet, where the earlier one was to prepare what both name (26000).
 */
export function isAfterFailure(error: unknown): boolean {
  return ['25P02', '26000'].includes(driverError(error).code ?? '');
}

/** Whether the error of a COMMIT proves that nothing was committed: a violated constraint or a serialization failure. */
export function isRejectedCommit(error: unknown): boolean {
  return /^(23|40|P0)/.test(driverError(error).code ?? '');
}

/** Whether the request can be repeated later: the server is unavailable, or a timeout has passed. */
export function isUnavailable(error: unknown): boolean {
  return isServerUnavailable(error) || isTimeout(error);
}

/** Whether the server or the connection to it has failed, which concerns every statement. */
export function isServerUnavailable(error: unknown): boolean {
  const { code, message } = driverError(error);
  if (code === INTERNAL_ERROR) return LOST_WORKER.test(message ?? '');
  if (code !== undefined) return SERVER_UNAVAILABLE.test(code) || SOCKET_FAILURES.has(code);
  return message !== undefined && CLIENT_FAILURES.test(message);
}

/** Whether a lock, a statement or a transaction took too long, which may concern only the rows that it uses. */
export function isTimeout(error: unknown): boolean {
  return TIMEOUTS.has(driverError(error).code ?? '');
}

/** Citus reports an error of a worker without the name of the constraint, which its message contains. */
const NAMED_CONSTRAINT = /constraint "([^"]+)"$/;

/** Returns the constraint that a write violated, or null for any other error. */
export function violatedConstraint(error: unknown): string | null {
  const { code, constraint, message = '' } = driverError(error);
  if (!code?.startsWith('23')) return null;
  return constraint ?? NAMED_CONSTRAINT.exec(message)?.[1] ?? null;
}
