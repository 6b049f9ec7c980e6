import { ExtensionPoint, frozenCopy } from '../../../kernel/extension-point';
import type { Actor } from '../../../platform/audit/audit-trail';
import type { ReadTx, Tx } from '../../../platform/database/database';
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
  async revokeAll(tx: Tx, actor: Actor, account: LockedAccount, now: Date): Promise<void> {
    for (const member of this.members) await member.revokeAll(tx, actor, account, now);
  }
}

/** Locked accounts by their ids. */
export type LockedAccounts = ReadonlyMap<string, LockedAccount>;

/** What a module does when an account is closed, in phases. */
export interface ClosingHook {
  readonly name: string;
  /** Rejects the closing with a DomainError, for example `active_subscriptions`. It gets a frozen copy of the account. */
  veto?(tx: ReadTx, account: LockedAccount): Promise<void>;
  /**
   * Cancels a part of what the module has pending, where it is too much for one database transaction. The account is still
   * open.
   * @returns whether it has canceled something, and the closing goes on in another database transaction
   */
  cancelPart?(tx: Tx, account: LockedAccount, now: Date, accounts: LockedAccounts): Promise<boolean>;
  /** Cancels what the module has pending under the account. */
  cancelPending?(tx: Tx, account: LockedAccount, now: Date, accounts: LockedAccounts): Promise<void>;
  /** Finds other accounts that what it cancels changes, too: they are locked together with the account, before it closes. */
  partners?(tx: Tx, accountId: string): Promise<readonly string[]>;
}

/** How many items are canceled in one database transaction, in a fraction of a second. */
const CANCEL_BATCH = 1_000;

/**
 * The phases of a member that may have thousands of items pending under an account.
 * @param lockPending locks some of them, and returns these
 * @param batch how many one database transaction cancels
 */
export function cancelInParts<Item>(
  lockPending: (tx: Tx, accountId: string, limit: number) => Promise<readonly Item[]>,
  cancel: (
    tx: Tx,
    account: LockedAccount,
    item: Item,
    now: Date,
    accounts: LockedAccounts,
  ) => Promise<void> | void,
  batch = CANCEL_BATCH,
): Required<Pick<ClosingHook, 'cancelPart' | 'cancelPending'>> {
  return {
    async cancelPart(tx, account, now, accounts) {
      const pending = await lockPending(tx, account.id, batch + 1);
      if (pending.length <= batch) return false;
      for (const item of pending) await cancel(tx, account, item, now, accounts);
      return true;
    },
    async cancelPending(tx, account, now, accounts) {
      const pending = await lockPending(tx, account.id, batch);
      for (const item of pending) await cancel(tx, account, item, now, accounts);
    },
  };
}

/**
 * The extension point by which modules take part in closing an account. The account is locked. The members run in the
 * order of their registration, phase by phase and in the same database transaction, so that nothing is canceled before
 * every member has agreed.
 *
 * Where very much is pending, a part of it is canceled first, in separate database transactions, so that none keeps the
 * account locked for long. Such a closing is not atomic: when it is interrupted, the account stays open with fewer
 * pending items and users, and a repeat completes it.
 */
export class ClosingHooks extends ExtensionPoint<ClosingHook> {
  /**
   * @param deletePart deletes a part of what is deleted with the account, if it is too much for one database transaction;
   * it runs once nothing is left to cancel in parts
   * @param accounts the account and its partners, locked
   * @returns whether the account is closed; otherwise run it again in another database transaction
   * @throws DomainError from a veto; `conflict` when the account is closed already
   */
  async run(
    tx: Tx,
    account: LockedAccount,
    now: Date,
    deletePart: () => Promise<boolean> = async () => false,
    accounts: LockedAccounts = new Map([[account.id, account]]),
  ): Promise<boolean> {
    const copy = frozenCopy(account);
    for (const member of this.members) await member.veto?.(tx.readOnly(), copy);
    const isPart = async () => (await this.cancelPart(tx, account, now, accounts)) || (await deletePart());
    if (account.status !== 'closed' && (await isPart())) return false;
    account.close(now);
    for (const member of this.members) await member.cancelPending?.(tx, account, now, accounts);
    return true;
  }

  /** Finds other accounts that the closing changes. */
  async partners(tx: Tx, accountId: string): Promise<string[]> {
    const found = new Set<string>();
    for (const member of this.members)
      for (const id of (await member.partners?.(tx, accountId)) ?? []) found.add(id);
    found.delete(accountId);
    return [...found];
  }

  private async cancelPart(...args: Parameters<NonNullable<ClosingHook['cancelPart']>>): Promise<boolean> {
    for (const member of this.members) if (await member.cancelPart?.(...args)) return true;
    return false;
  }
}
