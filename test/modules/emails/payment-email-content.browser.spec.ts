import { Browser, Page } from 'playwright-core';
import { languages } from '../../../src/platform/i18n/messages';
import { overflows, violations, WCAG_2_2_AA } from '../../support/accessibility';
import { hasChromium, openChromium } from '../../support/chromium';
import { screenshot } from '../../support/screenshot';
import { renderEmails } from './rendered-emails';

const where = hasChromium ? 'in Chromium' : 'in Chromium: SKIPPED, no Chromium runs on this machine';

(hasChromium ? describe : describe.skip)(`An email to a customer ${where}`, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openChromium();
  });
  afterAll(() => browser?.close());

  /** Shows an email as a mail client does, and checks that it loads nothing. */
  async function show(html: string, width: number, work: (page: Page) => Promise<void>): Promise<void> {
    const page = await browser.newPage({ viewport: { width, height: 800 } });
    const requests: string[] = [];
    page.on('request', (request) => void requests.push(request.url()));
    await page.setContent(html);
    await work(page);
    expect(requests).toEqual([]);
    await page.close();
  }

  it.each(['request', 'receipt'] as const)('is accessible in light and dark mode: %s', async (kind) => {
    for (const [name, width] of Object.entries({ phone: 390, desktop: 1024 })) {
      await show(renderEmails({ testMode: kind === 'request' })[kind].html, width, async (page) => {
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          expect([await violations(page, WCAG_2_2_AA), await overflows(page)]).toEqual([[], false]);
          await screenshot(page, `emails/${kind}-${name}-${colorScheme}`);
        }
      });
    }
  });

  it.each(languages)('fits a small phone with the longest values in %s', async (language) => {
    const emails = renderEmails({
      language,
      payee: 'W'.repeat(200),
      reference: 'x'.repeat(255),
      amount: 9_007_199_254_740_991,
    });
    for (const kind of ['request', 'receipt'] as const) {
      await show(emails[kind].html, 320, async (page) => {
        expect(await page.locator('html').getAttribute('lang')).toBe(language);
        expect(await overflows(page)).toBe(false);
        await screenshot(page, `emails/${kind}-small-${language}`);
      });
    }
  });

  it('links to the payment page with a button and with the visible URL', async () => {
    const { request, link } = renderEmails({});
    await show(request.html, 390, async (page) => {
      const targets = await page.evaluate(`[...document.querySelectorAll('a')].map(({ href }) => href)`);
      expect(targets).toEqual([link, link]);
      expect(await page.locator('a').last().innerText()).toBe(link);
    });
  });
});
