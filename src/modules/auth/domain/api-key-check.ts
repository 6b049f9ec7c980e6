import { createHash } from 'node:crypto';
import { ExtensionPoint } from '../../../kernel/extension-point';
import type { Device } from '../../../platform/audit/audit-trail';
import type { Tx } from '../../../platform/database/tx';
import type { Principal } from './principal';

/** What distinguishes an API key from an access token, and lets scanners for secrets find it. */
export const API_KEY_PREFIX = 'ch_';

interface ApiKeyChecker {
  readonly name: 'api-keys';

  /**
   * Returns the principal of a live API key, or null.
   * @param hash the hash of what the client sent: any text that begins with the prefix
   * @throws DomainError `forbidden` for a live key that the client's address may not use
   */
  authenticate(hash: string, device: Device): Promise<Principal | null>;
  /** Whether the key is not revoked, as `tx` sees it, nor expired. */
  isLive(tx: Tx, id: string, now: Date): Promise<boolean>;
}

/** The extension point through which the api-keys module takes part in the authentication of requests. */
export class ApiKeyCheck extends ExtensionPoint<ApiKeyChecker> {
  constructor() {
    super('ApiKeyCheck', ['api-keys']);
  }

  authenticate(hash: string, device: Device): Promise<Principal | null> {
    return this.get('api-keys').authenticate(hash, device);
  }

  isLive(tx: Tx, id: string, now: Date): Promise<boolean> {
    return this.get('api-keys').isLive(tx, id, now);
  }
}

/** A fast hash is sufficient, because a key has 256 random bits. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

export function isApiKey(token: string): boolean {
  return token.startsWith(API_KEY_PREFIX);
}
