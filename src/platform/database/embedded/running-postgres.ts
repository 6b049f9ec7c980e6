import { connect } from 'node:net';
import path from 'node:path';
import { readServerNote, ServerNote } from './leftover-server';
import { loopbackUrl, socketUrl } from './server-address';

const ANSWER_TIMEOUT_MS = 2000;

/**
 * The URL of the server that serves this data folder now, or null when none does: for a command that runs beside
 * the service, since nobody may start a second server there.
 */
export async function runningPostgresUrl(dataDir: string): Promise<string | null> {
  const cluster = path.resolve(dataDir, 'postgres');
  const note = readServerNote(cluster);
  if (note?.status !== 'ready' || !(await answers(note))) return null;
  return process.platform === 'win32' ? loopbackUrl(cluster, note.port) : socketUrl(note.socketFolder);
}

/** A crash leaves a note behind that tells of a server which is gone. */
function answers({ port, socketFolder }: ServerNote): Promise<boolean> {
  const socket =
    process.platform === 'win32'
      ? connect(Number(port), '127.0.0.1')
      : connect(path.join(socketFolder, `.s.PGSQL.${port}`));
  return new Promise((resolve) => {
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => socket.destroy());
    socket.once('connect', () => socket.end());
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}
