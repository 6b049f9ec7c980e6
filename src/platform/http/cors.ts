import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';

const PREFLIGHT_CACHE_SECONDS = 600;

/**
 * Allows web pages of the given origins to call the API, and answers their preflights, which have no token. Tokens are
 * never in cookies, so credentials are not allowed. Other pages and paths get no CORS headers.
 */
export function allowOrigins(app: NestFastifyApplication, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const allowed = new Set<string | undefined>(origins);
  app.enableCors({
    delegator: async ({ url, headers: { origin } }: FastifyRequest) => ({
      origin: allowed.has(origin) && url.startsWith('/v1/') ? origin : false,
      methods: ['GET', 'POST', 'PATCH', 'DELETE'],
      allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'X-Request-Id'],
      exposedHeaders: [
        'ETag',
        'Idempotency-Replayed',
        'RateLimit',
        'RateLimit-Policy',
        'Retry-After',
        'X-Request-Id',
      ],
      maxAge: PREFLIGHT_CACHE_SECONDS,
      strictPreflight: false, // its error would not be JSON
    }),
  });
}
