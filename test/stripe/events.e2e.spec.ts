import { anOwner, Owner } from '../support/people';
import { startTestService } from '../support/service';
import { STRIPE_KEY, WEBHOOK_SECRET } from '../support/stripe-double';
import { statusOf } from '../payment-page/visitor';
import { atCheckout, balanceOf, latePaymentsOf, openShop, report, Shop } from './shop';

const PATH = '/v1/processors/stripe/events';
const NEXT_SECRET = 'whsec_the_next_one_while_rotating';

describe('What Stripe reports', () => {
  let shop: Shop;
  let owner: Owner;

  beforeAll(async () => {
    shop = await openShop({ STRIPE_WEBHOOK_SECRET: `${NEXT_SECRET}, ${WEBHOOK_SECRET}` });
  });
  afterAll(() => shop.stop());
  beforeEach(async () => {
    owner = await anOwner(shop.service.api);
  });

  const post = async (body: string | undefined, headers: Record<string, string>): Promise<[number, any]> => {
    const response = await fetch(`${shop.service.url}${PATH}`, { method: 'POST', headers, body });
    return [response.status, await response.json()];
  };
  const json = { 'content-type': 'application/json' };
  const events = async (): Promise<number> =>
    Number((await shop.service.sql<{ n: string }>('SELECT count(*) AS n FROM processor_events'))[0]!.n);

  /** A payment that Stripe is about to report, and the report. */
  async function aReport(): Promise<{
    event: string;
    unpaid: () => Promise<void>;
    paid: () => Promise<void>;
  }> {
    const { link, session } = await atCheckout(shop, owner);
    const event = shop.stripe.event('checkout.session.completed', shop.stripe.pay(session));
    return {
      event,
      unpaid: async () => expect(await statusOf(owner.api, link)).toBe('pending'),
      paid: async () => {
        expect(await statusOf(owner.api, link)).toBe('succeeded');
        expect((await balanceOf(owner.api)).posted).toBe(1250);
        expect(await latePaymentsOf(shop, owner.accountId)).toEqual([]);
      },
    };
  }

  it('counts once, however often it comes and how many times at once', async () => {
    const { event, paid } = await aReport();
    const before = await events();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => shop.stripe.deliver(shop.service.url, event)),
    );
    expect(answers).toEqual(answers.map(() => 200));
    expect(await shop.stripe.deliver(shop.service.url, event)).toBe(200);
    await paid();
    expect(await events()).toBe(before + 1);
  });

  it('counts once also when each of twenty repeats has an id of its own', async () => {
    const { link, session } = await atCheckout(shop, owner);
    shop.stripe.pay(session);
    await Promise.all(Array.from({ length: 20 }, () => report(shop, 'checkout.session.completed', session)));
    expect(await statusOf(owner.api, link)).toBe('succeeded');
    expect((await balanceOf(owner.api)).posted).toBe(1250);
    expect(await latePaymentsOf(shop, owner.accountId)).toEqual([]);
  });

  it('is taken before the answer that names the session is', async () => {
    const { link, session } = await atCheckout(shop, owner);
    await shop.service.sql(
      `UPDATE payment_requests SET checkout = jsonb_set(checkout, '{id}', 'null') WHERE id = $1`,
      [link.id],
    );
    await report(shop, 'checkout.session.completed', shop.stripe.payLater(session));
    expect((await atState(link.id)).state).toBe('processing');
    await report(shop, 'checkout.session.async_payment_succeeded', shop.stripe.decide(session, true));
    expect(await statusOf(owner.api, link)).toBe('succeeded');
  });

  const atState = async (id: string): Promise<any> =>
    (
      await shop.service.sql<{ checkout: any }>('SELECT checkout FROM payment_requests WHERE id = $1', [id])
    )[0]!.checkout;

  describe('is refused, and changes nothing,', () => {
    it.each<[string, (event: string) => [body: string | undefined, signature: string | null]]>([
      ['without a signature', (event) => [event, null]],
      ['with an empty signature', (event) => [event, '']],
      ['with nonsense for a signature', (event) => [event, 't=1,v1=00']],
      ['without a time', (event) => [event, shop.stripe.sign(event).replace(/^t=\d+,/, '')]],
      [
        'signed by somebody else',
        (event) => [event, shop.stripe.sign(event, { secret: 'whsec_of_an_attacker' })],
      ],
      ['signed with the API key', (event) => [event, shop.stripe.sign(event, { secret: STRIPE_KEY })]],
      ['signed too long ago', (event) => [event, shop.stripe.sign(event, { age: 301 })]],
      [
        'with its time moved up',
        (event) => [
          event,
          shop.stripe.sign(event, { age: 600 }).replace(/^t=\d+/, `t=${Math.floor(Date.now() / 1000)}`),
        ],
      ],
      ['by another scheme', (event) => [event, shop.stripe.sign(event).replace('v1=', 'v0=')]],
      ['tampered with', (event) => [event.replace('"paid"', '"unpaid"'), shop.stripe.sign(event)]],
      ['written anew', (event) => [JSON.stringify(JSON.parse(event)), shop.stripe.sign(event)]],
      ['without a body', (event) => [undefined, shop.stripe.sign(event)]],
    ])('%s', async (_, make) => {
      const { event, unpaid } = await aReport();
      const before = await events();
      const [body, signature] = make(event);
      const [status, answer] = await post(body, {
        ...json,
        ...(signature !== null && { 'stripe-signature': signature }),
      });
      expect([status, answer.error]).toEqual([400, 'invalid_request']);
      expect(Object.keys(answer).toSorted()).toEqual(['error', 'message']);
      await unpaid();
      expect(await events()).toBe(before);
    });

    it('in another form or too large', async () => {
      const { event, unpaid } = await aReport();
      const signature = { 'stripe-signature': shop.stripe.sign(event) };
      expect((await post(event, { 'content-type': 'text/plain', ...signature }))[0]).toBe(400);
      const large = `${' '.repeat(1024 * 1024)}${event}`;
      expect((await post(large, { ...json, 'stripe-signature': shop.stripe.sign(large) }))[0]).toBe(413);
      await unpaid();
    });
  });

  it('is taken when it was signed by the clock of the service not long ago, with either secret', async () => {
    const first = await aReport();
    const signature = shop.stripe.sign(first.event, { age: 299, secret: NEXT_SECRET });
    expect(await shop.stripe.deliver(shop.service.url, first.event, signature)).toBe(200);
    await first.paid();
    owner = await anOwner(shop.service.api);
    const second = await aReport();
    shop.service.clock.move({ minutes: 10 });
    expect(await shop.stripe.deliver(shop.service.url, second.event)).toBe(200);
    await second.paid();
    owner = await anOwner(shop.service.api);
    const third = await aReport();
    const old = shop.stripe.sign(third.event);
    shop.service.clock.move({ minutes: 6 });
    expect(await shop.stripe.deliver(shop.service.url, third.event, old)).toBe(400);
    await third.unpaid();
  });

  it('is its business alone: what is not ours is acknowledged and forgotten', async () => {
    const { link, session } = await atCheckout(shop, owner);
    const paid = { ...session, status: 'complete', payment_status: 'paid', payment_intent: 'pi_x' };
    const before = await events();
    for (const [type, object, members] of [
      ['customer.created', { id: 'cus_1', object: 'customer' }],
      ['some.event.yet.to.come', {}],
      ['checkout.session.completed', { ...paid, metadata: null }],
      ['checkout.session.completed', { ...paid, metadata: { ...session.metadata, account_id: "' OR 1=1" } }],
      ['checkout.session.completed', paid, { livemode: true }],
      ['refund.updated', { id: 're_1', object: 'refund', status: 'failed', metadata: { order: link.id } }],
    ] as const) {
      expect(await shop.stripe.deliver(shop.service.url, shop.stripe.event(type, object, members))).toBe(200);
    }
    expect([await statusOf(owner.api, link), await events()]).toEqual(['pending', before]);
  });

  it('of a request that is unknown here, though it is named like ours, is noted in the log', async () => {
    const { session } = await atCheckout(shop, owner);
    const metadata = { ...session.metadata, payment_id: 'pay_01k9x8v2t4e6rb3m5n7p9q1s0w' };
    await report(shop, 'checkout.session.completed', { ...shop.stripe.pay(session), metadata });
    expect(shop.service.logged.join('')).toContain('pay_01k9x8v2t4e6rb3m5n7p9q1s0w, which is unknown here');
  });

  it('is answered 503 while the database is away, so that it comes again, and counts then', async () => {
    const { event, unpaid, paid } = await aReport();
    await shop.service.sql('ALTER TABLE processor_events RENAME TO hidden');
    expect(await shop.stripe.deliver(shop.service.url, event)).toBe(500);
    await shop.service.sql('ALTER TABLE hidden RENAME TO processor_events');
    await unpaid();
    expect(await shop.stripe.deliver(shop.service.url, event)).toBe(200);
    await paid();
  });

  it('is remembered for 60 days', async () => {
    const { event } = await aReport();
    await shop.stripe.deliver(shop.service.url, event);
    shop.service.clock.move({ days: 59 });
    await shop.service.sweep();
    expect(await events()).toBeGreaterThan(0);
    shop.service.clock.move({ days: 2 });
    await shop.service.sweep();
    expect(await events()).toBe(0);
  });

  it('finds the door shut where Stripe is not the processor', async () => {
    const event = shop.stripe.event('checkout.session.completed', {});
    for (const PROCESSOR of ['sandbox', 'manual']) {
      const other = await startTestService({ PROCESSOR });
      expect(await shop.stripe.deliver(other.url, event)).toBe(404);
      await other.stop();
    }
    const get = await fetch(`${shop.service.url}${PATH}`);
    expect(get.status).toBe(404);
  });
});
