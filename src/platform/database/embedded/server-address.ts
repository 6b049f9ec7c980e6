import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import path from 'node:path';
import { type DataFolder, lstat, shortHash } from './data-folder';
import { DATABASE, passwordFile } from './database-cluster';
import { EmbeddedPostgresError } from './embedded-postgres.error';
import { runsAsRoot } from './server-account';

/** Where one server listens. */
export interface ServerAddress {
  readonly url: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Holds the socket and nothing else; goes with the server. */
  readonly socketFolder?: string;
}

export async function prepareAddress(folder: DataFolder): Promise<ServerAddress> {
  return process.platform === 'win32' ? loopbackAddress(folder) : socketAddress(folder);
}

/**
 * A socket path may have about 100 bytes and a data folder has any length, so the socket gets a short
 * folder of its own. Its name follows from the data folder: a killed run leaves one that the next uses.
 */
function socketAddress({ home, account }: DataFolder): ServerAddress {
  const socketFolder = path.join(socketBase(), `countinghouse-${shortHash(home)}`);
  try {
    fs.mkdirSync(socketFolder, { mode: 0o700 });
  } catch {
    // It is there already, or it cannot be made: either shows below.
  }
  const found = lstat(socketFolder);
  if (found === undefined) {
    throw new EmbeddedPostgresError(
      `The folder ${socketFolder} for the database's socket cannot be made: make ${socketBase()} writable.`,
    );
  }
  // Everyone may write to /tmp: a folder that somebody else put there first could hand our socket to them.
  const own = process.getuid?.() ?? 0;
  if (!found.isDirectory() || (found.uid !== own && found.uid !== account.uid)) {
    throw new EmbeddedPostgresError(
      `${socketFolder} is needed for the database's socket but is no folder of this user (owner: uid ${found.uid}): have it removed.`,
    );
  }
  if (account.uid !== undefined && account.gid !== undefined)
    fs.chownSync(socketFolder, account.uid, account.gid);
  fs.chmodSync(socketFolder, 0o700);
  return {
    url: socketUrl(socketFolder),
    settings: {
      listen_addresses: '',
      unix_socket_directories: socketFolder,
      unix_socket_permissions: '0700',
      port: '5432',
    },
    socketFolder,
  };
}

/** Root takes /run, where nobody else can make a folder. Never TMPDIR: it differs from one login to the next. */
function socketBase(): string {
  const run = runsAsRoot() ? lstat('/run') : undefined;
  return run?.isDirectory() && run.uid === 0 && (run.mode & 0o022) === 0 ? '/run' : '/tmp';
}

/** Untried on Windows. Other users of the machine can reach the port, so it asks for a password. */
async function loopbackAddress({ cluster }: DataFolder): Promise<ServerAddress> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  const port = String(typeof address === 'object' ? (address?.port ?? 0) : 0);
  probe.close();
  await once(probe, 'close');
  return {
    url: loopbackUrl(cluster, port),
    settings: { listen_addresses: '127.0.0.1', unix_socket_directories: '', port },
  };
}

export function socketUrl(socketFolder: string): string {
  return `postgresql:///${DATABASE}?host=${encodeURIComponent(socketFolder)}&port=5432&user=${DATABASE}`;
}

export function loopbackUrl(cluster: string, port: string): string {
  const password = fs.readFileSync(passwordFile(cluster), 'utf8').trim();
  return `postgresql://${DATABASE}:${password}@127.0.0.1:${port}/${DATABASE}`;
}
