import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { isId } from '../../../kernel/ids';
import { Actor, AuditTrail } from '../../../platform/audit/audit-trail';
import { Database, IdempotentOperation, StoredResponse, Tx } from '../../../platform/database/database';
import { isAdmin, Principal, RecentLogin, VerifiedEmails } from '../../auth';
import { AccountStore } from '../application/account-store.service';
import { LockedAccount } from '../domain/account';
import { ApiKey, ApiKeyListeners, ApiKeyRole, IssuedApiKey, NewApiKey, requireOwnAccount } from './api-key';
import { ApiKeysRepository } from './api-keys.repository';

/** The live keys of one account, and of the platform. Platform keys are few, and their bound is not exact. */
const MAX_LIVE_KEYS = 100;

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

function noSuchKey(): DomainError {
  return new DomainError('not_found', 'There is no such API key.');
}
