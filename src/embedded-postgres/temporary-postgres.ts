import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, type QueryResultRow } from 'pg';
import { lstat, shortHash } from './data-folder';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres';
import { EmbeddedPostgresError, FolderLockError, systemErrorCode } from './embedded-postgres.error';
import { databaseUrl, runningPostgresUrl } from './server-address';

/** Lets other users enter the folder: when root starts the server, it runs as another user. */
const ENTERABLE = 0o711;

/**
 * Starts an empty PostgreSQL in a temporary folder, which a stop deletes. It does not flush to disk, so it suits tests and
 * checks only.
 */
export async function startTemporaryPostgres(): Promise<EmbeddedPostgres> {
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

/** A temporary PostgreSQL that all processes of this user and this installation use together. */
export interface SharedPostgres {
  /** The address of one of its databases. */
  urlOf(database: string): string;
  /** Runs a statement in a database that always exists. */
  query<Row extends QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** Ends the use. */
  release(): Promise<void>;
}

/** Each user holds a share of this advisory lock, and the watchdog takes it before it stops the server. */
const LOCK = 772_904_115;
/** Longer than the pause between two test files. */
const IDLE_SECONDS = 10;
const TIMEOUT_MS = 60_000;
const RETRY_MS = 100;

/** What a user meets while another process starts or stops the server: the folder or the server comes and goes. */
const TRANSIENT_CODES = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P03'];

/**
 * Uses the shared server, and starts it if nobody uses it. It stops with the data ten seconds after its last user, and
 * the process that has started it, have ended, also when they were killed.
 * @throws EmbeddedPostgresError
 */
export async function useSharedPostgres(): Promise<SharedPostgres> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    try {
      const shared = await share(await startUnlessRunning(sharedFolder()));
      if (shared !== null) return shared;
    } catch (error) {
      const isTransient =
        error instanceof FolderLockError || TRANSIENT_CODES.includes(systemErrorCode(error) ?? '');
      if (!isTransient || performance.now() > deadline) throw error;
    }
    await pause(RETRY_MS);
  }
}

async function startUnlessRunning(dataDir: string): Promise<string> {
  const running = await runningPostgresUrl(dataDir);
  if (running !== null) return running;
  const sharing = { lock: LOCK, idleSeconds: IDLE_SECONDS };
  return (await startEmbeddedPostgres({ dataDir, temporary: true, sharing })).url;
}

/** @returns null when the server is about to stop */
async function share(url: string): Promise<SharedPostgres | null> {
  const client = new Client({ connectionString: databaseUrl(url, 'postgres') });
  client.on('error', () => undefined);
  const query = async <Row extends QueryResultRow>(sql: string, values?: unknown[]) =>
    (await client.query<Row>(sql, values)).rows;
  await client.connect();
  const [row] = await query<{ shared: boolean }>('SELECT pg_try_advisory_lock_shared($1) AS shared', [LOCK]);
  if (row!.shared)
    return { urlOf: (database) => databaseUrl(url, database), query, release: () => client.end() };
  await client.end();
  return null;
}

/** Everyone can write to the folder for temporary files, so the folder may be one that someone else has made. */
function sharedFolder(): string {
  const uid = process.getuid?.();
  const folder = join(tmpdir(), `countinghouse-shared-${shortHash(`${uid} ${__dirname}`)}`);
  mkdirSync(folder, { recursive: true, mode: ENTERABLE });
  const found = lstat(folder);
  if (found?.isDirectory() && (uid === undefined || found.uid === uid)) {
    chmodSync(folder, ENTERABLE); // the umask may have removed the permission
    return folder;
  }
  throw new EmbeddedPostgresError(`${folder} is not a folder of this user: remove it.`);
}
