import { Injectable } from '@nestjs/common';
import { Metadata } from '../../../kernel/metadata';
import { Tx } from '../../../platform/database/tx';
import { Account } from '../../accounts';
import { Ledger, Movement } from '../../ledger';
import { Transaction } from '../domain/transaction';
import { TransactionHooks } from '../domain/transaction-hooks';
import { TransactionsRepository } from '../domain/transactions.repository';

/** What a customer paid, in minor units of the account's currency. */
export interface PaidMoney {
  readonly amount: number;
  readonly reference: string | null;
  readonly metadata: Metadata;
  /** The provider's name of the payment, where one took the money. */
  readonly providerReference?: string | null;
}

/**
 * Every step of a transaction's life, with what it does to the money, to the payment it refunds and to the hooks of
 * others. The account is locked by whoever calls, and saved by them.
 */
@Injectable()
export class TransactionSteps {
  constructor(
    private readonly repository: TransactionsRepository,
    private readonly ledger: Ledger,
    private readonly hooks: TransactionHooks,
  ) {}

  /**
   * Whether a creation may share its database transaction with others. The locks that a hook takes keep others out of
   * a transaction, not out of one that they share, so with hooks each has its own.
   */
  get areShareable(): boolean {
    return this.hooks.isEmpty;
  }

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

  /** Records money that has come in: a payment that succeeded. The caller saves the account. */
  async recordPayment(tx: Tx, account: Account, paid: PaidMoney, now: Date): Promise<Transaction> {
    const { id, at } = account.issueId('txn', now);
    const { id: accountId, currency } = account;
    const transaction = Transaction.create(
      { ...paid, id, accountId, currency, type: 'payment', sourceTransactionId: null },
      { status: 'succeeded' },
      at,
    );
    await this.create(tx, account, transaction, null, at);
    return transaction;
  }

  /** The provider's name of the payment that a transaction recorded, or null. */
  async providerReferenceOf(tx: Tx, accountId: string, id: string): Promise<string | null> {
    return (await this.repository.lock(tx, accountId, id))?.providerReference ?? null;
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
      this.releaseSource(tx, transaction);
    }
    this.repository.save(tx, transaction);
    this.hooks.after(tx, step, transaction, at);
  }

  /** Cancels all that is pending under an account that closes, but what a provider has in hand: that money moves. */
  async cancelAllOf(tx: Tx, account: Account, now: Date): Promise<void> {
    for (const transaction of await this.repository.lockPending(tx, account.id)) {
      if (transaction.sentAt !== null) continue;
      await this.advance(tx, 'cancel', account, transaction, now);
    }
  }

  /** What a refund that will not happen had promised of its payment can be refunded again. */
  private releaseSource(tx: Tx, { accountId, sourceTransactionId, amount }: Transaction): void {
    if (sourceTransactionId !== null)
      this.repository.releaseRefund(tx, accountId, sourceTransactionId, amount);
  }
}

function movementOf({ id, direction, amount }: Transaction): Movement {
  return { transactionId: id, direction, amount };
}
