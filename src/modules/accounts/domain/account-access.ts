import { ExtensionPoint } from '../../../kernel/extension-point';
import type { Actor } from '../../../platform/audit/audit-trail';
import type { Tx } from '../../../platform/database/tx';
import type { LockedAccount } from './account';

interface AccessMember {
  readonly name: string;
  revokeAll(tx: Tx, actor: Actor, account: LockedAccount, now: Date): Promise<void>;
}

/**
 * The extension point for modules that give lasting access to an account or its data, such as API keys. They take it away
 * when the owner of the mailbox takes over an account that a stranger may have opened. The account is locked.
 */
export class AccountAccess extends ExtensionPoint<AccessMember> {
  constructor() {
    super('AccountAccess');
  }

  async revokeAll(tx: Tx, actor: Actor, account: LockedAccount, now: Date): Promise<void> {
    for (const member of this.members) await member.revokeAll(tx, actor, account, now);
  }
}
