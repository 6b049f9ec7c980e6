import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../kernel/clock';
import { DomainError } from '../../../../kernel/domain-error';
import { isId } from '../../../../kernel/ids';
import { allPages, PageRequest } from '../../../../kernel/pages';
import { Actor, AuditTrail } from '../../../../platform/audit/audit-trail';
import { Database, IdempotentOperation, StoredResponse } from '../../../../platform/database/database';
import { Tx } from '../../../../platform/database/tx';
import { EventRecorder } from '../../../../platform/events/event-recorder';
import { ReadonlyAccount as Account } from '../../domain/account';
import { AccountStore } from '../../domain/account-store';
import { isAdmin, isBackOffice, Principal, RecentLogin, VerifiedEmails } from '../../../auth';
import { ApiKey, ApiKeyRole, NewApiKey } from '../domain/api-key';
import { ApiKeyListeners } from '../domain/api-key-listeners';
import { ApiKeysRepository } from '../domain/api-keys.repository';

/** The live keys of one account, and of the platform. Platform keys are few, and their bound is not exact. */
const MAX_LIVE_KEYS = 100;

export interface IssuedApiKey {
  /** The key for the client. It is not stored. */
  readonly key: string;
  readonly record: ApiKey;
}

/** Creates, lists and revokes API keys. */
@Injectable()
export class ApiKeys {
  constructor(
    private readonly database: Database,
    private readonly repository: ApiKeysRepository,
    private readonly accounts: AccountStore,
    private readonly recentLogin: RecentLogin,
    private readonly verifiedEmails: VerifiedEmails,
    private readonly audit: AuditTrail,
    private readonly events: EventRecorder,
    private readonly clock: Clock,
    private readonly listeners: ApiKeyListeners,
  ) {}

  /**
   * Creates a key of the caller's account, or as an admin one with the role `platform`. The response is not stored, since
   * it shows the key.
   * @throws DomainError `forbidden` for callers other than the owner, for other roles than an admin may give, while
   * the account is suspended, and until its email is verified where that is required; `unauthorized` without a recent login; `conflict` at the limit of live keys, and for a
   * repeat; `invalid_request`
   */
  create(
    caller: Principal,
    role: ApiKeyRole,
    request: NewApiKey,
    operation: IdempotentOperation<IssuedApiKey>,
  ): Promise<StoredResponse> {
    const accountId = role === 'platform' ? null : ownAccountOf(caller);
    if (accountId === null && !isAdmin(caller)) throw forbidden('Only admins can create platform keys.');
    this.recentLogin.assert(caller);
    return this.database.idempotent(operation, async (tx, now) => {
      if (accountId === null) return this.issue(tx, caller, null, request, now);
      return this.accounts.update(tx, accountId, async (account) => {
        if (account.status === 'closed') throw forbidden('The account is closed.');
        account.assertNotSuspended();
        await this.verifiedEmails.assertMayGrantAccess(tx, caller, accountId, now);
        return this.issue(tx, caller, account, request, now);
      });
    });
  }

  /**
   * Returns one page of the live keys of the caller's account, newest first. An admin names the account; without one,
   * they are those with the role `platform`.
   * @throws DomainError `forbidden` for callers other than the owner and admins
   */
  list(caller: Principal, accountId: string | undefined, page: PageRequest): Promise<ApiKey[]> {
    return this.repository.findLive(listedAccount(caller, accountId), this.clock.now(), page);
  }

  /** Reads all live keys of a list, a part at a time. @throws DomainError as `list` */
  walk(caller: Principal, accountId: string | undefined): AsyncIterable<readonly ApiKey[]> {
    return allPages((page) => this.list(caller, accountId, page));
  }

  /** Finds a live key by its id, among those that the caller may list. */
  async find(caller: Principal, id: string): Promise<ApiKey | null> {
    const key = isId('key', id) ? await this.repository.findById(id) : null;
    return key?.isLive(this.clock.now()) && mayList(caller, key) ? key : null;
  }

  /**
   * Revokes a key, which takes effect with the next request on every replica. Admins may revoke any key.
   * @param reason why, for the audit log
   * @throws DomainError `forbidden` for callers other than the owner and admins; `not_found`; `unauthorized` for admins
   * without a recent login
   */
  async revoke(caller: Principal, id: string, reason: string | null = null): Promise<Readonly<ApiKey>> {
    if (isAdmin(caller)) this.recentLogin.assert(caller);
    else ownAccountOf(caller);
    return this.database.transaction(async (tx, now) => {
      const accountId = isId('key', id) ? await this.repository.accountOf(tx, id) : undefined;
      const isOthers = !isAdmin(caller) && accountId !== caller.accountId;
      if (accountId === undefined || isOthers) throw noSuchKey();
      const revoke = async (account: Account | null): Promise<ApiKey> => {
        const key = await this.repository.lock(tx, id);
        if (!key?.isLive(now)) throw noSuchKey();
        this.revokeLocked(tx, key, account, now);
        this.audit.record(tx, caller, { action: 'api_key.revoke', objectId: id, accountId, reason });
        if (account !== null)
          for (const listener of this.listeners.members) await listener.revoked(tx, caller, key, now);
        return key;
      };
      return accountId === null ? revoke(null) : this.accounts.update(tx, accountId, revoke);
    });
  }

  /**
   * Returns the key that calls, for what is to end with it.
   * @param tx has locked the key's account, so that the key is not revoked before `tx` ends
   * @throws DomainError `unauthorized` when it was revoked or has expired since the request began
   */
  async lockCalling(tx: Tx, { subjectId }: Principal, now: Date): Promise<Readonly<ApiKey>> {
    const key = await this.repository.lock(tx, subjectId);
    if (!key?.isLive(now)) throw new DomainError('unauthorized', 'The API key was revoked or has expired.');
    return key;
  }

  /** Revokes the keys of an account that is being closed. Expired ones stay as they are. */
  async revokeAllOf(tx: Tx, account: Account, now: Date): Promise<void> {
    for (const key of await this.repository.lockLive(tx, account.id, now))
      this.revokeLocked(tx, key, account, now);
  }

  /** Revokes the keys of an account that the owner of its email takes over. */
  async takeOver(tx: Tx, actor: Actor, account: Account, now: Date): Promise<void> {
    for (const key of await this.repository.lockLive(tx, account.id, now)) {
      this.revokeLocked(tx, key, account, now);
      const { id: objectId, accountId } = key;
      this.audit.record(tx, actor, { action: 'api_key.revoke', objectId, accountId });
    }
  }

  /** Whether the key is not revoked, as `tx` sees it, nor expired. */
  async isLive(tx: Tx, id: string, now: Date): Promise<boolean> {
    return (await this.repository.lock(tx, id))?.isLive(now) ?? false;
  }

  private revokeLocked(tx: Tx, key: ApiKey, account: Account | null, now: Date): void {
    key.revoke(now);
    this.recordEvent(tx, 'api_key.revoked', key, account);
    this.repository.save(tx, key);
  }

  /** Platform keys belong to no account, so only operators see their events. */
  private recordEvent(tx: Tx, type: string, key: ApiKey, account: Account | null): void {
    if (account === null) this.events.record(tx, type, key, null);
    else this.accounts.recordEvent(tx, type, key, account);
  }

  private async issue(
    tx: Tx,
    caller: Principal,
    account: Account | null,
    request: NewApiKey,
    now: Date,
  ): Promise<IssuedApiKey> {
    const accountId = account?.id ?? null;
    if ((await this.repository.countLive(tx, accountId, now)) >= MAX_LIVE_KEYS) {
      throw new DomainError('conflict', `There are ${MAX_LIVE_KEYS} API keys. Revoke one that is not used.`);
    }
    const issued = ApiKey.issue(accountId, request, now);
    const { id: objectId, role, scopes, allowedAddresses, expiresAt } = issued.record;
    this.recordEvent(tx, 'api_key.created', issued.record, account);
    this.repository.add(tx, issued.record);
    const details = { role, scopes, allowed_addresses: allowedAddresses, expires_at: expiresAt };
    this.audit.record(tx, caller, { action: 'api_key.create', objectId, accountId, details });
    return issued;
  }
}

/** @throws DomainError `forbidden` */
function ownAccountOf({ accountId, membershipRole }: Principal): string {
  if (accountId === null || membershipRole !== 'owner')
    throw forbidden('Only the owner of an account can create, list and revoke its API keys.');
  return accountId;
}

/** @returns null for the keys with the role `platform` */
function listedAccount(caller: Principal, accountId: string | undefined): string | null {
  if (isBackOffice(caller)) return accountId ?? null;
  const own = ownAccountOf(caller);
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
