import { Socket } from 'node:net';
import { Pool, PoolClient } from 'pg';

/** Sends all that `statements` asks of the client in one packet, where the socket allows it. */
export function burst<T>(client: PoolClient, statements: () => T): T {
  const stream = streamOf(client);
  stream.cork();
  try {
    return statements();
  } finally {
    stream.uncork();
  }
}

/**
 * Ends a lent connection whose server says nothing for so long: it stands still, or the network lost it. Whatever a
 * server that lives is asked for, it answers or refuses earlier by its own time-outs.
 */
export function endSilentConnections(pool: Pool, silenceMs: number): void {
  pool.on('acquire', (client) => streamOf(client).setTimeout(silenceMs, endSilent));
  pool.on('release', (_error, client) => streamOf(client).setTimeout(0, endSilent));
}

function endSilent(this: Socket): void {
  this.destroy(new Error('Connection terminated: the server says nothing.'));
}

function streamOf(client: PoolClient): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}
