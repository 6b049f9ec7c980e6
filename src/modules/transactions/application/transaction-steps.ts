import { Injectable } from '@nestjs/common';
import { Refusal } from '../../../kernel/refusal';
import { Database } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { Log } from '../../../platform/telemetry/log';
import { Account, Accounts } from '../../accounts';
import { Ledger, Movement } from '../../ledger';
import { Transaction } from '../domain/transaction';
import { TransactionHooks } from '../domain/transaction-hooks';
import { TransactionsRepository } from '../domain/transactions.repository';

/** Accounts that one round of the sweep looks at, and transactions that it settles in one of them at a time. */
const ACCOUNTS_PER_ROUND = 100;
const TRANSACTIONS_PER_ACCOUNT = 200;

/**
 * Every step of a transaction's life, with what it does to the money, to the payment it refunds and to the hooks of
 * others. The account is locked by whoever calls, and saved by them.
 */
@Injectable()
export class TransactionSteps {
  constructor(
    private readonly database: Database,
    private readonly repository: TransactionsRepository,
    private readonly accounts: Accounts,
    private readonly ledger: Ledger,
    private readonly hooks: TransactionHooks,
    private readonly log: Log,
  ) {}

  /** Accounts where something due could not be ended in this sweep. They wait for the next, and nobody for them. */
  private readonly setAside = new Set<string>();

  /**
   * What the processor refuses at once must have been possible too: it is reserved like any other, and released.
   * @param source the locked payment that the transaction refunds, or null
   */
  async create(
    tx: Tx,
    account: Account,
    transaction: Transaction,
    source: Transaction | null,
    now: Date,
  ): Promise<void> {
    await this.hooks.before(tx, 'create', transaction, now);
    this.ledger.reserve(account, movementOf(transaction));
    source?.promiseRefund(transaction.amount);
    if (transaction.status === 'succeeded') this.ledger.post(tx, account, movementOf(transaction), now);
    if (transaction.status === 'failed') {
      this.ledger.withdraw(account, movementOf(transaction));
      source?.releaseRefund(transaction.amount);
    }
    this.repository.add(tx, transaction);
    if (source) this.repository.save(tx, source);
    this.hooks.after(tx, 'create', transaction, now);
  }

  /** Ends a pending transaction. @throws Refusal `not_cancellable` or `conflict` when it is not pending */
  async advance(
    tx: Tx,
    step: 'settle' | 'fail' | 'cancel',
    account: Account,
    transaction: Transaction,
    now: Date,
  ): Promise<void> {
    transaction.assertCan(step);
    const at = account.timeOf(now);
    await this.hooks.before(tx, step, transaction, at);
    transaction.take(step, at);
    if (step === 'settle') {
      this.ledger.post(tx, account, movementOf(transaction), at);
    } else {
      this.ledger.withdraw(account, movementOf(transaction));
      await this.releaseSource(tx, transaction);
    }
    this.repository.save(tx, transaction);
    this.hooks.after(tx, step, transaction, at);
  }

  /** Cancels all that is pending under an account that closes. */
  async cancelAllOf(tx: Tx, account: Account, now: Date): Promise<void> {
    for (const transaction of await this.repository.lockPending(tx, account.id)) {
      await this.advance(tx, 'cancel', account, transaction, now);
    }
  }

  /** Ends what is due by itself, an account at a time. @returns whether more may be due */
  async advanceDue(now: Date): Promise<boolean> {
    const accountIds = await this.repository.accountsWithDue(now, [...this.setAside], ACCOUNTS_PER_ROUND);
    let more = accountIds.length === ACCOUNTS_PER_ROUND;
    for (const accountId of accountIds) more = (await this.advanceDueOf(accountId)) || more;
    if (!more) this.setAside.clear();
    return more;
  }

  /** One account's trouble keeps no other account waiting. @returns whether more may be due in it */
  private async advanceDueOf(accountId: string): Promise<boolean> {
    try {
      const { due, advanced } = await this.advancePieceOf(accountId);
      if (advanced === 0 || advanced < due) this.setAside.add(accountId);
      return advanced === TRANSACTIONS_PER_ACCOUNT;
    } catch (error) {
      this.log.failure('What is due in an account could not be ended', error);
      this.setAside.add(accountId);
      return false;
    }
  }

  /** Another process may have been faster, so what is due is looked up again under the lock. */
  private advancePieceOf(accountId: string): Promise<{ due: number; advanced: number }> {
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
      await this.advance(
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

  /** What a refund that will not happen had promised of its payment can be refunded again. */
  private async releaseSource(
    tx: Tx,
    { accountId, sourceTransactionId, amount }: Transaction,
  ): Promise<void> {
    if (sourceTransactionId === null) return;
    const source = await this.repository.lock(tx, accountId, sourceTransactionId);
    if (source === null) throw new Error(`${sourceTransactionId} is gone, though a refund names it.`);
    source.releaseRefund(amount);
    this.repository.save(tx, source);
  }
}

function movementOf({ id, direction, amount }: Transaction): Movement {
  return { transactionId: id, direction, amount };
}
