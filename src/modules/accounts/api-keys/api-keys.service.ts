import { Injectable } from '@nestjs/common';
import { Clock, MINUTE_MS } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import { isId } from '../../../kernel/ids';
import { allPages, PageRequest } from '../../../kernel/pages';
import { Actor, AuditTrail, Device } from '../../../platform/audit/audit-trail';
import { ApiScopes } from '../../../platform/config/api-scopes';
import { Database, IdempotentOperation, StoredResponse, Tx } from '../../../platform/database/database';
import { Log } from '../../../platform/telemetry/log';
import { isAdmin, isBackOffice, Principal, RecentLogin, VerifiedEmails } from '../../auth';
import { AccountStore } from '../application/account-store.service';
import { LockedAccount } from '../domain/account';
import { ApiKey, ApiKeyListeners, ApiKeyRole, IssuedApiKey, NewApiKey, requireOwnAccount } from './api-key';
import { ApiKeysRepository } from './api-keys.repository';

/** The live keys of one account, and of the platform. Platform keys are few, and their bound is not exact. */
const MAX_LIVE_KEYS = 100;

/** Uses of one key within this time after a recorded one are not recorded. */
const USE_INTERVAL_MS = MINUTE_MS;

/** Finds keys that are neither revoked nor expired: for requests with them, and for those who manage them. */
@Injectable()
export class LiveApiKeys {
  readonly name = 'api-keys';
  /** The keys whose use is being recorded by this process. */
  private readonly recording = new Set<string>();

  constructor(
    private readonly repository: ApiKeysRepository,
    private readonly scopes: ApiScopes,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * Returns the principal of a key, or null. It is one read of the row of the key, and nothing is cached.
   * @throws DomainError `forbidden` from an address that is not allowed
   */
  async authenticate(hash: string, device: Device): Promise<Principal | null> {
    const key = await this.repository.find(hash);
    const now = this.clock.now();
    if (!key?.isLive(now)) return null;
    if (!key.allows(device.ip)) {
      throw new DomainError(
        'forbidden',
        `This API key may not be used from ${device.ip}. Use it from an address in its allowed_addresses.`,
      );
    }
    this.recordUse(key, now);
    return key.principal(device, this.scopes);
  }

  /**
   * Returns one page of the keys of the caller's account, newest first. An admin names the account; without one, they are
   * those with the role `platform`.
   * @throws DomainError `forbidden` for callers other than the owner and admins
   */
  list(caller: Principal, accountId: string | undefined, page: PageRequest): Promise<ApiKey[]> {
    return this.repository.findLive(chooseAccount(caller, accountId), this.clock.now(), page);
  }

  /** Reads all keys of a list, a part at a time. @throws DomainError as `list` */
  walk(caller: Principal, accountId: string | undefined): AsyncIterable<readonly ApiKey[]> {
    return allPages((page) => this.list(caller, accountId, page));
  }

  /** Finds a key by its id, among those that the caller may list. */
  async find(caller: Principal, id: string): Promise<ApiKey | null> {
    const key = isId('key', id) ? await this.repository.findById(id) : null;
    return key?.isLive(this.clock.now()) && mayList(caller, key) ? key : null;
  }

  async lockCalling(tx: Tx, { subjectId }: Principal, now: Date): Promise<Readonly<ApiKey>> {
    const key = await this.repository.lock(tx, subjectId);
    if (!key?.isLive(now)) throw new DomainError('unauthorized', 'The API key was revoked or has expired.');
    return key;
  }

  /** The request does not wait for it, and it locks nothing that a request waits for. */
  private recordUse({ id, lastUsedAt }: ApiKey, now: Date): void {
    const isRecent = lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < USE_INTERVAL_MS;
    if (isRecent || this.recording.has(id)) return;
    this.recording.add(id);
    void this.repository
      .recordUse(id, now)
      .catch((error: unknown) => this.log.failure('The use of an API key was not recorded', error))
      .finally(() => this.recording.delete(id));
  }
}

@Injectable()
export class CreateApiKey {
  constructor(
    private readonly database: Database,
    private readonly repository: ApiKeysRepository,
    private readonly accounts: AccountStore,
    private readonly recentLogin: RecentLogin,
    private readonly verifiedEmails: VerifiedEmails,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Creates a key of the caller's account, or as an admin one with the role `platform`. The response is not stored, since
   * it shows the key.
   * @throws DomainError `forbidden` for callers other than the owner, for other roles than an admin may give, while the
   * account is suspended, and until its email is verified where that is required; `unauthorized` without a recent login;
   * `conflict` at the limit of live keys, and for a repeat; `invalid_request`
   */
  run(
    caller: Principal,
    role: ApiKeyRole,
    request: NewApiKey,
    operation: IdempotentOperation<IssuedApiKey>,
  ): Promise<StoredResponse> {
    const accountId = role === 'platform' ? null : requireOwnAccount(caller);
    if (accountId === null && !isAdmin(caller))
      throw new DomainError('forbidden', 'Only admins can create platform keys.');
    this.recentLogin.assert(caller);
    return this.database.idempotent(operation, async (tx, now) => {
      if (accountId === null) return this.issue(tx, caller, null, request, now);
      return this.accounts.update(tx, accountId, async (account) => {
        if (account.status === 'closed') throw new DomainError('forbidden', 'The account is closed.');
        account.assertNotSuspended();
        await this.verifiedEmails.assertMayGrantAccess(tx, caller, accountId, now);
        return this.issue(tx, caller, accountId, request, now);
      });
    });
  }

  private async issue(
    tx: Tx,
    caller: Principal,
    accountId: string | null,
    request: NewApiKey,
    now: Date,
  ): Promise<IssuedApiKey> {
    if ((await this.repository.countLive(tx, accountId, now)) >= MAX_LIVE_KEYS)
      throw new DomainError('conflict', `There are ${MAX_LIVE_KEYS} API keys. Revoke one that is not used.`);
    const issued = ApiKey.issue(accountId, request, now);
    const { id: objectId, role, scopes, allowedAddresses, expiresAt } = issued.record;
    this.repository.add(tx, issued.record);
    const details = { role, scopes, allowed_addresses: allowedAddresses, expires_at: expiresAt };
    this.audit.record(tx, caller, { action: 'api_key.create', objectId, accountId, details });
    return issued;
  }
}

@Injectable()
export class RevokeApiKeys {
  constructor(
    private readonly database: Database,
    private readonly repository: ApiKeysRepository,
    private readonly accounts: AccountStore,
    private readonly recentLogin: RecentLogin,
    private readonly audit: AuditTrail,
    private readonly listeners: ApiKeyListeners,
  ) {}

  /**
   * Revokes a key, which takes effect with the next request on every replica. Admins may revoke any key.
   * @param reason why, for the audit log
   * @throws DomainError `forbidden` for callers other than the owner and admins; `not_found`; `unauthorized` for admins
   * without a recent login
   */
  async byId(caller: Principal, id: string, reason: string | null = null): Promise<Readonly<ApiKey>> {
    if (isAdmin(caller)) this.recentLogin.assert(caller);
    else requireOwnAccount(caller);
    return this.database.transaction(async (tx, now) => {
      const accountId = isId('key', id) ? await this.repository.findAccount(tx, id) : undefined;
      const isOthers = !isAdmin(caller) && accountId !== caller.accountId;
      if (accountId === undefined || isOthers) throw noSuchKey();
      const revoke = async (): Promise<ApiKey> => {
        const key = await this.repository.lock(tx, id);
        if (!key?.isLive(now)) throw noSuchKey();
        this.revoke(tx, key, now);
        this.audit.record(tx, caller, { action: 'api_key.revoke', objectId: id, accountId, reason });
        if (accountId !== null)
          for (const listener of this.listeners.members) await listener.revoked(tx, caller, key, now);
        return key;
      };
      return accountId === null ? revoke() : this.accounts.update(tx, accountId, revoke);
    });
  }

  /** Revokes the keys of an account that is being closed. Expired ones stay as they are. */
  async inClosing(tx: Tx, account: LockedAccount, now: Date): Promise<void> {
    for (const key of await this.repository.lockLive(tx, account.id, now)) this.revoke(tx, key, now);
  }

  /** Revokes the keys of an account that the owner of its email takes over. */
  async inTakeOver(tx: Tx, actor: Actor, account: LockedAccount, now: Date): Promise<void> {
    for (const key of await this.repository.lockLive(tx, account.id, now)) {
      this.revoke(tx, key, now);
      const { id: objectId, accountId } = key;
      this.audit.record(tx, actor, { action: 'api_key.revoke', objectId, accountId });
    }
  }

  private revoke(tx: Tx, key: ApiKey, now: Date): void {
    key.revoke(now);
    this.repository.save(tx, key);
  }
}

/** @returns null for the keys with the role `platform` */
function chooseAccount(caller: Principal, accountId: string | undefined): string | null {
  if (isBackOffice(caller)) return accountId ?? null;
  const own = requireOwnAccount(caller);
  if (accountId !== undefined && accountId !== own)
    throw new DomainError('forbidden', "Only admins can list the API keys of others' accounts.");
  return own;
}

function mayList(caller: Principal, { accountId }: ApiKey): boolean {
  const isOwn = accountId !== null && accountId === caller.accountId && caller.membershipRole === 'owner';
  return isOwn || isBackOffice(caller);
}

function noSuchKey(): DomainError {
  return new DomainError('not_found', 'There is no such API key.');
}
