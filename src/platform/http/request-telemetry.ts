import type { Context } from '@opentelemetry/api';
import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Histogram, type Registry } from 'prom-client';
import { SECOND_MS } from '../../kernel/clock';
import { recordsNewTrace, tracer } from '../telemetry/spans';

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

const BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Measures the duration of each request by its route, from which the rate and the errors follow. The names are those of
 * OpenTelemetry's semantic conventions for HTTP. The route is its pattern, since paths contain ids and secrets.
 */
export function measureRequests(server: FastifyInstance, registry: Registry): void {
  const durations = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time from the arrival of a request until its response is sent, or its connection is closed.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  });
  onRequestEnd(server, (request, reply) => {
    durations.observe(
      {
        http_request_method: request.method,
        http_route: request.routeOptions.url ?? '(none)',
        http_response_status_code: reply.statusCode,
      },
      reply.elapsedTime / SECOND_MS,
    );
  });
}

/**
 * Traces each request, as a part of the client's trace where it sends `traceparent`, by the semantic conventions of
 * OpenTelemetry for HTTP. A span has the pattern of the route and never the path.
 */
export function traceRequests(server: FastifyInstance): void {
  const contexts = new WeakMap<FastifyRequest, Context>();
  server.addHook('onRequest', (request, _reply, done) => {
    const { method, headers, routeOptions } = request;
    if (headers['traceparent'] === undefined && !recordsNewTrace()) return done();
    const from = propagation.extract(ROOT_CONTEXT, headers);
    const route = routeOptions.url ?? '(none)';
    const attributes = {
      'http.request.method': method,
      'http.route': route,
      'countinghouse.request_id': request.id,
    };
    const span = tracer().startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, from);
    if (span.isRecording()) contexts.set(request, trace.setSpan(from, span));
    done();
  });
  // The last hook before the guards: the parser of the body would leave an earlier context.
  server.addHook('preHandler', (request, _reply, done) => {
    const sampled = contexts.get(request);
    if (sampled === undefined) done();
    else context.with(sampled, done);
  });
  onRequestEnd(server, (request, { statusCode }) => {
    // A request that is not sampled has no span, nor has one that an earlier hook rejected, such as a malformed URL.
    const span = trace.getSpan(contexts.get(request) ?? ROOT_CONTEXT);
    span?.setAttribute('http.response.status_code', statusCode);
    if (statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
  });
}
