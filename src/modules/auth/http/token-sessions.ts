import { Injectable } from '@nestjs/common';
import { FastifyRequest } from 'fastify';
import { Clock } from '../../../kernel/clock';
import { AccessTokens } from '../application/access-tokens';
import { hashApiKey, isApiKey } from '../domain/api-key-check';
import { readBearerToken } from './bearer-token';

/** The API keys that are remembered, at about 100 bytes each. Beyond it, the one that was added first is forgotten. */
const MAX_ACCEPTED_KEYS = 10_000;

/** Tells the senders of valid tokens apart without the database, for what runs before AuthGuard. */
@Injectable()
export class TokenSessions {
  /** The hashes of API keys that this process has accepted. They grant nothing: a revoked key may be among them. */
  private readonly acceptedKeys = new Set<string>();
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
  of(request: FastifyRequest): string | null {
    const token = readBearerToken(request);
    if (token === null) return null;
    if (!isApiKey(token)) return this.accessTokens.verify(token, this.clock.now())?.sid ?? null;
    const hash = this.keyHashOf(request, token);
    return this.acceptedKeys.has(hash) ? hash : null;
  }

  /** Returns the hash of the API key that a request has. */
  keyHashOf(request: FastifyRequest, apiKey: string): string {
    const hash = this.keyHashes.get(request) ?? hashApiKey(apiKey);
    this.keyHashes.set(request, hash);
    return hash;
  }

  /** Remembers the hash of an API key that was accepted. */
  accept(keyHash: string): void {
    this.acceptedKeys.add(keyHash);
    const [first] = this.acceptedKeys;
    if (this.acceptedKeys.size > MAX_ACCEPTED_KEYS) this.acceptedKeys.delete(first!);
  }
}
