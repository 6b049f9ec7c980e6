import { ExtensionPoint } from '../../../kernel/extension-point';
import type { Tx } from '../../../platform/database/database';
import type { LockedAccount, LockedAccounts } from '../../accounts';
import type { Principal } from '../../auth';
import type { InitialState } from '../../processors';
import type { Transaction, TransitionName } from './transaction';

/** A payment that has been received for a payment request, in minor units of the account's currency. */
export type ReceivedMoney = Pick<Transaction, 'amount' | 'reference' | 'metadata' | 'processorReference'> & {
  readonly paymentRequestId: string;
};

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
    account: LockedAccount,
    transaction: Transaction,
    source: Transaction | null,
    now: Date,
  ): Promise<void>;

  /** Adds a succeeded payment for money that has been received. @throws DomainError like `create` */
  abstract recordPayment(
    tx: Tx,
    account: LockedAccount,
    received: ReceivedMoney,
    now: Date,
  ): Promise<Transaction>;

  /** Returns the processor's id of the payment that a transaction records, or null. */
  abstract processorReferenceOf(tx: Tx, accountId: string, id: string): Promise<string | null>;

  /**
   * Applies a transition to a locked transaction and saves it.
   * @throws DomainError `not_cancellable` or `conflict` when the lifecycle does not allow it; any code from a hook
   */
  abstract apply(
    tx: Tx,
    transition: TransitionName,
    account: LockedAccount,
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
    account: LockedAccount,
    transaction: Transaction,
    state: InitialState,
    now: Date,
  ): Promise<void>;
}

/** A payment that was just posted, and the parts of it for other accounts, in minor units. */
export interface PaymentToSplit extends Pick<Transaction, 'accountId' | 'reference'> {
  readonly transactionId: string;
  readonly parts: readonly { readonly accountId: string; readonly amount: number }[];
}

/** A payment of which a refund is about to be created. */
export interface RefundedPayment extends Pick<Transaction, 'accountId' | 'id' | 'amount'> {
  readonly refundId: string;
  /** The sum of its refunds, with this one. */
  readonly refunded: number;
}

/** The caller has locked all accounts, and saves them. */
export interface PaymentSplitter {
  readonly name: string;
  /**
   * Sends the parts. The customer has paid, so nothing here rejects the payment: what cannot go out stays.
   * @returns the ids of the accounts that got their parts
   */
  split(tx: Tx, accounts: LockedAccounts, payment: PaymentToSplit, now: Date): Promise<string[]>;
  /** Who got parts of a payment, which never changes: read before their accounts are locked. */
  receiversOf(accountId: string, paymentId: string): Promise<string[]>;
  /**
   * Takes parts back in proportion to what of the payment is refunded, less what was sent back before.
   * @throws DomainError `insufficient_funds` for a part that is no longer there; any code from a hook
   */
  takeBack(tx: Tx, accounts: LockedAccounts, payment: RefundedPayment, now: Date): Promise<void>;
  /** @returns those of the refunds of an account that have taken parts back */
  findTakers(tx: Tx, accountId: string, refundIds: readonly string[]): Promise<string[]>;
}

/** The extension point by which transfers send parts of payments to other accounts, and take them back. */
export class PaymentSplits extends ExtensionPoint<PaymentSplitter> {
  constructor() {
    super(['transfers']);
  }

  get transfers(): PaymentSplitter {
    return this.get('transfers');
  }
}

/** The port to the approvals of a second admin. The caller has locked the account. */
export abstract class TransactionApprovals {
  /** Whether the caller is an admin who would move more alone than the limit. */
  abstract isNeeded(
    tx: Tx,
    caller: Principal,
    money: Pick<Transaction, 'accountId' | 'amount'>,
    now: Date,
  ): Promise<boolean>;
  /** Whether what needs no approval is counted toward the limit of the caller. */
  abstract limits(caller: Principal): boolean;
  /** Asks for the approval of a new transaction. */
  abstract ask(tx: Tx, caller: Principal, transaction: Transaction, now: Date): void;
  /** @throws DomainError `conflict` for an admin who reports above the limit that money has come in */
  abstract assertMaySettle(
    tx: Tx,
    caller: Principal,
    transaction: Readonly<Transaction>,
    now: Date,
  ): Promise<void>;
}
