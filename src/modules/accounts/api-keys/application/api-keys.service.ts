import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../kernel/clock';
import { DomainError } from '../../../../kernel/domain-error';
import { isId } from '../../../../kernel/ids';
import { allPages, PageRequest } from '../../../../kernel/pages';
import { Actor, AuditTrail } from '../../../../platform/audit/audit-trail';
import { Database, IdempotentOperation, StoredResponse } from '../../../../platform/database/database';
import { Tx } from '../../../../platform/database/tx';
import { isAdmin, isBackOffice, Principal, RecentLogin, VerifiedEmails } from '../../../auth';
import { ReadonlyAccount as Account } from '../../domain/account';
import { AccountStore } from '../../domain/account-store';
import { ApiKey, ApiKeyRole, NewApiKey } from '../domain/api-key';
import { ApiKeyListeners } from '../domain/api-key-listeners';
import { ApiKeys, IssuedApiKey } from '../domain/api-keys';
import { ApiKeysRepository } from '../domain/api-keys.repository';

/** The live keys of one account, and of the platform. Platform keys are few, and their bound is not exact. */
const MAX_LIVE_KEYS = 100;

@Injectable()
export class ApiKeysService extends ApiKeys {
  constructor(
    private readonly database: Database,
    private readonly repository: ApiKeysRepository,
    private readonly accounts: AccountStore,
    private readonly recentLogin: RecentLogin,
    private readonly verifiedEmails: VerifiedEmails,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
    private readonly listeners: ApiKeyListeners,
  ) {
    super();
  }

  create(
    caller: Principal,
    role: ApiKeyRole,
    request: NewApiKey,
    operation: IdempotentOperation<IssuedApiKey>,
  ): Promise<StoredResponse> {
    const accountId = role === 'platform' ? null : requireAccount(caller);
    if (accountId === null && !isAdmin(caller)) throw forbidden('Only admins can create platform keys.');
    this.recentLogin.assert(caller);
    return this.database.idempotent(operation, async (tx, now) => {
      if (accountId === null) return this.issue(tx, caller, null, request, now);
      return this.accounts.update(tx, accountId, async (account) => {
        if (account.status === 'closed') throw forbidden('The account is closed.');
        account.assertNotSuspended();
        await this.verifiedEmails.assertMayGrantAccess(tx, caller, accountId, now);
        return this.issue(tx, caller, accountId, request, now);
      });
    });
  }

  list(caller: Principal, accountId: string | undefined, page: PageRequest): Promise<ApiKey[]> {
    return this.repository.findLive(listedAccount(caller, accountId), this.clock.now(), page);
  }

  walk(caller: Principal, accountId: string | undefined): AsyncIterable<readonly ApiKey[]> {
    return allPages((page) => this.list(caller, accountId, page));
  }

  async find(caller: Principal, id: string): Promise<ApiKey | null> {
    const key = isId('key', id) ? await this.repository.findById(id) : null;
    return key?.isLive(this.clock.now()) && mayList(caller, key) ? key : null;
  }

  async revoke(caller: Principal, id: string, reason: string | null = null): Promise<Readonly<ApiKey>> {
    if (isAdmin(caller)) this.recentLogin.assert(caller);
    else requireAccount(caller);
    return this.database.transaction(async (tx, now) => {
      const accountId = isId('key', id) ? await this.repository.accountOf(tx, id) : undefined;
      const isOthers = !isAdmin(caller) && accountId !== caller.accountId;
      if (accountId === undefined || isOthers) throw noSuchKey();
      const revoke = async (): Promise<ApiKey> => {
        const key = await this.repository.lock(tx, id);
        if (!key?.isLive(now)) throw noSuchKey();
        this.revokeLocked(tx, key, now);
        this.audit.record(tx, caller, { action: 'api_key.revoke', objectId: id, accountId, reason });
        if (accountId !== null)
          for (const listener of this.listeners.members) await listener.revoked(tx, caller, key, now);
        return key;
      };
      return accountId === null ? revoke() : this.accounts.update(tx, accountId, revoke);
    });
  }

  async lockCalling(tx: Tx, { subjectId }: Principal, now: Date): Promise<Readonly<ApiKey>> {
    const key = await this.repository.lock(tx, subjectId);
    if (!key?.isLive(now)) throw new DomainError('unauthorized', 'The API key was revoked or has expired.');
    return key;
  }

  async revokeAllOf(tx: Tx, account: Account, now: Date): Promise<void> {
    for (const key of await this.repository.lockLive(tx, account.id, now)) this.revokeLocked(tx, key, now);
  }

  async takeOver(tx: Tx, actor: Actor, account: Account, now: Date): Promise<void> {
    for (const key of await this.repository.lockLive(tx, account.id, now)) {
      this.revokeLocked(tx, key, now);
      const { id: objectId, accountId } = key;
      this.audit.record(tx, actor, { action: 'api_key.revoke', objectId, accountId });
    }
  }

  async isLive(tx: Tx, id: string, now: Date): Promise<boolean> {
    return (await this.repository.lock(tx, id))?.isLive(now) ?? false;
  }

  private revokeLocked(tx: Tx, key: ApiKey, now: Date): void {
    key.revoke(now);
    this.repository.save(tx, key);
  }

  private async issue(
    tx: Tx,
    caller: Principal,
    accountId: string | null,
    request: NewApiKey,
    now: Date,
  ): Promise<IssuedApiKey> {
    if ((await this.repository.countLive(tx, accountId, now)) >= MAX_LIVE_KEYS) {
      throw new DomainError('conflict', `There are ${MAX_LIVE_KEYS} API keys. Revoke one that is not used.`);
    }
    const issued = ApiKey.issue(accountId, request, now);
    const { id: objectId, role, scopes, allowedAddresses, expiresAt } = issued.record;
    this.repository.add(tx, issued.record);
    const details = { role, scopes, allowed_addresses: allowedAddresses, expires_at: expiresAt };
    this.audit.record(tx, caller, { action: 'api_key.create', objectId, accountId, details });
    return issued;
  }
}

/** @throws DomainError `forbidden` */
function requireAccount({ accountId, membershipRole }: Principal): string {
  if (accountId === null || membershipRole !== 'owner')
    throw forbidden('Only the owner of an account can create, list and revoke its API keys.');
  return accountId;
}

/** @returns null for the keys with the role `platform` */
function listedAccount(caller: Principal, accountId: string | undefined): string | null {
  if (isBackOffice(caller)) return accountId ?? null;
  const own = requireAccount(caller);
  if (accountId !== undefined && accountId !== own)
    throw forbidden("Only admins can list the API keys of others' accounts.");
  return own;
}

function mayList(caller: Principal, { accountId }: ApiKey): boolean {
  const isOwn = accountId !== null && accountId === caller.accountId && caller.membershipRole === 'owner';
  return isOwn || isBackOffice(caller);
}

function noSuchKey(): DomainError {
  return new DomainError('not_found', 'There is no such API key.');
}

function forbidden(message: string): DomainError {
  return new DomainError('forbidden', message);
}
