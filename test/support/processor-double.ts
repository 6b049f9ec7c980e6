import { FactoryProvider } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { DomainError } from '../../src/kernel/domain-error';
import {
  CheckoutApi,
  CheckoutOrder,
  CheckoutReport,
  RefundApi,
  RefundOrder,
  RefundReport,
} from '../../src/modules/processors/processor-api';
import {
  InitialState,
  initialStateWithoutProcessor,
  NewTransactionFacts,
  PaymentProcessor,
} from '../../src/modules/processors/payment-processor';
import { ProcessorEvent, WebhookApi } from '../../src/modules/processors/processor-events';
import { ProcessorsModule } from '../../src/modules/processors/processors.module';

const SIGNATURE_HEADER = 'double-signature';
const SIGNATURE = 'signed by the double';
export const CHECKOUT_ORIGIN = 'https://checkout.double.test';

/**
 * A processor in memory: hosted checkouts, refunds whose outcome a webhook reports, and payments that settle immediately.
 * It shares no code with the adapters.
 */
export class ProcessorDouble extends PaymentProcessor {
  readonly name = 'double';
  readonly testMode = true;
  readonly paymentMethod = 'hosted_checkout';
  readonly orders: CheckoutOrder[] = [];
  readonly refundOrders: RefundOrder[] = [];
  /** Runs before a call of `refunds.create` returns, to delay it. */
  beforeRefund: () => Promise<void> = async () => undefined;

  override readonly checkouts: CheckoutApi = {
    origin: CHECKOUT_ORIGIN,
    create: async (order) => {
      this.orders.push(order);
      return this.openCheckout(order.paymentRequestId, order.attempt);
    },
    retrieve: async () => this.openCheckout(this.orders[0]!.paymentRequestId, this.orders[0]!.attempt),
    expire: async (id) => ({ id, attempt: 1, status: 'expired', url: null, payment: null }),
  };

  override readonly refunds: RefundApi = {
    create: async (order) => {
      this.refundOrders.push(order);
      await this.beforeRefund();
      return {
        reference: `refund of ${order.id}`,
        round: order.round,
        status: 'pending',
        failureReason: null,
      };
    },
  };

  override readonly webhook: WebhookApi = {
    parse: (body, headers) => {
      if (headers[SIGNATURE_HEADER] !== SIGNATURE)
        throw new DomainError('invalid_request', 'Wrong signature.');
      return JSON.parse(body.toString()) as ProcessorEvent;
    },
  };

  initialState(transaction: NewTransactionFacts, at: Date): InitialState {
    if (transaction.paymentReference !== null) return { status: 'pending', endedBy: { by: 'processor' } };
    if (transaction.type !== 'payment') return initialStateWithoutProcessor(transaction);
    return { status: 'pending', endedBy: { by: 'schedule', settlesAt: at, outcome: 'succeeded' } };
  }

  /** The event of a checkout that the customer has paid. */
  paidEvent({ accountId, paymentRequestId, attempt, amount, currency }: CheckoutOrder): ProcessorEvent {
    const payment = { reference: `payment of ${paymentRequestId}`, amount, currency };
    const { id } = this.openCheckout(paymentRequestId, attempt);
    const report: CheckoutReport = { id, attempt, status: 'paid', url: null, payment };
    return { id: randomUUID(), kind: 'checkout', accountId, objectId: paymentRequestId, report };
  }

  /** The event of a refund that has ended. */
  refundEvent(
    { accountId, id: objectId, round }: RefundOrder,
    status: RefundReport['status'],
  ): ProcessorEvent {
    const report = { reference: `refund of ${objectId}`, round, status, failureReason: null };
    return { id: randomUUID(), kind: 'refund', accountId, objectId, report };
  }

  /** Sends an event to the webhook. @returns the status of the response */
  async deliver(serviceUrl: string, event: ProcessorEvent, signature = SIGNATURE): Promise<number> {
    const response = await fetch(`${serviceUrl}/v1/processors/${this.name}/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [SIGNATURE_HEADER]: signature },
      body: JSON.stringify(event),
    });
    await response.text();
    return response.status;
  }

  private openCheckout(paymentRequestId: string, attempt: number): CheckoutReport {
    const id = `checkout ${attempt} of ${paymentRequestId}`;
    return { id, attempt, status: 'open', url: `${CHECKOUT_ORIGIN}/${attempt}`, payment: null };
  }
}

/** Gives the services that this suite starts a processor, whatever PROCESSOR names. */
export function useProcessor(processor: PaymentProcessor): void {
  const providers = Reflect.getMetadata('providers', ProcessorsModule) as FactoryProvider[];
  const provider = providers.find(({ provide }) => provide === PaymentProcessor)!;
  jest.spyOn(provider, 'useFactory').mockReturnValue(processor);
}
