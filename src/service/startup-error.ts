import { EmbeddedPostgresError } from '../embedded-postgres/embedded-postgres';
import { DomainError } from '../kernel/domain-error';
import { ConfigError } from '../platform/config/settings';
import { isUnavailable } from '../platform/database/failures';

/** Errors whose message says what to correct. */
const OPERATOR_ERRORS = [ConfigError, EmbeddedPostgresError, DomainError];

/** SQLSTATEs of rejected connections: wrong credentials, unknown database. */
const CONNECTION_REJECTED = /^(28|3D)/;

/** Why a process cannot start: one line for what an operator can correct, the stack for a defect. */
export function describeStartupError(error: unknown): string {
  if (OPERATOR_ERRORS.some((kind) => error instanceof kind)) return (error as Error).message;
  const { code = '', syscall, message, stack } = (error ?? {}) as NodeJS.ErrnoException;
  if (syscall === 'open') return `A file cannot be read: ${message}.`;
  // A server process of several asks its parent to bind the address.
  if (syscall === 'listen' || syscall === 'bind')
    return `PORT, LISTEN_ADDRESS: the service cannot listen there: ${message}.`;
  if (isUnavailable(error) || CONNECTION_REJECTED.test(code)) {
    return `DATABASE_URL: the database cannot be used: ${message || code}.`;
  }
  return stack ?? String(error);
}
