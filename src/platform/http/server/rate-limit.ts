import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { clientNetwork } from '../../../kernel/client-network';
import { SECOND_MS } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';

/** The verified requests of one network, for example of a company behind one address, may use this many whole limits. */
const TOKENS_PER_NETWORK = 10;

/**
 * Limits the requests per second in this process: of each session, of each client network without a verified token, and,
 * less strictly, of each client network with verified tokens. Health checks are not limited, so that a busy service still
 * counts as healthy.
 * @param perSecond 0 disables the limit
 * @param sessionOf returns the session of the request's access token if its signature is valid, else null
 */
export function limitRate(
  server: FastifyInstance,
  perSecond: number,
  sessionOf: (request: FastifyRequest) => string | null,
): void {
  if (perSecond === 0) return;
  const token = new RateLimit('token', perSecond);
  const network = new RateLimit('network', perSecond);
  const networkTokens = new RateLimit('network-tokens', perSecond * TOKENS_PER_NETWORK);
  server.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.url?.startsWith('/health/')) return;
    const session = sessionOf(request);
    const from = clientNetwork(request.ip);
    const usages = await Promise.all(
      session === null ? [network.use(from)] : [token.use(session), networkTokens.use(from)],
    );
    void reply
      .header('RateLimit-Policy', usages.map(({ policy }) => policy).join(', '))
      .header('RateLimit', usages.map(({ state }) => state).join(', '));
    for (const { error } of usages) if (error) throw error;
  });
}

interface Usage {
  /** The items of the headers `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11). */
  readonly policy: string;
  readonly state: string;
  /** Set when the limit is exceeded. */
  readonly error?: DomainError;
}

/** A quota per second. The counts of a second are dropped after it, so that memory is bounded. */
class RateLimit {
  private readonly limiter: RateLimiterMemory;

  constructor(
    private readonly name: string,
    private readonly perSecond: number,
  ) {
    this.limiter = new RateLimiterMemory({ points: perSecond, duration: 1 });
  }

  async use(key: string): Promise<Usage> {
    const { name, perSecond } = this;
    const { consumedPoints, remainingPoints, msBeforeNext } = await this.limiter.penalty(key);
    const seconds = Math.max(1, Math.ceil(msBeforeNext / SECOND_MS));
    return {
      policy: `"${name}";q=${perSecond};w=1`,
      state: `"${name}";r=${remainingPoints};t=${seconds}`,
      ...(consumedPoints > perSecond && { error: exceeded(perSecond, seconds) }),
    };
  }
}

function exceeded(perSecond: number, seconds: number): DomainError {
  return new DomainError(
    'rate_limited',
    `The limit is ${perSecond} requests per second. Retry in a second.`,
    seconds,
  );
}
