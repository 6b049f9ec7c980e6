import type { PaymentContext } from '../domain/payment-request-store';

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
