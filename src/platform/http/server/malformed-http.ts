import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { SECOND_MS } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import { errorResponse } from '../error.filter';
import { takesErrorResponse } from './pipeline';

/** A client has this time to read the response before the connection is closed, whatever it sends. */
const LINGER_MS = 2 * SECOND_MS;

/** The headers of responses that are sent before any hook runs. */
const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Type': 'application/json; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'SAMEORIGIN',
  Connection: 'close',
};

/** Responds to malformed HTTP, and to a request that does not arrive in time. */
export function respondToMalformedHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET') socket.destroy();
  else reject(socket, error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? tooSlow : malformed);
}

/** Responds to requests that Node.js passes to no route: with an unknown expectation, or for a tunnel. */
export function rejectSpecialRequests(server: Server): void {
  server.on('checkExpectation', ({ socket }) => reject(socket, malformed));
  server.on('connect', (_request, socket) => reject(socket as Socket, malformed));
}

const malformed = { statusCode: 400 };
const tooSlow = new DomainError('invalid_request', 'The request took too long to arrive.');

/** Sends a 400 response, unless another response is due first, and closes the connection. */
function reject(socket: Socket, error: unknown): void {
  if (!socket.writable || !takesErrorResponse(socket)) {
    socket.destroy();
    return;
  }
  const json = JSON.stringify(errorResponse(error).body);
  const headers = Object.entries({ ...HEADERS, 'Content-Length': Buffer.byteLength(json) });
  const head = ['HTTP/1.1 400 Bad Request', ...headers.map(([name, value]) => `${name}: ${value}`)];
  socket.end(`${head.join('\r\n')}\r\n\r\n${json}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
