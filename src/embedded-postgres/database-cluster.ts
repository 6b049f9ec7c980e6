import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs';
import path from 'node:path';
import { type DataFolder, lstat } from './data-folder';
import { EmbeddedPostgresError, USE_ANOTHER_SERVER } from './embedded-postgres.error';
import { stopOrphanedServer } from './orphaned-server';
import type { PostgresBinaries } from './postgres-binaries';
import { serverEnvironment } from './server-account';

/** The name of the database and of the role that the service connects as. */
export const DATABASE = 'countinghouse';

/** Used only on Windows, where the server listens on TCP. The file is in the cluster and shares its lifetime. */
export const passwordFile = (cluster: string): string => path.join(cluster, 'countinghouse.password');

const ERROR_LINE = /\b(PANIC|FATAL|ERROR|error): /;
const UNFINISHED_PREFIX = 'postgres.new-';

/**
 * Creates the cluster unless it exists. The caller must hold the folder lock.
 *
 * A new cluster is initialized in a temporary folder and then renamed. A crash or a full disk therefore leaves either no
 * cluster or a complete one.
 * @throws EmbeddedPostgresError for a cluster of another major version
 */
export async function ensureCluster(
  folder: DataFolder,
  binaries: PostgresBinaries,
  fsync: boolean,
): Promise<void> {
  for (const name of fs.readdirSync(folder.home)) {
    if (name.startsWith(UNFINISHED_PREFIX)) discard(path.join(folder.home, name));
  }
  if (lstat(folder.cluster) !== undefined && fs.readdirSync(folder.cluster).length > 0) {
    return assertSameVersion(folder.cluster, binaries.majorVersion);
  }
  const unfinished = path.join(folder.home, UNFINISHED_PREFIX + randomBytes(6).toString('hex'));
  try {
    await initializeCluster(unfinished, folder, binaries, fsync);
    fs.renameSync(unfinished, folder.cluster);
    syncFolder(folder.home);
  } catch (error) {
    discard(unfinished);
    if (error instanceof EmbeddedPostgresError) throw error;
    throw new EmbeddedPostgresError(
      `The database cannot be created in ${folder.home} (${(error as Error).message}): ` +
        `${remedyFor((error as Error).message)}, ${USE_ANOTHER_SERVER}`,
    );
  }
}

/** Removes what a temporary server has left: after a crash of the machine it may be damaged, since it was not flushed. */
export async function removeCluster({ cluster }: DataFolder, binaries: PostgresBinaries): Promise<void> {
  await stopOrphanedServer(cluster, binaries);
  fs.rmSync(cluster, { recursive: true, force: true });
}

function remedyFor(reason: string): string {
  if (reason.includes('No space left')) return 'free space on that disk';
  // For example in a container that is started with a numeric user id.
  if (reason.includes('user does not exist')) return 'run as a user that is listed in /etc/passwd';
  // For example on Alpine Linux, whose C library is musl. The binaries are linked to glibc.
  if (reason.includes('ENOENT')) return 'use a system with the GNU C library, such as Debian';
  return 'check that folder and its disk';
}

function assertSameVersion(cluster: string, majorVersion: string): void {
  const versionFile = path.join(cluster, 'PG_VERSION');
  if (lstat(versionFile) === undefined) {
    throw new EmbeddedPostgresError(
      `${cluster} is not a PostgreSQL database: move it, or choose another data folder.`,
    );
  }
  const found = fs.readFileSync(versionFile, 'utf8').trim();
  if (found === majorVersion) return;
  throw new EmbeddedPostgresError(
    `The database in ${cluster} was created by PostgreSQL ${found}, but this is PostgreSQL ${majorVersion}: ` +
      `dump it with PostgreSQL ${found} and restore the dump into a new data folder, ${USE_ANOTHER_SERVER}`,
  );
}

async function initializeCluster(
  target: string,
  { account }: DataFolder,
  binaries: PostgresBinaries,
  fsync: boolean,
): Promise<void> {
  fs.mkdirSync(target, { mode: 0o700 });
  if (account.uid !== undefined && account.gid !== undefined) fs.chownSync(target, account.uid, account.gid);
  const run = (program: string, args: string[], input = ''): Promise<void> =>
    runProgram(program, args, input, { uid: account.uid, gid: account.gid });
  // The builtin locale makes lower() behave as in production. The C locale would convert ASCII letters only.
  const initdb = [
    '-D',
    target,
    '-U',
    DATABASE,
    '-E',
    'UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ];
  const sync = fsync ? [] : ['--no-sync'];
  if (process.platform === 'win32')
    await initializeWithPassword(target, (args) => run(binaries.initdb, [...initdb, ...sync, ...args]));
  // Connections are restricted by the permissions of the socket's folder.
  else await run(binaries.initdb, [...initdb, ...sync, '--auth-local=trust', '--auth-host=reject']);
  const single = ['--single', '-D', target, '-c', `fsync=${fsync ? 'on' : 'off'}`, 'postgres'];
  await run(binaries.postgres, single, `CREATE DATABASE ${DATABASE}\n`);
}

/** Not tested on Windows. File modes have no effect there, so `icacls` sets the permissions. */
async function initializeWithPassword(
  target: string,
  initdb: (args: string[]) => Promise<void>,
): Promise<void> {
  const temporary = `${target}.password`;
  try {
    fs.writeFileSync(temporary, randomBytes(24).toString('hex'), { mode: 0o600 });
    await runProgram(
      'icacls',
      [temporary, '/inheritance:r', '/grant:r', `${process.env.USERNAME}:F`],
      '',
      {},
    );
    await initdb(['--auth=scram-sha-256', `--pwfile=${temporary}`]);
    fs.renameSync(temporary, passwordFile(target));
  } finally {
    fs.rmSync(temporary, { force: true });
  }
}

async function runProgram(
  program: string,
  args: string[],
  input: string,
  account: { uid?: number; gid?: number },
): Promise<void> {
  const child = spawn(program, args, {
    ...account,
    cwd: '/',
    env: serverEnvironment(),
    stdio: ['pipe', 'ignore', 'pipe'],
    windowsHide: true,
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-4000)));
  // If the program exits early, its error output is more useful than the EPIPE error.
  child.stdin.on('error', () => undefined).end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  // A single-user server exits with 0 even if a statement failed.
  if (code === 0 && !ERROR_LINE.test(errors)) return;
  // The first error is the cause of the others.
  throw new Error(errorLines(errors)[0] ?? `${path.basename(program)} exited with code ${code}`);
}

/** Returns the lines of a program's output that report errors, or the last line if there is none. */
export function errorLines(output: string): string[] {
  const lines = output
    .split('\n')
    .map((line) => line.trim().replace(/^[-\d]+ [:.\d]+ UTC \[\d+\] /, ''))
    .filter((line) => line !== '');
  const errors = lines.filter((line) => ERROR_LINE.test(line));
  return errors.length > 0 ? errors : lines.slice(-1);
}

function discard(folder: string): void {
  try {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  } catch {
    // An orphaned initdb process may still write to the folder. The next start removes it.
  }
}

/** Makes the rename of the new cluster durable. Windows neither supports nor needs this. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = fs.openSync(folder, 'r');
  fs.fsyncSync(handle);
  fs.closeSync(handle);
}
