import Stripe from 'stripe';
import { DomainError } from '../../../kernel/domain-error';
import { isId } from '../../../kernel/ids';
import type { CheckoutReport } from '../processor-api';
import type { CheckoutEvent, ProcessorEvent, RefundEvent, WebhookApi } from '../processor-events';
import { checkoutReport } from './stripe-checkouts.adapter';
import { refundReport } from './stripe-refunds.adapter';

/** Events signed longer ago are rejected, because they may be replayed. */
const TOLERANCE_SECONDS = 300;

/**
 * Reads the events that Stripe sends. Checkouts and refunds of this service carry the id of their account in their
 * metadata; other applications may use the same Stripe account.
 */
export class StripeWebhook implements WebhookApi {
  /** @param secrets signing secrets; an event signed with any of them is accepted */
  constructor(
    private readonly stripe: Stripe.Stripe,
    private readonly secrets: readonly string[],
    private readonly testMode: boolean,
  ) {}

  parse(body: Buffer, headers: Parameters<WebhookApi['parse']>[1], now: Date): ProcessorEvent | null {
    const event = this.verify(body, String(headers['stripe-signature'] ?? ''), now);
    if (!isEvent(event)) throw new DomainError('invalid_request', 'The body is not an event.');
    return event.livemode === this.testMode ? null : processorEvent(event);
  }

  private verify(body: Buffer, signature: string, now: Date): Stripe.Event {
    for (const secret of this.secrets) {
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
        if (error instanceof SyntaxError) {
          throw new DomainError('invalid_request', 'The body is not valid JSON.');
        }
        if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error;
      }
    }
    throw new DomainError('invalid_request', 'The signature is missing, wrong or too old.');
  }
}

function processorEvent(event: Stripe.Event): ProcessorEvent | null {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.expired':
      return checkoutEvent(event.id, event.data.object, checkoutReport);
    case 'checkout.session.async_payment_failed':
      return checkoutEvent(event.id, event.data.object, (session) => ({
        ...checkoutReport(session),
        status: 'declined',
      }));
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.refund.updated':
      return refundEvent(event.id, event.data.object);
    default:
      return null;
  }
}

function checkoutEvent(
  id: string,
  session: Stripe.Checkout.Session,
  toReport: (session: Stripe.Checkout.Session) => CheckoutReport,
): CheckoutEvent | null {
  const { account_id: accountId = '', payment_id: objectId = '' } = session.metadata ?? {};
  if (!isId('acc', accountId)) return null;
  if (!isSession(session)) throw unexpectedShape(id);
  return { kind: 'checkout', id, accountId, objectId, report: toReport(session) };
}

function refundEvent(id: string, refund: Stripe.Refund): RefundEvent | null {
  const { account_id: accountId = '', order: objectId = '' } = refund.metadata ?? {};
  if (!isId('acc', accountId)) return null;
  if (!isRefund(refund)) throw unexpectedShape(id);
  return { kind: 'refund', id, accountId, objectId, report: refundReport(refund) };
}

/** For example, the webhook is set up for another version of Stripe's API. */
function unexpectedShape(id: string): DomainError {
  return new DomainError('invalid_request', `The object of the event ${id} has an unexpected shape.`);
}

/** Stripe's ids, codes and metadata are shorter. */
const MAX_CHARACTERS = 500;

/** Stripe's amounts have at most 12 digits. */
const MAX_AMOUNT = 1e12;

type Members = Readonly<Record<string, unknown>>;

/** Whether a signed body is an event with an object. The type of the event may be unknown. */
function isEvent(event: unknown): boolean {
  return (
    isObject(event) && isText(event['id']) && isObject(event['data']) && isObject(event['data']['object'])
  );
}

/** Whether the members of a checkout session that this service uses have the types that Stripe documents. */
function isSession(session: unknown): boolean {
  if (!isObject(session) || !isText(session['id']) || !isMetadata(session['metadata'])) return false;
  const { currency, amount_total: amount, payment_intent: payment, payment_status: status } = session;
  const reference = isObject(payment) ? payment['id'] : payment;
  const received = isText(currency) && isAmount(amount) && isText(reference);
  return status === 'paid' ? received : isAbsentOr(isText, reference);
}

/** Whether the members of a refund that this service uses have the types that Stripe documents. */
function isRefund(refund: unknown): boolean {
  return (
    isObject(refund) &&
    isText(refund['id']) &&
    isMetadata(refund['metadata']) &&
    isAbsentOr(isText, refund['status']) &&
    isAbsentOr(isText, refund['failure_reason'])
  );
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** PostgreSQL cannot store NUL. */
function isText(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length <= MAX_CHARACTERS &&
    !value.includes('\0') &&
    value.isWellFormed()
  );
}

function isMetadata(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isText);
}

function isAmount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_AMOUNT;
}

function isAbsentOr(isValid: (value: unknown) => boolean, value: unknown): boolean {
  return value === undefined || value === null || isValid(value);
}
