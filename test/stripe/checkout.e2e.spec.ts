import { anOwner, Owner } from '../support/people';
import { aLink, Link, open, send, stateOf, statusOf } from '../payment-page/visitor';
import { STRIPE_KEY } from '../support/stripe-double';
import { atCheckout, balanceOf, latePaymentsOf, openShop, pressPay, report, Shop, stateOfPage } from './shop';

describe('Paying at Stripe', () => {
  let shop: Shop;
  let owner: Owner;

  beforeAll(async () => {
    shop = await openShop();
    owner = await anOwner(shop.service.api);
  });
  afterAll(() => shop.stop());
  afterEach(() => shop.stripe.forgetFaults());

  const link = (members: object = {}, of: Owner = owner): Promise<Link> => aLink(shop.service, of, members);
  const creations = (): number => shop.stripe.count(/^POST \/v1\/checkout\/sessions$/);

  it('goes the whole way: page, Stripe, report, receipt, status and balance', async () => {
    const payee = await anOwner(shop.service.api);
    const paid = await link({ reference: 'invoice-7', customer_email: 'grace@example.com' }, payee);
    const page = await open(paid.url, { headers: { 'accept-language': 'en' } });
    expect(stateOf(page)).toBe('pay');
    expect(page.html).toContain('Pay $12.50</button>');
    expect(page.html).toContain('Test mode'); // a test key moves no real money
    const pressed = await pressPay(paid.url);
    const [session] = shop.stripe.sessionsOf(paid.id);
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
    await report(shop, 'checkout.session.completed', shop.stripe.pay(session!));
    expect(stateOf(await open(paid.url))).toBe('paid');
    expect(await statusOf(payee.api, paid)).toBe('succeeded');
    expect(await balanceOf(payee.api)).toEqual({ posted: 1250, held: 0, available: 1250 });
    const { data } = (await payee.api.get('/v1/transactions')).body;
    expect(data).toMatchObject([{ type: 'payment', status: 'succeeded', amount: 1250 }]);
    expect(stateOf(await pressPay(paid.url))).toBeUndefined();
    expect(shop.stripe.sessionsOf(paid.id)).toHaveLength(1);
  });

  it('tells Stripe who asks and what for, and never the secret but in the way back', async () => {
    const { session, link: told } = await atCheckout(shop, owner, { reference: 'invoice-8' });
    const { body } = shop.stripe.calls.filter(({ path }) => path === '/v1/checkout/sessions').at(-1)!;
    expect(body.get('line_items[0][price_data][product_data][name]')).toBe('Lovelace Ltd');
    expect(body.get('line_items[0][price_data][product_data][description]')).toBe('invoice-8');
    expect(body.get('payment_intent_data[metadata][payment_id]')).toBe(told.id);
    const withSecret = [...body].filter(([, value]) => value.includes(told.secret)).map(([name]) => name);
    expect(withSecret.toSorted()).toEqual(['cancel_url', 'success_url']);
    expect(session.client_reference_id).toBe(told.id);
  });

  it('is asked for by no look at the page', async () => {
    const { id, url } = await link();
    const before = shop.stripe.calls.length;
    const stored = (): Promise<object[]> =>
      shop.service.sql('SELECT p.*, p.xmin::text FROM payment_requests p WHERE id = $1', [id]);
    const row = await stored();
    for (const method of ['GET', 'HEAD']) {
      await open(url, { method });
      await open(`${url}?from=checkout`, { method });
    }
    expect([shop.stripe.calls.length, await stored()]).toEqual([before, row]);
  });

  it('leads a second press and ten tabs at once to the one session', async () => {
    const { id, url } = await link();
    const pages = await Promise.all(Array.from({ length: 10 }, () => pressPay(url)));
    pages.push(await pressPay(url));
    const [session, ...more] = shop.stripe.sessionsOf(id);
    expect(more).toEqual([]);
    expect(pages.map(({ status, headers }) => [status, headers.get('location')])).toEqual(
      pages.map(() => [303, session!.url]),
    );
  });

  it('allows the form to lead to Stripe, and nowhere else', async () => {
    const { headers } = await open((await link()).url);
    const policy = headers.get('content-security-policy')!;
    expect(policy).toContain(`form-action 'self' ${shop.stripe.url};`);
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/]{43}='; /);
    expect(policy).not.toMatch(/unsafe|script-src|\*/);
  });

  it('is not simulated by what the sandbox would take', async () => {
    const simulated = await link();
    for (const form of ['outcome=paid&declines=0', '', 'pay=later']) {
      expect((await send(simulated.url, form)).status).toBe(400);
    }
    expect(await statusOf(owner.api, simulated)).toBe('pending');
    expect(shop.stripe.sessionsOf(simulated.id)).toEqual([]);
  });

  describe('on the way back', () => {
    it('shows that the payment is being processed until the report is there, and a way to pay after all', async () => {
      const { link: back, session } = await atCheckout(shop, owner);
      const url = `${back.url}?from=checkout`;
      const page = await open(url, { headers: { 'accept-language': 'en' } });
      expect(stateOf(page)).toBe('processing');
      expect(page.html).toContain('<a href="">Check again</a>');
      expect(page.html).toMatch(/<form method="post"><button [^>]*>I have not paid yet<\/button>/);
      expect(await statusOf(owner.api, back)).toBe('pending');
      expect((await pressPay(url)).headers.get('location')).toBe(session.url);
      await report(shop, 'checkout.session.completed', shop.stripe.pay(session));
      expect(await stateOfPage(url)).toBe('paid');
    });

    it('believes nobody who says so without having been there', async () => {
      const { url } = await link();
      expect(await stateOfPage(`${url}?from=checkout`)).toBe('pay');
    });

    it('finds out by a press that it was paid, when the report is late', async () => {
      const payee = await anOwner(shop.service.api);
      const { link: back, session } = await atCheckout(shop, payee);
      shop.stripe.pay(session);
      const page = await pressPay(back.url);
      expect([page.status, page.headers.get('location')]).toEqual([303, `./${back.secret}`]);
      expect(await stateOfPage(back.url)).toBe('paid');
      await report(shop, 'checkout.session.completed', session);
      expect((await balanceOf(payee.api)).posted).toBe(1250);
      expect(await latePaymentsOf(shop, payee.accountId)).toEqual([]);
    });

    it('finds out so also when the time of the session was over since', async () => {
      const payee = await anOwner(shop.service.api);
      const { link: back, session } = await atCheckout(shop, payee);
      shop.stripe.pay(session);
      shop.service.clock.move({ minutes: 61 });
      await pressPay(back.url);
      expect(await stateOfPage(back.url)).toBe('paid');
      expect(shop.stripe.sessionsOf(back.id)).toHaveLength(1);
    });

    it('opens a new session when the time of the old one is over, though nobody said so', async () => {
      const { link: back } = await atCheckout(shop, owner);
      shop.service.clock.move({ minutes: 61 });
      const page = await pressPay(back.url);
      const [first, second] = shop.stripe.sessionsOf(back.id);
      expect([first!.status, page.headers.get('location')]).toEqual(['expired', second!.url]);
    });

    it('does not say that no money was taken when the account was suspended meanwhile', async () => {
      const payee = await anOwner(shop.service.api);
      const { link: back, session } = await atCheckout(shop, payee);
      const { api } = await shop.admin();
      await api.patch(`/v1/accounts/${payee.accountId}`, { status: 'suspended' });
      const page = await open(`${back.url}?from=checkout`);
      expect([stateOf(page), page.html.includes('<form')]).toEqual(['processing', false]);
      expect(await stateOfPage(back.url)).toBe('unavailable');
      await report(shop, 'checkout.session.completed', shop.stripe.pay(session));
      expect(await stateOfPage(back.url)).toBe('paid');
    });

    it('opens a new session once the old one is over, by its report or without', async () => {
      const { link: back, session } = await atCheckout(shop, owner);
      await report(shop, 'checkout.session.expired', shop.stripe.expire(session));
      await pressPay(back.url);
      const [, second] = shop.stripe.sessionsOf(back.id);
      shop.stripe.expire(second!);
      const page = await pressPay(back.url);
      const [, , third, ...more] = shop.stripe.sessionsOf(back.id);
      expect([page.headers.get('location'), more]).toEqual([third!.url, []]);
      expect(third!.metadata).toMatchObject({ attempt: '3' });
      // What is said of one that is over changes nothing.
      await report(shop, 'checkout.session.expired', session);
      expect((await pressPay(back.url)).headers.get('location')).toBe(third!.url);
    });
  });

  describe('when Stripe does not answer', () => {
    it('takes a lost answer up again: the next press finds the session that was opened', async () => {
      const { id, url } = await link();
      shop.stripe.fail(/POST \/v1\/checkout\/sessions$/, 'lost', 3);
      const page = await pressPay(url);
      expect([page.status, stateOf(page)]).toEqual([503, 'error']);
      expect(shop.stripe.sessionsOf(id)).toHaveLength(1);
      const again = await pressPay(url);
      expect(again.headers.get('location')).toBe(shop.stripe.sessionsOf(id)[0]!.url);
      expect(shop.stripe.sessionsOf(id)).toHaveLength(1);
    });

    it('asks again in the same words, whatever has changed meanwhile', async () => {
      const payee = await anOwner(shop.service.api);
      const { id, url } = await link({}, payee);
      shop.stripe.fail(/POST \/v1\/checkout\/sessions$/, 'lost', 3);
      await pressPay(url);
      await payee.api.patch('/v1/account', { name: 'Byron Ltd' });
      shop.service.clock.move({ minutes: 5 });
      expect((await pressPay(url)).status).toBe(303);
      expect(shop.stripe.sessionsOf(id)).toHaveLength(1);
    });

    it('repeats what failed, within bounds, and says that it is not to be had now', async () => {
      const { id, url } = await link();
      const before = creations();
      shop.stripe.fail(/POST \/v1\/checkout\/sessions$/, 500, 100);
      const page = await pressPay(url);
      expect([page.status, page.headers.get('retry-after')]).toEqual([503, '1']);
      expect(creations() - before).toBe(3);
      shop.stripe.forgetFaults();
      expect((await pressPay(url)).status).toBe(303);
      expect(shop.stripe.sessionsOf(id)).toHaveLength(1);
    });

    it('says so when Stripe refuses, and asks anew at the next press', async () => {
      const { id, url } = await link();
      shop.stripe.fail(/POST \/v1\/checkout\/sessions$/, { status: 400, code: 'amount_too_small' });
      const page = await pressPay(url);
      expect([page.status, stateOf(page)]).toEqual([409, 'refused']);
      expect((await pressPay(url)).status).toBe(303);
      expect(shop.stripe.sessionsOf(id)[0]!.metadata).toMatchObject({ attempt: '2' });
    });

    it('hears of the payment from the sweep when no report ever comes', async () => {
      const payee = await anOwner(shop.service.api);
      const { link: silent, session } = await atCheckout(shop, payee);
      shop.stripe.pay(session);
      await shop.service.sweep();
      expect(await statusOf(payee.api, silent)).toBe('pending');
      shop.service.clock.move({ minutes: 63 });
      await shop.service.sweep();
      expect(await statusOf(payee.api, silent)).toBe('succeeded');
      expect((await balanceOf(payee.api)).posted).toBe(1250);
    });
  });

  describe('by a way that takes days', () => {
    it('is being processed, also past the time of the request, and paid when the money is there', async () => {
      const payee = await anOwner(shop.service.api);
      const expires_at = new Date(shop.service.clock.now().getTime() + 40 * 60_000).toISOString();
      const { link: slow, session } = await atCheckout(shop, payee, { expires_at });
      await report(shop, 'checkout.session.completed', shop.stripe.payLater(session));
      expect(await stateOfPage(slow.url)).toBe('processing');
      const page = await open(slow.url);
      expect(page.html).not.toContain('<form');
      shop.service.clock.move({ minutes: 60 });
      await shop.service.sweep();
      expect([await stateOfPage(slow.url), await statusOf(payee.api, slow)]).toEqual([
        'processing',
        'pending',
      ]);
      expect((await pressPay(slow.url)).headers.get('location')).toBe(`./${slow.secret}`);
      expect(shop.stripe.sessionsOf(slow.id)).toHaveLength(1);
      await report(shop, 'checkout.session.async_payment_succeeded', shop.stripe.decide(session, true));
      expect(await stateOfPage(slow.url)).toBe('paid');
      // Late and repeated reports of the same payment change nothing.
      await report(shop, 'checkout.session.completed', { ...session, payment_status: 'unpaid' });
      await report(shop, 'checkout.session.completed', session);
      expect((await balanceOf(payee.api)).posted).toBe(1250);
      expect(await latePaymentsOf(shop, payee.accountId)).toEqual([]);
    });

    it('that fails is a declined attempt, and the fifth ends the request', async () => {
      const slow = await link();
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        await pressPay(slow.url);
        const session = shop.stripe.sessionsOf(slow.id).at(-1)!;
        await report(shop, 'checkout.session.completed', shop.stripe.payLater(session));
        const bounced = shop.stripe.decide(session, false);
        await report(shop, 'checkout.session.async_payment_failed', bounced);
        await report(shop, 'checkout.session.async_payment_failed', bounced); // another event of the same
        const { html } = await open(slow.url, { headers: { 'accept-language': 'en' } });
        if (attempt < 5)
          expect(html).toContain(attempt === 4 ? 'You have 1 attempt left' : `You have ${5 - attempt}`);
      }
      expect([await statusOf(owner.api, slow), await stateOfPage(slow.url)]).toEqual(['failed', 'failed']);
      expect(shop.stripe.sessionsOf(slow.id)).toHaveLength(5);
    });

    it('whose end nobody reports is asked after', async () => {
      for (const arrived of [true, false]) {
        const { link: slow, session } = await atCheckout(shop, owner);
        await report(shop, 'checkout.session.completed', shop.stripe.payLater(session));
        shop.stripe.decide(session, arrived);
        shop.service.clock.move({ minutes: 6 * 60 + 1 });
        await shop.service.sweep();
        expect(await stateOfPage(slow.url)).toBe(arrived ? 'paid' : 'pay');
      }
    });
  });

  describe('of a currency', () => {
    it.each([
      ['JPY', 1250, 1250],
      ['KWD', 1250, 1250],
      ['ISK', 1250, 125_000],
      ['UGX', 5, 500],
      ['HUF', 1250, 1250],
      ['MGA', 1200, 12],
      ['EUR', 1, 1],
    ])(
      '%s: %d minor units are %d at Stripe, and are paid as they were asked for',
      async (currency, amount, counted) => {
        const payee = await anOwner(shop.service.api, { currency });
        const { link: paid, session } = await atCheckout(shop, payee, { currency, amount });
        expect([session.currency, session.amount_total]).toEqual([currency.toLowerCase(), counted]);
        await report(shop, 'checkout.session.completed', shop.stripe.pay(session));
        expect(await statusOf(payee.api, paid)).toBe('succeeded');
        expect((await balanceOf(payee.api)).posted).toBe(amount);
      },
    );

    it.each([
      ['KWD', 1251, 'in steps of 10'],
      ['MGA', 1250, 'in steps of 100'],
      ['LYD', 1250, 'does not move LYD'],
      ['CLF', 1250, 'does not move CLF'],
      ['ISK', Number.MAX_SAFE_INTEGER, 'more than Stripe moves'],
    ])('%s %d is refused when it is asked for: it %s', async (currency, amount, words) => {
      const payee = await anOwner(shop.service.api, { currency });
      const { status, body } = await payee.api.post('/v1/payments', {
        account_id: payee.accountId,
        amount,
        currency,
        customer_email: 'customer@example.com',
      });
      expect([status, body.error]).toEqual([400, 'invalid_request']);
      expect(body.message).toContain(words);
    });
  });

  it('of a request that has ended is not possible', async () => {
    const canceled = await link();
    await owner.api.delete(`/v1/payments/${canceled.id}`);
    expect((await pressPay(canceled.url)).headers.get('location')).toBe(`./${canceled.secret}`);
    expect(shop.stripe.sessionsOf(canceled.id)).toEqual([]);
    expect((await pressPay(`${canceled.url.slice(0, -1)}x`)).status).toBe(404);
  });

  it('of a suspended account is not begun, and what was begun is paid: the money is there', async () => {
    const payee = await anOwner(shop.service.api);
    const { link: begun, session } = await atCheckout(shop, payee);
    const other = await link({}, payee);
    await (await shop.admin()).api.patch(`/v1/accounts/${payee.accountId}`, { status: 'suspended' });
    const page = await pressPay(other.url);
    expect([page.status, stateOf(page)]).toEqual([409, 'unavailable']);
    expect(shop.stripe.sessionsOf(other.id)).toEqual([]);
    await report(shop, 'checkout.session.completed', shop.stripe.pay(session));
    expect(await statusOf((await shop.admin()).api, begun)).toBe('succeeded');
  });

  it('closes at Stripe what was canceled here, so that nobody pays it any more', async () => {
    const { link: canceled, session } = await atCheckout(shop, owner);
    await owner.api.delete(`/v1/payments/${canceled.id}`);
    await shop.service.sweep();
    expect(session.status).toBe('expired');
    const payee = await anOwner(shop.service.api);
    const closed = await atCheckout(shop, payee);
    await payee.api.delete('/v1/account');
    await shop.service.sweep();
    expect(closed.session.status).toBe('expired');
  });

  it('leaves neither the key nor a link in the log, whatever goes wrong', async () => {
    const { url, secret } = await link();
    shop.stripe.fail(/sessions$/, 'lost', 3);
    await pressPay(url);
    shop.stripe.fail(/sessions$/, { status: 400, code: 'amount_too_small' });
    await pressPay(url);
    await pressPay(url);
    const logged = shop.service.logged.join('');
    expect(logged).toContain('ProviderError');
    expect(logged).toContain('amount_too_small');
    for (const hidden of [STRIPE_KEY, secret, 'whsec_', 'customer@example.com']) {
      expect(logged).not.toContain(hidden);
    }
  });
});
