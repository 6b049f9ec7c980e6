import { anOwner, created, Owner } from '../../../support/people';
import { aPaymentRequest } from '../../../support/request-bodies';
import { startTestService, TestService } from '../../../support/service';
import { deliverEvent, startCheckout, startWithStripe } from '../../../support/stripe-service';
import { aPaymentLink, Link, open, Page, stateOf, submitOutcome } from '../../../support/payment-page';

const URLS = {
  return_url: 'https://shop.example.com/thanks?payment={PAYMENT_REQUEST_ID}#{PAYMENT_REQUEST_ID}',
  cancel_url: 'https://shop.example.com/cart/"><b>?q=1&id={PAYMENT_REQUEST_ID}',
};

/** The address of the link by which the page leads back; undefined when it has none. */
const backOf = ({ html }: Page): string | undefined =>
  /class="back"><a[^>]* href="([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&');

describe('The return URLs of a payment request', () => {
  let service: TestService;
  let owner: Owner;

  beforeAll(async () => {
    service = await startTestService();
    owner = await anOwner(service.api);
  });
  afterAll(() => service.stop());

  const link = (members: object = URLS): Promise<Link> => aPaymentLink(service, owner, members);
  const create = (members: object, path = '/v1/payments') =>
    owner.api.post(path, { ...aPaymentRequest(owner.accountId), ...members });

  it('are in the whole object as they were sent, and not in the response to the creation', async () => {
    const { body } = await create(URLS);
    expect(body).not.toHaveProperty('return_url');
    expect((await owner.api.get(`/v1/payments/${body.id}`)).body).toMatchObject(URLS);
    const { data } = (await owner.api.get(`/v1/events?object_id=${body.id}`)).body;
    expect(data[0].data.object).toMatchObject(URLS);
    const without = await created(owner.api, '/v1/payments', aPaymentRequest(owner.accountId));
    expect((await owner.api.get(`/v1/payments/${without.id}`)).body).not.toHaveProperty('return_url');
  });

  it('lead the customer who has paid back, by itself and with a button', async () => {
    const { id, url } = await link();
    const { headers } = await submitOutcome(url, 'succeeded');
    const paid = await open(new URL(headers.get('location')!, url).href, {
      headers: { 'accept-language': 'en' },
    });
    const target = `https://shop.example.com/thanks?payment=${id}#${id}`;
    expect([stateOf(paid), backOf(paid)]).toEqual(['paid', target]);
    expect(paid.headers.get('refresh')).toBe(`5; url=${target}`);
    expect(paid.html).toContain('This page leads you back in a few seconds.');
    expect(paid.html).toContain('Back to Lovelace Ltd');
  });

  it('lead back from a hosted checkout, once the payment is reported', async () => {
    const stripe = await startWithStripe();
    try {
      const payee = await anOwner(stripe.service.api);
      const { link, session } = await startCheckout(stripe, payee, URLS);
      const returning = `${link.url}?from=checkout`;
      expect((await open(returning)).headers.get('refresh')).toBeNull();
      await deliverEvent(stripe, 'checkout.session.completed', stripe.stripe.pay(session));
      expect((await open(returning)).headers.get('refresh')).toMatch(/^5; url=https:\/\/shop/);
    } finally {
      await stripe.stop();
    }
  });

  it('leave the receipt open when the link is opened again', async () => {
    const { url } = await link();
    await submitOutcome(url, 'succeeded');
    const receipt = await open(url);
    expect(receipt.headers.get('refresh')).toBeNull();
    expect(backOf(receipt)).toMatch(/^https:\/\/shop/);
  });

  it('lead back without a payment, also when it can no longer be made', async () => {
    const { id, url } = await link();
    const target = `https://shop.example.com/cart/%22%3E%3Cb%3E?q=1&id=${id}`;
    const page = await open(url, { headers: { 'accept-language': 'en' } });
    expect([stateOf(page), backOf(page)]).toEqual(['pay', target]);
    expect(page.html).toContain('Go back without paying');
    await owner.api.delete(`/v1/payments/${id}`);
    const canceled = await open(`${url}?from=payment`);
    expect([stateOf(canceled), backOf(canceled)]).toEqual(['canceled', target]);
    expect(canceled.headers.get('refresh')).toBeNull();
  });

  it('are not needed', async () => {
    const { url } = await link({ return_url: null });
    expect(backOf(await open(url))).toBeUndefined();
    const { headers } = await submitOutcome(url, 'succeeded');
    const paid = await open(new URL(headers.get('location')!, url).href);
    expect([stateOf(paid), backOf(paid), paid.headers.get('refresh')]).toEqual(['paid', undefined, null]);
  });

  it('of a subscription are those of its payment requests', async () => {
    const { status, body } = await create({ ...URLS, interval: 'month' }, '/v1/subscriptions');
    expect(status).toBe(201);
    expect(body).toMatchObject(URLS);
    const [first] = (await owner.api.get('/v1/payments?limit=1&view=full')).body.data;
    expect(first).toMatchObject(URLS);
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'http://shop.example.com/',
    'https://user:password@shop.example.com/',
    'https://{PAYMENT_REQUEST_ID}.example.com/',
    '//shop.example.com/',
    ' https://shop.example.com/',
    'ht\ttps://shop.example.com/',
    'https://shop.example.com/\u4e2d',
    '/thanks',
    '',
    `https://shop.example.com/${'x'.repeat(2048)}`,
    7,
  ])('cannot be %s', async (return_url) => {
    for (const path of ['/v1/payments', '/v1/subscriptions']) {
      const interval = path === '/v1/payments' ? {} : { interval: 'month' };
      const { status, body } = await create({ return_url, ...interval }, path);
      expect([status, body.error]).toEqual([400, 'invalid_request']);
      expect(body.message).toMatch(/^return_url must be a URL/);
    }
  });

  it.each(['http://localhost:3001/x', 'http://127.0.0.1/', 'HTTPS://shop.example.com'])(
    'can be %s in test mode',
    async (cancel_url) => {
      expect((await create({ cancel_url })).status).toBe(201);
    },
  );

  it('have https where real money moves', async () => {
    const live = await startTestService({ PROCESSOR: 'manual' });
    try {
      const payee = await anOwner(live.api);
      const create = (members: object) =>
        payee.api.post('/v1/payments', { ...aPaymentRequest(payee.accountId), ...members });
      const { status, body } = await create({ cancel_url: 'http://localhost:3001/x' });
      expect([status, body.error]).toEqual([400, 'invalid_request']);
      expect(body.message).toBe('cancel_url must be a URL with https.');
      expect((await create(URLS)).status).toBe(201);
    } finally {
      await live.stop();
    }
  });
});
