import { chmodSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { QueryResultRow } from 'pg';
import { Client } from 'pg';
import { lstat, shortHash } from './data-folder';
import { startEmbeddedPostgres } from './embedded-postgres';
import { EmbeddedPostgresError, FolderLockError, systemErrorCode } from './embedded-postgres.error';
import { runningPostgresUrl } from './running-postgres';
import { databaseUrl } from './server-address';
import { ENTERABLE } from './temporary-postgres';

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
      const url = await startUnlessRunning(sharedFolder());
      const client = await share(databaseUrl(url, 'postgres'));
      if (client !== null) return sharedBy(client, url);
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
async function share(url: string): Promise<Client | null> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ shared: boolean }>(
    'SELECT pg_try_advisory_lock_shared($1) AS shared',
    [LOCK],
  );
  if (rows[0]!.shared) return client;
  await client.end();
  return null;
}

function sharedBy(client: Client, url: string): SharedPostgres {
  return {
    urlOf: (database) => databaseUrl(url, database),
    query: async <Row extends QueryResultRow>(sql: string, values?: unknown[]) =>
      (await client.query<Row>(sql, values)).rows,
    release: () => client.end(),
  };
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
