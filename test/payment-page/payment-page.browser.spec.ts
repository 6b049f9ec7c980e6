import axe from 'axe-core';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { Language, messages } from '../../src/modules/payment-requests/page/languages';
import { hasChromium, openChromium } from '../support/chromium';
import { anOwner, Owner, theAdmin } from '../support/people';
import { ROOT } from '../support/planted-tree';
import { startTestService, TestService } from '../support/service';
import { aLink, Link, statusOf } from './visitor';

const languages = Object.keys(messages) as Language[];
const pictures = join(ROOT, 'artifacts', 'payment-page');

const smallPhone = { viewport: { width: 320, height: 568 }, hasTouch: true, isMobile: true };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const desktop = { viewport: { width: 1280, height: 720 } };
const sizes = { 'small-phone': smallPhone, phone, desktop };

const pay = 'button[value=paid]';
const decline = 'button[value=declined]';

/** Presses a button and waits for the page that follows. */
async function press(page: Page, button: string): Promise<void> {
  await Promise.all([page.waitForEvent('load'), page.click(button)]);
}

const where = hasChromium ? 'in Chromium' : 'in Chromium: SKIPPED, no Chromium runs on this machine';

(hasChromium ? describe : describe.skip)(`The payment page ${where}`, () => {
  let service: TestService;
  let manual: TestService;
  let browser: Browser;
  let owner: Owner;

  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    [service, manual, browser] = await Promise.all([
      startTestService({ ACCESS_TOKEN_TTL: '86400' }),
      startTestService({
        PROCESSOR: 'manual',
        PAYMENT_IBAN: 'DE71110220330123456789',
        PAYMENT_INSTRUCTIONS: 'Transfers take about a day.\nQuestions: billing@example.com',
      }),
      openChromium(),
    ]);
    owner = await anOwner(service.api, { currency: 'EUR', timezone: 'Europe/Berlin' });
  });
  afterAll(() => Promise.all([browser?.close(), service?.stop(), manual?.stop()]));

  const link = (members: object = {}): Promise<Link> =>
    aLink(service, owner, {
      currency: 'EUR',
      amount: 124_950,
      reference: 'Invoice 2041, annual service',
      ...members,
    });

  /** A visit in a browser of its own, in which nothing may go wrong that a person would not see. */
  async function visit(options: BrowserContextOptions, work: (page: Page) => Promise<void>): Promise<void> {
    const context = await browser.newContext({ locale: 'en-GB', ...options });
    const complaints: string[] = [];
    const page = await context.newPage();
    page.on('console', (message) => void complaints.push(message.text()));
    page.on('pageerror', (error) => void complaints.push(error.message));
    page.on('requestfailed', (request) => void complaints.push(`${request.url()} failed`));
    try {
      await work(page);
      expect(complaints.filter((text) => !text.includes('the server responded with a status of 40'))).toEqual(
        [],
      );
    } finally {
      await context.close();
    }
  }

  const stateOf = (page: Page): Promise<string | null> => page.locator('main').getAttribute('class');
  const picture = (page: Page, name: string): Promise<Buffer> =>
    page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });

  /** What axe finds against WCAG 2.2 AA and its own good practice, with the page as it is. */
  async function violations(page: Page): Promise<string[]> {
    const run = `${axe.source}; axe.run(document, { resultTypes: ['violations'], runOnly: ${JSON.stringify([
      'wcag2a',
      'wcag2aa',
      'wcag21a',
      'wcag21aa',
      'wcag22aa',
      'best-practice',
    ])} })`;
    const { violations: found } = await page.evaluate<axe.AxeResults>(run);
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }

  /** Whether all of it can be seen without scrolling sideways. */
  const overflows = (page: Page): Promise<boolean> =>
    page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');

  async function payments(): Promise<number> {
    return (await owner.api.get('/v1/transactions?limit=100')).body.data.length;
  }

  describe('to pay', () => {
    it('with one press: the receipt appears, and the status is succeeded', async () => {
      const paid = await link();
      await visit(phone, async (page) => {
        await page.goto(paid.url);
        await press(page, pay);
        expect(await stateOf(page)).toBe('paid');
        expect(await page.locator('code').textContent()).toMatch(/^txn_/);
        expect(await page.title()).toBe('Paid · Lovelace Ltd');
        await picture(page, 'paid-phone');
        await page.emulateMedia({ media: 'print' });
        await picture(page, 'paid-printed');
        expect(await page.locator('dl').isVisible()).toBe(true);
      });
      expect(await statusOf(owner.api, paid)).toBe('succeeded');
    });

    it('by keyboard alone, with the focus in sight', async () => {
      const { url } = await link();
      await visit(desktop, async (page) => {
        await page.goto(url);
        await page.keyboard.press('Tab');
        expect(await page.evaluate('document.activeElement.value')).toBe('paid');
        expect(await page.evaluate('getComputedStyle(document.activeElement).outlineWidth')).toBe('3px');
        await picture(page, 'focus-desktop');
        await page.keyboard.press('Enter');
        await page.locator('main.paid').waitFor();
      });
    });

    it('after it was declined, with the attempts that are left', async () => {
      const { url } = await link();
      await visit(phone, async (page) => {
        await page.goto(url);
        await press(page, decline);
        expect(await page.getByRole('alert').textContent()).toContain('You have 4 attempts left.');
        expect(await violations(page)).toEqual([]);
        await picture(page, 'declined-phone');
        await press(page, pay);
        expect(await stateOf(page)).toBe('paid');
      });
    });

    it('with a double click: once', async () => {
      const before = await payments();
      const { url } = await link();
      await visit(desktop, async (page) => {
        page.removeAllListeners('requestfailed'); // the second click takes the first one's answer away
        await page.goto(url);
        await page.dblclick(pay, { noWaitAfter: true });
        await page.locator('main.paid').waitFor();
      });
      expect(await payments()).toBe(before + 1);
    });

    it('in two tabs: once, and both show it', async () => {
      const before = await payments();
      const { url } = await link();
      await visit(desktop, async (first) => {
        const second = await first.context().newPage();
        for (const page of [first, second]) await page.goto(url);
        await Promise.all([press(first, pay), press(second, pay)]);
        expect([await stateOf(first), await stateOf(second)]).toEqual(['paid', 'paid']);
      });
      expect(await payments()).toBe(before + 1);
    });

    it('and to come back: the page says that it is paid, and nothing is sent again', async () => {
      const before = await payments();
      const [first, other] = [await link(), await link()];
      await visit(desktop, async (page) => {
        await page.goto(first.url);
        await press(page, pay);
        await page.goto(other.url);
        await page.goBack();
        expect([page.url(), await stateOf(page)]).toEqual([first.url, 'paid']);
        await page.reload();
        expect(await stateOf(page)).toBe('paid');
        await page.goBack();
        if (page.url() === first.url && (await page.locator(pay).count()) > 0) await press(page, pay);
      });
      expect(await payments()).toBe(before + 1);
    });

    it('without JavaScript', async () => {
      const { url } = await link();
      await visit({ ...phone, javaScriptEnabled: false }, async (page) => {
        await page.goto(url);
        await press(page, decline);
        await press(page, pay);
        expect(await stateOf(page)).toBe('paid');
      });
    });
  });

  it('shows that a request was canceled or has expired while its page was open', async () => {
    const [canceled, expired] = [
      await link(),
      await link({ expires_at: new Date(service.clock.now().getTime() + 60_000).toISOString() }),
    ];
    await visit(phone, async (page) => {
      await page.goto(canceled.url);
      await owner.api.delete(`/v1/payments/${canceled.id}`);
      await press(page, pay);
      expect(await stateOf(page)).toBe('canceled');
      expect(await violations(page)).toEqual([]);
      await picture(page, 'canceled-phone');
      await page.goto(expired.url);
      service.clock.move({ seconds: 61 });
      await press(page, pay);
      expect(await stateOf(page)).toBe('expired');
      await picture(page, 'expired-phone');
    });
  });

  it('shows what else may be: a wrong link, a suspended account, too many declines', async () => {
    const admin = await theAdmin(service.api);
    const payee = await anOwner(service.api);
    const [suspended, failing] = [await aLink(service, payee), await link()];
    await admin.api.patch(`/v1/accounts/${payee.accountId}`, { status: 'suspended' });
    await visit(phone, async (page) => {
      await page.goto(`${service.url}/pay/nowhere`);
      expect([await stateOf(page), await violations(page)]).toEqual(['unknown', []]);
      await picture(page, 'unknown-phone');
      await page.goto(suspended.url);
      expect([await stateOf(page), await violations(page)]).toEqual(['unavailable', []]);
      await picture(page, 'unavailable-phone');
      await page.goto(failing.url);
      for (let declines = 0; declines < 5; declines += 1) await press(page, decline);
      expect([await stateOf(page), await violations(page)]).toEqual(['failed', []]);
    });
  });

  it('tells how to transfer the money, with a code for banking apps', async () => {
    const payee = await anOwner(manual.api, { currency: 'EUR' });
    const { url } = await aLink(manual, payee, { currency: 'EUR', reference: 'Invoice 2041' });
    for (const [name, size] of Object.entries(sizes)) {
      await visit(size, async (page) => {
        await page.goto(url);
        expect(await violations(page)).toEqual([]);
        expect(await overflows(page)).toBe(false);
        expect(await page.getByRole('img', { name: 'Scan with your banking app' }).isVisible()).toBe(true);
        await picture(page, `transfer-${name}`);
      });
    }
  });

  it.each(Object.entries(sizes))(
    'on a %s has no violation of WCAG 2.2 AA, light and dark',
    async (name, size) => {
      const { url } = await link();
      await visit(size, async (page) => {
        await page.goto(url);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          expect([await violations(page), await overflows(page)]).toEqual([[], false]);
          await picture(page, `pay-${name}-${colorScheme}`);
        }
        expect(await page.locator('figure').isVisible()).toBe(name === 'desktop');
        await press(page, pay);
        expect([await violations(page), await overflows(page)]).toEqual([[], false]);
      });
    },
  );

  it.each(languages)('in %s fits a small phone, also with text twice as large', async (language) => {
    const { url } = await link({ amount: 9_007_199_254_740_991, reference: 'x'.repeat(255) });
    await visit({ ...smallPhone, locale: language }, async (page) => {
      await page.goto(url);
      expect(await page.locator('html').getAttribute('lang')).toBe(language);
      expect(await page.locator('main').innerText()).toContain(messages[language].simulation.heading);
      expect(await overflows(page)).toBe(false);
      await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
      expect(await overflows(page)).toBe(false);
      await picture(page, `large-text-${language}`);
    });
  });

  it('is found at fault where it is: a page with faults does not pass', async () => {
    const { url } = await link();
    await visit(desktop, async (page) => {
      await page.goto(url);
      await page.evaluate(
        `document.querySelector('button').style.color = '#1b6358'; document.documentElement.lang = ''`,
      );
      const found = (await violations(page)).map((text) => text.split(':')[0]);
      expect(found).toEqual(expect.arrayContaining(['color-contrast', 'html-has-lang']));
      await page.evaluate(
        `document.querySelector('main').style.width = '3000px'; document.querySelector('main').style.maxWidth = 'none'`,
      );
      expect(await overflows(page)).toBe(true);
    });
  });

  it('has a stylesheet that only itself may bring: an injected one does not apply', async () => {
    const { url } = await link();
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(url);
    await page.evaluate(
      `document.head.insertAdjacentHTML('beforeend', '<style>body { opacity: 0.5 }</style>')`,
    );
    expect(await page.evaluate('getComputedStyle(document.body).opacity')).toBe('1');
    await context.close();
  });
});
