import axe from 'axe-core';
import { join } from 'node:path';
import { Browser, Page } from 'playwright-core';
import { hasChromium, openChromium } from '../support/chromium';
import { anOwner, Owner } from '../support/people';
import { ROOT } from '../support/planted-tree';
import { aLink } from '../payment-page/visitor';
import { openShop, report, Shop } from './shop';

const where = hasChromium ? 'in Chromium' : 'in Chromium: SKIPPED, no Chromium runs on this machine';

(hasChromium ? describe : describe.skip)(`Going to Stripe and back ${where}`, () => {
  let shop: Shop;
  let browser: Browser;
  let owner: Owner;

  beforeAll(async () => {
    [shop, browser] = await Promise.all([openShop(), openChromium()]);
    owner = await anOwner(shop.service.api);
  });
  afterAll(() => Promise.all([browser?.close(), shop?.stop()]));

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

  async function violations(page: Page): Promise<string[]> {
    const tags = JSON.stringify(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']);
    const run = `${axe.source}; axe.run(document, { resultTypes: ['violations'], runOnly: ${tags} })`;
    return (await page.evaluate<axe.AxeResults>(run)).violations.map(({ id }) => id);
  }

  const picture = (page: Page, name: string): Promise<Buffer> =>
    page.screenshot({ path: join(ROOT, 'artifacts', 'stripe', `${name}.png`), fullPage: true });

  it('works with one press each way, and a look again', async () => {
    const link = await aLink(shop.service, owner, { reference: 'Invoice 2041' });
    await visit(async (page) => {
      await page.goto(link.url);
      expect(await violations(page)).toEqual([]);
      await picture(page, 'pay');
      await button(page, 'Pay').click();
      await page.waitForURL(`${shop.stripe.url}/c/pay/**`);
      const [session] = shop.stripe.sessionsOf(link.id);
      await page.goto(`${link.url}?from=checkout`);
      expect([await stateOf(page), await violations(page)]).toEqual(['processing', []]);
      await picture(page, 'processing');
      await button(page, 'I have not paid yet').click();
      await page.waitForURL(`${shop.stripe.url}/c/pay/**`);
      await report(shop, 'checkout.session.completed', shop.stripe.pay(session!));
      await page.goto(`${link.url}?from=checkout`);
      expect(await stateOf(page)).toBe('paid');
    });
  });

  it('is kept from leading anywhere else by the policy of the page', async () => {
    const elsewhere = await shop.service.replica({ STRIPE_CHECKOUT_URL: 'https://elsewhere.example' });
    try {
      const { secret } = await aLink(shop.service, owner);
      await visit(async (page) => {
        await page.goto(`${elsewhere.url}/pay/${secret}`);
        const [complaint] = await Promise.all([
          page.waitForEvent('console', (message) => message.text().includes('form-action')),
          button(page, 'Pay').click(),
        ]);
        expect(complaint.text()).toContain('Content Security Policy');
        expect(page.url()).toBe(`${elsewhere.url}/pay/${secret}`);
      });
      expect(elsewhere.logged.join('')).toContain('set STRIPE_CHECKOUT_URL to it');
    } finally {
      await elsewhere.stop();
    }
  });
});
