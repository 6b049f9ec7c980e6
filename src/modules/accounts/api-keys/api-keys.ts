import { ExtensionPoint } from '../../../kernel/extension-point';
import type { Actor } from '../../../platform/audit/audit-trail';
import type { Tx } from '../../../platform/database/tx';
import type { Principal } from '../../auth';
import type { ApiKey } from './api-key';

/** API keys for other modules. */
export abstract class ApiKeys {
  /**
   * Returns the key that calls, for what is to end with it.
   * @param tx has locked the key's account, so that the key is not revoked before `tx` ends
   * @throws DomainError `unauthorized` when it was revoked or has expired since the request began
   */
  abstract lockCalling(tx: Tx, principal: Principal, now: Date): Promise<Readonly<ApiKey>>;
}

interface ApiKeyListener {
  readonly name: string;
  /** A key of an account, which `tx` has locked, was revoked. A closing of the account revokes its keys without it. */
  revoked(tx: Tx, actor: Actor, key: Readonly<ApiKey>, now: Date): Promise<void>;
}

/** The extension point for modules that follow API keys, each in the database transaction of the change. */
export class ApiKeyListeners extends ExtensionPoint<ApiKeyListener> {
  constructor() {
    super('ApiKeyListeners');
  }
}
