import Stripe from 'stripe';
import { ProcessorError } from '../../domain/processor-error';

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
    throw new ProcessorError(error.code ?? error.rawType ?? error.type, permanent);
  }
}
