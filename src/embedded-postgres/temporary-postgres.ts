import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from './embedded-postgres';

/** Lets other users enter the folder: when root starts the server, it runs as another user. */
export const ENTERABLE = 0o711;

export interface TemporaryPostgres {
  readonly url: string;
  /** Stops the server and deletes its data. */
  stop(): Promise<void>;
}

/** Starts an empty PostgreSQL in a temporary folder. It does not flush to disk, so it suits tests and checks only. */
export async function startTemporaryPostgres(): Promise<TemporaryPostgres> {
  const dataDir = mkdtempSync(join(tmpdir(), 'countinghouse-'));
  chmodSync(dataDir, ENTERABLE);
  try {
    return await startEmbeddedPostgres({ dataDir, temporary: true });
  } catch (error) {
    rmSync(dataDir, { recursive: true, force: true });
    throw error;
  }
}

/** Runs `work` with the address of a temporary PostgreSQL. */
export async function onTemporaryPostgres<T>(work: (url: string) => Promise<T>): Promise<T> {
  const postgres = await startTemporaryPostgres();
  try {
    return await work(postgres.url);
  } finally {
    await postgres.stop();
  }
}
