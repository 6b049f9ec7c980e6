import { Injectable } from '@nestjs/common';
import { isId } from '../../../kernel/ids';
import { Metadata } from '../../../kernel/metadata';
import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { Refusal } from '../../../kernel/refusal';
import { Database } from '../../../platform/database/database';
import { Answer, Once } from '../../../platform/database/idempotency';
import { Tx } from '../../../platform/database/tx';
import { Account, Accounts } from '../../accounts';
import { isAdmin, isOperator, mayActFor, Principal } from '../../auth';
import { Transaction, TransactionType } from '../domain/transaction';
import { TransactionFilter, TransactionsRepository } from '../domain/transactions.repository';

export interface NewTransaction {
  readonly account_id: string;
  readonly amount: number;
  readonly currency: string;
  readonly type: TransactionType;
  readonly reference?: string | null;
  readonly metadata?: Metadata | null;
}

export interface TransactionChange {
  readonly reference?: string | null;
  readonly metadata?: Metadata | null;
}

@Injectable()
export class Transactions {
  constructor(
    private readonly database: Database,
    private readonly repository: TransactionsRepository,
    private readonly accounts: Accounts,
  ) {}

  /**
   * Interface 4.4. Locks the account, decides by what it then holds, and writes both.
   * @throws Refusal `not_found` for an account that is not there for the caller; `forbidden` by the account's status;
   * `currency_mismatch`; `insufficient_funds`; `invalid_request` beyond the largest balance
   */
  create(caller: Principal, request: NewTransaction, once: Once<Transaction>): Promise<Answer> {
    return this.database.atomically(once, async (tx, now) => {
      const account = await this.lockAccount(tx, caller, request.account_id);
      account.assertOpenFor(request.type, isAdmin(caller));
      if (request.currency !== account.currency) {
        throw new Refusal('currency_mismatch', `The account's currency is ${account.currency}.`);
      }
      const { id, at } = account.issueId('txn', now);
      const { amount, currency, type, reference = null, metadata } = request;
      const transaction = Transaction.create(
        { id, accountId: account.id, amount, currency, type, reference, metadata: metadata ?? {} },
        at,
      );
      applyToBalance(account, transaction);
      this.repository.add(tx, transaction);
      this.accounts.save(tx, account);
      return transaction;
    });
  }

  /** @throws Refusal `invalid_request` for a cursor that is no transaction of the caller's */
  async list(
    caller: Principal,
    filter: TransactionFilter,
    request: CursorRequest,
  ): Promise<CursorPage<Transaction>> {
    const own = isOperator(caller) ? undefined : caller.accountId;
    const cursor = request.startingAfter ?? request.endingBefore;
    if (cursor !== undefined && (await this.findFor(caller, cursor)) === null) {
      throw new Refusal('invalid_request', 'The cursor is no transaction of yours.');
    }
    const seesNone =
      own === null || (own !== undefined && filter.accountId !== undefined && filter.accountId !== own);
    if (seesNone) return { items: [], hasMore: false };
    return this.repository.list({ ...filter, accountId: own ?? filter.accountId }, request);
  }

  /** @throws Refusal `not_found` */
  async get(caller: Principal, id: string): Promise<Transaction> {
    const transaction = await this.findFor(caller, id);
    if (transaction === null) throw notFound();
    return transaction;
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
      transaction.cancel(now);
      account.expectNoMore(transaction.amount); // only payments are ever pending
      this.repository.save(tx, transaction);
      this.accounts.save(tx, account);
      return transaction;
    });
  }

  /** Cancels what is pending under an account that closes. */
  cancelAllOf(tx: Tx, account: Account, now: Date): void {
    this.repository.cancelPending(tx, account.id, now);
    account.expectNoMore(account.pendingIn);
  }

  private async lockAccount(tx: Tx, caller: Principal, accountId: string): Promise<Account> {
    const account = mayActFor(caller, accountId) ? await this.accounts.lock(tx, accountId) : null;
    if (account === null) throw new Refusal('not_found', 'There is no such account.');
    return account;
  }

  private async lock(tx: Tx, accountId: string, id: string): Promise<Transaction> {
    const transaction = await this.repository.lock(tx, accountId, id);
    if (transaction === null) throw notFound();
    return transaction;
  }

  private async findFor(caller: Principal, id: string): Promise<Transaction | null> {
    if (!isId('txn', id)) return null;
    if (isOperator(caller)) return this.repository.find(id, null);
    return caller.accountId === null ? null : this.repository.find(id, caller.accountId);
  }
}

/** What a transaction does to the balance when it is made. */
function applyToBalance(account: Account, { type, status, amount }: Transaction): void {
  if (type === 'refund') account.pay(amount);
  else if (status === 'pending') account.expect(amount);
  else account.receive(amount);
}

function notFound(): Refusal {
  return new Refusal('not_found', 'There is no such transaction.');
}
