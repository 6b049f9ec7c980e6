import { HostedCheckouts } from '../../../../src/modules/payment-requests/checkout/hosted-checkouts.service';
import { anOwner, Owner } from '../../../support/people';
import { aPaymentLink, Link, open, send, stateOf, statusOf } from '../../../support/payment-page';
import { STRIPE_KEY } from '../../../support/stripe-double';
import { until } from '../../../support/until';
import {
  startCheckout,
  balanceOf,
  unappliedPaymentsOf,
  startWithStripe,
  submitPayment,
  deliverEvent,
  StripeSetup,
  stateOfPage,
} from '../../../support/stripe-service';

describe('Hosted checkouts at Stripe', () => {
  let setup: StripeSetup;
  let owner: Owner;

  beforeAll(async () => {
    setup = await startWithStripe();
    owner = await anOwner(setup.service.api);
  });
  afterAll(() => setup.stop());
  afterEach(() => setup.stripe.clearFaults());

  const link = (members: object = {}, of: Owner = owner): Promise<Link> =>
    aPaymentLink(setup.service, of, members);
  const creations = (): number => setup.stripe.count(/^POST \/v1\/checkout\/sessions$/);

  it('pays a request: page, checkout, event, receipt, status and balance', async () => {
    const payee = await anOwner(setup.service.api);
    const paid = await link({ reference: 'invoice-7', customer_email: 'grace@example.com' }, payee);
    const page = await open(paid.url, { headers: { 'accept-language': 'en' } });
    expect(stateOf(page)).toBe('pay');
    expect(page.html).toContain('Pay $12.50</button>');
    expect(page.html).toContain('Test mode'); // a test key moves no real money
    const pressed = await submitPayment(paid.url);
    const [session] = setup.stripe.sessionsOf(paid.id);
    expect([pressed.status, pressed.headers.get('location')]).toEqual([303, session!.url]);
    expect(session).toMatchObject({
      amount_total: 1250,
      currency: 'usd',
      customer_email: 'grace@example.com',
      cancel_url: `https://pay.countinghouse.test/pay/${paid.secret}`,
      success_url: `https://pay.countinghouse.test/pay/${paid.secret}?from=checkout`,
      metadata: { account_id: payee.accountId, payment_id: paid.id, attempt: '1' },
    });
    expect(stateOf(await open(paid.url))).toBe('pay');
    await deliverEvent(setup, 'checkout.session.completed', setup.stripe.pay(session!));
    expect(stateOf(await open(paid.url))).toBe('paid');
    expect(await statusOf(payee.api, paid)).toBe('succeeded');
    expect(await balanceOf(payee.api)).toEqual({ posted: 1250, held: 0, available: 1250 });
    const { data } = (await payee.api.get('/v1/transactions')).body;
    expect(data).toMatchObject([{ type: 'payment', status: 'succeeded', amount: 1250 }]);
    expect(stateOf(await submitPayment(paid.url))).toBeUndefined();
    expect(setup.stripe.sessionsOf(paid.id)).toHaveLength(1);
  });

  it('sends the payee and the reference to Stripe, and the secret of the link only in the return URLs', async () => {
    const { session, link: sent } = await startCheckout(setup, owner, { reference: 'invoice-8' });
    const { body } = setup.stripe.calls.filter(({ path }) => path === '/v1/checkout/sessions').at(-1)!;
    expect(body.get('line_items[0][price_data][product_data][name]')).toBe('Lovelace Ltd');
    expect(body.get('line_items[0][price_data][product_data][description]')).toBe('invoice-8');
    expect(body.get('payment_intent_data[metadata][payment_id]')).toBe(sent.id);
    const withSecret = [...body].filter(([, value]) => value.includes(sent.secret)).map(([name]) => name);
    expect(withSecret.toSorted()).toEqual(['cancel_url', 'success_url']);
    expect(session.client_reference_id).toBe(sent.id);
  });

  it('creates no checkout when the page is only viewed', async () => {
    const { id, url } = await link();
    const before = setup.stripe.calls.length;
    const stored = (): Promise<object[]> =>
      setup.service.sql('SELECT p.*, p.xmin::text FROM payment_requests p WHERE id = $1', [id]);
    const row = await stored();
    for (const method of ['GET', 'HEAD']) {
      await open(url, { method });
      await open(`${url}?from=checkout`, { method });
    }
    expect([setup.stripe.calls.length, await stored()]).toEqual([before, row]);
  });

  it('redirects repeated and concurrent submissions to the same session', async () => {
    const { id, url } = await link();
    const pages = await Promise.all(Array.from({ length: 10 }, () => submitPayment(url)));
    pages.push(await submitPayment(url));
    const [session, ...more] = setup.stripe.sessionsOf(id);
    expect(more).toEqual([]);
    expect(pages.map(({ status, headers }) => [status, headers.get('location')])).toEqual(
      pages.map(() => [303, session!.url]),
    );
  });

  it('calls Stripe once for submissions that arrive during the call', async () => {
    const { url } = await link();
    const before = setup.stripe.calls.length;
    const submissions = 50;
    const started = jest.spyOn(HostedCheckouts.prototype, 'start');
    setup.stripe.before = async () => void (await until(() => started.mock.calls.length === submissions));
    const pages = await Promise.all(Array.from({ length: submissions }, () => submitPayment(url)));
    setup.stripe.before = async () => undefined;
    started.mockRestore();
    expect(new Set(pages.map(({ headers }) => headers.get('location'))).size).toBe(1);
    expect(setup.stripe.calls.length - before).toBe(1);
  });

  it('allows the form to redirect to Stripe, and nowhere else', async () => {
    const { headers } = await open((await link()).url);
    const policy = headers.get('content-security-policy')!;
    expect(policy).toContain(`form-action 'self' ${setup.stripe.url};`);
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/]{43}='; /);
    expect(policy).not.toMatch(/unsafe|script-src|\*/);
  });

  it('rejects the form of the sandbox', async () => {
    const simulated = await link();
    for (const form of ['outcome=succeeded&declines=0', '', 'pay=later']) {
      expect((await send(simulated.url, form)).status).toBe(400);
    }
    expect(await statusOf(owner.api, simulated)).toBe('pending');
    expect(setup.stripe.sessionsOf(simulated.id)).toEqual([]);
  });

  describe('when the customer returns', () => {
    it('shows the payment as processing until the event arrives, and offers to pay after all', async () => {
      const { link: back, session } = await startCheckout(setup, owner);
      const url = `${back.url}?from=checkout`;
      const page = await open(url, { headers: { 'accept-language': 'en' } });
      expect(stateOf(page)).toBe('processing');
      expect(page.html).toContain('<a href="">Check again</a>');
      expect(page.html).toMatch(/<form method="post"><button [^>]*>I have not paid yet<\/button>/);
      expect(await statusOf(owner.api, back)).toBe('pending');
      expect((await submitPayment(url)).headers.get('location')).toBe(session.url);
      await deliverEvent(setup, 'checkout.session.completed', setup.stripe.pay(session));
      expect(await stateOfPage(url)).toBe('paid');
    });

    it('ignores the return parameter where no checkout was created', async () => {
      const { url } = await link();
      expect(await stateOfPage(`${url}?from=checkout`)).toBe('pay');
    });

    it('retrieves the payment on the next submission when the event is late', async () => {
      const payee = await anOwner(setup.service.api);
      const { link: back, session } = await startCheckout(setup, payee);
      setup.stripe.pay(session);
      const page = await submitPayment(back.url);
      expect([page.status, page.headers.get('location')]).toEqual([303, `./${back.secret}`]);
      expect(await stateOfPage(back.url)).toBe('paid');
      await deliverEvent(setup, 'checkout.session.completed', session);
      expect((await balanceOf(payee.api)).posted).toBe(1250);
      expect(await unappliedPaymentsOf(setup, payee.accountId)).toEqual([]);
    });

    it('retrieves the payment also after the session has expired', async () => {
      const payee = await anOwner(setup.service.api);
      const { link: back, session } = await startCheckout(setup, payee);
      setup.stripe.pay(session);
      setup.service.clock.move({ minutes: 61 });
      await submitPayment(back.url);
      expect(await stateOfPage(back.url)).toBe('paid');
      expect(setup.stripe.sessionsOf(back.id)).toHaveLength(1);
    });

    it('creates a new session when the old one has expired without an event', async () => {
      const { link: back } = await startCheckout(setup, owner);
      setup.service.clock.move({ minutes: 61 });
      const page = await submitPayment(back.url);
      const [first, second] = setup.stripe.sessionsOf(back.id);
      expect([first!.status, page.headers.get('location')]).toEqual(['expired', second!.url]);
    });

    it('shows the payment as processing when the account was suspended in the meantime', async () => {
      const payee = await anOwner(setup.service.api);
      const { link: back, session } = await startCheckout(setup, payee);
      const { api } = await setup.admin();
      await api.patch(`/v1/accounts/${payee.accountId}`, { status: 'suspended' });
      const page = await open(`${back.url}?from=checkout`);
      expect([stateOf(page), page.html.includes('<form')]).toEqual(['processing', false]);
      expect(await stateOfPage(back.url)).toBe('unavailable');
      await deliverEvent(setup, 'checkout.session.completed', setup.stripe.pay(session));
      expect(await stateOfPage(back.url)).toBe('paid');
    });

    it('creates a new session when the old one has expired, with or without an event', async () => {
      const { link: back, session } = await startCheckout(setup, owner);
      await deliverEvent(setup, 'checkout.session.expired', setup.stripe.expire(session));
      await submitPayment(back.url);
      const [, second] = setup.stripe.sessionsOf(back.id);
      setup.stripe.expire(second!);
      const page = await submitPayment(back.url);
      const [, , third, ...more] = setup.stripe.sessionsOf(back.id);
      expect([page.headers.get('location'), more]).toEqual([third!.url, []]);
      expect(third!.metadata).toMatchObject({ attempt: '3' });
      // An event of an earlier session changes nothing.
      await deliverEvent(setup, 'checkout.session.expired', session);
      expect((await submitPayment(back.url)).headers.get('location')).toBe(third!.url);
    });
  });

  describe('when Stripe does not respond', () => {
    it('finds the session whose response was lost on the next submission', async () => {
      const { id, url } = await link();
      setup.stripe.fail(/POST \/v1\/checkout\/sessions$/, 'lost', 3);
      const page = await submitPayment(url);
      expect([page.status, stateOf(page)]).toEqual([503, 'error']);
      expect(setup.stripe.sessionsOf(id)).toHaveLength(1);
      const again = await submitPayment(url);
      expect(again.headers.get('location')).toBe(setup.stripe.sessionsOf(id)[0]!.url);
      expect(setup.stripe.sessionsOf(id)).toHaveLength(1);
    });

    it('repeats the same request after the account has changed', async () => {
      const payee = await anOwner(setup.service.api);
      const { id, url } = await link({}, payee);
      setup.stripe.fail(/POST \/v1\/checkout\/sessions$/, 'lost', 3);
      await submitPayment(url);
      await payee.api.patch('/v1/account', { name: 'Byron Ltd' });
      setup.service.clock.move({ minutes: 5 });
      expect((await submitPayment(url)).status).toBe(303);
      expect(setup.stripe.sessionsOf(id)).toHaveLength(1);
    });

    it('repeats a failed call a bounded number of times and then responds with 503', async () => {
      const { id, url } = await link();
      const before = creations();
      setup.stripe.fail(/POST \/v1\/checkout\/sessions$/, 500, 100);
      const page = await submitPayment(url);
      expect([page.status, page.headers.get('retry-after')]).toEqual([503, '1']);
      expect(creations() - before).toBe(3);
      setup.stripe.clearFaults();
      expect((await submitPayment(url)).status).toBe(303);
      expect(setup.stripe.sessionsOf(id)).toHaveLength(1);
    });

    it('shows that Stripe rejects the payment, and creates a new session on the next submission', async () => {
      const { id, url } = await link();
      setup.stripe.fail(/POST \/v1\/checkout\/sessions$/, { status: 400, code: 'amount_too_small' });
      const page = await submitPayment(url);
      expect([page.status, stateOf(page)]).toEqual([409, 'rejected']);
      expect((await submitPayment(url)).status).toBe(303);
      expect(setup.stripe.sessionsOf(id)[0]!.metadata).toMatchObject({ attempt: '2' });
    });

    it('retrieves the payment by a periodic task when no event arrives', async () => {
      const payee = await anOwner(setup.service.api);
      const { link: silent, session } = await startCheckout(setup, payee);
      setup.stripe.pay(session);
      await setup.service.runDueTasks();
      expect(await statusOf(payee.api, silent)).toBe('pending');
      setup.service.clock.move({ minutes: 63 });
      await setup.service.runDueTasks();
      expect(await statusOf(payee.api, silent)).toBe('succeeded');
      expect((await balanceOf(payee.api)).posted).toBe(1250);
    });
  });

  describe('with a payment method that takes days', () => {
    it('keeps the request processing past its expiry, until the money arrives', async () => {
      const payee = await anOwner(setup.service.api);
      const expires_at = new Date(setup.service.clock.now().getTime() + 40 * 60_000).toISOString();
      const { link: slow, session } = await startCheckout(setup, payee, { expires_at });
      await deliverEvent(setup, 'checkout.session.completed', setup.stripe.payLater(session));
      expect(await stateOfPage(slow.url)).toBe('processing');
      const page = await open(slow.url);
      expect(page.html).not.toContain('<form');
      setup.service.clock.move({ minutes: 60 });
      await setup.service.runDueTasks();
      expect([await stateOfPage(slow.url), await statusOf(payee.api, slow)]).toEqual([
        'processing',
        'pending',
      ]);
      expect((await submitPayment(slow.url)).headers.get('location')).toBe(`./${slow.secret}`);
      expect(setup.stripe.sessionsOf(slow.id)).toHaveLength(1);
      await deliverEvent(
        setup,
        'checkout.session.async_payment_succeeded',
        setup.stripe.endPayment(session, true),
      );
      expect(await stateOfPage(slow.url)).toBe('paid');
      // Late and repeated events of the same payment change nothing.
      await deliverEvent(setup, 'checkout.session.completed', { ...session, payment_status: 'unpaid' });
      await deliverEvent(setup, 'checkout.session.completed', session);
      expect((await balanceOf(payee.api)).posted).toBe(1250);
      expect(await unappliedPaymentsOf(setup, payee.accountId)).toEqual([]);
    });

    it('counts a failed payment as a declined attempt, and fails the request at the fifth', async () => {
      const slow = await link();
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        await submitPayment(slow.url);
        const session = setup.stripe.sessionsOf(slow.id).at(-1)!;
        await deliverEvent(setup, 'checkout.session.completed', setup.stripe.payLater(session));
        const bounced = setup.stripe.endPayment(session, false);
        await deliverEvent(setup, 'checkout.session.async_payment_failed', bounced);
        await deliverEvent(setup, 'checkout.session.async_payment_failed', bounced); // a repeated event
        const { html } = await open(slow.url, { headers: { 'accept-language': 'en' } });
        if (attempt < 5)
          expect(html).toContain(attempt === 4 ? 'You have 1 attempt left' : `You have ${5 - attempt}`);
      }
      expect([await statusOf(owner.api, slow), await stateOfPage(slow.url)]).toEqual(['failed', 'failed']);
      expect(setup.stripe.sessionsOf(slow.id)).toHaveLength(5);
    });

    it('retrieves the outcome when no event arrives', async () => {
      for (const [arrived, declineCode, reason] of [
        [true, undefined, null],
        [false, 'insufficient_funds', 'insufficient_funds'],
      ] as const) {
        const { link: slow, session } = await startCheckout(setup, owner);
        await deliverEvent(setup, 'checkout.session.completed', setup.stripe.payLater(session));
        setup.stripe.endPayment(session, arrived, declineCode);
        setup.service.clock.move({ minutes: 6 * 60 + 1 });
        await setup.service.runDueTasks();
        const { body } = await owner.api.get(`/v1/payments/${slow.id}`);
        const attempt = { method: 'hosted_checkout', outcome: arrived ? 'succeeded' : 'declined', reason };
        expect(body.attempts).toEqual([{ ...attempt, created_at: body.updated_at }]);
        expect(await stateOfPage(slow.url)).toBe(arrived ? 'paid' : 'pay');
      }
    });
  });

  describe('in other currencies', () => {
    it.each([
      ['JPY', 1250, 1250],
      ['KWD', 1250, 1250],
      ['ISK', 1250, 125_000],
      ['UGX', 5, 500],
      ['HUF', 1250, 1250],
      ['MGA', 1200, 12],
      ['EUR', 1, 1],
    ])(
      '%s: %d minor units are %d units of Stripe, and are posted as requested',
      async (currency, amount, counted) => {
        const payee = await anOwner(setup.service.api, { currency });
        const { link: paid, session } = await startCheckout(setup, payee, { currency, amount });
        expect([session.currency, session.amount_total]).toEqual([currency.toLowerCase(), counted]);
        await deliverEvent(setup, 'checkout.session.completed', setup.stripe.pay(session));
        expect(await statusOf(payee.api, paid)).toBe('succeeded');
        expect((await balanceOf(payee.api)).posted).toBe(amount);
      },
    );

    it.each([
      ['KWD', 1251, 'in multiples of 10'],
      ['MGA', 1250, 'in multiples of 100'],
      ['LYD', 1250, 'does not support LYD'],
      ['CLF', 1250, 'does not support CLF'],
      ['ISK', Number.MAX_SAFE_INTEGER, 'more than Stripe can move'],
    ])('rejects the payment request for %s %d: %s', async (currency, amount, message) => {
      const payee = await anOwner(setup.service.api, { currency });
      const { status, body } = await payee.api.post('/v1/payments', {
        account_id: payee.accountId,
        amount,
        currency,
        customer_email: 'customer@example.com',
      });
      expect([status, body.error]).toEqual([400, 'invalid_request']);
      expect(body.message).toContain(message);
    });
  });

  it('creates no session for a request that has ended', async () => {
    const canceled = await link();
    await owner.api.delete(`/v1/payments/${canceled.id}`);
    expect((await submitPayment(canceled.url)).headers.get('location')).toBe(`./${canceled.secret}`);
    expect(setup.stripe.sessionsOf(canceled.id)).toEqual([]);
    expect((await submitPayment(`${canceled.url.slice(0, -1)}x`)).status).toBe(404);
  });

  it('creates no session for a suspended account, but accepts the payment of an existing one', async () => {
    const payee = await anOwner(setup.service.api);
    const { link: begun, session } = await startCheckout(setup, payee);
    const other = await link({}, payee);
    await (await setup.admin()).api.patch(`/v1/accounts/${payee.accountId}`, { status: 'suspended' });
    const page = await submitPayment(other.url);
    expect([page.status, stateOf(page)]).toEqual([409, 'unavailable']);
    expect(setup.stripe.sessionsOf(other.id)).toEqual([]);
    await deliverEvent(setup, 'checkout.session.completed', setup.stripe.pay(session));
    expect(await statusOf((await setup.admin()).api, begun)).toBe('succeeded');
  });

  it('expires the session of a canceled request, so that it cannot be paid', async () => {
    const { link: canceled, session } = await startCheckout(setup, owner);
    await owner.api.delete(`/v1/payments/${canceled.id}`);
    await setup.service.runDueTasks();
    expect(session.status).toBe('expired');
    const payee = await anOwner(setup.service.api);
    const closed = await startCheckout(setup, payee);
    await payee.api.delete('/v1/account');
    await setup.service.runDueTasks();
    expect(closed.session.status).toBe('expired');
  });

  it('logs neither the key nor a link when calls fail', async () => {
    const { url, secret } = await link();
    setup.stripe.fail(/sessions$/, 'lost', 3);
    await submitPayment(url);
    setup.stripe.fail(/sessions$/, { status: 400, code: 'amount_too_small' });
    await submitPayment(url);
    await submitPayment(url);
    const logged = setup.service.logged.join('');
    expect(logged).toContain('ProcessorError');
    expect(logged).toContain('amount_too_small');
    for (const hidden of [STRIPE_KEY, secret, 'whsec_', 'customer@example.com']) {
      expect(logged).not.toContain(hidden);
    }
  });
});
