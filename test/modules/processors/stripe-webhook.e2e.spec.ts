import { anOwner, Owner } from '../../support/people';
import { startTestService } from '../../support/service';
import { STRIPE_KEY, WEBHOOK_SECRET } from '../../support/stripe-double';
import { statusOf } from '../../support/payment-page';
import {
  startCheckout,
  balanceOf,
  unappliedPaymentsOf,
  startWithStripe,
  deliverEvent,
  StripeSetup,
} from '../../support/stripe-service';

const PATH = '/v1/processors/stripe/events';
const NEXT_SECRET = 'whsec_the_next_one_while_rotating';

describe('The webhook of Stripe', () => {
  let setup: StripeSetup;
  let owner: Owner;

  beforeAll(async () => {
    setup = await startWithStripe({ STRIPE_WEBHOOK_SECRET: `${NEXT_SECRET}, ${WEBHOOK_SECRET}` });
  });
  afterAll(() => setup.stop());
  beforeEach(async () => {
    owner = await anOwner(setup.service.api);
  });

  const post = async (body: string | undefined, headers: Record<string, string>): Promise<[number, any]> => {
    const response = await fetch(`${setup.service.url}${PATH}`, { method: 'POST', headers, body });
    return [response.status, await response.json()];
  };
  const json = { 'content-type': 'application/json' };
  const events = async (): Promise<number> =>
    Number((await setup.service.sql<{ n: string }>('SELECT count(*) AS n FROM processor_events'))[0]!.n);

  /** The event of a payment, not yet delivered. */
  async function anEvent(): Promise<{
    event: string;
    unpaid: () => Promise<void>;
    paid: () => Promise<void>;
  }> {
    const { link, session } = await startCheckout(setup, owner);
    const event = setup.stripe.event('checkout.session.completed', setup.stripe.pay(session));
    return {
      event,
      unpaid: async () => expect(await statusOf(owner.api, link)).toBe('pending'),
      paid: async () => {
        expect(await statusOf(owner.api, link)).toBe('succeeded');
        expect((await balanceOf(owner.api)).posted).toBe(1250);
        expect(await unappliedPaymentsOf(setup, owner.accountId)).toEqual([]);
      },
    };
  }

  it('processes an event once, also when it is delivered concurrently', async () => {
    const { event, paid } = await anEvent();
    const before = await events();
    const statuses = await Promise.all(
      Array.from({ length: 20 }, () => setup.stripe.deliver(setup.service.url, event)),
    );
    expect(statuses).toEqual(statuses.map(() => 200));
    expect(await setup.stripe.deliver(setup.service.url, event)).toBe(200);
    await paid();
    expect(await events()).toBe(before + 1);
  });

  it('records a payment once when twenty events with different ids deliverEvent it', async () => {
    const { link, session } = await startCheckout(setup, owner);
    setup.stripe.pay(session);
    await Promise.all(
      Array.from({ length: 20 }, () => deliverEvent(setup, 'checkout.session.completed', session)),
    );
    expect(await statusOf(owner.api, link)).toBe('succeeded');
    expect((await balanceOf(owner.api)).posted).toBe(1250);
    expect(await unappliedPaymentsOf(setup, owner.accountId)).toEqual([]);
  });

  it('processes an event that arrives before the response to the creation of the session', async () => {
    const { link, session } = await startCheckout(setup, owner);
    await setup.service.sql(
      'UPDATE hosted_checkouts SET processor_reference = NULL WHERE payment_request_id = $1',
      [link.id],
    );
    await deliverEvent(setup, 'checkout.session.completed', setup.stripe.payLater(session));
    expect(await checkoutStatusOf(link.id)).toBe('processing');
    await deliverEvent(
      setup,
      'checkout.session.async_payment_succeeded',
      setup.stripe.endPayment(session, true),
    );
    expect(await statusOf(owner.api, link)).toBe('succeeded');
  });

  const checkoutStatusOf = async (id: string): Promise<string | undefined> => {
    const [row] = await setup.service.sql<{ status: string }>(
      'SELECT status FROM hosted_checkouts WHERE payment_request_id = $1',
      [id],
    );
    return row?.status;
  };

  describe('rejects an event', () => {
    it.each<[string, (event: string) => [body: string | undefined, signature: string | null]]>([
      ['without a signature', (event) => [event, null]],
      ['with an empty signature', (event) => [event, '']],
      ['with a malformed signature', (event) => [event, 't=1,v1=00']],
      ['without a timestamp', (event) => [event, setup.stripe.sign(event).replace(/^t=\d+,/, '')]],
      [
        'signed with another secret',
        (event) => [event, setup.stripe.sign(event, { secret: 'whsec_of_an_attacker' })],
      ],
      ['signed with the API key', (event) => [event, setup.stripe.sign(event, { secret: STRIPE_KEY })]],
      ['signed more than five minutes ago', (event) => [event, setup.stripe.sign(event, { age: 301 })]],
      [
        'with a changed timestamp',
        (event) => [
          event,
          setup.stripe.sign(event, { age: 600 }).replace(/^t=\d+/, `t=${Math.floor(Date.now() / 1000)}`),
        ],
      ],
      ['signed by another scheme', (event) => [event, setup.stripe.sign(event).replace('v1=', 'v0=')]],
      ['with changed content', (event) => [event.replace('"paid"', '"unpaid"'), setup.stripe.sign(event)]],
      ['serialized differently', (event) => [JSON.stringify(JSON.parse(event)), setup.stripe.sign(event)]],
      ['without a body', (event) => [undefined, setup.stripe.sign(event)]],
    ])('%s', async (_, make) => {
      const { event, unpaid } = await anEvent();
      const before = await events();
      const [body, signature] = make(event);
      const [status, response] = await post(body, {
        ...json,
        ...(signature !== null && { 'stripe-signature': signature }),
      });
      expect([status, response.error]).toEqual([400, 'invalid_request']);
      expect(Object.keys(response).toSorted()).toEqual(['error', 'message']);
      await unpaid();
      expect(await events()).toBe(before);
    });

    it('of another content type, or too large', async () => {
      const { event, unpaid } = await anEvent();
      const signature = { 'stripe-signature': setup.stripe.sign(event) };
      expect((await post(event, { 'content-type': 'text/plain', ...signature }))[0]).toBe(400);
      const large = `${' '.repeat(1024 * 1024)}${event}`;
      expect((await post(large, { ...json, 'stripe-signature': setup.stripe.sign(large) }))[0]).toBe(413);
      await unpaid();
    });
  });

  it('accepts recent events signed with either secret', async () => {
    const first = await anEvent();
    const signature = setup.stripe.sign(first.event, { age: 297, secret: NEXT_SECRET });
    expect(await setup.stripe.deliver(setup.service.url, first.event, signature)).toBe(200);
    await first.paid();
    owner = await anOwner(setup.service.api);
    const second = await anEvent();
    setup.service.clock.move({ minutes: 10 });
    expect(await setup.stripe.deliver(setup.service.url, second.event)).toBe(200);
    await second.paid();
    owner = await anOwner(setup.service.api);
    const third = await anEvent();
    const old = setup.stripe.sign(third.event);
    setup.service.clock.move({ minutes: 6 });
    expect(await setup.stripe.deliver(setup.service.url, third.event, old)).toBe(400);
    await third.unpaid();
  });

  it('acknowledges events of other applications without recording them', async () => {
    const { link, session } = await startCheckout(setup, owner);
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
      expect(await setup.stripe.deliver(setup.service.url, setup.stripe.event(type, object, members))).toBe(
        200,
      );
    }
    expect([await statusOf(owner.api, link), await events()]).toEqual(['pending', before]);
  });

  describe('rejects an event of an unexpected shape:', () => {
    const values = [null, undefined, 7, -1, 1.5, 1e300, '', '\0', '\ud800', 'x'.repeat(1_000), [], {}, true];
    const members = (object: object): string[] => Object.keys(object);

    it.each([
      'checkout.session.completed',
      'checkout.session.async_payment_failed',
      'checkout.session.expired',
      'refund.updated',
    ])('%s', async (type) => {
      const { session } = await startCheckout(setup, owner);
      const { metadata } = session;
      const refund = { id: 're_1', object: 'refund', status: 'failed', failure_reason: 'unknown', metadata };
      const object = type.startsWith('refund')
        ? { ...refund, metadata: { ...metadata, order: 'txn_01k9x8v2t4e6rb3m5n7p9q1s0w', round: '1' } }
        : { ...setup.stripe.pay(session), amount_total: 1250 };
      const events = values.flatMap((value) => [
        setup.stripe.event(type, object, { id: value }),
        setup.stripe.event(type, object, { data: value }),
        setup.stripe.event(type, object, { data: { object: value } }),
        setup.stripe.event(type, object, { type: value }),
        ...members(object).map((name) => setup.stripe.event(type, { ...object, [name]: value })),
        ...members(object.metadata!).map((name) =>
          setup.stripe.event(type, { ...object, metadata: { ...object.metadata, [name]: value } }),
        ),
      ]);
      for (const event of [...events, '7', 'null', '[]', '{}', '""']) {
        const status = await setup.stripe.deliver(setup.service.url, event);
        if (status !== 200 && status !== 400) throw new Error(`The response to ${event} is ${status}.`);
      }
    });
  });

  it('logs an event of an unknown payment request', async () => {
    const { session } = await startCheckout(setup, owner);
    const metadata = { ...session.metadata, payment_id: 'pay_01k9x8v2t4e6rb3m5n7p9q1s0w' };
    await deliverEvent(setup, 'checkout.session.completed', { ...setup.stripe.pay(session), metadata });
    expect(setup.service.logged.join('')).toContain('pay_01k9x8v2t4e6rb3m5n7p9q1s0w, which is unknown here');
  });

  it('processes a repeated event after the first delivery failed', async () => {
    const { event, unpaid, paid } = await anEvent();
    await setup.service.sql('ALTER TABLE processor_events RENAME TO hidden');
    expect(await setup.stripe.deliver(setup.service.url, event)).toBe(500);
    await setup.service.sql('ALTER TABLE hidden RENAME TO processor_events');
    await unpaid();
    expect(await setup.stripe.deliver(setup.service.url, event)).toBe(200);
    await paid();
  });

  it('deletes recorded events after 60 days', async () => {
    const { event } = await anEvent();
    await setup.stripe.deliver(setup.service.url, event);
    setup.service.clock.move({ days: 59 });
    await setup.service.runDueTasks();
    expect(await events()).toBeGreaterThan(0);
    setup.service.clock.move({ days: 2 });
    await setup.service.runDueTasks();
    expect(await events()).toBe(0);
  });

  it('does not exist with another processor', async () => {
    const event = setup.stripe.event('checkout.session.completed', {});
    for (const PROCESSOR of ['sandbox', 'manual']) {
      const other = await startTestService({ PROCESSOR });
      expect(await setup.stripe.deliver(other.url, event)).toBe(404);
      await other.stop();
    }
    const get = await fetch(`${setup.service.url}${PATH}`);
    expect(get.status).toBe(404);
  });
});
