import type { PageRequest } from '../../../../kernel/pages';
import type { Actor } from '../../../../platform/audit/audit-trail';
import type { IdempotentOperation, StoredResponse } from '../../../../platform/database/database';
import type { Tx } from '../../../../platform/database/tx';
import type { Principal } from '../../../auth';
import type { ReadonlyAccount as Account } from '../../domain/account';
import type { ApiKey, ApiKeyRole, NewApiKey } from './api-key';

export interface IssuedApiKey {
  /** The key for the client. It is not stored. */
  readonly key: string;
  readonly record: ApiKey;
}

/** Creates, lists and revokes API keys. */
export abstract class ApiKeys {
  /**
   * Creates a key of the caller's account, or as an admin one with the role `platform`. The response is not stored, since
   * it shows the key.
   * @throws DomainError `forbidden` for callers other than the owner, for other roles than an admin may give, while
   * the account is suspended, and until its email is verified where that is required; `unauthorized` without a recent login; `conflict` at the limit of live keys, and for a
   * repeat; `invalid_request`
   */
  abstract create(
    caller: Principal,
    role: ApiKeyRole,
    request: NewApiKey,
    operation: IdempotentOperation<IssuedApiKey>,
  ): Promise<StoredResponse>;

  /**
   * Returns one page of the live keys of the caller's account, newest first. An admin names the account; without one,
   * they are those with the role `platform`.
   * @throws DomainError `forbidden` for callers other than the owner and admins
   */
  abstract list(caller: Principal, accountId: string | undefined, page: PageRequest): Promise<ApiKey[]>;

  /** Reads all live keys of a list, a part at a time. @throws DomainError as `list` */
  abstract walk(caller: Principal, accountId: string | undefined): AsyncIterable<readonly ApiKey[]>;

  /** Finds a live key by its id, among those that the caller may list. */
  abstract find(caller: Principal, id: string): Promise<ApiKey | null>;

  /**
   * Revokes a key, which takes effect with the next request on every replica. Admins may revoke any key.
   * @param reason why, for the audit log
   * @throws DomainError `forbidden` for callers other than the owner and admins; `not_found`; `unauthorized` for admins
   * without a recent login
   */
  abstract revoke(caller: Principal, id: string, reason?: string | null): Promise<Readonly<ApiKey>>;

  /**
   * Returns the key that calls, for what is to end with it.
   * @param tx has locked the key's account, so that the key is not revoked before `tx` ends
   * @throws DomainError `unauthorized` when it was revoked or has expired since the request began
   */
  abstract lockCalling(tx: Tx, principal: Principal, now: Date): Promise<Readonly<ApiKey>>;

  /** Revokes the keys of an account that is being closed. Expired ones stay as they are. */
  abstract revokeAllOf(tx: Tx, account: Account, now: Date): Promise<void>;

  /** Revokes the keys of an account that the owner of its email takes over. */
  abstract takeOver(tx: Tx, actor: Actor, account: Account, now: Date): Promise<void>;

  /** Whether the key is not revoked, as `tx` sees it, nor expired. */
  abstract isLive(tx: Tx, id: string, now: Date): Promise<boolean>;
}
