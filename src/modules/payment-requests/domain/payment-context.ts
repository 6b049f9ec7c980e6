import { ExtensionPoint, frozenCopy } from '../../../kernel/extension-point';
import type { AccountWrites, Tx } from '../../../platform/database/database';
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
  notify(event: 'created' | 'paid' | 'ended', tx: Tx, context: PaymentContext, now: Date): void {
    const copy = frozenCopy(context);
    const writes = tx.writesUnder(context.payee, now);
    for (const listener of this.members) listener[event]?.(writes, copy, now);
  }
}
