import { DomainError } from '../../../kernel/domain-error';
import { ExtensionPoint } from '../../../kernel/extension-point';
import type { Device } from '../../../platform/audit/audit-trail';
import type { ApiScope } from '../../../platform/config/api-scopes';
import type { Tx } from '../../../platform/database/database';
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
  /**
   * Locks the key that calls until `tx` ends, so that it is not revoked before.
   * @throws DomainError `unauthorized` when it was revoked or has expired since the request began
   */
  lockCalling(tx: Tx, caller: Principal, now: Date): Promise<CallingApiKey>;
}

export interface CallingApiKey {
  readonly id: string;
  /** Null for never. */
  readonly expiresAt: Date | null;
}

/** The extension point through which the api-keys module takes part in the authentication of requests. */
export class ApiKeyCheck extends ExtensionPoint<ApiKeyChecker> {
  constructor() {
    super(['api-keys']);
  }

  authenticate(hash: string, device: Device): Promise<Principal | null> {
    return this.get('api-keys').authenticate(hash, device);
  }

  lockCalling(tx: Tx, caller: Principal, now: Date): Promise<CallingApiKey> {
    return this.get('api-keys').lockCalling(tx, caller, now);
  }
}

export function isApiKey(token: string): boolean {
  return token.startsWith(API_KEY_PREFIX);
}

/** The wide scopes of the service itself, each with the narrow ones that it contains. */
const contents = {
  'transactions:read': ['requests:read'],
  'transactions:write': ['credits:write', 'refunds:write'],
  'payments:read': ['payment_requests:read', 'subscriptions:read'],
  'payments:write': ['payment_requests:write', 'subscriptions:write'],
  webhooks: ['events:read', 'webhooks:read', 'webhooks:write'],
} as const satisfies Record<string, readonly string[]>;

/** An operation names the scope that it needs; one without a scope is closed to API keys. */
export const coreScopes: readonly ApiScope[] = [
  ...Object.entries(contents).flatMap(([within, narrow]) => [
    { name: within },
    ...narrow.map((name) => ({ name, within })),
  ]),
  // Every key reads its account, so that it learns the id and the currency that its requests need.
  { name: 'account:read', inEveryKey: true },
];

/** @throws DomainError `forbidden` for an API key with none of the scopes; a session has all */
export function assertAnyScope(principal: Pick<Principal, 'scopes'>, sufficient: readonly string[]): void {
  if (principal.scopes === null || sufficient.some((scope) => principal.scopes!.includes(scope))) return;
  throw new DomainError(
    'forbidden',
    `The API key lacks the scope ${sufficient.join(' or ')}. Use a key that has it.`,
  );
}
