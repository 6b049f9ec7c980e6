import type { Metadata } from '../../../kernel/metadata';
import type { CheckoutApi } from './checkout-api';
import type { ScheduledEnd } from './initial-state';
import { InitialStatePolicy } from './initial-state';
import type { RefundApi } from './refund-api';
import type { WebhookApi } from './webhook-api';

/** How customers pay on the payment page. */
export type PaymentMethod = 'simulation' | 'bank_transfer' | 'hosted_checkout';

/**
 * The port to the payment processor that moves the money. The setting PROCESSOR chooses one for the whole installation.
 *
 * The APIs that a processor does not have are null. Their methods call another system, so they never run inside a
 * database transaction; every call may be repeated. A call that fails throws a ProcessorError.
 */
export abstract class PaymentProcessor extends InitialStatePolicy {
  /** As in PROCESSOR. */
  abstract readonly name: string;
  /** Whether no real money moves. A database never holds both test money and real money. */
  abstract readonly testMode: boolean;
  abstract readonly paymentMethod: PaymentMethod;
  readonly checkouts: CheckoutApi | null = null;
  readonly refunds: RefundApi | null = null;
  readonly webhook: WebhookApi | null = null;

  /**
   * Checks what customers are to pay.
   * @throws DomainError `invalid_request` for an amount or a currency that the processor cannot move exactly
   */
  assertSupported(_amount: number, _currency: string): void {}

  /** Asks the processor for something, to check the access to it. @throws ProcessorError, permanent for a rejected key */
  async verifyAccess(): Promise<void> {}

  /**
   * Returns when and how a new payment request ends without its customer, or null when it does not.
   * @throws DomainError `invalid_request` for an outcome that is unknown
   */
  simulatedPayment(_metadata: Metadata, _at: Date): ScheduledEnd | null {
    return null;
  }
}
