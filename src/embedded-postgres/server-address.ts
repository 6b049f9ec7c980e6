import { once } from 'node:events';
import * as fs from 'node:fs';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { type DataFolder, lstat, shortHash } from './data-folder';
import { DATABASE, passwordFile } from './database-cluster';
import { EmbeddedPostgresError } from './embedded-postgres.error';
import { type PostmasterPid, readPostmasterPid } from './orphaned-server';
import { runsAsRoot } from './server-account';

/** The address that a server listens on. */
export interface ServerAddress {
  readonly url: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Contains only the socket and is removed with the server. */
  readonly socketFolder?: string;
}

export async function prepareAddress(folder: DataFolder): Promise<ServerAddress> {
  return process.platform === 'win32' ? loopbackAddress(folder) : socketAddress(folder);
}

/**
 * The path of a socket is limited to about 100 bytes, so the socket has a folder with a short path. Its name is derived
 * from the data folder, so that a folder left by a killed server is reused.
 */
function socketAddress({ home, account }: DataFolder): ServerAddress {
  const socketFolder = path.join(socketBase(), `countinghouse-${shortHash(home)}`);
  try {
    fs.mkdirSync(socketFolder, { mode: 0o700 });
  } catch {
    // The folder exists or cannot be created. Both cases are handled below.
  }
  const found = lstat(socketFolder);
  if (found === undefined) {
    throw new EmbeddedPostgresError(
      `The folder ${socketFolder} for the database socket cannot be created: make ${socketBase()} writable.`,
    );
  }
  // Everyone can write to /tmp. If another user created the folder first, that user could take over the socket.
  const own = process.getuid?.() ?? 0;
  if (!found.isDirectory() || (found.uid !== own && found.uid !== account.uid)) {
    throw new EmbeddedPostgresError(
      `${socketFolder} is needed for the database socket but is not a directory of this user (owner: uid ${found.uid}): remove it.`,
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

/** Root uses /run, where only root can create folders. TMPDIR is not used, since it may differ between logins. */
function socketBase(): string {
  const run = runsAsRoot() ? lstat('/run') : undefined;
  return run?.isDirectory() && run.uid === 0 && (run.mode & 0o022) === 0 ? '/run' : '/tmp';
}

/** Not tested on Windows. Other users of the machine can connect to the port, so the server requires a password. */
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

function socketUrl(socketFolder: string): string {
  return `postgresql:///${DATABASE}?host=${encodeURIComponent(socketFolder)}&port=5432&user=${DATABASE}`;
}

function loopbackUrl(cluster: string, port: string): string {
  const password = fs.readFileSync(passwordFile(cluster), 'utf8').trim();
  return `postgresql://${DATABASE}:${password}@127.0.0.1:${port}/${DATABASE}`;
}

/** The URL of another database on the same server. */
export function databaseUrl(url: string, name: string): string {
  return url.replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${name}`);
}

const CONNECT_TIMEOUT_MS = 2000;

/**
 * Returns the URL of the server that is running in a data folder, or null. For commands that run beside the service,
 * since a second server cannot be started in the same folder.
 */
export async function runningPostgresUrl(dataDir: string): Promise<string | null> {
  const cluster = path.resolve(dataDir, 'postgres');
  const postmaster = readPostmasterPid(cluster);
  if (postmaster?.status !== 'ready' || !(await acceptsConnections(postmaster))) return null;
  return process.platform === 'win32'
    ? loopbackUrl(cluster, postmaster.port)
    : socketUrl(postmaster.socketFolder);
}

/** After a crash, postmaster.pid still exists although no server is running. */
function acceptsConnections({ port, socketFolder }: PostmasterPid): Promise<boolean> {
  const socket =
    process.platform === 'win32'
      ? connect(Number(port), '127.0.0.1')
      : connect(path.join(socketFolder, `.s.PGSQL.${port}`));
  return new Promise((resolve) => {
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => socket.destroy());
    socket.once('connect', () => socket.end());
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}
