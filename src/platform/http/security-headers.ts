import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import helmet from 'helmet';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { VERSION_HEADER } from '../versions/api-versions';

/** The documentation page loads only its own scripts and styles; API responses load nothing. */
const contentSecurityPolicy = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'self'"],
    styleSrc: ["'self'", "'unsafe-inline'"],
    imgSrc: ["'self'", 'data:'],
    objectSrc: ["'none'"],
    baseUri: ["'none'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
  },
};

/**
 * Returns the headers that every response has by default: those of helmet, and the one that keeps responses out of
 * caches. They are always the same, so they are computed once.
 */
export function securityHeaders(strictTransportSecurity: boolean): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { 'Cache-Control': 'no-store' };
  const response = {
    setHeader: (name: string, value: string) => void (headers[name] = value),
    removeHeader: () => undefined,
  };
  helmet({ contentSecurityPolicy, hsts: strictTransportSecurity })(
    {} as IncomingMessage,
    response as unknown as ServerResponse,
    (error?: unknown) => {
      if (error) throw error as Error;
    },
  );
  return headers;
}

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
      allowedHeaders: [
        'Authorization',
        'Content-Type',
        VERSION_HEADER,
        'Idempotency-Key',
        'If-Match',
        'X-Request-Id',
      ],
      exposedHeaders: [
        VERSION_HEADER,
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
