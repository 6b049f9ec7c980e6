import { Injectable } from '@nestjs/common';
import { isId } from '../../../kernel/ids';
import { Metadata } from '../../../kernel/metadata';
import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { Refusal } from '../../../kernel/refusal';
import { Database } from '../../../platform/database/database';
import { Answer, Once } from '../../../platform/database/idempotency';
import { Tx } from '../../../platform/database/tx';
import { Account, Accounts } from '../../accounts';
import { isAdmin, isOperator, mayActFor, OwnedByAccounts, Principal } from '../../auth';
import { Outcome } from '../domain/birth';
import { Processor } from '../domain/processor';
import { Transaction, TransactionType } from '../domain/transaction';
import { TransactionFilter, TransactionsRepository } from '../domain/transactions.repository';
import { TransactionSteps } from './transaction-steps';

export interface NewTransaction {
  readonly account_id: string;
  readonly amount: number;
  readonly currency: string;
  readonly type: TransactionType;
  readonly reference?: string | null;
  readonly metadata?: Metadata | null;
  readonly source_transaction_id?: string;
}

export interface TransactionChange {
  readonly reference?: string | null;
  readonly metadata?: Metadata | null;
}

@Injectable()
export class Transactions {
  private readonly owned: OwnedByAccounts<Transaction, TransactionFilter>;

  constructor(
    private readonly database: Database,
    private readonly repository: TransactionsRepository,
    private readonly accounts: Accounts,
    private readonly processor: Processor,
    private readonly steps: TransactionSteps,
  ) {
    this.owned = new OwnedByAccounts('txn', 'transaction', repository);
  }

  /**
   * Interface 4.4. Locks the account, decides by what it then holds, and writes transaction, entries and balance.
   * @throws Refusal `not_found` for an account that is not there for the caller; `forbidden` by the account's status;
   * `currency_mismatch`; `insufficient_funds`; `invalid_request` for a wrong source or beyond the largest balance
   */
  create(caller: Principal, request: NewTransaction, once: Once<Transaction>): Promise<Answer> {
    return this.database.atomically(
      once,
      async (tx, now) => {
        const account = await this.lockAccount(tx, caller, request.account_id);
        account.assertOpenFor(request.type, isAdmin(caller));
        if (request.currency !== account.currency) {
          throw new Refusal('currency_mismatch', `The account's currency is ${account.currency}.`);
        }
        const source = await this.lockSource(tx, request);
        const { id, at } = account.issueId('txn', now);
        const { amount, currency, type, reference = null } = request;
        const metadata = request.metadata ?? {};
        const birth = this.processor.begin(
          {
            type,
            metadata,
            byOperator: isOperator(caller),
            amount,
            currency,
            providerPayment: source?.providerReference ?? null,
          },
          at,
        );
        const transaction = Transaction.create(
          {
            id,
            accountId: account.id,
            amount,
            currency,
            type,
            reference,
            metadata,
            sourceTransactionId: source?.id ?? null,
          },
          birth,
          at,
        );
        await this.steps.create(tx, account, transaction, source, at);
        this.accounts.save(tx, account);
        return transaction;
      },
      this.steps.areShareable ? request.account_id : undefined,
    );
  }

  /** @throws Refusal `invalid_request` for a cursor that is no transaction of the caller's */
  list(
    caller: Principal,
    filter: TransactionFilter,
    request: CursorRequest,
  ): Promise<CursorPage<Transaction>> {
    return this.owned.list(caller, filter, request);
  }

  /** @throws Refusal `not_found` */
  get(caller: Principal, id: string): Promise<Transaction> {
    return this.owned.get(caller, id);
  }

  /** Sets the reference and merges the metadata. @throws Refusal `not_found`, `invalid_request` */
  async update(caller: Principal, id: string, change: TransactionChange): Promise<Transaction> {
    const { accountId } = await this.get(caller, id);
    return this.database.atomically(null, async (tx, now) => {
      const transaction = await this.lock(tx, accountId, id);
      if (change.reference === undefined && change.metadata === undefined) return transaction;
      transaction.annotate(change, now);
      this.repository.save(tx, transaction);
      return transaction;
    });
  }

  /** @throws Refusal `not_found`, `not_cancellable` */
  async cancel(caller: Principal, id: string): Promise<Transaction> {
    const { accountId } = await this.get(caller, id);
    return this.database.atomically(null, async (tx, now) => {
      const account = await this.lockAccount(tx, caller, accountId);
      const transaction = await this.lock(tx, accountId, id);
      await this.steps.advance(tx, 'cancel', account, transaction, now);
      this.accounts.save(tx, account);
      return transaction;
    });
  }

  /**
   * Reports what became of a pending transaction. The same outcome again is answered like the first time.
   * @throws Refusal `forbidden` for who is neither admin nor platform; `not_found`; `conflict`
   */
  async settle(
    caller: Principal,
    id: string,
    outcome: Outcome,
    failureReason: string | null,
  ): Promise<Transaction> {
    if (!isOperator(caller))
      throw new Refusal('forbidden', 'Only admins and platform systems report outcomes.');
    const { accountId } = await this.get(caller, id);
    return this.database.atomically(null, async (tx, now) => {
      const account = await this.lockAccount(tx, caller, accountId);
      const transaction = await this.lock(tx, accountId, id);
      if (transaction.status === outcome) return transaction;
      transaction.assertReportable();
      if (outcome === 'failed') transaction.failureReason = failureReason;
      await this.steps.advance(tx, outcome === 'succeeded' ? 'settle' : 'fail', account, transaction, now);
      this.accounts.save(tx, account);
      return transaction;
    });
  }

  private async lockAccount(tx: Tx, caller: Principal, accountId: string): Promise<Account> {
    const account = mayActFor(caller, accountId) ? await this.accounts.lock(tx, accountId) : null;
    if (account === null) throw new Refusal('not_found', 'There is no such account.');
    return account;
  }

  /** The payment that a refund names, or null when it names none. */
  private async lockSource(
    tx: Tx,
    { account_id, type, source_transaction_id: id }: NewTransaction,
  ): Promise<Transaction | null> {
    if (id === undefined) return null;
    const source =
      type === 'refund' && isId('txn', id) ? await this.repository.lock(tx, account_id, id) : null;
    if (source === null) {
      throw new Refusal(
        'invalid_request',
        'source_transaction_id is for refunds, and names a payment of the same account.',
      );
    }
    return source;
  }

  private async lock(tx: Tx, accountId: string, id: string): Promise<Transaction> {
    return this.owned.present(await this.repository.lock(tx, accountId, id));
  }
}
