import { listsSuite } from '../lists/lists.suite';
import { paymentRequestsSuite } from '../payment-requests/payment-requests.suite';
import { dropDatabase } from '../support/databases';
import { aPayment, atCheckout, balanceOf, latePaymentsOf, openShop, report, Shop } from '../stripe/shop';
import { aSubscription, aTransaction } from '../support/movements';
import { anOwner, created } from '../support/people';
import { accountTables, createPartitionedTemplate } from '../support/partitioned';
import { startTestService, TestService } from '../support/service';
import { subscriptionsSuite } from '../subscriptions/subscriptions.suite';
import { transactionsSuite } from '../transactions/transactions.suite';

/** The same schema spread by account: what belongs to an account never needs more than its own partition. */
describe('With the tables of accounts hash-partitioned by account', () => {
  let template: string;
  const start = (): Promise<TestService> => startTestService({}, template);

  beforeAll(async () => {
    template = await createPartitionedTemplate();
  });
  afterAll(() => dropDatabase(template));

  describe('the database', () => {
    let service: TestService;
    beforeAll(async () => {
      service = await start();
    });
    afterAll(() => service.stop());

    it('has partitions of exactly the tables keyed by account', async () => {
      const partitioned = await service.sql<{ name: string }>(
        `SELECT c.relname AS name FROM pg_partitioned_table p JOIN pg_class c ON c.oid = p.partrelid ORDER BY 1`,
      );
      expect(accountTables).toEqual(
        expect.arrayContaining(['transactions', 'payment_requests', 'subscriptions', 'late_payments']),
      );
      expect(partitioned.map(({ name }) => name)).toEqual(accountTables.toSorted());
    });

    it('spreads what accounts own over the partitions', async () => {
      for (let count = 0; count < 16; count += 1) {
        const owner = await anOwner(service.api);
        await created(owner.api, '/v1/transactions', aTransaction(owner.accountId));
        await created(owner.api, '/v1/subscriptions', aSubscription(owner.accountId));
      }
      for (const table of ['transactions', 'payment_requests', 'subscriptions']) {
        const used = await service.sql(`SELECT DISTINCT tableoid FROM ${table}`);
        expect(used.length).toBeGreaterThan(1);
      }
    });

    it('is swept over all partitions', async () => {
      service.clock.move({ days: 31 });
      await service.sweep();
      const due = await service.sql('SELECT FROM subscriptions WHERE next_payment_at <= $1', [
        service.clock.now(),
      ]);
      expect(due).toEqual([]);
      expect(await service.sql('SELECT FROM payment_requests')).toHaveLength(2 * 16);
    });
  });

  describe('money at a provider', () => {
    let shop: Shop;
    beforeAll(async () => {
      shop = await openShop({}, template);
    });
    afterAll(() => shop.stop());

    it('is paid, refunded, recorded when it is late, and sent back', async () => {
      const { service, stripe } = shop;
      const owner = await anOwner(service.api);
      const members = { type: 'refund', source_transaction_id: await aPayment(shop, owner), amount: 250 };
      await created(owner.api, '/v1/transactions', aTransaction(owner.accountId, members));
      const { link, session } = await atCheckout(shop, owner);
      await owner.api.delete(`/v1/payments/${link.id}`);
      await report(shop, 'checkout.session.completed', stripe.pay(session));
      await service.sweep();
      expect(await balanceOf(owner.api)).toEqual({ posted: 1000, held: 0, available: 1000 });
      expect(await latePaymentsOf(shop, owner.accountId)).toMatchObject([
        { reason: 'canceled', status: 'returned', amount: 1250 },
      ]);
    });
  });

  describe('transactions', () => transactionsSuite(start));
  describe('payment requests', () => paymentRequestsSuite(start));
  describe('subscriptions', () => subscriptionsSuite(start));
  describe('lists', () => listsSuite(start));
});
