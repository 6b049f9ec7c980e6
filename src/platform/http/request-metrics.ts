import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { Histogram } from 'prom-client';
import { SECOND_MS } from '../../kernel/clock';
import { onRequestEnd } from './request-end';

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
