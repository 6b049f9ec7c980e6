import helmet from 'helmet';
import type { IncomingMessage, ServerResponse } from 'node:http';

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
