import { connect } from 'node:net';
import path from 'node:path';
import type { PostmasterPid } from './orphaned-server';
import { readPostmasterPid } from './orphaned-server';
import { loopbackUrl, socketUrl } from './server-address';

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
