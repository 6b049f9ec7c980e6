import type { PageRequest } from '../../../../kernel/pages';
import type { Tx } from '../../../../platform/database/tx';
import type { ApiKey } from './api-key';

export abstract class ApiKeysRepository {
  /** Finds a key by its hash, also one that is revoked or expired. */
  abstract find(hash: string): Promise<ApiKey | null>;
  /** Finds a key by its id, also one that is revoked or expired. */
  abstract findById(id: string): Promise<ApiKey | null>;
  /** Finds the account of a key, which is locked before the key: null for a platform key, undefined for no key. */
  abstract accountOf(tx: Tx, id: string): Promise<string | null | undefined>;
  abstract lock(tx: Tx, id: string): Promise<ApiKey | null>;
  /** Locks the live keys of an account. */
  abstract lockLive(tx: Tx, accountId: string, now: Date): Promise<ApiKey[]>;
  /** Returns one page of the live keys, newest first. @param accountId null for the keys with the role `platform` */
  abstract findLive(accountId: string | null, now: Date, page: PageRequest): Promise<ApiKey[]>;
  /** Counts the live keys. @param accountId null for the keys with the role `platform` */
  abstract countLive(tx: Tx, accountId: string | null, now: Date): Promise<number>;
  abstract add(tx: Tx, key: ApiKey): void;
  abstract save(tx: Tx, key: ApiKey): void;
  /** Records a use, unless one was recorded after `unlessAfter`. */
  abstract recordUse(id: string, now: Date, unlessAfter: Date): Promise<void>;
}
