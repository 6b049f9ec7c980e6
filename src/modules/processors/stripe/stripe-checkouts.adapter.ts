import type Stripe from 'stripe';
import type { CheckoutApi, CheckoutOrder, CheckoutReport, ReceivedPayment } from '../processor-api';
import { ProcessorError } from '../payment-processor';
import { fromStripeAmount, toStripeAmount } from './stripe-amounts';
import { translateErrors, translateErrorsOfKey } from './stripe-client.adapter';

const MAX_NAME_CHARACTERS = 250;

/** Checkouts are sessions of Stripe Checkout. */
export class StripeCheckouts implements CheckoutApi {
  constructor(
    private readonly stripe: Stripe.Stripe,
    readonly origin: string,
  ) {}

  /** @throws ProcessorError, a permanent one if Stripe rejects the key or its rights to checkouts */
  async verifyAccess(): Promise<void> {
    await translateErrorsOfKey(this.stripe.checkout.sessions.list({ limit: 1 }));
  }

  async create(order: CheckoutOrder): Promise<CheckoutReport> {
    const options = { idempotencyKey: `${order.paymentRequestId}-${order.attempt}` };
    return checkoutReport(
      await translateErrors(this.stripe.checkout.sessions.create(sessionParams(order), options)),
    );
  }

  async retrieve(id: string): Promise<CheckoutReport> {
    const params = { expand: ['payment_intent'] };
    return checkoutReport(await translateErrors(this.stripe.checkout.sessions.retrieve(id, params)));
  }

  async expire(id: string): Promise<CheckoutReport> {
    return checkoutReport(await translateErrors(this.stripe.checkout.sessions.expire(id)));
  }
}

function sessionParams(order: CheckoutOrder): Stripe.Checkout.SessionCreateParams {
  const { accountId, paymentRequestId, attempt, amount, currency, reference, pageUrl } = order;
  const metadata = { account_id: accountId, payment_id: paymentRequestId, attempt: String(attempt) };
  return {
    mode: 'payment',
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: currency.toLowerCase(),
          unit_amount: toStripeAmount(amount, currency),
          product_data: {
            name: [...order.title].slice(0, MAX_NAME_CHARACTERS).join(''),
            ...(reference && { description: reference }),
          },
        },
      },
    ],
    customer_email: order.customerEmail,
    client_reference_id: paymentRequestId,
    metadata,
    payment_intent_data: { metadata },
    success_url: `${pageUrl}?from=checkout`,
    cancel_url: pageUrl,
    expires_at: Math.floor(order.expiresAt.getTime() / 1000),
  };
}

export function checkoutReport(session: Stripe.Checkout.Session): CheckoutReport {
  const { id, url, metadata } = session;
  const status = checkoutStatus(session);
  return {
    id,
    attempt: Number(metadata?.['attempt']),
    status,
    url: status === 'open' ? url : null,
    ...declineOf(session),
    payment: status === 'paid' ? receivedPayment(session) : null,
  };
}

function checkoutStatus(session: Stripe.Checkout.Session): CheckoutReport['status'] {
  const { status, payment_status, payment_intent } = session;
  if (payment_status === 'paid') return 'paid';
  if (status === 'open') return 'open';
  if (status === 'expired') return 'expired';
  // An expanded payment intent shows whether the payment is still being processed.
  const declined =
    typeof payment_intent === 'object' &&
    payment_intent !== null &&
    ['requires_payment_method', 'canceled'].includes(payment_intent.status);
  return declined ? 'declined' : 'processing';
}

/** What Stripe's codes look like. Nothing else is kept: the message may be in any words. */
const CODE = /^[a-z0-9_]{1,64}$/;

/** An expanded payment intent says why the last attempt was declined. */
function declineOf({ payment_intent: intent }: Stripe.Checkout.Session): { declineCode?: string } {
  const error = typeof intent === 'object' ? intent?.last_payment_error : null;
  const code: unknown = error?.decline_code ?? error?.code;
  return typeof code === 'string' && CODE.test(code) ? { declineCode: code } : {};
}

function receivedPayment(session: Stripe.Checkout.Session): ReceivedPayment {
  const { payment_intent, amount_total } = session;
  const reference = typeof payment_intent === 'string' ? payment_intent : payment_intent?.id;
  const currency = session.currency?.toUpperCase();
  if (reference === undefined || amount_total === null || currency === undefined) {
    throw new ProcessorError('payment_without_amount', false);
  }
  return { reference, amount: fromStripeAmount(amount_total, currency), currency };
}
