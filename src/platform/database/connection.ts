import { Socket } from 'node:net';
import { Pool, PoolClient } from 'pg';

/** Sends all statements that `send` issues in one packet, as far as the socket allows. */
export function pipeline<T>(client: PoolClient, send: () => T): T {
  const stream = streamOf(client);
  stream.cork();
  try {
    return send();
  } finally {
    stream.uncork();
  }
}

/**
 * Destroys a checked-out connection whose server stays silent for `silenceMs`: the server hangs, or the network is
 * down. A healthy server responds earlier, since its own timeouts are shorter.
 */
export function destroySilentConnections(pool: Pool, silenceMs: number): void {
  pool.on('acquire', (client) => streamOf(client).setTimeout(silenceMs, destroySilent));
  pool.on('release', (_error, client) => streamOf(client).setTimeout(0, destroySilent));
}

function destroySilent(this: Socket): void {
  this.destroy(new Error('Connection terminated: the server does not respond.'));
}

/** Marks a promise as awaited later: until then its rejection does not count as unhandled. */
export function ignoreRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

function streamOf(client: PoolClient): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}
