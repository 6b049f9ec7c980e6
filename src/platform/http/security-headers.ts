import helmet from 'helmet';
import { IncomingMessage, ServerResponse } from 'node:http';

/** The documentation page loads its own scripts and styles, nothing else; answers of the API load nothing. */
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

/** What helmet sets on an answer. It would be the same for each, so it is asked once. */
export function securityHeaders(production: boolean): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => void (headers[name] = value),
    removeHeader: () => undefined,
  };
  helmet({ contentSecurityPolicy, hsts: production })(
    {} as IncomingMessage,
    response as unknown as ServerResponse,
    (error?: unknown) => {
      if (error) throw error as Error;
    },
  );
  return headers;
}
