import { aPaymentLink, statusOf } from '../../support/payment-page';
import { aTransaction } from '../../support/request-bodies';
import { anOwner, created, Owner } from '../../support/people';
import { CHECKOUT_ORIGIN, ProcessorDouble, useProcessor } from '../../support/processor-double';
import { startTestService, TestService } from '../../support/service';
import { filesIn, textOf } from '../../support/source-text';
import { balanceOf, submitPayment } from '../../support/stripe-service';

describe('A second processor', () => {
  let service: TestService;
  let processor: ProcessorDouble;
  let owner: Owner;

  beforeAll(async () => {
    processor = new ProcessorDouble();
    useProcessor(processor);
    service = await startTestService();
    owner = await anOwner(service.api);
  });
  afterAll(() => service.stop());

  it('receives payments on its page and reports them and their refunds to its own webhook', async () => {
    const link = await aPaymentLink(service, owner);
    const page = await submitPayment(link.url);
    expect([page.status, page.headers.get('location')]).toEqual([303, `${CHECKOUT_ORIGIN}/1`]);
    const [order] = processor.orders;
    expect(await processor.deliver(service.url, processor.paidEvent(order!))).toBe(200);
    expect(await statusOf(owner.api, link)).toBe('succeeded');

    const { data } = (await owner.api.get('/v1/transactions')).body;
    const members = { type: 'refund', amount: 1000, source_transaction_id: data[0].id };
    const { id } = await created(owner.api, '/v1/transactions', aTransaction(owner.accountId, members));
    await service.runDueTasks();
    expect(await balanceOf(owner.api)).toEqual({ posted: 1250, held: 1000, available: 250 });
    expect(processor.refundOrders).toMatchObject([{ id, paymentReference: `payment of ${link.id}` }]);
    const refunded = processor.refundEvent(processor.refundOrders[0]!, 'succeeded');
    expect(await processor.deliver(service.url, refunded)).toBe(200);
    expect(await processor.deliver(service.url, refunded)).toBe(200);
    expect(await balanceOf(owner.api)).toEqual({ posted: 250, held: 0, available: 250 });
  });

  it('verifies the signatures of its events', async () => {
    const link = await aPaymentLink(service, owner);
    await submitPayment(link.url);
    const event = processor.paidEvent(processor.orders.at(-1)!);
    expect(await processor.deliver(service.url, event, 'another signature')).toBe(400);
    expect(await statusOf(owner.api, link)).toBe('pending');
  });

  it('is the only one with a webhook', async () => {
    const response = await fetch(`${service.url}/v1/processors/stripe/events`, { method: 'POST' });
    expect(response.status).toBe(404);
  });

  it('requires changes in the processors module alone: no other source names Stripe', () => {
    const module = /^src\/modules\/processors\/(stripe\/|processors\.(module|settings)\.ts)/;
    const naming = filesIn('src').filter((file) => /stripe/i.test(textOf(file)));
    expect(naming.filter((file) => !module.test(file))).toEqual([]);
  });
});
