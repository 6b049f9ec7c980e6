import { setTimeout as delay } from 'node:timers/promises';
import { aPaymentLink } from '../../support/payment-page';
import { aTransaction } from '../../support/request-bodies';
import { anOwner, created } from '../../support/people';
import { ProcessorDouble, useProcessor } from '../../support/processor-double';
import { startTestService, TestService } from '../../support/service';
import { until } from '../../support/until';
import { submitPayment } from '../../support/stripe-service';

const RESPONSE_MS = 8_000;
const REFUNDS = 5;

/** A call that begins during the stop takes longer than the stop needs to reach the task. */
const STOP_MS = 4_000;

/** Less than a call takes. The periodic tasks run once a second. */
const MAX_SETTLEMENT_MS = 6_000;

describe('A processor that takes 8 seconds for each call', () => {
  let service: TestService;
  let processor: ProcessorDouble;
  const end = new AbortController();

  beforeAll(async () => {
    processor = new ProcessorDouble();
    processor.beforeRefund = () => delay(RESPONSE_MS, undefined, end).catch(() => undefined);
    useProcessor(processor);
    service = await startTestService({ RUN_WORKER: 'true' });
  });

  it('does not delay the settlement of due payments', async () => {
    const owner = await anOwner(service.api);
    const { api, accountId } = owner;
    await submitPayment((await aPaymentLink(service, owner)).url);
    await processor.deliver(service.url, processor.paidEvent(processor.orders[0]!));
    const [{ id: source }] = (await api.get('/v1/transactions')).body.data;
    for (let count = 0; count < REFUNDS; count += 1) {
      const members = { type: 'refund', amount: 1, source_transaction_id: source };
      await created(api, '/v1/transactions', aTransaction(accountId, members));
    }
    expect(await until(() => processor.refundOrders.length > 0)).toBe(true);

    for (let count = 0; count < 3; count += 1) {
      const startedAt = performance.now();
      const { id } = await created(api, '/v1/transactions', aTransaction(accountId));
      const settled = async () => (await api.get(`/v1/transactions/${id}`)).body.status === 'succeeded';
      expect(await until(settled)).toBe(true);
      expect(performance.now() - startedAt).toBeLessThan(MAX_SETTLEMENT_MS);
    }
    // The refunds are still being sent, one call after the other.
    expect(processor.refundOrders.length).toBeLessThan(REFUNDS);
  });

  it('is not called for the other refunds once the service stops', async () => {
    const called = processor.refundOrders.length;
    processor.beforeRefund = () => delay(STOP_MS);
    const stopped = service.stop();
    end.abort();
    await stopped;
    // One more call may start before the stop reaches the task, but never all the others.
    expect(processor.refundOrders.length).toBeLessThanOrEqual(called + 1);
  });
});
