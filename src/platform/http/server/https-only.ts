import type { FastifyInstance, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { DomainError } from '../../../kernel/domain-error';

/**
 * Rejects requests over plain HTTP to the API and to pages for passwords (routes with `config: { confidential: true }`),
 * and with a token to anything else (interface section 1): they contain passwords and tokens, and the responses contain
 * what these protect. Loopback is exempt.
 */
export function requireHttps(server: FastifyInstance): void {
  server.addHook('onRequest', async (request) => {
    // `protocol` and `ip` take forwarding headers into account, but only from trusted proxies.
    if (request.protocol === 'https' || isLoopback(request.ip) || !isConfidential(request)) return;
    throw new DomainError(
      'invalid_request',
      'This operation requires HTTPS. Set TRUSTED_PROXIES if a proxy terminates TLS, or ALLOW_INSECURE_HTTP=true to allow plain HTTP.',
    );
  });
}

function isConfidential({ headers, routeOptions }: FastifyRequest): boolean {
  const { confidential } = (routeOptions.config ?? {}) as { confidential?: boolean };
  return (
    headers.authorization !== undefined ||
    confidential === true ||
    routeOptions.url?.startsWith('/v1/') === true
  );
}

function isLoopback(ip: string): boolean {
  return ipaddr.isValid(ip) && ipaddr.process(ip).range() === 'loopback';
}
