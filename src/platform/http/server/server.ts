import { FastifyAdapter } from '@nestjs/platform-fastify';
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { DomainError } from '../../../kernel/domain-error';
import { StoredResponse } from '../../database/database';
import type { Log } from '../../telemetry/log';
import { VERSION_HEADER } from '../../versions/api-versions';
import type { HttpSettings } from '../http.settings';
import { needsNoToken } from '../operation';
import { isAborted, onRequestEnd } from '../request-telemetry';
import { securityHeaders } from '../security-headers';
import { PROGRESS } from '../streamed-file';
import type { ConnectionLimits } from './http-server';
import { CONNECTION_LIMITS, createHttpServer, listenOnAllOfLocalhost } from './http-server';
import { requireHttps } from './https-only';
import { assertText, MAX_BODY_BYTES, MAX_PUBLIC_BODY_BYTES, parseJsonBody } from './json-body';
import { respondToMalformedHttp } from './malformed-http';

/** Far above the length of any id, so that long path parameters get the 404 of unknown ids and not the router's error. */
const MAX_PATH_PARAMETER_CHARACTERS = 16_000;

/** How long a connection without a request may delay the end of the service. */
const UNUSED_CONNECTION_MS = 1_000;

const REQUEST_ID = /^[\w-]{1,64}$/;

/** Creates Nest's HTTP server with its limits, body parser and hooks: everything that runs before a controller. */
export function createServer(
  settings: HttpSettings,
  log: Log,
  limits: ConnectionLimits = CONNECTION_LIMITS,
): FastifyAdapter {
  const adapter = new FastifyAdapter({
    serverFactory: (handler: RequestListener) => createHttpServer(handler, settings, limits, log),
    bodyLimit: MAX_BODY_BYTES,
    return503OnClosing: false, // requests on open connections are still served (see endConnectionsOnClose)
    trustProxy: settings.trustedProxies.length > 0 ? [...settings.trustedProxies] : false,
    routerOptions: { maxParamLength: MAX_PATH_PARAMETER_CHARACTERS },
    genReqId: requestId,
    rewriteUrl: ({ url }: IncomingMessage) => routableUrl(url ?? '/'),
    clientErrorHandler: respondToMalformedHttp,
  });
  const server = adapter.getInstance<FastifyInstance>();
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseJsonBody(body as Buffer));
    } catch (error) {
      done(error as Error, undefined);
    }
  });
  // A client may name any type of a body that it does not send.
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(), undefined);
  });
  server.addHook('onRoute', (route) => {
    if (needsNoToken(route)) route.bodyLimit = MAX_PUBLIC_BODY_BYTES;
  });
  const headers = securityHeaders(settings.strictTransportSecurity);
  // Hooks of every request call `done`: each promise of an `async` one costs time.
  server.addHook('onRequest', (request, reply, done) => {
    void reply.headers(headers).header('X-Request-Id', request.id);
    assertHost(request);
    const { acceptsAnyUrl } = (request.routeOptions.config ?? {}) as { acceptsAnyUrl?: boolean };
    if (!acceptsAnyUrl) assertUrl(request.originalUrl);
    done();
  });
  limitSendingTime(server, limits.sendTimeoutMs);
  if (settings.listenAddress === 'localhost') listenOnAllOfLocalhost(server);
  if (settings.requireHttps) requireHttps(server);
  sendStoredResponses(server);
  logCutResponses(server, log);
  logRequests(server, log);
  endConnectionsOnClose(server);
  return adapter;
}

/** Returns the client's X-Request-Id if it is well-formed, so that the logs of both sides can be joined. */
function requestId(request: { headers: Record<string, string | string[] | undefined> }): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID();
}

/** @throws DomainError `invalid_request` unless there is one Host header, which HTTP/1.1 requires (RFC 9112, 3.2) */
function assertHost({ raw }: FastifyRequest): void {
  const hosts = raw.rawHeaders.filter(
    (text, index) => index % 2 === 0 && text.toLowerCase() === 'host',
  ).length;
  if (hosts === 0 && raw.httpVersion !== '1.0') {
    throw new DomainError('invalid_request', 'The request has no Host header.');
  }
  if (hosts > 1) throw new DomainError('invalid_request', 'The request has more than one Host header.');
}

/**
 * The router rejects bad percent-encoding before it knows the route. The percent signs of such a URL are therefore
 * escaped, so that the route is found and its error handler responds to the error of `assertUrl`. Routes with
 * `config: { acceptsAnyUrl: true }` take it.
 */
function routableUrl(url: string): string {
  return decoded(url) === null ? url.replaceAll('%', '%25') : url;
}

/** @throws DomainError for bad percent-encoding and for characters that no field may contain */
function assertUrl(url: string): void {
  const text = decoded(url);
  if (text === null) throw new DomainError('invalid_request', 'The URL is not valid percent-encoded UTF-8.');
  assertText(text, 'The URL');
}

function decoded(url: string): string | null {
  if (!url.includes('%')) return url;
  try {
    return decodeURIComponent(url);
  } catch {
    return null;
  }
}

/** Closes the connection of a client that does not take a response, or the next part of a file, in time. */
function limitSendingTime(server: FastifyInstance, timeoutMs: number): void {
  server.addHook('onSend', (_request, { raw }, payload, done) => {
    if (!raw.destroyed) {
      const timer = setTimeout(() => raw.destroy(), timeoutMs);
      if (payload instanceof Readable) payload.on(PROGRESS, () => timer.refresh());
      raw.once('close', () => clearTimeout(timer));
    }
    done();
  });
}

function logRequests(server: FastifyInstance, log: Log): void {
  onRequestEnd(server, (request, reply) => {
    const { user } = request as { user?: { subjectId: string } | null };
    log.request({
      request_id: request.id,
      method: request.method,
      route: request.routeOptions.url ?? '(none)',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      ...(user && { principal: user.subjectId }),
      ...(isAborted(request) && { aborted: true }),
    });
  });
}

/** Logs why a response was cut off in the middle, which its client only sees as an end of the connection. */
function logCutResponses(server: FastifyInstance, log: Log): void {
  server.addHook('onSend', (request, { raw }, payload, done) => {
    if (payload instanceof Readable)
      payload.once('error', (error) => {
        if (!raw.headersSent) return; // it has a response of its own, which is logged
        // A DomainError is a decision, for example that the caller has lost access; any other error is a defect or an outage.
        if (error instanceof DomainError) log.notice(`A response was cut off: ${error.code}`, request.id);
        else log.failure('A response was cut off', error, request.id);
      });
    done();
  });
}

/** Sends stored responses byte for byte, with a header that marks replays. */
function sendStoredResponses(server: FastifyInstance): void {
  server.addHook('preSerialization', (_request, reply, payload, done) => {
    if (payload instanceof StoredResponse) {
      void reply.code(payload.status);
      if (payload.replayed) void reply.header('Idempotency-Replayed', 'true');
      if (payload.version !== null) void reply.header(VERSION_HEADER, payload.version);
      void reply.header('Content-Type', 'application/json; charset=utf-8').serializer(() => payload.body);
    }
    done(null, payload);
  });
}

/**
 * Closes each connection with its response while the server closes, which otherwise waits for idle connections. Those that
 * have sent no request by then have a second for it.
 */
function endConnectionsOnClose(server: FastifyInstance): void {
  let closing = false;
  const unused = new Map<string, Socket>();
  server.server.on('connection', (socket: Socket) => {
    const name = spanName(socket);
    unused.set(name, socket);
    socket.once('close', () => unused.delete(name));
  });
  server.server.on('request', ({ socket }: IncomingMessage) => unused.delete(spanName(socket)));
  server.addHook('preClose', async () => {
    closing = true;
    const end = (): void => unused.forEach((socket) => socket.destroy());
    setTimeout(end, UNUSED_CONNECTION_MS).unref();
  });
  server.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) void reply.header('Connection', 'close');
    done();
  });
}

/** The same for a connection and for the TLS connection within it. */
function spanName({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
