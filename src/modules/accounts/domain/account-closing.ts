import { Registry } from '../../../kernel/registry';
import { Tx } from '../../../platform/database/tx';
import { Account } from './account';

interface ClosingMember {
  readonly name: string;
  /** Refuses the closing, for example with `active_subscriptions`. */
  veto?(tx: Tx, account: Account): Promise<void>;
  /** Ends what the module has pending under the account. */
  carryOut?(tx: Tx, account: Account, now: Date): Promise<void>;
}

/**
 * The port by which modules that stand above take part in closing an account. The account is locked first; then all
 * may refuse; then all carry it out, in this order, in the same database transaction.
 */
export class AccountClosing extends Registry<ClosingMember> {
  constructor() {
    super('AccountClosing', ['transactions', 'payment-requests', 'subscriptions']);
  }

  async run(tx: Tx, account: Account, now: Date): Promise<void> {
    for (const member of this.members) await member.veto?.(tx, account);
    account.close(now);
    for (const member of this.members) await member.carryOut?.(tx, account, now);
  }
}
