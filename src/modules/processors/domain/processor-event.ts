import type { CheckoutReport } from './checkout-api';
import type { RefundReport } from './refund-api';

interface Event {
  /** The processor's id of the event. The processor sends each event at least once. */
  readonly id: string;
  readonly accountId: string;
}

export interface CheckoutEvent extends Event {
  readonly kind: 'checkout';
  /** This service's id of the payment request. */
  readonly objectId: string;
  readonly report: CheckoutReport;
}

export interface RefundEvent extends Event {
  readonly kind: 'refund';
  /** This service's id of the refund transaction or the unapplied payment, as in the order. */
  readonly objectId: string;
  readonly report: RefundReport;
}

/** A change that the processor reports to the webhook. */
export type ProcessorEvent = CheckoutEvent | RefundEvent;
