import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import { EmbeddedPostgresError, systemErrorCode } from './embedded-postgres.error';
import { type ServerAccount, canAccess, chooseServerAccount, readOwner, runsAsRoot } from './server-account';

/** The location of the database and the account that runs it. All paths are absolute and contain no symbolic links. */
export interface DataFolder {
  /** Contains the cluster, its log and the lock. */
  readonly home: string;
  /** `<home>/postgres`. It may not exist yet. */
  readonly cluster: string;
  readonly log: string;
  readonly account: ServerAccount;
  /** The path of a symbolic link to the cluster, if the cluster is outside the configured folder. */
  readonly symlink?: string;
}

/** The location for files outside the configured folder when running as root. Writable by root, accessible to all. */
const ROOT_FOLDER = '/var/lib/countinghouse';

/**
 * Determines the location of the cluster. An existing cluster is used where it is. If it is inaccessible, the start
 * fails: an empty database in its place would look as if all data were lost.
 */
export function resolveDataFolder(dataDir: string, print: (line: string) => void): DataFolder {
  const configured = createFolder(path.resolve(dataDir));
  const cluster = path.join(configured, 'postgres');
  const existing = lstat(cluster);
  if (existing?.isSymbolicLink()) return followSymlink(cluster, print);
  if (existing !== undefined) {
    const account = readOwner(cluster);
    assertAccessible(account, configured);
    return dataFolderIn(configured, account);
  }
  const account = chooseServerAccount();
  const alternative = path.join(ROOT_FOLDER, `data-${shortHash(configured)}`);
  const hasAlternative = runsAsRoot() && lstat(path.join(alternative, 'postgres')) !== undefined;
  if (!hasAlternative && canAccess(account, configured)) return dataFolderIn(configured, account);
  printLocation(
    alternative,
    `the user "${account.name}", which runs the database server, cannot access ${configured}`,
    print,
  );
  createRootFolder(ROOT_FOLDER);
  const owner = hasAlternative ? readOwner(path.join(alternative, 'postgres')) : account;
  return { ...dataFolderIn(createFolder(alternative), owner), symlink: cluster };
}

/** Whether a data folder contains a database. */
export function hasCluster(dataDir: string): boolean {
  return fs.existsSync(path.resolve(dataDir, 'postgres'));
}

/** Links the configured folder to a cluster outside of it, so that operators find the data. */
export function createSymlink({ symlink, cluster }: DataFolder): void {
  if (symlink !== undefined && lstat(symlink) === undefined) fs.symlinkSync(cluster, symlink);
}

/** The folder for copies of the binaries: the data folder, or for root one that every account can access. */
export function binaryCacheFolder(home: string): string {
  return runsAsRoot() ? createRootFolder(ROOT_FOLDER) : home;
}

export const shortHash = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 16);

export function lstat(name: string): fs.Stats | undefined {
  return fs.lstatSync(name, { throwIfNoEntry: false });
}

function dataFolderIn(home: string, account: ServerAccount): DataFolder {
  return { home, account, cluster: path.join(home, 'postgres'), log: path.join(home, 'postgres.log') };
}

function followSymlink(symlink: string, print: (line: string) => void): DataFolder {
  let cluster: string;
  try {
    cluster = fs.realpathSync(symlink);
  } catch {
    throw new EmbeddedPostgresError(
      `${symlink} points to ${fs.readlinkSync(symlink)}, which does not exist: ` +
        'restore it, or remove the link to start with an empty database.',
    );
  }
  if (path.basename(cluster) !== 'postgres') {
    throw new EmbeddedPostgresError(
      `${symlink} points to ${cluster}: the target of the link must be a folder named postgres.`,
    );
  }
  const home = path.dirname(cluster);
  const account = readOwner(cluster);
  assertAccessible(account, home);
  printLocation(home, `${symlink} points there`, print);
  return dataFolderIn(home, account);
}

const printLocation = (home: string, reason: string, print: (line: string) => void): void =>
  print(`The data is stored in ${home} because ${reason}.`);

function assertAccessible(account: ServerAccount, home: string): void {
  if (canAccess(account, home)) return;
  throw new EmbeddedPostgresError(
    `The user "${account.name}" owns the database in ${home} but cannot access it: ` +
      'grant that user execute permission on the parent folders (chmod o+x).',
  );
}

/** Creates the folder but not its parents, because a missing parent usually is a disk that is not mounted. */
function createFolder(folder: string): string {
  try {
    // For root the server's account needs execute permission. The mode is set in mkdir, because a concurrent start may
    // check it immediately, and again in chmod, because the umask may have removed it.
    fs.mkdirSync(folder, { mode: runsAsRoot() ? 0o711 : 0o700 });
    if (runsAsRoot()) fs.chmodSync(folder, 0o711);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code !== 'EEXIST') throw new EmbeddedPostgresError(cannotUse(folder, code));
  }
  const real = fs.realpathSync(folder);
  if (!fs.statSync(real).isDirectory()) {
    throw new EmbeddedPostgresError(
      `The data folder ${folder} is not a directory: choose another data folder.`,
    );
  }
  try {
    fs.accessSync(real, fs.constants.W_OK | fs.constants.X_OK);
  } catch (error) {
    throw new EmbeddedPostgresError(cannotUse(real, systemErrorCode(error)));
  }
  return real;
}

function cannotUse(folder: string, code: string | undefined): string {
  const parent = path.dirname(folder);
  const reasons: Record<string, string> = {
    ENOENT: `${parent} does not exist: create it`,
    ENOTDIR: `${parent} is not a directory: correct the path`,
    EROFS: 'its file system is read-only: make it writable',
    EACCES: `the current user lacks write permission: change the permissions of ${folder} or ${parent}`,
  };
  const reason = reasons[code ?? ''] ?? `the system reports ${code}: check ${parent}`;
  return `The data folder ${folder} cannot be used because ${reason}, or choose another data folder.`;
}

/** Creates a folder for programs that root runs. No other user may have write permission. */
function createRootFolder(folder: string): string {
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o755 });
  } catch (error) {
    throw new EmbeddedPostgresError(cannotUse(folder, systemErrorCode(error)));
  }
  const found = fs.lstatSync(folder);
  if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0) {
    throw new EmbeddedPostgresError(
      `${folder} must be a directory owned by root and writable only by root: correct its owner and mode.`,
    );
  }
  // The umask may have removed the permissions of other accounts.
  fs.chmodSync(folder, 0o755);
  return folder;
}
