import { randomBytes } from 'node:crypto';
import { isInNetworks } from '../../../kernel/client-network';
import { DomainError } from '../../../kernel/domain-error';
import { EventSource, type FieldsOf } from '../../../kernel/entity';
import { ExtensionPoint } from '../../../kernel/extension-point';
import { newId } from '../../../kernel/ids';
import type { Actor, Device } from '../../../platform/audit/audit-trail';
import type { ApiScopes } from '../../../platform/config/api-scopes';
import type { Tx } from '../../../platform/database/database';
import { API_KEY_PREFIX, hashToken, type Principal } from '../../auth';

/** 256 random bits in base 62, which has no character that ends a word: a double click selects the whole key. */
const SECRET_CHARACTERS = 43;
const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const LAST_CHARACTERS = 4;

/** `user`: the key acts as a member of its account. `platform`: it belongs to no account and acts for all. */
export const apiKeyRoles = ['user', 'platform'] as const;
export type ApiKeyRole = (typeof apiKeyRoles)[number];

export interface NewApiKey {
  readonly name: string;
  /** Never, by default. */
  readonly expiresAt?: Date;
  /** Scopes of operations. */
  readonly scopes: readonly string[];
  /** Addresses and networks in CIDR notation. From anywhere, by default. */
  readonly allowedAddresses?: readonly string[];
  /** The version of the API that its requests use. */
  readonly apiVersion: string;
}

export interface IssuedApiKey {
  /** The key for the client. It is not stored. */
  readonly key: string;
  readonly record: ApiKey;
}

/**
 * A key with which a program calls the API. Only a hash is stored; the key itself is shown once. Keys with the role
 * `platform` belong to no account, so only operators see their events.
 */
export class ApiKey extends EventSource {
  readonly id: string;
  readonly hash: string;
  /** Null for a key with the role `platform`. */
  readonly accountId: string | null;
  readonly role: ApiKeyRole;
  readonly name: string;
  /** The last characters of the key, by which people recognize it. */
  readonly lastFour: string;
  readonly scopes: readonly string[];
  readonly allowedAddresses: readonly string[];
  /** The version of the API that its requests use where they name none. */
  readonly apiVersion: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  revokedAt: Date | null;

  private constructor(fields: FieldsOf<ApiKey>) {
    super();
    Object.assign(this, fields);
  }

  /**
   * @param accountId null for a key with the role `platform`
   * @returns the key for the client, and its record to store
   * @throws DomainError `invalid_request` for an expiry that is not in the future
   */
  static issue(accountId: string | null, request: NewApiKey, now: Date): IssuedApiKey {
    const { name, expiresAt = null, scopes, allowedAddresses = [], apiVersion } = request;
    if (expiresAt !== null && expiresAt <= now)
      throw new DomainError('invalid_request', 'expires_at must be in the future.');
    const key = API_KEY_PREFIX + randomSecret();
    const record = new ApiKey({
      id: newId('key', now),
      hash: hashToken(key),
      accountId,
      role: accountId === null ? 'platform' : 'user',
      name,
      lastFour: key.slice(-LAST_CHARACTERS),
      scopes,
      allowedAddresses,
      apiVersion,
      createdAt: now,
      lastUsedAt: null,
      expiresAt,
      revokedAt: null,
      eventCount: 0,
    }).addEvent('api_key.created', accountId);
    return { key, record };
  }

  revoke(now: Date): void {
    this.revokedAt = now;
    this.addEvent('api_key.revoked', this.accountId);
  }

  isLive(now: Date): boolean {
    return this.revokedAt === null && (this.expiresAt === null || now < this.expiresAt);
  }

  allows(address: string): boolean {
    return this.allowedAddresses.length === 0 || isInNetworks(address, this.allowedAddresses);
  }

  /** The principal of a request with this key: a member of the account, or a platform system. */
  principal(device: Device, scopes: ApiScopes): Principal {
    const { id, accountId, role } = this;
    return {
      sessionId: null,
      userId: null,
      openedAccountId: null,
      accountId,
      membershipRole: accountId === null ? null : 'member',
      role,
      secondFactor: false,
      subjectId: id,
      device,
      authenticatedAt: new Date(0), // nobody logs in with a key, so it is never a recent login
      scopes: scopes.effective(this.scopes),
      pinnedVersion: this.apiVersion,
    };
  }
}

/** @throws DomainError `forbidden` for callers other than the owner of an account */
export function requireOwnAccount({ accountId, membershipRole }: Principal): string {
  if (accountId === null || membershipRole !== 'owner')
    throw new DomainError(
      'forbidden',
      'Only the owner of an account can create, list and revoke its API keys.',
    );
  return accountId;
}

function randomSecret(): string {
  let bits = BigInt(`0x${randomBytes(32).toString('hex')}`);
  let secret = '';
  for (let length = 0; length < SECRET_CHARACTERS; length += 1) {
    secret += BASE_62[Number(bits % 62n)];
    bits /= 62n;
  }
  return secret;
}

interface ApiKeyListener {
  readonly name: string;
  /** A key of an account, which `tx` has locked, was revoked. A closing of the account revokes its keys without it. */
  revoked(tx: Tx, actor: Actor, key: Readonly<ApiKey>, now: Date): Promise<void>;
}

/** The extension point for modules that follow API keys, each in the database transaction of the change. */
export class ApiKeyListeners extends ExtensionPoint<ApiKeyListener> {}
