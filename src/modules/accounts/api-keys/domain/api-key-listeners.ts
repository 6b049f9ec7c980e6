import { ExtensionPoint } from '../../../../kernel/extension-point';
import type { Actor } from '../../../../platform/audit/audit-trail';
import type { Tx } from '../../../../platform/database/tx';
import type { ApiKey } from './api-key';

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
