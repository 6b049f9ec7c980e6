import fc from 'fast-check';
import { anOwner, Owner } from '../../../support/people';
import { draw, rounds, SEED } from '../../../support/rounds';
import { open, stateOf, statusOf } from '../../../support/payment-page';
import {
  startCheckout,
  journalOf,
  unappliedPaymentsOf,
  startWithStripe,
  submitPayment,
  StripeSetup,
} from '../../../support/stripe-service';

/** What may happen to a payment request while its customer pays at Stripe. */
const actions = [
  'report',
  'report',
  'submit',
  'cancel',
  'expire',
  'run tasks',
  'close',
  'settle',
  'suspend',
] as const;
type Action = (typeof actions)[number];

describe(`Concurrent changes of a payment request (seed ${SEED})`, () => {
  let setup: StripeSetup;

  beforeAll(async () => {
    setup = await startWithStripe();
  });
  afterAll(() => setup.stop());

  /** Runs the actions at once. Every payment that Stripe received is then posted or unapplied. */
  async function race(order: readonly Action[]): Promise<string> {
    const { service, stripe } = setup;
    const owner: Owner = await anOwner(service.api);
    const { api } = await setup.admin();
    const expires_at = new Date(service.clock.now().getTime() + 31 * 60_000).toISOString();
    const { link, session } = await startCheckout(setup, owner, { expires_at });
    stripe.pay(session);
    const event = stripe.event('checkout.session.completed', session);
    const run: Record<Action, () => Promise<unknown>> = {
      report: () => stripe.deliver(service.url, event),
      submit: () => submitPayment(link.url),
      cancel: () => owner.api.delete(`/v1/payments/${link.id}`),
      expire: async () => service.clock.move({ minutes: 32 }),
      'run tasks': () => service.runDueTasks(),
      close: () => owner.api.delete('/v1/account'),
      settle: () => api.post(`/v1/payments/${link.id}/settlement`, { outcome: 'succeeded', amount: 1250 }),
      suspend: () => api.patch(`/v1/accounts/${owner.accountId}`, { status: 'suspended' }),
    };
    await Promise.all(order.map((action) => run[action]()));
    await stripe.deliver(service.url, stripe.event('checkout.session.completed', session));

    const status = await statusOf(api, link);
    const unapplied = await unappliedPaymentsOf(setup, owner.accountId);
    const posted = await journalOf(setup, owner.accountId);
    const settledByOperator = order.includes('settle') && status === 'succeeded' && unapplied.length === 1;
    // The payment at Stripe either pays the request or is unapplied, never both and never neither.
    expect([status, posted, unapplied.length]).toEqual(
      unapplied.length === 0
        ? ['succeeded', 1250, 0]
        : [settledByOperator ? 'succeeded' : 'canceled', settledByOperator ? 1250 : 0, 1],
    );
    const shown = stateOf(await open(link.url));
    expect(
      { succeeded: ['paid'], canceled: unapplied.length > 0 ? ['unapplied'] : ['canceled', 'expired'] }[
        status
      ],
    ).toContain(shown);

    await service.runDueTasks();
    const after = await unappliedPaymentsOf(setup, owner.accountId);
    expect(after.map(({ status: end }) => end)).toEqual(unapplied.map(() => 'returned'));
    const refunded = [...stripe.refunds.values()].filter(
      (one) => one.payment_intent === session.payment_intent,
    );
    expect(refunded.reduce((sum, { amount }) => sum + amount, 0)).toBe(unapplied.length * 1250);
    return unapplied[0]?.reason ?? status;
  }

  it('lead to one outcome, and no money is lost', async () => {
    const orders = draw(fc.shuffledSubarray([...actions], { minLength: 3 }), rounds(24));
    const ends = new Set<string>();
    for (const order of orders) ends.add(await race(order));
    expect(ends.size).toBeGreaterThan(2);
  }, 300_000);

  it('leave at most one session open, and none of a canceled request', async () => {
    const owner = await anOwner(setup.service.api);
    for (let round = 0; round < rounds(6); round += 1) {
      const { link, session } = await startCheckout(setup, owner);
      setup.stripe.expire(session);
      if (round % 2 === 0) setup.stripe.fail(/POST \/v1\/checkout\/sessions$/, 'lost', 2);
      await Promise.all([
        submitPayment(link.url),
        submitPayment(link.url),
        ...(round % 3 === 0 ? [owner.api.delete(`/v1/payments/${link.id}`)] : []),
      ]);
      setup.stripe.clearFaults();
      const openOnes = () =>
        setup.stripe.sessionsOf(link.id).filter(({ status }) => status === 'open').length;
      expect(openOnes()).toBeLessThanOrEqual(1);
      await setup.service.runDueTasks();
      await setup.service.runDueTasks();
      if ((await statusOf(owner.api, link)) === 'canceled') expect(openOnes()).toBe(0);
    }
  }, 300_000);
});
