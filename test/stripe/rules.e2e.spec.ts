import { Module, OnModuleInit } from '@nestjs/common';
import { Refusal } from '../../src/kernel/refusal';
import { TransactionHooks, TransactionsModule, TransactionStep } from '../../src/modules/transactions';
import { aTransaction } from '../support/movements';
import { anOwner, created } from '../support/people';
import { statusOf } from '../payment-page/visitor';
import { aPayment, atCheckout, balanceOf, latePaymentsOf, openShop, report, Shop, stateOfPage } from './shop';

/** The step that the operator's rule forbids at the moment. */
let forbidden: TransactionStep | null = null;

@Module({ imports: [TransactionsModule] })
class RuleModule implements OnModuleInit {
  constructor(private readonly hooks: TransactionHooks) {}

  onModuleInit(): void {
    this.hooks.join({
      name: 'rule',
      before: async (_tx, step) => {
        if (step === forbidden) throw new Refusal('forbidden', 'Not now.');
      },
    });
  }
}

describe('A rule of the operator against what Stripe reports', () => {
  let shop: Shop;

  beforeAll(async () => {
    shop = await openShop({}, undefined, [RuleModule]);
  });
  afterAll(() => shop.stop());
  afterEach(() => {
    forbidden = null;
  });

  it('makes a payment late, which is sent back, and leaves the request open', async () => {
    const owner = await anOwner(shop.service.api);
    const { link, session } = await atCheckout(shop, owner);
    forbidden = 'create';
    await report(shop, 'checkout.session.completed', shop.stripe.pay(session));
    forbidden = null;
    await report(shop, 'checkout.session.completed', session);
    await shop.service.sweep();
    expect(await latePaymentsOf(shop, owner.accountId)).toMatchObject([
      { reason: 'refused', status: 'returned' },
    ]);
    expect([await statusOf(owner.api, link), await stateOfPage(link.url)]).toEqual(['pending', 'pay']);
    expect((await balanceOf(owner.api)).posted).toBe(0);
  });

  it('holds a refund up that has happened at Stripe, and Stripe is asked to tell again', async () => {
    const owner = await anOwner(shop.service.api);
    shop.stripe.refundsBegin = 'pending';
    const members = { type: 'refund', source_transaction_id: await aPayment(shop, owner) };
    const { id } = await created(owner.api, '/v1/transactions', aTransaction(owner.accountId, members));
    await shop.service.sweep();
    const [refund] = [...shop.stripe.refunds.values()].filter(({ metadata }) => metadata!['order'] === id);
    const event = shop.stripe.event('refund.updated', shop.stripe.end(refund!, 'succeeded'));
    forbidden = 'settle';
    expect(await shop.stripe.deliver(shop.service.url, event)).toBe(503);
    expect(await balanceOf(owner.api)).toEqual({ posted: 1250, held: 1250, available: 0 });
    forbidden = null;
    expect(await shop.stripe.deliver(shop.service.url, event)).toBe(200);
    expect(await balanceOf(owner.api)).toEqual({ posted: 0, held: 0, available: 0 });
  });
});
