/** What a customer is to pay at the provider. The same attempt is always asked for with the same order. */
export interface CheckoutOrder {
  readonly accountId: string;
  readonly paymentRequestId: string;
  /** Counts the checkouts of a payment request, from 1: the same attempt is the same checkout, however often asked. */
  readonly attempt: number;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  /** Who asks for the money, as the customer knows them. */
  readonly title: string;
  readonly reference: string | null;
  readonly customerEmail: string;
  readonly expiresAt: Date;
  /** Where the customer comes back to: the payment page. */
  readonly pageUrl: string;
}

/** Money that a provider took from a customer. */
export interface PaidMoney {
  /** The provider's name of the payment, by which it is refunded. */
  readonly reference: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
}

/** How a checkout stands. `processing`: the customer is done, and the money is on its way. */
export interface CheckoutReport {
  /** The provider's name of the checkout. */
  readonly id: string;
  readonly attempt: number;
  readonly status: 'open' | 'processing' | 'paid' | 'declined' | 'expired';
  /** Where the customer pays, while it is open. */
  readonly url: string | null;
  /** What was paid, once it is. */
  readonly money: PaidMoney | null;
}

/** Money to give back. The same id and round are one refund, however often asked. */
export interface RefundOrder {
  readonly accountId: string;
  /** What of ours it carries out: a refund, or money that came too late. */
  readonly id: string;
  /** Counts the tries of which each is a refund of its own, from 1. */
  readonly round: number;
  /** The provider's name of the payment. */
  readonly payment: string;
  /** Minor units; null for all of it. */
  readonly amount: number | null;
  readonly currency: string;
}

export interface RefundReport {
  /** The provider's name of the refund; null when it made none. */
  readonly reference: string | null;
  readonly round: number;
  readonly status: 'pending' | 'succeeded' | 'failed';
  /** Why it failed, in a word. */
  readonly failure: string | null;
}

/** What a provider says by itself. `about` is null for what is none of our business. */
export interface ProviderEvent {
  readonly id: string;
  readonly about:
    | {
        readonly kind: 'checkout';
        readonly accountId: string;
        readonly paymentRequestId: string;
        readonly report: CheckoutReport;
      }
    | {
        readonly kind: 'refund';
        readonly accountId: string;
        readonly id: string;
        readonly report: RefundReport;
      }
    | null;
}

/**
 * The port to a provider on whose pages customers pay, and which sends money back. There is one only where PROCESSOR
 * names one. Never called within a database transaction: it asks over the network.
 *
 * What it cannot answer is a ProviderError. Every call may be repeated.
 */
export abstract class PaymentProvider {
  /** Where the page is on which customers pay, for the policy of a page that leads there. */
  abstract readonly checkoutOrigin: string;
  /** Whether no real money moves. */
  abstract readonly playMoney: boolean;

  /** @throws Refusal `invalid_request` for an amount or a currency that it cannot move exactly */
  abstract assertMovable(amount: number, currency: string): void;

  abstract openCheckout(order: CheckoutOrder): Promise<CheckoutReport>;
  abstract checkout(id: string): Promise<CheckoutReport>;
  /** Lets nobody pay there any more. Refused for one that is not open. */
  abstract closeCheckout(id: string): Promise<CheckoutReport>;
  /** Gives money back, or tells how that stands. A refusal is a report of failure. */
  abstract refund(order: RefundOrder): Promise<RefundReport>;

  /**
   * Reads what the provider sent.
   * @param body as it came, to the byte
   * @throws Refusal `invalid_request` for what it did not sign, or signed too long ago
   */
  abstract readEvent(body: Buffer, signature: string | undefined, now: Date): ProviderEvent;
}
