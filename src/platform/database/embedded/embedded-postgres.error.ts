/** Why the embedded database cannot run: one line that also says what to do about it. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

/** What every message about an unusable embedded database ends with. */
export const USE_ANOTHER_SERVER = 'or set DATABASE_URL to a PostgreSQL server of your own (15 to 18).';

/** The code of a failed system call (ENOENT, EACCES ...), or undefined for any other failure. */
export function systemErrorCode(error: unknown): string | undefined {
  // Not by instanceof: under Jest the system's errors belong to another realm.
  return (error as NodeJS.ErrnoException | undefined)?.code;
}
