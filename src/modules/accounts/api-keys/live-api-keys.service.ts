import { Injectable } from '@nestjs/common';
import { Clock, MINUTE_MS } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import { isId } from '../../../kernel/ids';
import { allPages, PageRequest } from '../../../kernel/pages';
import { Device } from '../../../platform/audit/audit-trail';
import { ApiScopes } from '../../../platform/config/api-scopes';
import { Tx } from '../../../platform/database/database';
import { Log } from '../../../platform/telemetry/log';
import { isBackOffice, Principal } from '../../auth';
import { ApiKey, ApiKeys, requireOwnAccount } from './api-key';
import { ApiKeysRepository } from './api-keys.repository';

/** Uses of one key within this time after a recorded one are not recorded. */
const USE_INTERVAL_MS = MINUTE_MS;

/** Finds keys that are neither revoked nor expired: for requests with them, and for those who manage them. */
@Injectable()
export class LiveApiKeys extends ApiKeys {
  readonly name = 'api-keys';
  /** The keys whose use is being recorded by this process. */
  private readonly recording = new Set<string>();

  constructor(
    private readonly repository: ApiKeysRepository,
    private readonly scopes: ApiScopes,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    super();
  }

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

  /** Whether the key is not revoked, as `tx` sees it, nor expired. */
  async isLive(tx: Tx, id: string, now: Date): Promise<boolean> {
    return (await this.repository.lock(tx, id))?.isLive(now) ?? false;
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
