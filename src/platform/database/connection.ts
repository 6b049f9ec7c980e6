import { PoolClient } from 'pg';

/** Sends all that `statements` asks of the client in one packet, where the socket allows it. */
export function burst<T>(client: PoolClient, statements: () => T): T {
  const { stream } = (client as unknown as { connection: { stream: { cork(): void; uncork(): void } } })
    .connection;
  stream.cork();
  try {
    return statements();
  } finally {
    stream.uncork();
  }
}

/** For the errors of a lent connection: without a listener its death would take the process down. */
export function ignoreLateError(): void {
  // The query under way reports it.
}
