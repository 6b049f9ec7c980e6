import { ExtensionPoint, frozenCopy } from '../../../kernel/extension-point';
import type { AccountWrites, Tx } from '../../../platform/database/tx';
import type { Account, LockedAccounts } from '../../accounts';
import type { ReadonlyPaymentRequest } from './payment-request';

/** A payment request and the account that receives the payment. */
export interface PaymentContext {
  readonly request: ReadonlyPaymentRequest;
  readonly payee: Account;
}

/** The same, locked. */
export interface LockedPaymentContext extends PaymentContext {
  /** The payee, and the accounts that were locked with it. */
  readonly accounts: LockedAccounts;
}

/** What tells which rows a change of a payment request locks. */
export type LocatedPaymentRequest = Pick<ReadonlyPaymentRequest, 'accountId' | 'id' | 'splits'>;

/** Access to payment requests for other modules. */
export abstract class PaymentRequestStore {
  /** @param accountId null for that of any account */
  abstract find(accountId: string | null, id: string): Promise<PaymentContext | null>;

  /** @param secret the last segment of a payment URL; any text */
  abstract findBySecret(secret: string): Promise<PaymentContext | null>;

  /** Adds a new request of an account that `tx` has locked. */
  abstract add(tx: Tx, context: PaymentContext, now: Date): void;

  /** Finds a request within `tx`, which then locks its accounts: they never change. */
  abstract findIn(tx: Tx, accountId: string, id: string): Promise<ReadonlyPaymentRequest | null>;

  /**
   * Locks the account, with those that get parts of the payment, and then the request until `tx` ends, passes them to `work`,
   * saves them, and notifies the listeners when the request has ended.
   * @param located its splits may be null where `work` does not pay it
   * @returns the result of `work`
   * @throws DomainError `not_found`
   */
  abstract update<T>(
    tx: Tx,
    located: LocatedPaymentRequest,
    now: Date,
    work: (context: LockedPaymentContext) => Promise<T> | T,
  ): Promise<T>;

  /** Like `update`, in a database transaction of its own. */
  abstract change<T>(
    located: LocatedPaymentRequest,
    work: (tx: Tx, context: LockedPaymentContext, now: Date) => Promise<T> | T,
  ): Promise<T>;

  /** Saves a request that was pending and locked, and notifies the listeners if it has ended. */
  abstract save(tx: Tx, context: PaymentContext, now: Date): void;
}

/**
 * The events of a payment request that a module can follow, each in the database transaction of the change. The request
 * and its account are frozen copies.
 */
export interface PaymentRequestListener {
  readonly name: string;
  created?(tx: AccountWrites, context: PaymentContext, now: Date): void;
  paid?(tx: AccountWrites, context: PaymentContext, now: Date): void;
  /** The request has failed or is canceled. */
  ended?(tx: AccountWrites, context: PaymentContext, now: Date): void;
}

/**
 * The extension point for modules that follow payment requests. Closing an account cancels its requests and calls no
 * listener: a module that must act then registers with `ClosingHooks`.
 */
export class PaymentRequestListeners extends ExtensionPoint<PaymentRequestListener> {
  constructor() {
    super('PaymentRequestListeners');
  }

  notify(event: 'created' | 'paid' | 'ended', tx: Tx, context: PaymentContext, now: Date): void {
    const copy = frozenCopy(context);
    const writes = tx.writesUnder(context.payee, now);
    for (const listener of this.members) listener[event]?.(writes, copy, now);
  }
}
