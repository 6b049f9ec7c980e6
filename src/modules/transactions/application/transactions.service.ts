import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { isId } from '../../../kernel/ids';
import { IdempotentOperation, StoredResponse, Tx } from '../../../platform/database/database';
import { AccountStore, Creation, LockedAccounts } from '../../accounts';
import { AccountScopedReader, assertAnyScope, assertOperator, isOperator, Principal } from '../../auth';
import { InitialState, InitialStatePolicy, Outcome } from '../../processors';
import { described, Transaction, TransactionDescription, TransactionType } from '../domain/transaction';
import { PaymentSplits, TransactionApprovals, TransactionProcessing } from '../domain/transaction-processing';
import { TransactionFilter, TransactionsRepository } from '../domain/transactions.repository';

export interface NewTransaction extends TransactionDescription {
  readonly account_id: string;
  readonly amount: number;
  readonly currency: string;
  readonly type: TransactionType;
  readonly source_transaction_id?: string;
  readonly reverse_splits?: boolean;
}

/** Until a second admin has approved a transaction, nothing else ends it. */
const UNTIL_APPROVED: InitialState = { status: 'pending', endedBy: { by: 'operator' } };

const writeScopes = { payment: [], credit: ['credits:write'], refund: ['refunds:write'] } as const;

/** @throws DomainError `forbidden` for an API key that writes only transactions of other types */
function assertMayWrite(caller: Principal, type: TransactionType): void {
  assertAnyScope(caller, ['transactions:write', ...writeScopes[type]]);
}

@Injectable()
export class Transactions extends AccountScopedReader<Transaction, TransactionFilter> {
  constructor(
    private readonly repository: TransactionsRepository,
    private readonly initialStates: InitialStatePolicy,
    private readonly processing: TransactionProcessing,
    private readonly approvals: TransactionApprovals,
    private readonly splits: PaymentSplits,
    private readonly accounts: AccountStore,
  ) {
    super('txn', 'transaction', repository);
  }

  /**
   * Interface 4.4. Locks the account, checks its balance, and writes the transaction, the entries and the balance. What an
   * admin creates above the limit is pending until a second one approves it.
   * @throws DomainError `not_found` for an account that does not exist for the caller; `forbidden` by the account's
   * status; `currency_mismatch`; `insufficient_funds`; `invalid_request` for a source that cannot be refunded, for an
   * amount that the processor does not support, or beyond the largest balance
   */
  async create(
    caller: Principal,
    request: NewTransaction,
    operation: IdempotentOperation<Transaction>,
  ): Promise<StoredResponse> {
    const { resource, work } = await this.prepare(caller, request, operation);
    return this.accounts.create(caller, resource, operation, work);
  }

  /**
   * Creates several transactions in one database transaction, in their order: all of them, or none.
   * @throws DomainError like `create`, with the number of the item
   */
  async createAll(
    caller: Principal,
    items: readonly {
      readonly request: NewTransaction;
      readonly operation: IdempotentOperation<Transaction>;
    }[],
    batch: IdempotentOperation<null>,
  ): Promise<StoredResponse[]> {
    const prepared = items.map(({ request, operation }) => this.prepare(caller, request, operation));
    const creations = await Promise.all(prepared);
    return this.accounts.createAll(caller, creations, batch);
  }

  /**
   * Changes what callers write about a transaction.
   * @throws DomainError `not_found`, `invalid_request`; `forbidden` while the account is suspended
   */
  update(caller: Principal, id: string, change: TransactionDescription): Promise<Readonly<Transaction>> {
    const target = { items: this, id, action: 'transaction.update' };
    return this.accounts.change(caller, target, (tx, _account, transaction, now) => {
      assertMayWrite(caller, transaction.type);
      if (Object.values(change).every((value) => value === undefined)) return;
      transaction.annotate(change, now);
      this.repository.save(tx, transaction);
    });
  }

  /** @throws DomainError `not_found`, `not_cancellable`; `forbidden` while the account is suspended */
  cancel(caller: Principal, id: string): Promise<Transaction> {
    const change = { items: this, id, action: 'transaction.cancel' };
    return this.accounts.change(caller, change, async (tx, account, transaction, now) => {
      assertMayWrite(caller, transaction.type);
      // Otherwise an account could take back the money of others without a refund to its customer.
      if ((await this.findTakers(tx, account.id, [transaction])).size > 0)
        throw new DomainError('not_cancellable', 'The refund has taken parts of its payment back.');
      return this.processing.apply(tx, 'cancel', account, transaction, now);
    });
  }

  /**
   * Locks pending transactions that a closing cancels, oldest first. Refunds that the processor executes stay, and those
   * that have taken parts of their payments back: without them the account would keep the money of others.
   */
  async lockCancelable(tx: Tx, accountId: string, limit: number): Promise<Transaction[]> {
    const found: Transaction[] = [];
    for (let after = ''; found.length < limit;) {
      const pending = await this.repository.lockUnsent(tx, accountId, after, limit);
      const takers = await this.findTakers(tx, accountId, pending);
      found.push(...pending.filter(({ id }) => !takers.has(id)));
      if (pending.length < limit) break;
      after = pending.at(-1)!.id;
    }
    return found.slice(0, limit);
  }

  /**
   * Applies the reported outcome to a pending transaction. Reporting the same outcome again changes nothing.
   * @throws DomainError `forbidden` for callers other than admins and platform systems; `not_found`; `conflict`, also for
   * an admin who reports above the limit that money has come in: a second one has to approve it
   */
  async settle(
    caller: Principal,
    id: string,
    outcome: Outcome,
    failureReason: string | null,
  ): Promise<Transaction> {
    assertOperator(caller, 'Only admins and platform systems can report outcomes.');
    const change = { items: this, id, action: 'transaction.settle', details: { outcome } };
    return this.accounts.change(caller, change, async (tx, account, transaction, now) => {
      if (transaction.status === outcome) return;
      transaction.assertReportable();
      if (outcome === 'succeeded') {
        await this.approvals.assertMaySettle(tx, caller, transaction, now);
        await this.processing.apply(tx, 'settle', account, transaction, now);
      } else await this.processing.apply(tx, 'fail', account, transaction, now, failureReason);
    });
  }

  /** @throws DomainError `forbidden`; `invalid_request` for `reverse_splits` without a source */
  private async prepare(
    caller: Principal,
    request: NewTransaction,
    operation: IdempotentOperation<Transaction>,
  ): Promise<Creation<Transaction>> {
    const { account_id: accountId, currency, type: purpose } = request;
    assertMayWrite(caller, purpose);
    if (request.reverse_splits) assertAnyScope(caller, ['transfers:write']);
    const otherAccountIds = request.reverse_splits ? await this.receivers(request) : [];
    return {
      resource: {
        accountId,
        otherAccountIds,
        idPrefix: 'txn',
        action: 'transaction.create',
        purpose,
        currency,
      },
      operation,
      work: (tx, _account, issued, accounts) => this.createUnder(tx, accounts, request, caller, issued),
    };
  }

  /** Finds the pending refunds among transactions that have taken parts of their payments back. */
  private async findTakers(
    tx: Tx,
    accountId: string,
    transactions: readonly Readonly<Transaction>[],
  ): Promise<ReadonlySet<string>> {
    const refunds = transactions.filter(
      ({ status, sourceTransactionId }) => status === 'pending' && sourceTransactionId !== null,
    );
    if (refunds.length === 0) return new Set();
    const ids = refunds.map(({ id }) => id);
    return new Set(await this.splits.transfers.findTakers(tx, accountId, ids));
  }

  private async receivers({ account_id, source_transaction_id: id }: NewTransaction): Promise<string[]> {
    if (id === undefined)
      throw new DomainError('invalid_request', 'reverse_splits is allowed with source_transaction_id only.');
    return isId('txn', id) ? this.splits.transfers.receiversOf(account_id, id) : [];
  }

  private async createUnder(
    tx: Tx,
    accounts: LockedAccounts,
    request: NewTransaction,
    caller: Principal,
    { id, at }: { id: string; at: Date },
  ): Promise<Transaction> {
    const { account_id: accountId, amount, currency, type } = request;
    const description = described(request);
    const { metadata } = description;
    const source = await this.lockSource(tx, request);
    const paymentReference = source?.processorReference ?? null;
    const initialState = this.initialStates.initialState(
      { type, metadata, byOperator: isOperator(caller), amount, currency, paymentReference },
      at,
    );
    const sourceTransactionId = source?.id ?? null;
    const waits = await this.approvals.isNeeded(tx, caller, { accountId, amount }, at);
    const countedAdminId = !waits && this.approvals.limits(caller) ? caller.subjectId : null;
    const transaction = Transaction.create(
      { id, accountId, amount, currency, type, sourceTransactionId, countedAdminId, ...description },
      waits ? UNTIL_APPROVED : initialState,
      at,
    );
    if (waits) this.approvals.ask(tx, caller, transaction, at);
    if (request.reverse_splits) await this.reverseSplits(tx, accounts, transaction, source!, at);
    await this.processing.create(tx, accounts.get(accountId)!, transaction, source, at);
    return transaction;
  }

  /** Before the refund is held, since it may need the parts. One that fails at its creation takes none. */
  private async reverseSplits(
    tx: Tx,
    accounts: LockedAccounts,
    refund: Transaction,
    source: Transaction,
    now: Date,
  ): Promise<void> {
    const { accountId, id, amount, refunded } = source;
    source.assertRefundable(refund.amount);
    if (refund.awaitsApproval)
      throw new DomainError('forbidden', 'An admin takes parts back only up to the limit of one admin.');
    if (refund.status === 'failed') return;
    const payment = { accountId, id, amount, refunded: refunded + refund.amount, refundId: refund.id };
    await this.splits.transfers.takeBack(tx, accounts, payment, now);
  }

  /** Locks the payment that a refund names. @returns null when the request names none */
  private async lockSource(
    tx: Tx,
    { account_id: accountId, type, source_transaction_id: id }: NewTransaction,
  ): Promise<Transaction | null> {
    if (id === undefined) return null;
    const source =
      type === 'refund' && isId('txn', id) ? await this.repository.lock(tx, accountId, id) : null;
    if (source === null) {
      throw new DomainError(
        'invalid_request',
        'source_transaction_id is allowed for refunds only and must be the id of a payment of the same account.',
      );
    }
    return source;
  }
}
