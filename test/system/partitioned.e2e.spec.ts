import { accountOwnedSuite } from './account-owned/account-owned.suite';
import { listsSuite } from './lists/lists.suite';
import { paymentRequestsSuite } from '../modules/payment-requests/payment-requests.suite';
import { databaseUrl, dropDatabase } from '../support/databases';
import {
  aPayment,
  startCheckout,
  balanceOf,
  unappliedPaymentsOf,
  startWithStripe,
  deliverEvent,
  StripeSetup,
} from '../support/stripe-service';
import { aPaymentRequest, aSubscription, aTransaction } from '../support/request-bodies';
import { openedIn2000 } from '../support/old-account';
import { anAdminWhoSignedUp, anOwner, created, theAdmin } from '../support/people';
import { accountTables, createPartitionedTemplate } from '../support/partitioned';
import { SentStatements, StatementRules } from '../support/sent-statements';
import { startTestService, TestService } from '../support/service';
import { eventually } from '../support/until';
import { splitsSuite } from '../modules/payment-requests/splits.suite';
import { subscriptionsSuite } from '../modules/subscriptions/subscriptions.suite';
import { transactionsSuite } from '../modules/transactions/transactions.suite';
import { transfersSuite } from '../modules/transfers/transfers.suite';

/** Runs the suites of account-owned resources on tables that are hash-partitioned by account. */
describe('On tables that are hash-partitioned by account', () => {
  let template: string;
  const sent = new SentStatements();
  const start = (env: NodeJS.ProcessEnv = {}): Promise<TestService> =>
    startTestService({ METRICS_PORT: '0', ...env }, template);

  beforeAll(async () => {
    template = await createPartitionedTemplate();
  });
  afterAll(async () => {
    sent.stop();
    await dropDatabase(template);
  });

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
        expect.arrayContaining(['transactions', 'payment_requests', 'subscriptions', 'unapplied_payments']),
      );
      expect(partitioned.map(({ name }) => name)).toEqual(accountTables.toSorted());
    });

    it('distributes the rows of accounts over the partitions', async () => {
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

    it('is processed in all partitions', async () => {
      service.clock.move({ days: 31 });
      await service.runDueTasks();
      const due = await service.sql('SELECT FROM subscriptions WHERE next_payment_at <= $1', [
        service.clock.now(),
      ]);
      expect(due).toEqual([]);
      expect(await service.sql('SELECT FROM payment_requests')).toHaveLength(2 * 16);
    });
  });

  describe('a payment through Stripe', () => {
    let setup: StripeSetup;
    beforeAll(async () => {
      setup = await startWithStripe({}, template);
    });
    afterAll(() => setup.stop());

    it('is posted, refunded, recorded when it cannot be applied, and returned', async () => {
      const { service, stripe } = setup;
      const owner = await anOwner(service.api);
      const members = { type: 'refund', source_transaction_id: await aPayment(setup, owner), amount: 250 };
      await created(owner.api, '/v1/transactions', aTransaction(owner.accountId, members));
      const { link, session } = await startCheckout(setup, owner);
      await owner.api.delete(`/v1/payments/${link.id}`);
      await deliverEvent(setup, 'checkout.session.completed', stripe.pay(session));
      await service.runDueTasks();
      expect(await balanceOf(owner.api)).toEqual({ posted: 1000, held: 0, available: 1000 });
      expect(await unappliedPaymentsOf(setup, owner.accountId)).toMatchObject([
        { reason: 'canceled', status: 'returned', amount: 1250 },
      ]);
    });
  });

  describe('resources of an account', () => accountOwnedSuite(start));
  describe('transactions', () => transactionsSuite(start));
  describe('payment requests', () => paymentRequestsSuite(start));
  describe('subscriptions', () => subscriptionsSuite(start));
  describe('transfers', () => transfersSuite(start));
  describe('splits', () => splitsSuite(start));
  describe('lists', () => listsSuite(start));

  describe('the statements that the service sent', () => {
    let service: TestService;
    let rules: StatementRules;
    beforeAll(async () => {
      service = await start();
      rules = await StatementRules.on(databaseUrl(template));
    });
    afterAll(async () => {
      await rules.close();
      await service.stop();
    });

    async function approveAnAdjustment(): Promise<void> {
      const { accountId } = await anOwner(service.api);
      const [one, other] = [await theAdmin(service.api), await anAdminWhoSignedUp(service.api)];
      const strict = await service.replica({ REQUIRE_APPROVALS: 'true', ADJUSTMENT_APPROVAL_LIMIT: '1' });
      const body = { amount: 5, currency: 'USD', direction: 'credit', reason: 'As agreed.' };
      const path = `/v1/accounts/${accountId}/adjustments`;
      await created(strict.api.as(one.token), path, { ...body, amount: 1 }); // up to the limit, which is counted
      const { approval_id } = await created(strict.api.as(one.token), path, body);
      const approval = `/v1/approvals/${approval_id}/approve`;
      expect(await strict.api.as(other.token).post(approval, undefined)).toMatchObject({ status: 200 });
      await strict.stop();
    }

    async function deleteADelivery(): Promise<void> {
      const { api, accountId } = await anOwner(service.api);
      await created(api, '/v1/webhooks', { url: 'https://hooks.countinghouse.test' });
      await created(api, '/v1/transactions', aTransaction(accountId));
      await service.runDueTasks();
      const deliveries = () => service.sql<object>('SELECT id FROM webhook_deliveries');
      const [delivery] = await deliveries();
      expect(delivery).toBeDefined();
      service.clock.move({ days: 31 });
      await service.runDueTasks();
      expect(await deliveries()).not.toContainEqual(delivery);
      expect(sent.timesSent('DELETE FROM webhook_deliveries')).toBeGreaterThan(0);
    }

    it('name the account on the path of its requests', async () => {
      const { api, accountId } = await openedIn2000(service, await anOwner(service.api));
      const resources: [path: string, body: object, status: string][] = [
        ['/v1/transactions', aTransaction(accountId), 'pending'],
        ['/v1/payments', aPaymentRequest(accountId), 'pending'],
        ['/v1/subscriptions', aSubscription(accountId), 'active'],
      ];
      const hot = new SentStatements();
      for (const [path, body, status] of resources) {
        const { id } = await created(api, path, body);
        for (const rest of [`/${id}`, '', `?ending_before=${id}`, `?starting_after=${id}&status=${status}`])
          expect(await api.get(path + rest)).toMatchObject({ status: 200 });
        expect(await api.delete(`${path}/${id}`)).toMatchObject({ status: 200 });
      }
      for (const path of [
        '/v1/account',
        '/v1/account/balance',
        '/v1/account/balance?as_of=2026-01-01',
        '/v1/account/entries',
        '/v1/account/statements/2026-01',
        '/v1/api-keys',
        '/v1/events',
        '/v1/webhooks',
        '/v1/transactions?amount_min=1',
        '/v1/payments?amount_min=1&amount_max=1&status=pending',
      ])
        expect(await api.get(path)).toMatchObject({ status: 200 });
      hot.stop();
      expect(hot.size).toBeGreaterThan(10);
      expect(await hot.faults(rules.namesAccount)).toEqual([]);
    });

    it('lock and change rows of one account only', async () => {
      const { api, accountId } = await anOwner(service.api);
      await created(api, '/v1/transactions', aTransaction(accountId));
      await created(api, '/v1/payments', aPaymentRequest(accountId));
      expect(await api.delete('/v1/account')).toMatchObject({ status: 200 });
      await approveAnAdjustment();
      await deleteADelivery();
      expect(sent.size).toBeGreaterThan(50);
      const faults = await sent.faults(rules.locksOneAccount);
      // Nobody else changes the entries that are sealed, and their lock is that on the head of the chain.
      const isSealing =
        /of account_audit_entries: (INSERT INTO audit_log|DELETE FROM account_audit_entries) /;
      expect(faults.filter((fault) => !isSealing.test(fault))).toEqual([]);
    });

    it('have columns in the subselects that span accounts, also those of the metrics', async () => {
      const { api } = await anOwner(service.api);
      await created(api, '/v1/webhooks', { url: 'https://hooks.countinghouse.test' });
      await service.runDueTasks();
      const metrics = async (): Promise<string> => (await fetch(service.metricsUrl!)).text();
      await eventually(metrics).toContain('countinghouse_events_waiting 0');
      const { api: ofAdmin } = await theAdmin(service.api);
      for (const path of [
        '/v1/totals',
        '/v1/totals?currency=USD&from=2026-01-01&to=2026-02-01',
        '/v1/search?q=invoice-2041',
        '/v1/accounts?name=a',
        '/v1/adjustments?status=posted',
        '/v1/approvals?status=pending',
        '/v1/transactions?amount_min=1',
      ])
        expect([path, await ofAdmin.get(path)]).toMatchObject([path, { status: 200 }]);
      expect(sent.timesSent('daily_totals')).toBeGreaterThan(0);
      expect(await sent.faults(rules.selectsColumns)).toEqual([]);
    });

    it('change rows by functions whose result depends on their arguments only', async () => {
      expect(await sent.faults(rules.changesByImmutableFunctions)).toEqual([]);
    });
  });
});
