import { ExtensionPoint, frozenCopy } from '../../../kernel/extension-point';
import type { AccountWrites, ReadTx, Tx } from '../../../platform/database/database';
import type { LockedAccount } from '../../accounts';
import type { Transaction } from './transaction';

/** A transition of a transaction, or its creation. A creation that succeeds or fails at once is one transition. */
export type TransactionTransition = 'create' | 'settle' | 'fail' | 'cancel';

/** A rule or a record of another module about money that moves. Its callbacks get a frozen copy: an assignment throws. */
export interface MovementHook<Movement extends object, Transition> {
  readonly name: string;
  /**
   * Runs in the database transaction of the transition, with the account locked, before anything is written. It can read,
   * and rejects the transition by throwing a DomainError.
   */
  before?(tx: ReadTx, transition: Transition, movement: Readonly<Movement>, now: Date): Promise<void>;
  /**
   * Runs after the transition. What it writes is committed with the transition or not at all. It must not throw, since
   * only `before` can reject a transition.
   */
  after?(tx: AccountWrites, transition: Transition, movement: Readonly<Movement>, now: Date): void;
}

export type TransactionHook = MovementHook<Transaction, TransactionTransition>;

/** An extension point for limits, fraud checks and records of other modules. Hooks run in the order of registration. */
export abstract class MovementHooks<Movement extends object, Transition> extends ExtensionPoint<
  MovementHook<Movement, Transition>
> {
  private get isEmpty(): boolean {
    return this.members.length === 0;
  }

  async before(tx: Tx, transition: Transition, movement: Movement, now: Date): Promise<void> {
    if (this.isEmpty) return;
    const copy = frozenCopy(movement);
    for (const hook of this.members) await hook.before?.(tx.readOnly(), transition, copy, now);
  }

  after(tx: Tx, account: LockedAccount, transition: Transition, movement: Movement, now: Date): void {
    if (this.isEmpty) return;
    const copy = frozenCopy(movement);
    const writes = tx.writesUnder(account, now);
    for (const hook of this.members) {
      try {
        hook.after?.(writes, transition, copy, now);
      } catch (error) {
        // A caller could handle a DomainError as a rejection and commit an incomplete transition.
        throw new Error(`The hook "${hook.name}" threw an error in "after".`, { cause: error });
      }
    }
  }
}

export class TransactionHooks extends MovementHooks<Transaction, TransactionTransition> {}
