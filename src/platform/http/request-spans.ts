import type { Context } from '@opentelemetry/api';
import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { recordsNewTrace, tracer } from '../telemetry/spans';
import { onRequestEnd } from './request-end';

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
