/** A payment that a customer will make on the processor's page. */
export interface CheckoutOrder {
  readonly accountId: string;
  readonly paymentRequestId: string;
  /** Numbers the checkouts of a payment request, from 1. Creating the same attempt again returns the same checkout. */
  readonly attempt: number;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  /** The payee's name as the customer sees it. */
  readonly title: string;
  readonly reference: string | null;
  readonly customerEmail: string;
  readonly expiresAt: Date;
  /** The payment page, to which the customer returns. */
  readonly pageUrl: string;
}

/** A payment that the processor has received from a customer. */
export interface ReceivedPayment {
  /** The processor's id of the payment, by which it is refunded. */
  readonly reference: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
}

/** The state of a checkout. `processing`: the customer has paid, and the money has not arrived yet. */
export interface CheckoutReport {
  /** The processor's id of the checkout. */
  readonly id: string;
  readonly attempt: number;
  readonly status: 'open' | 'processing' | 'paid' | 'declined' | 'expired';
  /** The page on which the customer pays, while the checkout is open. */
  readonly url: string | null;
  /** The processor's code for the reason of a decline, if it tells one. */
  readonly declineCode?: string;
  /** Set once the checkout is paid. */
  readonly payment: ReceivedPayment | null;
}

/** Checkouts on pages that the processor hosts. */
export interface CheckoutApi {
  /** The origin of those pages, for the content security policy of the page that redirects to them. */
  readonly origin: string;
  create(order: CheckoutOrder): Promise<CheckoutReport>;
  retrieve(id: string): Promise<CheckoutReport>;
  /** Ends an open checkout, so that it can no longer be paid. */
  expire(id: string): Promise<CheckoutReport>;
}

/** A refund of a payment that the processor has received. Repeating the same id and round returns the same refund. */
export interface RefundOrder {
  readonly accountId: string;
  /** This service's id of the refund transaction or the unapplied payment. */
  readonly id: string;
  /** Numbers the refunds for the same id, from 1: a failed refund is followed by one of the next round. */
  readonly round: number;
  /** The processor's id of the payment. */
  readonly paymentReference: string;
  /** Minor units; null for the whole payment. */
  readonly amount: number | null;
  readonly currency: string;
}

/** The state of a refund. */
export interface RefundReport {
  /** The processor's id of the refund; null where the processor rejected it. */
  readonly reference: string | null;
  readonly round: number;
  readonly status: 'pending' | 'succeeded' | 'failed';
  /** The processor's code for the reason, where the refund failed. */
  readonly failureReason: string | null;
}

export interface RefundApi {
  /** Creates a refund, or reports the state of the one that exists. A rejection is a report of the status `failed`. */
  create(order: RefundOrder): Promise<RefundReport>;
}
