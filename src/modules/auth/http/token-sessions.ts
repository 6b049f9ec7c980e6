import { Injectable } from '@nestjs/common';
import { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { isDeepStrictEqual } from 'node:util';
import { Clock } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import { AccessTokens } from '../application/access-tokens';
import { Sessions } from '../application/sessions.service';
import { ApiKeyCheck, isApiKey } from '../domain/api-key-check';
import { Principal } from '../domain/principal';
import { hashToken } from '../domain/secret-tokens';

const BEARER = /^bearer\s+(\S+)$/i;

/**
 * Returns the token of `Authorization: Bearer <token>` (RFC 6750), or null. The extractor of passport-jwt searches for
 * it anywhere in the header, which takes time that grows with the square of the header's length.
 */
export function readBearerToken({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  return BEARER.exec(headers.authorization ?? '')?.[1] ?? null;
}

/** The API keys that are remembered, at about 100 bytes each: those that were used last. */
const MAX_ACCEPTED_KEYS = 10_000;

/** Tells the senders of valid tokens apart without the database, for what runs before AuthGuard. */
@Injectable()
export class TokenSessions {
  /** The hashes of API keys that this process has accepted. They grant nothing: a revoked key may be among them. */
  private readonly acceptedKeys = new LRUCache<string, true>({ max: MAX_ACCEPTED_KEYS });
  /** The hash of the API key of a request, which is computed once. */
  private readonly keyHashes = new WeakMap<FastifyRequest, string>();

  constructor(
    private readonly accessTokens: AccessTokens,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the id of the session that the request's token was issued for, or the hash of an API key that was accepted
   * before; null without a token of which that is known.
   */
  identify(request: FastifyRequest): string | null {
    const token = readBearerToken(request);
    if (token === null) return null;
    if (!isApiKey(token)) return this.accessTokens.verify(token, this.clock.now())?.sid ?? null;
    const hash = this.hashKey(request, token);
    return this.acceptedKeys.has(hash) ? hash : null;
  }

  /** Returns the hash of the API key that a request has. */
  hashKey(request: FastifyRequest, apiKey: string): string {
    const hash = this.keyHashes.get(request) ?? hashToken(apiKey);
    this.keyHashes.set(request, hash);
    return hash;
  }

  /** Remembers the hash of an API key that was accepted. */
  accept(keyHash: string): void {
    this.acceptedKeys.set(keyHash, true);
  }
}

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
    const now = await this.readPrincipal(request, user);
    if (now !== null && isDeepStrictEqual(describeRights(now), describeRights(user))) return;
    throw new DomainError(
      'unauthorized',
      'The session or the API key has ended, or its rights have changed.',
    );
  }

  private readPrincipal(request: Request, { sessionId, device }: Principal): Promise<Principal | null> {
    if (sessionId !== null) return this.sessions.findPrincipal(sessionId, device);
    const key = readBearerToken(request)!;
    return this.apiKeys.authenticate(this.tokenSessions.hashKey(request, key), device);
  }
}

/** What decides about what a principal may read. */
function describeRights({ accountId, membershipRole, role, scopes }: Principal): object {
  return { accountId, membershipRole, role, scopes };
}
