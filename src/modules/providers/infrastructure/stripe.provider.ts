import Stripe from 'stripe';
import { isId } from '../../../kernel/ids';
import { Refusal } from '../../../kernel/refusal';
import {
  CheckoutOrder,
  CheckoutReport,
  PaymentProvider,
  ProviderEvent,
  RefundOrder,
  RefundReport,
} from '../domain/payment-provider';
import { ProviderError } from '../domain/provider-error';
import { fromStripeAmount, toStripeAmount } from './stripe-amounts';

export interface StripeSettings {
  readonly secretKey: string;
  readonly webhookSecrets: readonly string[];
  readonly apiUrl: string | null;
  readonly checkoutOrigin: string;
  readonly playMoney: boolean;
}

/** A customer waits for a checkout, so it is tried again at once. Repeats are safe: each has an idempotency key. */
const TIMEOUT_MS = 8_000;
const RETRIES = 2;
/** Nobody waits for a refund, and a sweep that asks long keeps others waiting: it comes again. */
const NO_RETRY = { maxNetworkRetries: 0 };

/** An event that was signed longer ago may be one that somebody has kept. */
const TOLERANCE_SECONDS = 300;

const MAX_NAME_CHARACTERS = 250;

/** Stripe Checkout, by the official package. Nothing that comes back from Stripe is believed to be ours by its id alone. */
export class StripeProvider extends PaymentProvider {
  readonly checkoutOrigin: string;
  readonly playMoney: boolean;
  private readonly stripe: Stripe.Stripe;

  constructor(private readonly settings: StripeSettings) {
    super();
    this.checkoutOrigin = settings.checkoutOrigin;
    this.playMoney = settings.playMoney;
    this.stripe = new Stripe(settings.secretKey, {
      timeout: TIMEOUT_MS,
      maxNetworkRetries: RETRIES,
      telemetry: false,
      ...(settings.apiUrl !== null && addressOf(new URL(settings.apiUrl))),
    });
  }

  assertMovable(amount: number, currency: string): void {
    toStripeAmount(amount, currency);
  }

  async openCheckout(order: CheckoutOrder): Promise<CheckoutReport> {
    const { paymentRequestId, attempt } = order;
    const options = { idempotencyKey: `${paymentRequestId}-${attempt}` };
    return reportOf(await answered(this.stripe.checkout.sessions.create(sessionFor(order), options)));
  }

  async checkout(id: string): Promise<CheckoutReport> {
    return reportOf(
      await answered(this.stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent'] })),
    );
  }

  async closeCheckout(id: string): Promise<CheckoutReport> {
    return reportOf(await answered(this.stripe.checkout.sessions.expire(id)));
  }

  async refund(order: RefundOrder): Promise<RefundReport> {
    try {
      return refundReportOf((await answered(this.findRefund(order))) ?? (await this.createRefund(order)));
    } catch (error) {
      if (!(error instanceof ProviderError && error.refused)) throw error;
      return { reference: null, round: order.round, status: 'failed', failure: error.code };
    }
  }

  readEvent(body: Buffer, signature: string | undefined, now: Date): ProviderEvent {
    const event = this.verified(body, signature ?? '', now);
    if (typeof event?.id !== 'string') throw new Refusal('invalid_request', 'This is no event.');
    const ours = event.livemode !== this.playMoney;
    return { id: event.id, about: ours ? aboutOf(event) : null };
  }

  /**
   * Stripe forgets an idempotency key after a day, and a refund may be tried for longer than that. So what was made
   * already is looked for first, by the name of ours that it carries.
   */
  private async findRefund({ id, round, payment }: RefundOrder): Promise<Stripe.Refund | null> {
    for await (const refund of this.stripe.refunds.list({ payment_intent: payment, limit: 100 }, NO_RETRY)) {
      if (refund.metadata?.['order'] === id && refund.metadata['round'] === String(round)) return refund;
    }
    return null;
  }

  private createRefund({ accountId, id, round, payment, amount, currency }: RefundOrder) {
    const wanted: Stripe.RefundCreateParams = {
      payment_intent: payment,
      ...(amount !== null && { amount: toStripeAmount(amount, currency) }),
      metadata: { account_id: accountId, order: id, round: String(round) },
    };
    return answered(this.stripe.refunds.create(wanted, { idempotencyKey: `${id}-${round}`, ...NO_RETRY }));
  }

  private verified(body: Buffer, signature: string, now: Date): Stripe.Event {
    for (const secret of this.settings.webhookSecrets) {
      try {
        return this.stripe.webhooks.constructEvent(
          body,
          signature,
          secret,
          TOLERANCE_SECONDS,
          undefined,
          now.getTime(),
        );
      } catch (error) {
        if (error instanceof SyntaxError) throw new Refusal('invalid_request', 'The body is not valid JSON.');
        if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error;
      }
    }
    throw new Refusal('invalid_request', 'The signature is missing, wrong or too old.');
  }
}

function addressOf({ hostname, port, protocol }: URL): Stripe.StripeConfig {
  const http = protocol === 'http:';
  return { host: hostname, port: port || (http ? 80 : 443), protocol: http ? 'http' : 'https' };
}

function sessionFor(order: CheckoutOrder): Stripe.Checkout.SessionCreateParams {
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

function reportOf(session: Stripe.Checkout.Session): CheckoutReport {
  const { id, url, metadata } = session;
  const status = statusOf(session);
  return {
    id,
    attempt: Number(metadata?.['attempt']),
    status,
    url: status === 'open' ? url : null,
    money: status === 'paid' ? moneyOf(session) : null,
  };
}

function statusOf({
  status,
  payment_status,
  payment_intent,
}: Stripe.Checkout.Session): CheckoutReport['status'] {
  if (payment_status === 'paid') return 'paid';
  if (status === 'open') return 'open';
  if (status === 'expired') return 'expired';
  // Where the payment comes along, it tells whether the money is still on its way.
  const failed =
    typeof payment_intent === 'object' &&
    payment_intent !== null &&
    ['requires_payment_method', 'canceled'].includes(payment_intent.status);
  return failed ? 'declined' : 'processing';
}

function moneyOf({
  payment_intent,
  amount_total,
  currency,
}: Stripe.Checkout.Session): CheckoutReport['money'] {
  const reference = typeof payment_intent === 'string' ? payment_intent : payment_intent?.id;
  if (reference === undefined || amount_total === null || currency === null) {
    throw new ProviderError('payment_without_amount', false);
  }
  const code = currency.toUpperCase();
  return { reference, amount: fromStripeAmount(amount_total, code), currency: code };
}

function refundReportOf({ id, status, metadata, failure_reason }: Stripe.Refund): RefundReport {
  const ended = status === 'failed' || status === 'canceled';
  return {
    reference: id,
    round: Number(metadata?.['round']),
    status: ended ? 'failed' : status === 'succeeded' ? 'succeeded' : 'pending',
    failure: ended ? (failure_reason ?? status) : null,
  };
}

/** Sessions and refunds of ours carry whose they are. Others of the same Stripe account are none of our business. */
function aboutOf(event: Stripe.Event): ProviderEvent['about'] {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.expired':
      return aboutCheckout(event.data.object, reportOf);
    case 'checkout.session.async_payment_failed':
      return aboutCheckout(event.data.object, (session) => ({ ...reportOf(session), status: 'declined' }));
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.refund.updated':
      return aboutRefund(event.data.object);
    default:
      return null;
  }
}

function aboutCheckout(
  session: Stripe.Checkout.Session,
  report: (session: Stripe.Checkout.Session) => CheckoutReport,
): ProviderEvent['about'] {
  const { account_id: accountId = '', payment_id: paymentRequestId = '' } = session.metadata ?? {};
  if (!isId('acc', accountId) || !isId('pay', paymentRequestId)) return null;
  return { kind: 'checkout', accountId, paymentRequestId, report: report(session) };
}

function aboutRefund(refund: Stripe.Refund): ProviderEvent['about'] {
  const { account_id: accountId = '', order: id = '' } = refund.metadata ?? {};
  if (!isId('acc', accountId) || !(isId('txn', id) || isId('late', id))) return null;
  return { kind: 'refund', accountId, id, report: refundReportOf(refund) };
}

/** What Stripe reports by these statuses it has decided, and decides likewise the next time. */
const DECIDED = new Set([400, 402, 404]);

/** An answer of Stripe, or what is left of its error: the rest may carry the request. */
async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const refused =
      DECIDED.has(error.statusCode ?? 0) && !(error instanceof Stripe.errors.StripeIdempotencyError);
    throw new ProviderError(error.code ?? error.rawType ?? error.type, refused);
  }
}
