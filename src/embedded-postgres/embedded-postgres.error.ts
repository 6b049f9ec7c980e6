/** The embedded database cannot run. The message is one line and states what the operator can do. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

/** The alternative that the messages offer. */
export const USE_ANOTHER_SERVER = 'or set DATABASE_URL to a PostgreSQL server of your own (15 to 18).';

/** The code of a failed system call, e.g. ENOENT or EACCES; undefined for any other error. */
export function systemErrorCode(error: unknown): string | undefined {
  // instanceof does not work in Jest, where system errors come from another realm.
  return (error as NodeJS.ErrnoException | undefined)?.code;
}

/** The data folder cannot be locked, in most cases because another process uses it. */
export class FolderLockError extends EmbeddedPostgresError {}
