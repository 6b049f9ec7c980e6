import type { Metadata } from '../../../kernel/metadata';
import type { Tx } from '../../../platform/database/tx';
import type { Account } from '../../accounts';
import type { InitialState } from '../../processors';
import type { Transaction, TransitionName } from './transaction';

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
export abstract class TransactionProcessing {
  /**
   * Adds a new transaction. A transaction that fails at once must pass the same checks, so it is held and then released.
   * @param source the locked payment that the transaction refunds, or null
   * @throws DomainError `insufficient_funds`; `invalid_request` from the source or beyond the largest balance; any code
   * from a hook
   */
  abstract create(
    tx: Tx,
    account: Account,
    transaction: Transaction,
    source: Transaction | null,
    now: Date,
  ): Promise<void>;

  /** Adds a succeeded payment for money that has been received. @throws DomainError like `create` */
  abstract recordPayment(tx: Tx, account: Account, received: ReceivedMoney, now: Date): Promise<Transaction>;

  /** Returns the processor's id of the payment that a transaction records, or null. */
  abstract processorReferenceOf(tx: Tx, accountId: string, id: string): Promise<string | null>;

  /**
   * Applies a transition to a locked transaction and saves it.
   * @throws DomainError `not_cancellable` or `conflict` when the lifecycle does not allow it; any code from a hook
   */
  abstract apply(
    tx: Tx,
    transition: TransitionName,
    account: Account,
    transaction: Transaction,
    now: Date,
    failureReason?: string | null,
  ): Promise<void>;

  /**
   * Lets a locked transaction that a second admin approved go on in the state that the processor decides.
   * @throws DomainError `conflict` unless it waits for an approval; any code from a hook
   */
  abstract approve(
    tx: Tx,
    account: Account,
    transaction: Transaction,
    state: InitialState,
    now: Date,
  ): Promise<void>;

  /** Cancels locked transactions of an account that is being closed. */
  abstract cancel(tx: Tx, account: Account, transactions: readonly Transaction[], now: Date): Promise<void>;
}
