import { FastifyAdapter } from '@nestjs/platform-fastify';
import { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { Refusal } from '../../kernel/refusal';
import { Config } from '../config/config';
import { Answer } from '../database/idempotency';
import { Log } from '../telemetry/log';
import { assertText, MAX_BODY_BYTES, parseJsonBody } from './json-body';
import { limitRate } from './rate-limit';
import { ErrorAnswer, errorAnswer } from './refusal.filter';
import { securityHeaders } from './security-headers';

/** How long a client may take to send a request, and how long an idle connection is kept, in milliseconds. */
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 72_000;

/** Longer than any id: a path that long is answered 404 like any other unknown one, not by the router. */
const MAX_PATH_PARAMETER_CHARACTERS = 16_000;

const REQUEST_ID = /^[\w-]{1,64}$/;

/** Nest's HTTP server, hardened: everything that happens before a controller is called stands here. */
export function createServer(config: Config, log: Log): FastifyAdapter {
  const adapter = new FastifyAdapter({
    ...(config.tls
      ? {
          https: {
            ...ownRefusals,
            cert: readFileSync(config.tls.certFile),
            key: readFileSync(config.tls.keyFile),
          },
        }
      : { http: ownRefusals }),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    return503OnClosing: false, // what still comes over a connection that is open is answered; then it is closed
    trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    routerOptions: { maxParamLength: MAX_PATH_PARAMETER_CHARACTERS },
    genReqId: requestId,
    frameworkErrors: (error: unknown, _request: FastifyRequest, reply: FastifyReply) =>
      sendEarly(reply, errorAnswer(error)),
    clientErrorHandler: answerMalformedHttp,
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
  const headers = securityHeaders(config.production);
  server.addHook('onRequest', async (request, reply) => {
    void reply.headers(headers).header('X-Request-Id', request.id);
    assertHost(request);
    assertUrl(request.url);
  });
  server.server.on('checkExpectation', ({ socket }: IncomingMessage) => refuseOn(socket));
  server.server.on('connect', (_request: IncomingMessage, socket: Duplex) => refuseOn(socket));
  limitRate(server, config.rateLimitPerSecond);
  sendAnswersAsStored(server);
  logRequests(server, log);
  endConnectionsOnClose(server);
  return adapter;
}

/** Node would answer a request without a Host by itself, and without a body. */
const ownRefusals = { requireHostHeader: false };

/** The client's own request id where it sent a harmless one, so that its logs and ours can be joined. */
function requestId(request: { headers: Record<string, string | string[] | undefined> }): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID();
}

/** @throws Refusal for a request without the header that HTTP/1.1 requires */
function assertHost({ headers, raw }: FastifyRequest): void {
  if (headers.host === undefined && raw.httpVersion !== '1.0') {
    throw new Refusal('invalid_request', 'The request has no Host header.');
  }
}

/** @throws Refusal for bad percent-encoding, which the router reads leniently, and for text no field may hold */
function assertUrl(url: string): void {
  let decoded: string;
  try {
    decoded = decodeURIComponent(url);
  } catch {
    throw new Refusal('invalid_request', 'The URL is not valid percent-encoded UTF-8.');
  }
  assertText(decoded, 'The URL');
}

function logRequests(server: FastifyInstance, log: Log): void {
  server.addHook('onResponse', async (request: FastifyRequest, reply: FastifyReply) => {
    const { user } = request as { user?: { subjectId: string } | null };
    log.request({
      request_id: request.id,
      method: request.method,
      route: request.routeOptions.url ?? '(none)',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      ...(user && { principal: user.subjectId }),
    });
  });
}

/** Sends an answer that may be repeated byte for byte as it was rendered, and says so when it is a repeat. */
function sendAnswersAsStored(server: FastifyInstance): void {
  server.addHook('preSerialization', (_request, reply, payload, done) => {
    if (payload instanceof Answer) {
      if (payload.replayed) void reply.header('Idempotency-Replayed', 'true');
      void reply.header('Content-Type', 'application/json; charset=utf-8').serializer(() => payload.body);
    }
    done(null, payload);
  });
}

/** What is answered while the server closes ends its connection: one kept alive would be waited for. */
function endConnectionsOnClose(server: FastifyInstance): void {
  let closing = false;
  server.addHook('preClose', async () => {
    closing = true;
  });
  server.addHook('onSend', async (_request, reply) => {
    if (closing) void reply.header('Connection', 'close');
  });
}

/** The headers of answers that are written before any hook runs. */
const EARLY_HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'SAMEORIGIN',
};

function sendEarly(reply: FastifyReply, answer: ErrorAnswer): void {
  void reply
    .code(answer.status)
    .headers(EARLY_HEADERS)
    .header('X-Request-Id', reply.request.id)
    .send(answer.body);
}

/** What is not even HTTP never reaches a route. */
function answerMalformedHttp(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code !== 'ECONNRESET') refuseOn(socket);
}

/** Answers on the bare socket and ends the connection. */
function refuseOn(socket: Duplex): void {
  if (socket.destroyed || !socket.writable) return;
  const { body } = errorAnswer({ statusCode: 400 });
  const json = JSON.stringify(body);
  const headers = Object.entries(EARLY_HEADERS).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 400 Bad Request\r\n${headers.join('')}Connection: close\r\n` +
      `Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
  );
}
