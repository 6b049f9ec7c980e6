import { ExtensionPoint, frozenCopy } from '../../../kernel/extension-point';
import type { WriteTx } from '../../../platform/database/tx';
import type { PaymentContext } from './payment-context';

/**
 * The events of a payment request that a module can follow, each in the database transaction of the change. The request
 * and its account are frozen copies.
 */
export interface PaymentRequestListener {
  readonly name: string;
  created?(tx: WriteTx, context: PaymentContext, now: Date): void;
  paid?(tx: WriteTx, context: PaymentContext, now: Date): void;
  /** The request has failed or is canceled. */
  ended?(tx: WriteTx, context: PaymentContext, now: Date): void;
}

/**
 * The extension point for modules that follow payment requests. Closing an account cancels its requests and calls no
 * listener: a module that must act then registers with `AccountClosing`.
 */
export class PaymentRequestListeners extends ExtensionPoint<PaymentRequestListener> {
  constructor() {
    super('PaymentRequestListeners');
  }

  notify(event: 'created' | 'paid' | 'ended', tx: WriteTx, context: PaymentContext, now: Date): void {
    const copy = frozenCopy(context);
    for (const listener of this.members) listener[event]?.(tx, copy, now);
  }
}
