import fc from 'fast-check';
import { anOwner, Owner } from '../support/people';
import { draw, rounds, SEED } from '../support/rounds';
import { open, stateOf, statusOf } from '../payment-page/visitor';
import { atCheckout, journalOf, latePaymentsOf, openShop, pressPay, Shop } from './shop';

/** What may happen to a payment request at the moment in which its customer pays at Stripe. */
const deeds = [
  'report',
  'report',
  'press',
  'cancel',
  'expire',
  'sweep',
  'close',
  'settle',
  'suspend',
] as const;
type Deed = (typeof deeds)[number];

describe(`Raced at one barrier (seed ${SEED})`, () => {
  let shop: Shop;

  beforeAll(async () => {
    shop = await openShop();
  });
  afterAll(() => shop.stop());

  /** Everything that moves money, and what must come of it: every cent that Stripe took is booked, late, or back. */
  async function race(order: readonly Deed[]): Promise<string> {
    const { service, stripe } = shop;
    const owner: Owner = await anOwner(service.api);
    const { api } = await shop.admin();
    const expires_at = new Date(service.clock.now().getTime() + 31 * 60_000).toISOString();
    const { link, session } = await atCheckout(shop, owner, { expires_at });
    stripe.pay(session);
    const event = stripe.event('checkout.session.completed', session);
    const doing: Record<Deed, () => Promise<unknown>> = {
      report: () => stripe.deliver(service.url, event),
      press: () => pressPay(link.url),
      cancel: () => owner.api.delete(`/v1/payments/${link.id}`),
      expire: async () => service.clock.move({ minutes: 32 }),
      sweep: () => service.sweep(),
      close: () => owner.api.delete('/v1/account'),
      settle: () => api.post(`/v1/payments/${link.id}/settlement`, { outcome: 'succeeded', amount: 1250 }),
      suspend: () => api.patch(`/v1/accounts/${owner.accountId}`, { status: 'suspended' }),
    };
    await Promise.all(order.map((deed) => doing[deed]()));
    await stripe.deliver(service.url, stripe.event('checkout.session.completed', session));

    const status = await statusOf(api, link);
    const late = await latePaymentsOf(shop, owner.accountId);
    const booked = await journalOf(shop, owner.accountId);
    const byHand = order.includes('settle') && status === 'succeeded' && late.length === 1;
    // The one payment at Stripe is either what the request was paid with, or late; never both, never neither.
    expect([status, booked, late.length]).toEqual(
      late.length === 0 ? ['succeeded', 1250, 0] : [byHand ? 'succeeded' : 'canceled', byHand ? 1250 : 0, 1],
    );
    const shown = stateOf(await open(link.url));
    expect(
      { succeeded: ['paid'], canceled: late.length > 0 ? ['late'] : ['canceled', 'expired'] }[status],
    ).toContain(shown);

    await service.sweep();
    const after = await latePaymentsOf(shop, owner.accountId);
    expect(after.map(({ status: end }) => end)).toEqual(late.map(() => 'returned'));
    const refunded = [...stripe.refunds.values()].filter(
      (one) => one.payment_intent === session.payment_intent,
    );
    expect(refunded.reduce((sum, { amount }) => sum + amount, 0)).toBe(late.length * 1250);
    return late[0]?.reason ?? status;
  }

  it('pay x press x cancel x expire x close x settle x sweep: one outcome, and no money is lost', async () => {
    const orders = draw(fc.shuffledSubarray([...deeds], { minLength: 3 }), rounds(24));
    const ends = new Set<string>();
    for (const order of orders) ends.add(await race(order));
    expect(ends.size).toBeGreaterThan(2);
  }, 300_000);

  it('two tabs, a lost answer and a cancel: one session at most is open, and none for what is canceled', async () => {
    const owner = await anOwner(shop.service.api);
    for (let round = 0; round < rounds(6); round += 1) {
      const { link, session } = await atCheckout(shop, owner);
      shop.stripe.expire(session);
      if (round % 2 === 0) shop.stripe.fail(/POST \/v1\/checkout\/sessions$/, 'lost', 2);
      await Promise.all([
        pressPay(link.url),
        pressPay(link.url),
        ...(round % 3 === 0 ? [owner.api.delete(`/v1/payments/${link.id}`)] : []),
      ]);
      shop.stripe.forgetFaults();
      const openOnes = () => shop.stripe.sessionsOf(link.id).filter(({ status }) => status === 'open').length;
      expect(openOnes()).toBeLessThanOrEqual(1);
      await shop.service.sweep();
      await shop.service.sweep();
      if ((await statusOf(owner.api, link)) === 'canceled') expect(openOnes()).toBe(0);
    }
  }, 300_000);
});
