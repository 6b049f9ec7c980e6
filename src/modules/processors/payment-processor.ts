import type { Metadata } from '../../kernel/metadata';
import type { CheckoutApi, RefundApi } from './processor-api';
import type { WebhookApi } from './processor-events';

/** What the initial state of a transaction depends on. */
export interface NewTransactionFacts {
  readonly type: 'payment' | 'credit' | 'refund';
  readonly metadata: Metadata;
  /** Whether an admin or a platform system creates the transaction. */
  readonly byOperator: boolean;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  /** The processor's id of the payment that a refund pays back; null where the processor did not receive that payment. */
  readonly paymentReference: string | null;
}

export const outcomes = ['succeeded', 'failed'] as const;
export type Outcome = (typeof outcomes)[number];

/** Why what the sandbox ends as failed has failed: no other processor knows the outcome when something is created. */
export const SCRIPTED_FAILURE = 'The sandbox let it fail: sandbox_outcome in its metadata is failed.';

/** The state in which a transaction is created, and what ends a pending one. */
export type InitialState =
  { readonly status: Outcome } | { readonly status: 'pending'; readonly endedBy: TransactionEnd };

/** A pending item ends at that time. */
export interface ScheduledEnd {
  readonly settlesAt: Date;
  readonly outcome: Outcome;
}

type TransactionEnd =
  /** An admin or a platform system reports the outcome. */
  | { readonly by: 'operator' }
  /** The transaction is sent to the processor, which reports the outcome. */
  | { readonly by: 'processor' }
  | ({ readonly by: 'schedule' } & ScheduledEnd);

/** Decides the initial state of new transactions. The payment processor does. */
export abstract class InitialStatePolicy {
  /** @throws DomainError `invalid_request` */
  abstract initialState(transaction: NewTransactionFacts, at: Date): InitialState;
}

/** The initial state without the processor: an operator who creates a credit has moved the money already. */
export function initialStateWithoutProcessor({ type, byOperator }: NewTransactionFacts): InitialState {
  if (type === 'credit' && byOperator) return { status: 'succeeded' };
  return { status: 'pending', endedBy: { by: 'operator' } };
}

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

/** A call to the processor failed. Only a short code of its error is kept: the rest may contain the request. */
export class ProcessorError extends Error {
  constructor(
    /** The processor's code, for example `amount_too_small`. */
    readonly code: string,
    /** Whether a retry would fail too. Otherwise the outcome is unknown, and a retry determines it. */
    readonly permanent: boolean,
  ) {
    super(`The processor returned the error ${code}.`);
    this.name = 'ProcessorError';
  }
}

/** Whether an error suggests that the processor is down: then other calls would fail too. */
export function isProcessorOutage(error: unknown): boolean {
  return error instanceof ProcessorError && !error.permanent;
}
