/** SQLSTATEs after which the same transaction may simply run again: serialization failure, deadlock. */
const RETRYABLE = new Set(['40001', '40P01']);

/** SQLSTATEs that say "not now": the server goes, is full, or a bound on time was reached. */
const UNAVAILABLE = /^(08|53|57P0[1-5]$|57014$|55P03$|25P0[34]$|58030$)/;

/** What sockets say when the database is away. */
const SOCKET_FAILURES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** What pg says without a code when a connection is gone or none came free in time. */
const CLIENT_FAILURES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after calling end)/;

interface DatabaseError {
  readonly code?: string;
  readonly constraint?: string;
  readonly message: string;
}

/** The driver's error, also from inside TypeORM's wrapper. By shape: errors of the runtime itself are of its own realm. */
function driverError(error: unknown): Partial<DatabaseError> {
  if (typeof error !== 'object' || error === null) return {};
  const { driverError: wrapped } = error as { driverError?: unknown };
  return typeof wrapped === 'object' && wrapped !== null ? wrapped : error;
}

export function isRetryable(error: unknown): boolean {
  return RETRYABLE.has(driverError(error).code ?? '');
}

/** 25P02: refused only because an earlier statement of the transaction failed, which is the error to report. */
export function isAfterFailure(error: unknown): boolean {
  return driverError(error).code === '25P02';
}

/** Whether a COMMIT that was answered so has certainly not happened: a check said no, or it would not serialize. */
export function isRefusedCommit(error: unknown): boolean {
  return /^(23|40|P0)/.test(driverError(error).code ?? '');
}

/** Whether the database could not answer, as against a defect in what it was asked. */
export function isUnavailable(error: unknown): boolean {
  const { code, message } = driverError(error);
  if (code !== undefined) return UNAVAILABLE.test(code) || SOCKET_FAILURES.has(code);
  return message !== undefined && CLIENT_FAILURES.test(message);
}

/** The constraint that a write violated, or null when it failed for another reason. */
export function violatedConstraint(error: unknown): string | null {
  const found = driverError(error);
  return found.code?.startsWith('23') ? (found.constraint ?? null) : null;
}
