import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from './embedded-postgres';

/** Lets other users enter the folder: when root starts the server, it runs as another user. */
const ENTERABLE = 0o711;

export interface TemporaryPostgres {
  readonly url: string;
  /** Stops the server and deletes its data. */
  stop(): Promise<void>;
}

/** Starts an empty PostgreSQL in a temporary folder. It does not flush to disk, so it suits tests and checks only. */
export async function startTemporaryPostgres(): Promise<TemporaryPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'countinghouse-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  chmodSync(folder, ENTERABLE);
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), fsync: false });
    return { url: postgres.url, stop: () => postgres.stop().finally(remove) };
  } catch (error) {
    remove();
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
