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
