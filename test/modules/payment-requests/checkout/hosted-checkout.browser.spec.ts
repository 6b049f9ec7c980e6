import { Browser, Page } from 'playwright-core';
import { violations } from '../../../support/accessibility';
import { hasChromium, openChromium } from '../../../support/chromium';
import { anOwner, Owner } from '../../../support/people';
import { aPaymentLink } from '../../../support/payment-page';
import { screenshot } from '../../../support/screenshot';
import { startWithStripe, deliverEvent, StripeSetup } from '../../../support/stripe-service';

const where = hasChromium ? 'in Chromium' : 'in Chromium: SKIPPED, no Chromium runs on this machine';

(hasChromium ? describe : describe.skip)(`The redirect to Stripe and back, ${where}`, () => {
  let setup: StripeSetup;
  let browser: Browser;
  let owner: Owner;

  beforeAll(async () => {
    [setup, browser] = await Promise.all([startWithStripe(), openChromium()]);
    owner = await anOwner(setup.service.api);
  });
  afterAll(() => Promise.all([browser?.close(), setup?.stop()]));

  async function visit(work: (page: Page) => Promise<void>): Promise<void> {
    const options = { locale: 'en-GB', viewport: { width: 320, height: 568 } };
    const context = await browser.newContext(options);
    try {
      await work(await context.newPage());
    } finally {
      await context.close();
    }
  }

  const stateOf = (page: Page): Promise<string | null> => page.locator('main').getAttribute('class');
  const button = (page: Page, name: string) => page.getByRole('button', { name });

  it('redirects to Stripe and back with one submission each', async () => {
    const link = await aPaymentLink(setup.service, owner, { reference: 'Invoice 2041' });
    await visit(async (page) => {
      await page.goto(link.url);
      expect(await violations(page)).toEqual([]);
      await screenshot(page, 'hosted-checkout/pay');
      await button(page, 'Pay').click();
      await page.waitForURL(`${setup.stripe.url}/c/pay/**`);
      const [session] = setup.stripe.sessionsOf(link.id);
      await page.goto(`${link.url}?from=checkout`);
      expect([await stateOf(page), await violations(page)]).toEqual(['processing', []]);
      await screenshot(page, 'hosted-checkout/processing');
      await button(page, 'I have not paid yet').click();
      await page.waitForURL(`${setup.stripe.url}/c/pay/**`);
      await deliverEvent(setup, 'checkout.session.completed', setup.stripe.pay(session!));
      await page.goto(`${link.url}?from=checkout`);
      expect(await stateOf(page)).toBe('paid');
    });
  });

  it('is blocked by the content security policy for any other origin', async () => {
    const elsewhere = await setup.service.replica({ STRIPE_CHECKOUT_URL: 'https://elsewhere.example' });
    try {
      const { secret } = await aPaymentLink(setup.service, owner);
      await visit(async (page) => {
        await page.goto(`${elsewhere.url}/pay/${secret}`);
        const [complaint] = await Promise.all([
          page.waitForEvent('console', (message) => message.text().includes('form-action')),
          button(page, 'Pay').click(),
        ]);
        expect(complaint.text()).toContain('Content Security Policy');
        expect(page.url()).toBe(`${elsewhere.url}/pay/${secret}`);
      });
      expect(elsewhere.logged.join('')).toContain('but the settings allow https://elsewhere.example only');
    } finally {
      await elsewhere.stop();
    }
  });
});
