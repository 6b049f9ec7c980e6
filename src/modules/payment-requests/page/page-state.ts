import type { PaymentContext } from '../domain/payment-context';
import { rejectsPayment } from '../unapplied-payments/unapplied-payment';

/** What the page shows about a payment request. `pay` asks for the payment; the others report a state. */
export type PageState =
  | 'pay'
  | 'processing'
  | 'paid'
  | 'canceled'
  | 'expired'
  | 'failed'
  /** The account takes no payments at the moment. */
  | 'unavailable'
  /** The customer's payment could not be applied and is returned. */
  | 'unapplied'
  /** The processor rejects the payment. */
  | 'rejected';

/** Returns the state of a payment request at `now`. A request that has expired may still be pending. */
export function choosePageState({ request, payee }: PaymentContext, now: Date): PageState {
  switch (request.status) {
    case 'succeeded':
      return 'paid';
    case 'failed':
      return 'failed';
    case 'canceled':
      return request.wasCanceledByExpiry ? 'expired' : 'canceled';
    case 'pending':
      if (request.processingSince !== null) return 'processing';
      if (request.isExpired(now)) return 'expired';
      return payee.isOpenFor('payment') ? 'pay' : 'unavailable';
  }
}

/**
 * Returns the state after an error of an attempt to pay, or null for an error that decides nothing about the payment. A
 * rejection of the processor (`conflict`) is final; that of the account or a hook may be temporary.
 */
export function stateAfterError(error: unknown): 'rejected' | 'unavailable' | null {
  if (!rejectsPayment(error)) return null;
  return error.code === 'conflict' ? 'rejected' : 'unavailable';
}
