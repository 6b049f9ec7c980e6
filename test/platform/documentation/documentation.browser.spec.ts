import { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { overflows, violations } from '../../support/accessibility';
import { hasChromium, openChromium } from '../../support/chromium';
import { logIn, PASSWORD, someEmail } from '../../support/people';
import { screenshot } from '../../support/screenshot';
import { startTestService, TestService } from '../../support/service';
import { eventually } from '../../support/until';
const phone = { viewport: { width: 320, height: 568 }, hasTouch: true, isMobile: true };
const desktop = { viewport: { width: 1360, height: 900 } };

const where = hasChromium ? 'in Chromium' : 'in Chromium: SKIPPED, no Chromium runs on this machine';

(hasChromium ? describe : describe.skip)(`The documentation ${where}`, () => {
  let service: TestService;
  let browser: Browser;

  beforeAll(async () => {
    [service, browser] = await Promise.all([startTestService(), openChromium()]);
  });
  afterAll(() => Promise.all([browser?.close(), service?.stop()]));

  /** Opens a page, and fails on any message in the console that is not expected. */
  async function visit(
    path: string,
    options: BrowserContextOptions,
    work: (page: Page) => Promise<void>,
    expected = /^$/,
  ): Promise<void> {
    const context = await browser.newContext({ locale: 'en-GB', ...options });
    const problems: string[] = [];
    try {
      const page = await context.newPage();
      page.on('console', (message) => void problems.push(message.text()));
      page.on('pageerror', (error) => void problems.push(error.message));
      await page.goto(`${service.url}${path}`);
      await work(page);
      expect(problems.filter((problem) => !expected.test(problem))).toEqual([]);
    } finally {
      await context.close();
    }
  }

  it.each(['/docs', '/docs/api/transactions', '/docs/guides/payments', '/docs/guides/client'])(
    'conforms to WCAG 2.2 AA and fits every screen in light and dark mode: %s',
    async (path) => {
      for (const [name, size] of Object.entries({ phone, desktop })) {
        await visit(path, size, async (page) => {
          await page.evaluate(`document.querySelectorAll('details').forEach((one) => (one.open = true))`);
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme });
            expect([await violations(page), await overflows(page)]).toEqual([[], false]);
            await screenshot(page, `documentation${path}-${name}-${colorScheme}`);
          }
        });
      }
    },
  );

  it('transfers less than 30 KB for its first page', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const sizes: Promise<number>[] = [];
    page.on('requestfinished', (request) => {
      sizes.push(request.sizes().then((size) => size.responseBodySize + size.responseHeadersSize));
    });
    await page.goto(`${service.url}/docs`, { waitUntil: 'networkidle' });
    const transferred = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(transferred).toBeGreaterThan(1_000);
    expect(transferred).toBeLessThan(30_000);
    await context.close();
  });

  it('finds an operation by its method, path or name, with the keyboard alone', async () => {
    await visit('/docs', desktop, async (page) => {
      await page.focus('#search-text');
      await page.keyboard.type('post /v1/payments request');
      await eventually(() => page.getByRole('status').textContent()).toMatch(/^\d found$/);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${service.url}/docs/api/payment-requests#createPaymentRequest`);
      await page.keyboard.press('Tab');
      expect(await page.evaluate('getComputedStyle(document.activeElement).outlineWidth')).toBe('3px');
    });
  });

  it.each([
    ['429', /429/],
    ['webhook signature', /signature/i],
    ['accents', /accents/],
  ])('finds what a text says: %s', async (text, said) => {
    for (const size of [desktop, phone]) {
      await visit('/docs', size, async (page) => {
        await page.fill('#search-text', text);
        const result = page.locator('#results li').filter({ hasText: said }).first();
        await result.waitFor();
        await eventually(() => page.getByRole('status').textContent()).toMatch(/^\d+ found$/);
        expect([await violations(page), await overflows(page)]).toEqual([[], false]);
        await screenshot(
          page,
          `documentation-search-${text.replace(' ', '-')}-${size === phone ? 'phone' : 'desktop'}`,
        );
        await result.getByRole('link').click();
        await page.waitForURL(/\/docs\/(guides|api)\//);
        await page.locator('main').getByText(said).first().waitFor();
      });
    }
  });

  it('shows the menu again without a search, and says that nothing is found', async () => {
    await visit('/docs', desktop, async (page) => {
      await page.fill('#search-text', 'no such words anywhere');
      await eventually(() => page.getByRole('status').textContent()).toBe('0 found');
      await page.fill('#search-text', '');
      await eventually(() => page.getByRole('status').textContent()).toBe('');
      await page.locator('#menu').getByRole('link', { name: 'Webhooks' }).first().waitFor();
      expect(await page.locator('#results li').count()).toBe(0);
    });
  });

  it('shows commands with its own address, and copies them', async () => {
    await visit(
      '/docs/api/transactions',
      { ...desktop, permissions: ['clipboard-read', 'clipboard-write'] },
      async (page) => {
        await page.getByRole('button', { name: 'Copy' }).first().click();
        await page.getByRole('button', { name: 'Copied' }).waitFor();
        expect(await page.evaluate('navigator.clipboard.readText()')).toContain(
          `curl -s ${service.url}/v1/transactions \\\n  -H "Authorization: Bearer $TOKEN"`,
        );
      },
    );
  });

  it.each([
    ['phone', phone],
    ['desktop', desktop],
  ])('sends an operation from its description, on a %s', async (name, size) => {
    const email = someEmail();
    const account = { email, password: PASSWORD, name: 'Lovelace Ltd', type: 'business' };
    const opened = (page: Page, id: string) => page.locator(`#${id} .try`);
    const send = async (page: Page, id: string, fields: Record<string, string>): Promise<string> => {
      await opened(page, id).locator('summary').click();
      for (const [label, value] of Object.entries(fields))
        await opened(page, id).getByLabel(label).fill(value);
      await opened(page, id).getByRole('button', { name: 'Send' }).click();
      await eventually(() => opened(page, id).getByRole('status').textContent()).toMatch(/^\d{3} /);
      return `${await opened(page, id).getByRole('status').textContent()} ${await opened(page, id).locator('pre').textContent()}`;
    };
    await visit('/docs/api/accounts', size, async (page) => {
      const created = await send(page, 'createAccount', { Body: JSON.stringify(account) });
      expect(created).toMatch(/^201 Created[^]*"name": "Lovelace Ltd"/);
      const { token } = await logIn(service.api, email);
      await page.getByLabel(/^Access token or API key/).fill(token);
      expect(await send(page, 'getOwnAccount', {})).toContain(`"email": "${email}"`);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect([await violations(page), await overflows(page)]).toEqual([[], false]);
        await screenshot(page, `documentation-try-${name}-${colorScheme}`);
      }
    });
    await visit(
      '/docs/api/transactions',
      size,
      async (page) => {
        await page.getByLabel(/^Access token or API key/).fill((await logIn(service.api, email)).token);
        expect(await send(page, 'listTransactions', { Query: 'limit=3' })).toMatch(/^200 OK[^]*"data": \[\]/);
        const id = 'txn_01k9x8v2t4e6rb3m5n7p9q1s0w';
        const absent = send(page, 'getTransaction', { transaction_id: id });
        await expect(absent).resolves.toMatch(/^404 Not Found[^]*"error": "not_found"/);
      },
      /404/,
    );
  });

  it('can be read without JavaScript', async () => {
    await visit('/docs/api/transactions', { ...phone, javaScriptEnabled: false }, async (page) => {
      await page.getByRole('link', { name: 'Menu' }).click();
      await page.locator('#menu').getByRole('link', { name: 'List transactions' }).click();
      expect(page.url()).toMatch(/#listTransactions$/);
    });
  });
});
