import { Injectable } from '@nestjs/common';
import { Metadata } from '../../../kernel/metadata';
import { Tx } from '../../../platform/database/tx';
import { Account, AccountStore } from '../../accounts';
import { Ledger, Posting, Subledger } from '../../ledger';
import { InitialState, SCRIPTED_FAILURE } from '../../processors';
import { Transaction, TransitionName } from '../domain/transaction';
import { TransactionHooks } from '../domain/transaction-hooks';
import { TransactionsRepository } from '../domain/transactions.repository';

/** A payment that has been received for a payment request, in minor units of the account's currency. */
export interface ReceivedMoney {
  readonly amount: number;
  readonly reference: string | null;
  readonly metadata: Metadata;
  /** The processor's id of the payment, where the processor received it. */
  readonly processorReference: string | null;
  readonly paymentRequestId: string;
}

/**
 * Creates transactions and applies their transitions, together with the postings, the refunded payment and the hooks.
 * The caller passes an account that `AccountStore.update` has locked and saves.
 */
@Injectable()
export class TransactionProcessing {
  private readonly subledger: Subledger;

  constructor(
    private readonly repository: TransactionsRepository,
    private readonly hooks: TransactionHooks,
    private readonly accounts: AccountStore,
    ledger: Ledger,
  ) {
    this.subledger = ledger.subledger({
      table: 'transactions',
      direction: { payment: 'in', credit: 'in', refund: 'out' },
      heldStatuses: ['pending'],
      postedStatuses: ['succeeded'],
      lines: { type: { column: 'type' }, referenceColumns: ['first_reference', 'reference'] },
      faults: (snapshot) => repository.faults(snapshot),
    });
  }

  /**
   * Adds a new transaction. A transaction that fails at once must pass the same checks, so it is held and then released.
   * @param source the locked payment that the transaction refunds, or null
   * @throws DomainError `insufficient_funds`; `invalid_request` from the source or beyond the largest balance; any code
   * from a hook
   */
  async create(
    tx: Tx,
    account: Account,
    transaction: Transaction,
    source: Transaction | null,
    now: Date,
  ): Promise<void> {
    const posting = postingOf(transaction);
    await this.hooks.before(tx, 'create', transaction, now);
    this.subledger.hold(account, posting);
    source?.holdRefund(transaction.amount);
    if (transaction.status === 'succeeded') this.subledger.post(tx, account, posting, now);
    if (transaction.status === 'failed') {
      this.subledger.release(account, posting);
      source?.releaseRefund(transaction.amount);
    }
    const { status } = transaction;
    const type = `transaction.${status === 'pending' ? 'created' : status}`;
    this.accounts.recordEvent(tx, type, transaction, account);
    this.repository.add(tx, transaction);
    if (source) this.repository.save(tx, source);
    this.hooks.after(tx, 'create', transaction, now);
  }

  /** Adds a succeeded payment for money that has been received. @throws DomainError like `create` */
  async recordPayment(tx: Tx, account: Account, received: ReceivedMoney, now: Date): Promise<Transaction> {
    const { id, at } = account.issueId('txn', now);
    const { id: accountId, currency } = account;
    const transaction = Transaction.create(
      { ...received, id, accountId, currency, type: 'payment', sourceTransactionId: null },
      { status: 'succeeded' },
      at,
    );
    await this.create(tx, account, transaction, null, at);
    return transaction;
  }

  /** Returns the processor's id of the payment that a transaction records, or null. */
  async processorReferenceOf(tx: Tx, accountId: string, id: string): Promise<string | null> {
    return (await this.repository.lock(tx, accountId, id))?.processorReference ?? null;
  }

  /**
   * Applies a transition to a locked transaction and saves it.
   * @throws DomainError `not_cancellable` or `conflict` when the lifecycle does not allow it; any code from a hook
   */
  async apply(
    tx: Tx,
    transition: TransitionName,
    account: Account,
    transaction: Transaction,
    now: Date,
    failureReason?: string | null,
  ): Promise<void> {
    transaction.assertCan(transition);
    const at = account.timeOf(now);
    await this.hooks.before(tx, transition, transaction, at);
    transaction.apply(transition, at, failureReason);
    if (transition === 'settle') this.subledger.post(tx, account, postingOf(transaction), at);
    else await this.release(tx, account, transaction);
    this.accounts.recordEvent(tx, `transaction.${transaction.status}`, transaction, account);
    this.repository.save(tx, transaction);
    this.hooks.after(tx, transition, transaction, at);
  }

  /**
   * Lets a locked transaction that a second admin approved go on in the state that the processor decides.
   * @throws DomainError `conflict` unless it waits for an approval; any code from a hook
   */
  async approve(
    tx: Tx,
    account: Account,
    transaction: Transaction,
    state: InitialState,
    now: Date,
  ): Promise<void> {
    transaction.approve(state, account.timeOf(now));
    if (state.status === 'succeeded') return this.apply(tx, 'settle', account, transaction, now);
    if (state.status === 'failed') return this.apply(tx, 'fail', account, transaction, now, SCRIPTED_FAILURE);
    this.accounts.recordEvent(tx, 'transaction.updated', transaction, account);
    this.repository.save(tx, transaction);
  }

  /** Cancels locked transactions of an account that is being closed. */
  async cancel(tx: Tx, account: Account, transactions: readonly Transaction[], now: Date): Promise<void> {
    for (const transaction of transactions) await this.apply(tx, 'cancel', account, transaction, now);
  }

  /** The amount of a refund that ends unpaid can be refunded again. */
  private async release(tx: Tx, account: Account, transaction: Transaction): Promise<void> {
    const { accountId, sourceTransactionId, amount } = transaction;
    this.subledger.release(account, postingOf(transaction));
    if (sourceTransactionId === null) return;
    const source = await this.repository.lock(tx, accountId, sourceTransactionId);
    source!.releaseRefund(amount); // transactions are never deleted
    this.repository.save(tx, source!);
  }
}

function postingOf({ id, direction, amount }: Transaction): Posting {
  return { transactionId: id, direction, amount };
}
