import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs';
import path from 'node:path';
import { type DataFolder, lstat } from './data-folder';
import { EmbeddedPostgresError, USE_ANOTHER_SERVER } from './embedded-postgres.error';
import type { PostgresBinaries } from './postgres-binaries';
import { serverEnvironment } from './server-environment';

/** Both the role that the service connects as and its database. */
export const DATABASE = 'countinghouse';

/** Only used on Windows, where the server listens on TCP; lies in the cluster, so the two come and go together. */
export const passwordFile = (cluster: string): string => path.join(cluster, 'countinghouse.password');

const FAILURE = /\b(PANIC|FATAL|ERROR|error): /;
const UNFINISHED = 'postgres.new-';

/**
 * Makes the cluster when there is none yet; refuses one of another major version. Call under the folder's lock.
 * A new cluster is built beside its place and moved there when it is whole, so that a crash, or a full disk,
 * at any moment leaves either no cluster or a good one.
 */
export async function ensureCluster(
  folder: DataFolder,
  binaries: PostgresBinaries,
  fsync: boolean,
): Promise<void> {
  for (const name of fs.readdirSync(folder.home)) {
    if (name.startsWith(UNFINISHED)) discard(path.join(folder.home, name));
  }
  if (lstat(folder.cluster) !== undefined && fs.readdirSync(folder.cluster).length > 0) {
    return refuseForeignCluster(folder.cluster, binaries.majorVersion);
  }
  const unfinished = path.join(folder.home, UNFINISHED + randomBytes(6).toString('hex'));
  try {
    await buildCluster(unfinished, folder, binaries, fsync);
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

function remedyFor(reason: string): string {
  if (reason.includes('No space left')) return 'make room on that disk';
  // As in a container that is run under a mere number.
  if (reason.includes('user does not exist')) return 'run as a user that /etc/passwd knows';
  // An alpine image: its C library is musl, and these programs are linked with glibc.
  if (reason.includes('ENOENT')) return 'use a system with the GNU C library, such as Debian';
  return 'look at that folder and its disk';
}

function refuseForeignCluster(cluster: string, majorVersion: string): void {
  const versionFile = path.join(cluster, 'PG_VERSION');
  if (lstat(versionFile) === undefined) {
    throw new EmbeddedPostgresError(
      `${cluster} holds something that is not a PostgreSQL database: move it away, or choose another data folder.`,
    );
  }
  const found = fs.readFileSync(versionFile, 'utf8').trim();
  if (found === majorVersion) return;
  throw new EmbeddedPostgresError(
    `The database in ${cluster} was made by PostgreSQL ${found} and this is PostgreSQL ${majorVersion}: ` +
      `dump it with PostgreSQL ${found} and load the dump into a new data folder, ${USE_ANOTHER_SERVER}`,
  );
}

async function buildCluster(
  place: string,
  { account }: DataFolder,
  binaries: PostgresBinaries,
  fsync: boolean,
): Promise<void> {
  fs.mkdirSync(place, { mode: 0o700 });
  if (account.uid !== undefined && account.gid !== undefined) fs.chownSync(place, account.uid, account.gid);
  const run = (program: string, args: string[], input = ''): Promise<void> =>
    runToEnd(program, args, input, { uid: account.uid, gid: account.gid });
  // The locale is the builtin one: plain C folds ASCII letters only, and lower() would differ from production.
  const initdb = [
    '-D',
    place,
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
    await initialiseWithPassword(place, (args) => run(binaries.initdb, [...initdb, ...sync, ...args]));
  // Who may connect is settled by the mode of the socket's folder.
  else await run(binaries.initdb, [...initdb, ...sync, '--auth-local=trust', '--auth-host=reject']);
  const single = ['--single', '-D', place, '-c', `fsync=${fsync ? 'on' : 'off'}`, 'postgres'];
  await run(binaries.postgres, single, `CREATE DATABASE ${DATABASE}\n`);
}

/** Untried on Windows. File modes mean nothing there, so the rights are set by the system's own tool. */
async function initialiseWithPassword(
  place: string,
  initdb: (args: string[]) => Promise<void>,
): Promise<void> {
  const unplaced = `${place}.password`;
  try {
    fs.writeFileSync(unplaced, randomBytes(24).toString('hex'), { mode: 0o600 });
    await runToEnd('icacls', [unplaced, '/inheritance:r', '/grant:r', `${process.env.USERNAME}:F`], '', {});
    await initdb(['--auth=scram-sha-256', `--pwfile=${unplaced}`]);
    fs.renameSync(unplaced, passwordFile(place));
  } finally {
    fs.rmSync(unplaced, { force: true });
  }
}

async function runToEnd(
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
  let complaints = '';
  child.stderr
    .setEncoding('utf8')
    .on('data', (text: string) => (complaints = (complaints + text).slice(-4000)));
  // A program that ends early closes its input; its complaint says more than the broken pipe.
  child.stdin.on('error', () => undefined).end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  // A single-user server reports a failed statement and still ends with 0.
  if (code === 0 && !FAILURE.test(complaints)) return;
  // The first failure is the cause, the others follow from it.
  throw new Error(whatWentWrong(complaints)[0] ?? `${path.basename(program)} ended with ${code}`);
}

/** The lines of a program's output that name a failure or, when none does, the last line. */
export function whatWentWrong(output: string): string[] {
  const lines = output
    .split('\n')
    .map((line) => line.trim().replace(/^[-\d]+ [:.\d]+ UTC \[\d+\] /, ''))
    .filter((line) => line !== '');
  const telling = lines.filter((line) => FAILURE.test(line));
  return telling.length > 0 ? telling : lines.slice(-1);
}

function discard(folder: string): void {
  try {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  } catch {
    // An initdb that outlived its service may still write there; the next start removes the rest.
  }
}

/** Makes the move of the new cluster to its place durable. Windows cannot do that, and need not. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = fs.openSync(folder, 'r');
  fs.fsyncSync(handle);
  fs.closeSync(handle);
}
