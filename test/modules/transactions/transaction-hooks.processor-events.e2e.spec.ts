import { Module, OnModuleInit } from '@nestjs/common';
import { DomainError } from '../../../src/kernel/domain-error';
import { TransactionHook, TransactionHooks } from '../../../src/modules/transactions';
import { TransactionsModule } from '../../../src/modules/transactions/transactions.module';
import { aTransaction } from '../../support/request-bodies';
import { anOwner, created } from '../../support/people';
import { statusOf } from '../../support/payment-page';
import {
  aPayment,
  startCheckout,
  balanceOf,
  journalOf,
  unappliedPaymentsOf,
  startWithStripe,
  deliverEvent,
  StripeSetup,
  stateOfPage,
} from '../../support/stripe-service';

/** What the hook does in the current test. */
let hook: Pick<TransactionHook, 'before' | 'after'> = {};

const forbidding = (forbidden: string): Pick<TransactionHook, 'before'> => ({
  before: async (_tx, transition) => {
    if (transition === forbidden) throw new DomainError('forbidden', 'Not now.');
  },
});

@Module({ imports: [TransactionsModule] })
class RuleModule implements OnModuleInit {
  constructor(private readonly hooks: TransactionHooks) {}

  onModuleInit(): void {
    this.hooks.register({
      name: 'rule',
      before: async (...args) => hook.before?.(...args),
      after: (...args) => hook.after?.(...args),
    });
  }
}

describe('Transaction hooks and the events of Stripe', () => {
  let setup: StripeSetup;

  beforeAll(async () => {
    setup = await startWithStripe({}, undefined, [{ module: RuleModule }]);
  });
  afterAll(() => setup.stop());
  afterEach(() => {
    hook = {};
  });

  it('a payment that a hook rejects is returned to the customer, and the request stays open', async () => {
    const owner = await anOwner(setup.service.api);
    const { link, session } = await startCheckout(setup, owner);
    hook = forbidding('create');
    await deliverEvent(setup, 'checkout.session.completed', setup.stripe.pay(session));
    hook = {};
    await deliverEvent(setup, 'checkout.session.completed', session);
    await setup.service.runDueTasks();
    expect(await unappliedPaymentsOf(setup, owner.accountId)).toMatchObject([
      { reason: 'rejected', status: 'returned' },
    ]);
    expect([await statusOf(owner.api, link), await stateOfPage(link.url)]).toEqual(['pending', 'pay']);
    expect((await balanceOf(owner.api)).posted).toBe(0);
  });

  it('a hook that throws after the payment is posted undoes everything, and Stripe repeats the event', async () => {
    const owner = await anOwner(setup.service.api);
    const { link, session } = await startCheckout(setup, owner);
    const event = setup.stripe.event('checkout.session.completed', setup.stripe.pay(session));
    hook = {
      after: () => {
        throw new DomainError('forbidden', 'Too late.');
      },
    };
    expect(await setup.stripe.deliver(setup.service.url, event)).toBe(500);
    expect(await unappliedPaymentsOf(setup, owner.accountId)).toEqual([]);
    expect(await journalOf(setup, owner.accountId)).toBe(0);
    hook = {};
    expect(await setup.stripe.deliver(setup.service.url, event)).toBe(200);
    expect(await statusOf(owner.api, link)).toBe('succeeded');
    expect(await journalOf(setup, owner.accountId)).toBe(1250);
  });

  it('a refund that a hook does not let settle stays pending, and Stripe repeats the event', async () => {
    const owner = await anOwner(setup.service.api);
    setup.stripe.newRefundStatus = 'pending';
    const members = { type: 'refund', source_transaction_id: await aPayment(setup, owner) };
    const { id } = await created(owner.api, '/v1/transactions', aTransaction(owner.accountId, members));
    await setup.service.runDueTasks();
    const [refund] = [...setup.stripe.refunds.values()].filter(({ metadata }) => metadata!['order'] === id);
    const event = setup.stripe.event('refund.updated', setup.stripe.end(refund!, 'succeeded'));
    hook = forbidding('settle');
    expect(await setup.stripe.deliver(setup.service.url, event)).toBe(503);
    expect(await balanceOf(owner.api)).toEqual({ posted: 1250, held: 1250, available: 0 });
    hook = {};
    expect(await setup.stripe.deliver(setup.service.url, event)).toBe(200);
    expect(await balanceOf(owner.api)).toEqual({ posted: 0, held: 0, available: 0 });
  });
});
