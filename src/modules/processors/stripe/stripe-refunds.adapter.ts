import type Stripe from 'stripe';
import { ProcessorError } from '../payment-processor';
import type { RefundApi, RefundOrder, RefundReport } from '../processor-api';
import { toStripeAmount } from './stripe-amounts';
import { translateErrors } from './stripe-client.adapter';

/** A periodic task retries the call later, so the client does not retry it immediately. */
const NO_RETRY = { maxNetworkRetries: 0 };

/** Far more than one payment has. */
const MAX_REFUNDS = 1_000;

export class StripeRefunds implements RefundApi {
  constructor(private readonly stripe: Stripe.Stripe) {}

  async create(order: RefundOrder): Promise<RefundReport> {
    try {
      return refundReport((await translateErrors(this.find(order))) ?? (await this.createNew(order)));
    } catch (error) {
      if (!(error instanceof ProcessorError && error.permanent)) throw error;
      return { reference: null, round: order.round, status: 'failed', failureReason: error.code };
    }
  }

  /**
   * Stripe deletes idempotency keys after a day, but a refund may be retried for longer. The refund is therefore first
   * looked up by this service's id, which its metadata contains.
   */
  private async find({ id, round, paymentReference }: RefundOrder): Promise<Stripe.Refund | null> {
    const params = { payment_intent: paymentReference, limit: 100 };
    let found = 0;
    for await (const refund of this.stripe.refunds.list(params, NO_RETRY)) {
      if (++found > MAX_REFUNDS) throw new ProcessorError('too_many_refunds', false);
      if (refund.metadata?.['order'] === id && refund.metadata['round'] === String(round)) return refund;
    }
    return null;
  }

  private createNew(order: RefundOrder): Promise<Stripe.Refund> {
    const { accountId, id, round, paymentReference, amount, currency } = order;
    const params: Stripe.RefundCreateParams = {
      payment_intent: paymentReference,
      ...(amount !== null && { amount: toStripeAmount(amount, currency) }),
      metadata: { account_id: accountId, order: id, round: String(round) },
    };
    const options = { idempotencyKey: `${id}-${round}`, ...NO_RETRY };
    return translateErrors(this.stripe.refunds.create(params, options));
  }
}

export function refundReport({ id, status, metadata, failure_reason }: Stripe.Refund): RefundReport {
  const failed = status === 'failed' || status === 'canceled';
  return {
    reference: id,
    round: Number(metadata?.['round']),
    status: failed ? 'failed' : status === 'succeeded' ? 'succeeded' : 'pending',
    failureReason: failed ? (failure_reason ?? status) : null,
  };
}
