import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { EmbeddedPostgresError, USE_ANOTHER_SERVER } from './embedded-postgres.error';

/** The account that the server runs as. Without `uid` and `gid` it is the account of the service. */
export interface ServerAccount {
  readonly name: string;
  readonly uid?: number;
  readonly gid?: number;
}

export const runsAsRoot = (): boolean => process.getuid?.() === 0;

/** PostgreSQL does not run as root. In that case the server runs as an unprivileged account. */
export function chooseServerAccount(): ServerAccount {
  if (!runsAsRoot()) return { name: 'the current user' };
  const accounts = readAccounts();
  const found = ['postgres', '_postgres', 'nobody'].find((name) => accounts.has(name));
  const account = found === undefined ? undefined : accounts.get(found);
  if (account === undefined) {
    throw new EmbeddedPostgresError(
      'PostgreSQL does not run as root, and there is neither a user "postgres" nor a user "nobody": ' +
        `start Countinghouse as an unprivileged user, ${USE_ANOTHER_SERVER}`,
    );
  }
  return account;
}

/** The owner of an existing cluster. PostgreSQL does not start a cluster as any other account. */
export function readOwner(folder: string): ServerAccount {
  const { uid, gid } = statSync(folder);
  if (process.getuid === undefined || uid === process.getuid()) {
    if (!runsAsRoot()) return { name: 'the current user' };
    throw new EmbeddedPostgresError(
      `${folder} belongs to root, and PostgreSQL does not run as root: change its owner, ` +
        `for example with chown -R postgres, ${USE_ANOTHER_SERVER}`,
    );
  }
  if (!runsAsRoot()) {
    throw new EmbeddedPostgresError(
      `${folder} belongs to another user (uid ${uid}): start Countinghouse as that user, or choose another data folder.`,
    );
  }
  const known = [...readAccounts().values()].find((account) => account.uid === uid);
  return { name: known?.name ?? `uid ${uid}`, uid, gid };
}

/** Whether the account has execute permission on the folder and all its parents. Ignores access control lists. */
export function canAccess(account: ServerAccount, folder: string): boolean {
  if (account.uid === undefined) return true;
  const { uid, gid, mode } = statSync(folder);
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
  if (((mode >> shift) & 1) === 0) return false;
  const parent = path.dirname(folder);
  return parent === folder || canAccess(account, parent);
}

/** Reads /etc/passwd, because Node.js has no function for it and the program `id` is slow to start. */
function readAccounts(): Map<string, Required<ServerAccount>> {
  const accounts = new Map<string, Required<ServerAccount>>();
  let lines: string[];
  try {
    lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  } catch {
    return accounts;
  }
  for (const line of lines) {
    const [name, , uid, gid] = line.split(':');
    if (name && Number(uid) > 0 && Number(gid) >= 0) {
      accounts.set(name, { name, uid: Number(uid), gid: Number(gid) });
    }
  }
  return accounts;
}

/**
 * The environment of the watchdog and of the PostgreSQL programs, limited to the variables that they need. The
 * environment of the service contains secrets, and variables such as NODE_OPTIONS, PGPORT, PGDATA, PGOPTIONS and
 * LD_LIBRARY_PATH would change the behavior of these programs.
 */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'USERNAME', 'USERPROFILE'];
  const environment: NodeJS.ProcessEnv = { LC_ALL: 'C', TZ: 'UTC' };
  for (const name of kept) {
    if (process.env[name] !== undefined) environment[name] = process.env[name];
  }
  return environment;
}
