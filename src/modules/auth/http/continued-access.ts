import { Injectable } from '@nestjs/common';
import { FastifyRequest } from 'fastify';
import { isDeepStrictEqual } from 'node:util';
import { DomainError } from '../../../kernel/domain-error';
import { ApiKeyCheck } from '../domain/api-key-check';
import { Principal } from '../domain/principal';
import { Sessions } from '../domain/sessions';
import { readBearerToken } from './bearer-token';
import { TokenSessions } from './token-sessions';

type Request = FastifyRequest & { user?: Principal | null };

/**
 * Checks callers again while their response is sent, which may take long. An access token that expires meanwhile does not
 * matter: its session can refresh it.
 */
@Injectable()
export class ContinuedAccess {
  constructor(
    private readonly sessions: Sessions,
    private readonly apiKeys: ApiKeyCheck,
    private readonly tokenSessions: TokenSessions,
  ) {}

  /**
   * @throws DomainError `unauthorized`, `forbidden` for a request whose session or API key does not work any more, or has
   * other rights than those that the response was begun with
   */
  async assert(request: Request): Promise<void> {
    const { user } = request;
    if (!user) return;
    const now = await this.principalNow(request, user);
    if (now !== null && isDeepStrictEqual(describeRights(now), describeRights(user))) return;
    throw new DomainError(
      'unauthorized',
      'The session or the API key has ended, or its rights have changed.',
    );
  }

  private principalNow(request: Request, { sessionId, device }: Principal): Promise<Principal | null> {
    if (sessionId !== null) return this.sessions.principalOf(sessionId, device);
    const key = readBearerToken(request)!;
    return this.apiKeys.authenticate(this.tokenSessions.keyHashOf(request, key), device);
  }
}

/** What decides about what a principal may read. */
function describeRights({ accountId, membershipRole, role, scopes }: Principal): object {
  return { accountId, membershipRole, role, scopes };
}
