import { Injectable } from '@nestjs/common';
import { Tx } from '../../../platform/database/database';
import { LockedAccount } from '../../accounts';
import { Ledger, Posting, Subledger } from '../../ledger';
import { InitialState, SCRIPTED_FAILURE } from '../../processors';
import { described, Transaction, TransitionName } from '../domain/transaction';
import { TransactionHooks } from '../domain/transaction-hooks';
import { ReceivedMoney, TransactionProcessing } from '../domain/transaction-processing';
import { TransactionsRepository } from '../domain/transactions.repository';

@Injectable()
export class TransactionProcessingService extends TransactionProcessing {
  private readonly subledger: Subledger;

  constructor(
    private readonly repository: TransactionsRepository,
    private readonly hooks: TransactionHooks,
    ledger: Ledger,
  ) {
    super();
    this.subledger = ledger.subledger({
      table: 'transactions',
      direction: { payment: 'in', credit: 'in', refund: 'out' },
      heldStatuses: ['pending'],
      postedStatuses: ['succeeded'],
      lines: { type: { column: 'type' }, referenceColumns: ['first_reference', 'reference'] },
      faults: (snapshot) => repository.faults(snapshot),
    });
  }

  async create(
    tx: Tx,
    account: LockedAccount,
    transaction: Transaction,
    source: Transaction | null,
    now: Date,
  ): Promise<void> {
    const posting = toPosting(transaction);
    await this.hooks.before(tx, 'create', transaction, now);
    this.subledger.hold(account, posting);
    source?.holdRefund(transaction.amount);
    if (transaction.status === 'succeeded') this.subledger.post(tx, account, posting, now);
    if (transaction.status === 'failed') {
      this.subledger.release(account, posting);
      source?.releaseRefund(transaction.amount);
    }
    this.repository.add(tx, transaction);
    if (source) this.repository.save(tx, source);
    this.hooks.after(tx, account, 'create', transaction, now);
  }

  async recordPayment(
    tx: Tx,
    account: LockedAccount,
    received: ReceivedMoney,
    now: Date,
  ): Promise<Transaction> {
    const { id, at } = account.issueId('txn', now);
    const { id: accountId, currency } = account;
    const transaction = Transaction.create(
      {
        id,
        accountId,
        currency,
        type: 'payment',
        sourceTransactionId: null,
        ...received,
        ...described(received),
      },
      { status: 'succeeded' },
      at,
    );
    await this.create(tx, account, transaction, null, at);
    return transaction;
  }

  async processorReferenceOf(tx: Tx, accountId: string, id: string): Promise<string | null> {
    return (await this.repository.lock(tx, accountId, id))?.processorReference ?? null;
  }

  async apply(
    tx: Tx,
    transition: TransitionName,
    account: LockedAccount,
    transaction: Transaction,
    now: Date,
    failureReason?: string | null,
  ): Promise<void> {
    transaction.assertCan(transition);
    const at = account.timeOf(now);
    await this.hooks.before(tx, transition, transaction, at);
    transaction.apply(transition, at, failureReason);
    if (transition === 'settle') this.subledger.post(tx, account, toPosting(transaction), at);
    else await this.release(tx, account, transaction);
    this.repository.save(tx, transaction);
    this.hooks.after(tx, account, transition, transaction, at);
  }

  async approve(
    tx: Tx,
    account: LockedAccount,
    transaction: Transaction,
    state: InitialState,
    now: Date,
  ): Promise<void> {
    transaction.approve(state, account.timeOf(now));
    if (state.status === 'succeeded') return this.apply(tx, 'settle', account, transaction, now);
    if (state.status === 'failed') return this.apply(tx, 'fail', account, transaction, now, SCRIPTED_FAILURE);
    this.repository.save(tx, transaction);
  }

  /** The amount of a refund that ends unpaid can be refunded again. */
  private async release(tx: Tx, account: LockedAccount, transaction: Transaction): Promise<void> {
    const { accountId, sourceTransactionId, amount } = transaction;
    this.subledger.release(account, toPosting(transaction));
    if (sourceTransactionId === null) return;
    const source = await this.repository.lock(tx, accountId, sourceTransactionId);
    source!.releaseRefund(amount); // transactions are never deleted
    this.repository.save(tx, source!);
  }
}

function toPosting({ id, direction, amount }: Transaction): Posting {
  return { transactionId: id, direction, amount };
}
