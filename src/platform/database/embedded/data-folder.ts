import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import { EmbeddedPostgresError, systemErrorCode } from './embedded-postgres.error';
import { type ServerAccount, canReach, chooseServerAccount, ownerOf, runsAsRoot } from './server-account';

/** Where the database lives and who runs it. All paths are absolute and free of symbolic links. */
export interface DataFolder {
  /** Holds the cluster, its log and the lock. */
  readonly home: string;
  /** `<home>/postgres`, which may not exist yet. */
  readonly cluster: string;
  readonly log: string;
  readonly account: ServerAccount;
  /** The place in the asked-for folder that must point to the cluster, when it is kept elsewhere. */
  readonly signpost?: string;
}

/** What root keeps outside the project: only root can write here, everyone can pass through. */
const ROOT_SHELF = '/var/lib/countinghouse';

/**
 * Settles on the place of the cluster. An existing one is used where it is or refused: starting with an
 * empty database because the old one is out of reach would look like lost money.
 */
export function settleDataFolder(dataDir: string, say: (line: string) => void): DataFolder {
  const asked = makeFolder(path.resolve(dataDir));
  const cluster = path.join(asked, 'postgres');
  const kept = lstat(cluster);
  if (kept?.isSymbolicLink()) return followSignpost(cluster, say);
  if (kept !== undefined) {
    const account = ownerOf(cluster);
    refuseUnreachable(account, asked);
    return inFolder(asked, account);
  }
  const account = chooseServerAccount();
  const elsewhere = path.join(ROOT_SHELF, `data-${shortHash(asked)}`);
  const keptElsewhere = runsAsRoot() && lstat(path.join(elsewhere, 'postgres')) !== undefined;
  if (!keptElsewhere && canReach(account, asked)) return inFolder(asked, account);
  sayElsewhere(
    elsewhere,
    `the user "${account.name}", who runs the database server, cannot reach ${asked}`,
    say,
  );
  makeShelf(ROOT_SHELF);
  const owner = keptElsewhere ? ownerOf(path.join(elsewhere, 'postgres')) : account;
  return { ...inFolder(makeFolder(elsewhere), owner), signpost: cluster };
}

/** Leaves a link in the asked-for folder, so that nobody has to guess where the data is. */
export function putUpSignpost({ signpost, cluster }: DataFolder): void {
  if (signpost !== undefined && lstat(signpost) === undefined) fs.symlinkSync(cluster, signpost);
}

/** The folder for copied binaries: beside the data, or for root in a place that every account can reach. */
export function binariesShelf(home: string): string {
  return runsAsRoot() ? makeShelf(ROOT_SHELF) : home;
}

export const shortHash = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 16);

export function lstat(name: string): fs.Stats | undefined {
  return fs.lstatSync(name, { throwIfNoEntry: false });
}

function inFolder(home: string, account: ServerAccount): DataFolder {
  return { home, account, cluster: path.join(home, 'postgres'), log: path.join(home, 'postgres.log') };
}

function followSignpost(signpost: string, say: (line: string) => void): DataFolder {
  let cluster: string;
  try {
    cluster = fs.realpathSync(signpost);
  } catch {
    throw new EmbeddedPostgresError(
      `${signpost} points to ${fs.readlinkSync(signpost)}, which is gone: ` +
        'bring it back, or remove the link to begin with an empty database.',
    );
  }
  if (path.basename(cluster) !== 'postgres') {
    throw new EmbeddedPostgresError(
      `${signpost} points to ${cluster}: a linked database must be in a folder named postgres.`,
    );
  }
  const home = path.dirname(cluster);
  const account = ownerOf(cluster);
  refuseUnreachable(account, home);
  sayElsewhere(home, `${signpost} points there`, say);
  return inFolder(home, account);
}

const sayElsewhere = (home: string, because: string, say: (line: string) => void): void =>
  say(`The data is kept in ${home} because ${because}.`);

function refuseUnreachable(account: ServerAccount, home: string): void {
  if (canReach(account, home)) return;
  throw new EmbeddedPostgresError(
    `The user "${account.name}" owns the database in ${home} but cannot reach it any more: ` +
      'let that user pass through the folders above it (chmod o+x).',
  );
}

/** Makes this one folder, never the ones above it: a missing parent is more often a disk that is not mounted. */
function makeFolder(folder: string): string {
  try {
    // An ordinary user shares the folder with nobody; root has to let the server's account pass through.
    // At once, since another start may look at it right now; then again, since a umask may have taken that away.
    fs.mkdirSync(folder, { mode: runsAsRoot() ? 0o711 : 0o700 });
    if (runsAsRoot()) fs.chmodSync(folder, 0o711);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code !== 'EEXIST') throw new EmbeddedPostgresError(cannotMake(folder, code));
  }
  const real = fs.realpathSync(folder);
  if (!fs.statSync(real).isDirectory()) {
    throw new EmbeddedPostgresError(`The data folder ${folder} is a file: choose another data folder.`);
  }
  try {
    fs.accessSync(real, fs.constants.W_OK | fs.constants.X_OK);
  } catch (error) {
    throw new EmbeddedPostgresError(cannotMake(real, systemErrorCode(error)));
  }
  return real;
}

function cannotMake(folder: string, code: string | undefined): string {
  const parent = path.dirname(folder);
  const reasons: Record<string, string> = {
    ENOENT: `${parent} does not exist: create it`,
    ENOTDIR: `${parent} is not a folder: correct the path`,
    EROFS: 'its file system is read-only: make it writable',
    EACCES: `the current user may not write there: change the permissions of ${folder} or ${parent}`,
  };
  const reason = reasons[code ?? ''] ?? `the system refuses with ${code}: look at ${parent}`;
  return `The data folder ${folder} cannot be used because ${reason}, or choose another data folder.`;
}

/** A folder in which root keeps programs that it lets run must not be anybody else's to change. */
function makeShelf(folder: string): string {
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o755 });
  } catch (error) {
    throw new EmbeddedPostgresError(cannotMake(folder, systemErrorCode(error)));
  }
  const found = fs.lstatSync(folder);
  if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0) {
    throw new EmbeddedPostgresError(
      `${folder} must be a folder of root that nobody else can write to: correct its owner and mode.`,
    );
  }
  // The umask may have taken the right of others to pass through.
  fs.chmodSync(folder, 0o755);
  return folder;
}
