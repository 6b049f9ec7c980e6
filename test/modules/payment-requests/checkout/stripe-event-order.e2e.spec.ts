import fc from 'fast-check';
import { anOwner, created, Owner } from '../../../support/people';
import { statusOf } from '../../../support/payment-page';
import { aTransaction } from '../../../support/request-bodies';
import { draw, rounds, SEED } from '../../../support/rounds';
import { StripeDouble, WEBHOOK_SECRET } from '../../../support/stripe-double';
import {
  aPayment,
  balanceOf,
  journalOf,
  startCheckout,
  startWithStripe,
  stateOfPage,
  StripeSetup,
  unappliedPaymentsOf,
} from '../../../support/stripe-service';

const OLD_SECRET = 'whsec_until_the_rotation_ends';
const SECRETS = [WEBHOOK_SECRET, OLD_SECRET];

type Session = Parameters<StripeDouble['pay']>[0];

/** What Stripe reports of one payment or refund, and what is then true, whatever the order. */
interface Story {
  readonly owner: Owner;
  readonly events: readonly string[];
  /** Returns the status, the state of the page where there is one, and the posted amount. */
  readonly outcome: () => Promise<unknown[]>;
  readonly expected: readonly unknown[];
}

describe(`Events of Stripe in any order and number (seed ${SEED})`, () => {
  let setup: StripeSetup;

  beforeAll(async () => {
    setup = await startWithStripe({ STRIPE_WEBHOOK_SECRET: SECRETS.join(',') });
  });
  afterAll(() => setup.stop());

  /** The event as Stripe sends it now: what happens to the object later does not change it. */
  const event = (type: string, object: object): string => setup.stripe.event(type, structuredClone(object));

  async function aCheckout(
    happen: (session: Session) => readonly string[],
    expected: readonly unknown[],
  ): Promise<Story> {
    const owner = await anOwner(setup.service.api);
    const { link, session } = await startCheckout(setup, owner);
    return {
      owner,
      events: happen(session),
      expected,
      outcome: async () => [
        await statusOf((await setup.admin()).api, link),
        await stateOfPage(link.url),
        await journalOf(setup, owner.accountId),
      ],
    };
  }

  async function aRefund(
    happen: (refund: Parameters<StripeDouble['end']>[0]) => readonly string[],
    expected: readonly unknown[],
  ): Promise<Story> {
    const owner = await anOwner(setup.service.api);
    setup.stripe.newRefundStatus = 'pending';
    const { id } = await created(owner.api, '/v1/transactions', {
      ...aTransaction(owner.accountId, { type: 'refund', amount: 1000 }),
      source_transaction_id: await aPayment(setup, owner),
    });
    await setup.service.runDueTasks();
    const refund = [...setup.stripe.refunds.values()].find(({ metadata }) => metadata!['order'] === id)!;
    return {
      owner,
      events: happen(refund),
      expected,
      outcome: async () => [
        (await (await setup.admin()).api.get(`/v1/transactions/${id}`)).body.status,
        await journalOf(setup, owner.accountId),
      ],
    };
  }

  const stories = async (): Promise<Story[]> => [
    await aCheckout(
      (session) => [event('checkout.session.completed', setup.stripe.pay(session))],
      ['succeeded', 'paid', 1250],
    ),
    await aCheckout(
      (session) => [
        event('checkout.session.completed', setup.stripe.payLater(session)),
        event('checkout.session.async_payment_succeeded', setup.stripe.endPayment(session, true)),
      ],
      ['succeeded', 'paid', 1250],
    ),
    await aCheckout(
      (session) => [
        event('checkout.session.completed', setup.stripe.payLater(session)),
        event('checkout.session.async_payment_failed', setup.stripe.endPayment(session, false)),
      ],
      ['pending', 'pay', 0],
    ),
    await aCheckout(
      (session) => [event('checkout.session.expired', setup.stripe.expire(session))],
      ['pending', 'pay', 0],
    ),
    await aRefund(
      (refund) => [
        event('refund.created', refund),
        event('refund.updated', setup.stripe.end(refund, 'succeeded')),
        event('charge.refund.updated', refund),
      ],
      ['succeeded', 250],
    ),
    await aRefund(
      (refund) => [
        event('refund.created', refund),
        event('refund.failed', setup.stripe.end(refund, 'failed', 'lost_or_stolen_card')),
        event('charge.refund.updated', refund),
      ],
      ['failed', 1250],
    ),
  ];

  /** The same event under another id, as Stripe reports a change to a second endpoint. */
  const underAnotherId = (payload: string): string => {
    const { type, data } = JSON.parse(payload) as { type: string; data: { object: object } };
    return setup.stripe.event(type, data.object);
  };

  const deliver = async (payload: string, secret = WEBHOOK_SECRET): Promise<void> => {
    const signature = setup.stripe.sign(payload, { secret });
    expect(await setup.stripe.deliver(setup.service.url, payload, signature)).toBe(200);
  };

  async function assertOutcomes(all: readonly Story[]): Promise<void> {
    for (const { owner, outcome, expected } of all) {
      expect(await outcome()).toEqual(expected);
      expect(await unappliedPaymentsOf(setup, owner.accountId)).toEqual([]);
    }
  }

  const steps = fc.record({
    /** The place of each delivery. */
    order: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 60, maxLength: 60 }),
    repeats: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 20, maxLength: 20 }),
    atOnce: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 60, maxLength: 60 }),
    secrets: fc.array(fc.constantFrom(...SECRETS), { minLength: 60, maxLength: 60 }),
    pauses: fc.array(fc.constantFrom({}, {}, {}, { minutes: 6 }, { minutes: 50 }), {
      minLength: 60,
      maxLength: 60,
    }),
  });

  it('lead to the same end', async () => {
    for (const { order, repeats, atOnce, secrets, pauses } of draw(steps, rounds(2))) {
      const all = await stories();
      const events = all.flatMap((story) => story.events);
      const deliveries = events
        .flatMap((each, index) => [each, ...Array<string>(repeats[index]!).fill(each), underAnotherId(each)])
        .map((payload, index) => ({ payload, place: order[index]! }))
        .toSorted((a, b) => a.place - b.place);
      for (let turn = 0; deliveries.length > 0; turn += 1) {
        setup.service.clock.move(pauses[turn]!);
        const next = deliveries.splice(0, atOnce[turn]);
        await Promise.all(next.map(({ payload }, index) => deliver(payload, secrets[turn + index])));
      }
      await assertOutcomes(all);

      // Days later, in the original order and in the opposite one.
      setup.service.clock.move({ days: 3 });
      for (const payload of [...events, ...events.toReversed()]) await deliver(payload);
      await assertOutcomes(all);

      // An id that has been processed brings nothing new, and an old signature is not accepted.
      const other = (payload: string, more: object): string =>
        JSON.stringify({ ...(JSON.parse(payload) as object), ...more });
      const [paid] = events;
      const data = { object: { ...JSON.parse(paid!).data.object, payment_intent: 'pi_other' } };
      await deliver(other(paid!, { data }));
      const old = setup.stripe.sign(paid!);
      setup.service.clock.move({ minutes: 6 });
      expect(await setup.stripe.deliver(setup.service.url, paid!, old)).toBe(400);
      await assertOutcomes(all);
    }
  });

  it('leave an account with the balance that its journal has', async () => {
    for (const { owner, events, expected } of await stories()) {
      for (const payload of events.toReversed()) await deliver(payload);
      expect((await balanceOf(owner.api)).posted).toBe(expected.at(-1));
    }
  });
});
