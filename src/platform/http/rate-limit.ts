import { createHash } from 'node:crypto';
import { FastifyInstance } from 'fastify';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { Refusal } from '../../kernel/refusal';

/**
 * Limits the requests per second of one token, else of one address, in this process.
 * Health checks are not counted: they tell whether a busy service lives.
 */
export function limitRate(server: FastifyInstance, perSecond: number): void {
  if (perSecond === 0) return;
  const limiter = new RateLimiterMemory({ points: perSecond, duration: 1 });
  server.addHook('onRequest', async (request) => {
    if (request.url.startsWith('/health/')) return;
    const { authorization } = request.headers;
    const caller = authorization ? createHash('sha256').update(authorization).digest('base64') : request.ip;
    const allowed = await limiter.consume(caller).then(
      () => true,
      () => false,
    );
    if (!allowed)
      throw new Refusal('rate_limited', `More than ${perSecond} requests in a second. Slow down.`, 1);
  });
}
