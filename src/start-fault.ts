import { Refusal } from './kernel/refusal';
import { ConfigError } from './platform/config/config';
import { isUnavailable } from './platform/database/failures';
import { EmbeddedPostgresError } from './platform/database/embedded/embedded-postgres';

/** SQLSTATEs of a server that does not let the service in: wrong credentials, no such database. */
const NOT_LET_IN = /^(28|3D)/;

/** Why a process cannot start: one line for what the operator can mend; the whole error for a defect. */
export function startFault(error: unknown): string {
  if (error instanceof ConfigError || error instanceof EmbeddedPostgresError) return error.message;
  // Nothing but the admin of the configuration is checked by the domain before the service serves.
  if (error instanceof Refusal) return `ADMIN_EMAIL, ADMIN_PASSWORD: ${error.message}`;
  const { code = '', syscall, message, stack } = (error ?? {}) as NodeJS.ErrnoException;
  if (syscall === 'open') return `A file cannot be read: ${message}.`;
  if (syscall === 'listen') return `PORT, LISTEN_ADDRESS: the service cannot listen there: ${message}.`;
  if (isUnavailable(error) || NOT_LET_IN.test(code)) {
    return `DATABASE_URL: the database cannot be used: ${message || code}.`;
  }
  return stack ?? String(error);
}
