import { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { pageMessages } from '../../../../src/modules/payment-requests/page/payment-page.view';
import { languages } from '../../../../src/platform/i18n/messages';
import { overflows, violations } from '../../../support/accessibility';
import { hasChromium, openChromium } from '../../../support/chromium';
import { anOwner, Owner, theAdmin } from '../../../support/people';
import { screenshot } from '../../../support/screenshot';
import { startTestService, TestService } from '../../../support/service';
import { aPaymentLink, Link, statusOf } from '../../../support/payment-page';

const smallPhone = { viewport: { width: 320, height: 568 }, hasTouch: true, isMobile: true };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const desktop = { viewport: { width: 1280, height: 720 } };
const sizes = { 'small-phone': smallPhone, phone, desktop };

const pay = 'button[value=succeeded]';
const decline = 'button[value=declined]';

/** Clicks a button and waits for the next page. */
async function click(page: Page, button: string): Promise<void> {
  await Promise.all([page.waitForEvent('load'), page.click(button)]);
}

const where = hasChromium ? 'in Chromium' : 'in Chromium: SKIPPED, no Chromium runs on this machine';

(hasChromium ? describe : describe.skip)(`The payment page ${where}`, () => {
  let service: TestService;
  let manual: TestService;
  let browser: Browser;
  let owner: Owner;

  beforeAll(async () => {
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
    aPaymentLink(service, owner, {
      currency: 'EUR',
      amount: 124_950,
      reference: 'Invoice 2041, annual service',
      ...members,
    });

  /** Visits the page in a new browser context, and fails on any message in the console and any failed request. */
  async function visit(options: BrowserContextOptions, work: (page: Page) => Promise<void>): Promise<void> {
    const context = await browser.newContext({ locale: 'en-GB', ...options });
    const problems: string[] = [];
    const page = await context.newPage();
    page.on('console', (message) => void problems.push(message.text()));
    page.on('pageerror', (error) => void problems.push(error.message));
    page.on('requestfailed', (request) => void problems.push(`${request.url()} failed`));
    try {
      await work(page);
      expect(problems.filter((text) => !text.includes('the server responded with a status of 40'))).toEqual(
        [],
      );
    } finally {
      await context.close();
    }
  }

  const stateOf = (page: Page): Promise<string | null> => page.locator('main').getAttribute('class');
  async function payments(): Promise<number> {
    return (await owner.api.get('/v1/transactions?limit=100')).body.data.length;
  }

  describe('pays', () => {
    it('with one click, and shows the receipt', async () => {
      const paid = await link();
      await visit(phone, async (page) => {
        await page.goto(paid.url);
        await click(page, pay);
        expect(await stateOf(page)).toBe('paid');
        expect(await page.locator('code').textContent()).toMatch(/^txn_/);
        expect(await page.title()).toBe('Paid · Lovelace Ltd');
        await screenshot(page, 'payment-page/paid-phone');
        await page.emulateMedia({ media: 'print' });
        await screenshot(page, 'payment-page/paid-printed');
        expect(await page.locator('dl').isVisible()).toBe(true);
      });
      expect(await statusOf(owner.api, paid)).toBe('succeeded');
    });

    it('and comes back to the shop, by the button and by itself', async () => {
      const { id, url } = await link({ return_url: `${service.url}/health/live?paid={PAYMENT_REQUEST_ID}` });
      for (const leave of [(page: Page) => click(page, '.back a'), async () => {}]) {
        await visit(phone, async (page) => {
          await page.goto(url);
          if (await page.locator(pay).count()) await click(page, pay);
          else await page.goto(`${url}?from=payment`);
          const html = await page.content();
          await leave(page);
          await page.waitForURL(`${service.url}/health/live?paid=${id}`);
          // A copy, which does not leave by itself while it is looked at.
          await page.goto('about:blank');
          await page.setContent(html);
          expect(await violations(page)).toEqual([]);
          await screenshot(page, 'payment-page/paid-back-phone');
        });
      }
    });

    it('with the keyboard alone, with a visible focus', async () => {
      const { url } = await link();
      await visit(desktop, async (page) => {
        await page.goto(url);
        await page.keyboard.press('Tab');
        expect(await page.evaluate('document.activeElement.value')).toBe('succeeded');
        expect(await page.evaluate('getComputedStyle(document.activeElement).outlineWidth')).toBe('3px');
        await screenshot(page, 'payment-page/focus-desktop');
        await page.keyboard.press('Enter');
        await page.locator('main.paid').waitFor();
      });
    });

    it('after a decline, and shows the remaining attempts', async () => {
      const { url } = await link();
      await visit(phone, async (page) => {
        await page.goto(url);
        await click(page, decline);
        expect(await page.getByRole('alert').textContent()).toContain('You have 4 attempts left.');
        expect(await violations(page)).toEqual([]);
        await screenshot(page, 'payment-page/declined-phone');
        await click(page, pay);
        expect(await stateOf(page)).toBe('paid');
      });
    });

    it('once on a double click', async () => {
      const before = await payments();
      const { url } = await link();
      await visit(desktop, async (page) => {
        page.removeAllListeners('requestfailed'); // the second click cancels the first request
        await page.goto(url);
        await page.dblclick(pay, { noWaitAfter: true });
        await page.locator('main.paid').waitFor();
      });
      expect(await payments()).toBe(before + 1);
    });

    it('once in two tabs, which both show the receipt', async () => {
      const before = await payments();
      const { url } = await link();
      await visit(desktop, async (first) => {
        const second = await first.context().newPage();
        for (const page of [first, second]) await page.goto(url);
        await Promise.all([click(first, pay), click(second, pay)]);
        expect([await stateOf(first), await stateOf(second)]).toEqual(['paid', 'paid']);
      });
      expect(await payments()).toBe(before + 1);
    });

    it('once when the customer goes back and reloads', async () => {
      const before = await payments();
      const [first, other] = [await link(), await link()];
      await visit(desktop, async (page) => {
        await page.goto(first.url);
        await click(page, pay);
        await page.goto(other.url);
        await page.goBack();
        expect([page.url(), await stateOf(page)]).toEqual([first.url, 'paid']);
        await page.reload();
        expect(await stateOf(page)).toBe('paid');
        await page.goBack();
        if (page.url() === first.url && (await page.locator(pay).count()) > 0) await click(page, pay);
      });
      expect(await payments()).toBe(before + 1);
    });

    it('without JavaScript', async () => {
      const { url } = await link();
      await visit({ ...phone, javaScriptEnabled: false }, async (page) => {
        await page.goto(url);
        await click(page, decline);
        await click(page, pay);
        expect(await stateOf(page)).toBe('paid');
      });
    });
  });

  it('shows that the request was canceled or has expired while the page was open', async () => {
    const [canceled, expired] = [
      await link(),
      await link({ expires_at: new Date(service.clock.now().getTime() + 60_000).toISOString() }),
    ];
    await visit(phone, async (page) => {
      await page.goto(canceled.url);
      await owner.api.delete(`/v1/payments/${canceled.id}`);
      await click(page, pay);
      expect(await stateOf(page)).toBe('canceled');
      expect(await violations(page)).toEqual([]);
      await screenshot(page, 'payment-page/canceled-phone');
      await page.goto(expired.url);
      service.clock.move({ seconds: 61 });
      await click(page, pay);
      expect(await stateOf(page)).toBe('expired');
      await screenshot(page, 'payment-page/expired-phone');
    });
  });

  it('shows an unknown link, a suspended account and a failed request', async () => {
    const admin = await theAdmin(service.api);
    const payee = await anOwner(service.api);
    const [suspended, failing] = [await aPaymentLink(service, payee), await link()];
    await admin.api.patch(`/v1/accounts/${payee.accountId}`, { status: 'suspended' });
    await visit(phone, async (page) => {
      await page.goto(`${service.url}/pay/nowhere`);
      expect([await stateOf(page), await violations(page)]).toEqual(['unknown', []]);
      await screenshot(page, 'payment-page/unknown-phone');
      await page.goto(suspended.url);
      expect([await stateOf(page), await violations(page)]).toEqual(['unavailable', []]);
      await screenshot(page, 'payment-page/unavailable-phone');
      await page.goto(failing.url);
      for (let declines = 0; declines < 5; declines += 1) await click(page, decline);
      expect([await stateOf(page), await violations(page)]).toEqual(['failed', []]);
    });
  });

  it('shows the bank details with a QR code for banking apps', async () => {
    const payee = await anOwner(manual.api, { currency: 'EUR' });
    const { url } = await aPaymentLink(manual, payee, { currency: 'EUR', reference: 'Invoice 2041' });
    for (const [name, size] of Object.entries(sizes)) {
      await visit(size, async (page) => {
        await page.goto(url);
        expect(await violations(page)).toEqual([]);
        expect(await overflows(page)).toBe(false);
        expect(await page.getByRole('img', { name: 'Scan with your banking app' }).isVisible()).toBe(true);
        await screenshot(page, `payment-page/transfer-${name}`);
      });
    }
  });

  it.each(Object.entries(sizes))(
    'conforms to WCAG 2.2 AA on a %s in light and dark mode',
    async (name, size) => {
      const { url } = await link();
      await visit(size, async (page) => {
        await page.goto(url);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          expect([await violations(page), await overflows(page)]).toEqual([[], false]);
          await screenshot(page, `payment-page/pay-${name}-${colorScheme}`);
        }
        expect(await page.locator('figure').isVisible()).toBe(name === 'desktop');
        await click(page, pay);
        expect([await violations(page), await overflows(page)]).toEqual([[], false]);
      });
    },
  );

  it.each(languages)('fits a small phone in %s, also with text of double size', async (language) => {
    const { url } = await link({ amount: 9_007_199_254_740_991, reference: 'x'.repeat(255) });
    await visit({ ...smallPhone, locale: language }, async (page) => {
      await page.goto(url);
      expect(await page.locator('html').getAttribute('lang')).toBe(language);
      expect(await page.locator('main').innerText()).toContain(pageMessages[language].simulation.heading);
      expect(await overflows(page)).toBe(false);
      await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
      expect(await overflows(page)).toBe(false);
      await screenshot(page, `payment-page/large-text-${language}`);
    });
  });

  it('fails these checks when it has faults', async () => {
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

  it('blocks an injected stylesheet', async () => {
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
