import { Module, OnModuleInit } from '@nestjs/common';
import { DomainError } from '../../../src/kernel/domain-error';
import { TransferHooks } from '../../../src/modules/transfers';
import { TransfersModule } from '../../../src/modules/transfers/transfers.module';
import { outcome } from '../../support/account-owned';
import { submitOutcome } from '../../support/payment-page';
import { anAccount, anAdminWhoSignedUp, anOwner, created, Owner, Person } from '../../support/people';
import { aPaymentRequest, aTransaction } from '../../support/request-bodies';
import { startTestService, TestService } from '../../support/service';
import { deliverEvent, startCheckout, startWithStripe } from '../../support/stripe-service';

import { balances, expectSoundBooks, splitsSuite } from './splits.suite';

let isForbidden = false;

@Module({ imports: [TransfersModule] })
class RuleModule implements OnModuleInit {
  constructor(private readonly hooks: TransferHooks) {}

  onModuleInit(): void {
    this.hooks.register({
      name: 'rule',
      before: async () => {
        if (isForbidden) throw new DomainError('forbidden', 'Not now.');
      },
    });
  }
}

describe('Splits of payments', () => splitsSuite(startTestService));

describe('Splits of payments and those who decide', () => {
  let service: TestService;
  let strict: TestService;
  let admins: Person[];
  let payee: Owner;
  let one: Owner;

  beforeAll(async () => {
    service = await startTestService({}, undefined, [{ module: RuleModule }]);
    admins = [await anAdminWhoSignedUp(service.api), await anAdminWhoSignedUp(service.api)];
    strict = await service.replica({ REQUIRE_APPROVALS: 'true', ADJUSTMENT_APPROVAL_LIMIT: '100' });
    admins = admins.map((admin) => ({ ...admin, api: strict.api.as(admin.token) }));
    [payee, one] = [await anOwner(service.api), await anOwner(service.api)];
  });
  afterEach(() => (isForbidden = false));
  afterAll(async () => {
    await expectSoundBooks(service);
    for (const started of [strict, service]) await started.stop();
  });

  const aRequest = () =>
    created(
      payee.api,
      '/v1/payments',
      aPaymentRequest(payee.accountId, { splits: [{ account_id: one.accountId, percent: 20 }] }),
    );

  it('go out when a second admin approves the settlement, who sees to whom', async () => {
    const { id } = await aRequest();
    const asked = { type: 'settle_payment_request', object_id: id, reason: 'It arrived.' };
    const approval = await created(admins[0]!.api, '/v1/approvals', asked);
    expect(approval.details.to).toEqual([one.accountId]);
    const reply = await admins[1]!.api.post(`/v1/approvals/${approval.id}/approve`, undefined);
    expect(outcome(reply)).toBe('200 approved');
    expect(await balances(payee, one)).toEqual([1000, 250]);
  });

  it('are not taken back by a refund that waits for a second admin', async () => {
    const { data } = (await payee.api.get('/v1/transactions?type=payment')).body;
    const refund = (amount: number) => ({
      ...aTransaction(payee.accountId, { type: 'refund', amount, reverse_splits: true }),
      source_transaction_id: data[0].id,
    });
    expect(outcome(await admins[0]!.api.post('/v1/transactions', refund(101)))).toBe('403 forbidden');
    expect(outcome(await admins[0]!.api.post('/v1/transactions', refund(100)))).toBe('201 succeeded');
    expect(await balances(payee, one)).toEqual([920, 230]);
  });

  it('stay where a hook rejects the transfer, and the payment succeeds', async () => {
    const [before, { id, payment_url }] = [await balances(payee, one), await aRequest()];
    isForbidden = true;
    const url = `${service.url}/pay/${payment_url.split('/').at(-1)}`;
    expect((await submitOutcome(url, 'succeeded')).status).toBe(303);
    expect((await payee.api.get(`/v1/payments/${id}`)).body).toMatchObject({
      status: 'succeeded',
      splits: [{ account_id: one.accountId, amount: 250, skipped: true }],
    });
    expect(await balances(payee, one)).toEqual([before[0]! + 1250, before[1]]);
  });
});

it('A payment through Stripe sends its splits, and its refund takes them back', async () => {
  const setup = await startWithStripe();
  const { service, stripe } = setup;
  const [payee, one] = [await anAccount(service.api), await anAccount(service.api)];
  const splits = [{ account_id: one.accountId, percent: 20 }];
  const reported = await startCheckout(setup, payee, { splits });
  await deliverEvent(setup, 'checkout.session.completed', stripe.pay(reported.session));
  expect(await balances(payee, one)).toEqual([1000, 250]);

  // Without an event: a status check finds out.
  const checked = await startCheckout(setup, payee, { splits });
  stripe.pay(checked.session);
  service.clock.move({ seconds: 7200 });
  await service.runDueTasks();
  expect(await balances(payee, one)).toEqual([2000, 500]);

  const { data } = (await payee.api.get('/v1/transactions?type=payment')).body;
  const refund = aTransaction(payee.accountId, {
    type: 'refund',
    source_transaction_id: data[0].id,
    reverse_splits: true,
  });
  expect((await created(payee.api, '/v1/transactions', refund)).status).toBe('pending');
  await service.runDueTasks();
  expect(await balances(payee, one)).toEqual([1000, 250]);
  await expectSoundBooks(service);
  await setup.stop();
});
