import Stripe from 'stripe';
import { boundedFetch } from '../../../kernel/bounded-fetch';
import { ProcessorError } from '../payment-processor';

/** Far more than any response that this service reads: a page of 100 refunds. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

/**
 * Calls Stripe. The SDK aborts it at its timeout, which includes the body here: whatever Stripe sends, a call ends by
 * then, and so does its connection. Stripe redirects no call, so a redirect is an error.
 */
export function fetchFromStripe(...[url, init]: Parameters<typeof fetch>): Promise<Response> {
  return boundedFetch(MAX_RESPONSE_BYTES, url, { ...init, redirect: 'error' });
}

/** The statuses with which Stripe rejects a request permanently. */
const PERMANENT_STATUSES = new Set([400, 402, 404]);

/** Translates errors of Stripe to ProcessorError, without their messages, which may contain the request. */
export async function translateErrors<T>(pending: Promise<T>): Promise<T> {
  try {
    return await pending;
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const permanent =
      PERMANENT_STATUSES.has(error.statusCode ?? 0) &&
      !(error instanceof Stripe.errors.StripeIdempotencyError);
    throw new ProcessorError(readCode(error), permanent);
  }
}

/** Like `translateErrors`, but a rejected key is permanent: no retry is to wait until someone has corrected it. */
export function translateErrorsOfKey<T>(pending: Promise<T>): Promise<T> {
  const { StripeAuthenticationError, StripePermissionError } = Stripe.errors;
  const withKey = pending.catch((error: unknown) => {
    if (error instanceof StripeAuthenticationError || error instanceof StripePermissionError)
      throw new ProcessorError(readCode(error), true);
    throw error;
  });
  return translateErrors(withKey);
}

function readCode({ code, rawType, type }: InstanceType<typeof Stripe.errors.StripeError>): string {
  return code ?? rawType ?? type;
}
