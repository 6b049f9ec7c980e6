import type { FastifyInstance } from 'fastify';
import { lookup } from 'node:dns/promises';
import type { AddressInfo, Server } from 'node:net';
import { createServer } from 'node:net';

/**
 * Accepts connections on every address of `localhost`, usually 127.0.0.1 and ::1, since clients differ in which they
 * try. The HTTP server listens on the first; connections to the others are passed to it.
 */
export function listenOnAllOfLocalhost(fastify: FastifyInstance): void {
  const others: Server[] = [];
  let closed: Promise<unknown> = Promise.resolve();
  fastify.addHook('onListen', async () => {
    const main = fastify.server.address() as AddressInfo;
    for (const { address } of await lookup('localhost', { all: true })) {
      if (address !== main.address) others.push(passConnections(address, main.port, fastify.server));
    }
  });
  fastify.addHook('preClose', async () => {
    closed = Promise.all(others.map((other) => new Promise((resolve) => other.close(resolve))));
  });
  fastify.addHook('onClose', async () => void (await closed));
}

function passConnections(host: string, port: number, server: Server): Server {
  const options = { allowHalfOpen: true, noDelay: true }; // as those of the HTTP server
  return createServer(options, (socket) => server.emit('connection', socket))
    .on('error', () => undefined) // the address is in use or does not exist: the first one is sufficient
    .listen(port, host);
}
