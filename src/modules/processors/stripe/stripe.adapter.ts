import Stripe from 'stripe';
import type { InitialState, NewTransactionFacts } from '../payment-processor';
import { initialStateWithoutProcessor, PaymentProcessor } from '../payment-processor';
import type { StripeSettings } from '../processors.settings';
import { toStripeAmount } from './stripe-amounts';
import { StripeCheckouts } from './stripe-checkouts.adapter';
import { fetchFromStripe } from './stripe-client.adapter';
import { StripeRefunds } from './stripe-refunds.adapter';
import { StripeWebhook } from './stripe-webhook.adapter';

/** A customer waits for a checkout, so the client retries a failed call immediately. Every call is idempotent. */
const TIMEOUT_MS = 8_000;
const RETRIES = 2;

/**
 * Customers pay on Stripe Checkout, and refunds of such payments are sent to Stripe. All other money moves outside of
 * the service, as with the manual processor.
 */
export class StripeProcessor extends PaymentProcessor {
  readonly name = 'stripe';
  readonly testMode: boolean;
  readonly paymentMethod = 'hosted_checkout';
  override readonly checkouts: StripeCheckouts;
  override readonly refunds: StripeRefunds;
  override readonly webhook: StripeWebhook;

  /** @param timeoutMs the time of one attempt of a call */
  constructor(
    { secretKey, webhookSecrets, apiUrl, checkoutOrigin, testMode }: StripeSettings,
    timeoutMs = TIMEOUT_MS,
  ) {
    super();
    const stripe = new Stripe(secretKey, {
      timeout: timeoutMs,
      maxNetworkRetries: RETRIES,
      telemetry: false,
      httpClient: Stripe.createFetchHttpClient(fetchFromStripe),
      ...(apiUrl !== null && buildAddress(new URL(apiUrl))),
    });
    this.testMode = testMode;
    this.checkouts = new StripeCheckouts(stripe, checkoutOrigin);
    this.refunds = new StripeRefunds(stripe);
    this.webhook = new StripeWebhook(stripe, webhookSecrets, testMode);
  }

  initialState(transaction: NewTransactionFacts): InitialState {
    if (transaction.paymentReference === null) return initialStateWithoutProcessor(transaction);
    this.assertSupported(transaction.amount, transaction.currency);
    return { status: 'pending', endedBy: { by: 'processor' } };
  }

  override verifyAccess(): Promise<void> {
    return this.checkouts.verifyAccess();
  }

  override assertSupported(amount: number, currency: string): void {
    toStripeAmount(amount, currency);
  }
}

function buildAddress({ hostname, port, protocol }: URL): Stripe.StripeConfig {
  const http = protocol === 'http:';
  return { host: hostname, port: port || (http ? 80 : 443), protocol: http ? 'http' : 'https' };
}
