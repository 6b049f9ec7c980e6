import { PageRequest } from '../../../kernel/pages';
import { Tx } from '../../../platform/database/tx';
import { ApiKey } from './api-key';

export abstract class ApiKeysRepository {
  /** Finds a key by its hash, also one that is revoked or expired. */
  abstract find(hash: string): Promise<ApiKey | null>;
  abstract lock(tx: Tx, id: string): Promise<ApiKey | null>;
  /** Returns one page of the live keys, newest first. @param accountId null for the keys with the role `platform` */
  abstract findLive(accountId: string | null, now: Date, page: PageRequest): Promise<ApiKey[]>;
  /** Counts the live keys. @param accountId null for the keys with the role `platform` */
  abstract countLive(tx: Tx, accountId: string | null, now: Date): Promise<number>;
  abstract add(tx: Tx, key: ApiKey): void;
  abstract save(tx: Tx, key: ApiKey): void;
  abstract revokeOfAccount(tx: Tx, accountId: string, now: Date): void;
  /** Records a use, unless one was recorded after `unlessAfter`. */
  abstract recordUse(id: string, now: Date, unlessAfter: Date): Promise<void>;
}
