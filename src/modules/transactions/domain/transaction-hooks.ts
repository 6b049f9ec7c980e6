import { Tx } from '../../../platform/database/tx';
import { Transaction } from './transaction';

/** What happens to a transaction. A creation that succeeds or fails at once is one step. */
export type TransactionStep = 'create' | 'settle' | 'fail' | 'cancel';

export interface TransactionHook {
  readonly name: string;
  /**
   * Runs in the step's database transaction, with the account locked, before anything is written. It may read, and
   * refuses the step by throwing a Refusal.
   */
  before?(tx: Pick<Tx, 'read'>, step: TransactionStep, transaction: Transaction, now: Date): Promise<void>;
  /** Runs after the step is decided. It may write, and what it writes is committed with the step or not at all. */
  after?(tx: Pick<Tx, 'write'>, step: TransactionStep, transaction: Transaction, now: Date): void;
}

/** The extension point of teams: limits, fraud checks, bookkeeping of their own. Hooks run in the order they joined. */
export class TransactionHooks {
  private readonly hooks: TransactionHook[] = [];

  join(hook: TransactionHook): void {
    this.hooks.push(hook);
  }

  get isEmpty(): boolean {
    return this.hooks.length === 0;
  }

  async before(tx: Tx, step: TransactionStep, transaction: Transaction, now: Date): Promise<void> {
    for (const hook of this.hooks) await hook.before?.(tx, step, transaction, now);
  }

  after(tx: Tx, step: TransactionStep, transaction: Transaction, now: Date): void {
    for (const hook of this.hooks) hook.after?.(tx, step, transaction, now);
  }
}
