import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { EmbeddedPostgresError, USE_ANOTHER_SERVER } from './embedded-postgres.error';

/** The account that the server runs as. Without uid and gid: the service's own. */
export interface ServerAccount {
  readonly name: string;
  readonly uid?: number;
  readonly gid?: number;
}

export const runsAsRoot = (): boolean => process.getuid?.() === 0;

/** PostgreSQL refuses to run as root, so root hands the server to an account that can do little else. */
export function chooseServerAccount(): ServerAccount {
  if (!runsAsRoot()) return { name: 'the current user' };
  const accounts = readAccounts();
  const found = ['postgres', '_postgres', 'nobody'].find((name) => accounts.has(name));
  const account = found === undefined ? undefined : accounts.get(found);
  if (account === undefined) {
    throw new EmbeddedPostgresError(
      'PostgreSQL does not run as root, and there is neither a user "postgres" nor a user "nobody" to run it: ' +
        `start Countinghouse as an ordinary user, ${USE_ANOTHER_SERVER}`,
    );
  }
  return account;
}

/** The account that owns an existing cluster: the only one that PostgreSQL accepts for it. */
export function ownerOf(folder: string): ServerAccount {
  const { uid, gid } = statSync(folder);
  if (process.getuid === undefined || uid === process.getuid()) {
    if (!runsAsRoot()) return { name: 'the current user' };
    throw new EmbeddedPostgresError(
      `${folder} belongs to root, and PostgreSQL does not run as root: give it to an ordinary user, ` +
        `for example with chown -R postgres, ${USE_ANOTHER_SERVER}`,
    );
  }
  if (!runsAsRoot()) {
    throw new EmbeddedPostgresError(
      `${folder} belongs to another user (uid ${uid}): start Countinghouse as that user, or give it another data folder.`,
    );
  }
  const known = [...readAccounts().values()].find((account) => account.uid === uid);
  return { name: known?.name ?? `uid ${uid}`, uid, gid };
}

/** Whether the account may walk down to this folder. Judged by mode bits; access lists are not looked at. */
export function canReach(account: ServerAccount, folder: string): boolean {
  if (account.uid === undefined) return true;
  const { uid, gid, mode } = statSync(folder);
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
  if (((mode >> shift) & 1) === 0) return false;
  const parent = path.dirname(folder);
  return parent === folder || canReach(account, parent);
}

/** Read from the file, because Node.js has no call for it and starting `id` costs more than the whole start. */
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
