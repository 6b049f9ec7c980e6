import { Injectable } from '@nestjs/common';
import { Refusal } from '../../../kernel/refusal';
import { Database } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { Log } from '../../../platform/telemetry/log';
import { Account, Accounts } from '../../accounts';
import { Transaction } from '../domain/transaction';
import { TransactionsRepository } from '../domain/transactions.repository';
import { TransactionSteps } from './transaction-steps';

/** Accounts that one round looks at, and transactions that it ends in one of them at a time. */
const ACCOUNTS_PER_ROUND = 100;
const TRANSACTIONS_PER_ACCOUNT = 200;

/** The sweep that ends transactions when their time has come. */
@Injectable()
export class DueTransactions {
  /** Accounts where something due could not be ended in this sweep. They wait for the next, and nobody for them. */
  private readonly setAside = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly repository: TransactionsRepository,
    private readonly accounts: Accounts,
    private readonly steps: TransactionSteps,
    private readonly log: Log,
  ) {}

  /** Ends what is due by itself, an account at a time. @returns whether more may be due */
  async run(now: Date): Promise<boolean> {
    const accountIds = await this.repository.accountsWithDue(now, [...this.setAside], ACCOUNTS_PER_ROUND);
    let more = accountIds.length === ACCOUNTS_PER_ROUND;
    for (const accountId of accountIds) more = (await this.endDueOf(accountId)) || more;
    if (!more) this.setAside.clear();
    return more;
  }

  /** One account's trouble keeps no other account waiting. @returns whether more may be due in it */
  private async endDueOf(accountId: string): Promise<boolean> {
    try {
      const { due, advanced } = await this.endPieceOf(accountId);
      if (advanced === 0 || advanced < due) this.setAside.add(accountId);
      return advanced === TRANSACTIONS_PER_ACCOUNT;
    } catch (error) {
      this.log.failure('What is due in an account could not be ended', error);
      this.setAside.add(accountId);
      return false;
    }
  }

  /** Another process may have been faster, so what is due is looked up again under the lock. */
  private endPieceOf(accountId: string): Promise<{ due: number; advanced: number }> {
    return this.database.atomically(null, async (tx, now) => {
      const account = await this.accounts.lock(tx, accountId);
      if (account === null) return { due: 0, advanced: 0 };
      const due = await this.repository.lockDue(tx, accountId, now, TRANSACTIONS_PER_ACCOUNT);
      let advanced = 0;
      for (const transaction of due) if (await this.endInTime(tx, account, transaction, now)) advanced += 1;
      if (advanced > 0) this.accounts.save(tx, account);
      return { due: due.length, advanced };
    });
  }

  /** A hook's veto is an answer, not a failure: the transaction stays pending and the next sweep asks again. */
  private async endInTime(tx: Tx, account: Account, transaction: Transaction, now: Date): Promise<boolean> {
    try {
      await this.steps.advance(
        tx,
        transaction.dueOutcome === 'failed' ? 'fail' : 'settle',
        account,
        transaction,
        now,
      );
      return true;
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
  }
}
