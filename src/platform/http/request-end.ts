import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

type Listener = (request: FastifyRequest, reply: FastifyReply) => void;

const listenersOf = new WeakMap<FastifyInstance, Listener[]>();

/**
 * Calls a listener at the end of each request, once: when the response is sent or, if the connection is closed before,
 * when the handler has replied as well, so that the status is the one that the client would have got. Fastify's hook
 * `onResponse` only runs for responses that are sent.
 */
export function onRequestEnd(server: FastifyInstance, listener: Listener): void {
  const known = listenersOf.get(server);
  const listeners = known ?? [];
  listeners.push(listener);
  if (known !== undefined) return;
  listenersOf.set(server, listeners);
  addHooks(server, listeners);
}

/** Whether the connection of a request that has ended was closed before the response was sent. */
export function isAborted({ socket }: FastifyRequest): boolean {
  return socket.destroyed;
}

function addHooks(server: FastifyInstance, listeners: readonly Listener[]): void {
  const ended = new WeakSet<FastifyReply>();
  const end: Listener = (request, reply) => {
    if (ended.has(reply)) return;
    ended.add(reply);
    for (const listener of listeners) listener(request, reply);
  };
  server.addHook('onResponse', (request, reply, done) => {
    end(request, reply);
    done();
  });
  server.addHook('onSend', (request, reply, payload, done) => {
    if (reply.raw.destroyed) end(request, reply);
    else reply.raw.once('close', () => end(request, reply));
    done(null, payload);
  });
}
