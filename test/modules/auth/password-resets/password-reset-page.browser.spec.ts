import { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { linkPageMessages } from '../../../../src/modules/auth/password-resets/link-pages.routes';
import { languages } from '../../../../src/platform/i18n/messages';
import { overflows, violations } from '../../../support/accessibility';
import { hasChromium, openChromium } from '../../../support/chromium';
import { testMessageFiles } from '../../../support/message-files';
import { aUser, logIn, PASSWORD, Person } from '../../../support/people';
import { open, send, stateOf } from '../../../support/payment-page';
import { screenshot } from '../../../support/screenshot';
import { emailsTo, tokenIn, verificationLinksTo } from '../../../support/security-emails';
import { startTestService, TestService } from '../../../support/service';
import { SmtpServer } from '../../../support/smtp';

const NEXT = 'another horse battery';
const smallPhone = { viewport: { width: 320, height: 568 }, hasTouch: true, isMobile: true };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const desktop = { viewport: { width: 1280, height: 720 } };

let smtp: SmtpServer;
let service: TestService;

beforeAll(async () => {
  smtp = await SmtpServer.start();
  service = await startTestService({ ...smtp.settings, RUN_WORKER: 'true', PAYMENT_PAGE_URL: '' });
});
afterAll(async () => {
  await service?.stop();
  await smtp?.stop();
});

/** Requests a link and returns it from the email. */
async function linkFor({ email }: Person): Promise<string> {
  await service.api.post('/v1/auth/password-reset', { email });
  const [arrived] = await emailsTo({ smtp, service }, email, 1);
  return `${service.url}/password-reset/${tokenIn(arrived!)}`;
}

const submit = (link: string, fields: Record<string, string>) =>
  send(`${service.url}/password-reset`, new URLSearchParams({ token: tokenOf(link), ...fields }).toString());
const tokenOf = (link: string): string => link.split('/').at(-1)!;

describe('The page for a new password', () => {
  testMessageFiles(linkPageMessages);

  it('changes nothing when it is opened, and sets the password when its form is submitted', async () => {
    const person = await aUser(service.api);
    const link = await linkFor(person);
    for (let n = 0; n < 3; n += 1) expect(stateOf(await open(link))).toBe('form');
    expect((await open(link)).html).toContain(`For the user <bdi>${person.email}</bdi>`);
    await logIn(service.api, person.email);
    const reply = await submit(link, { password: NEXT, repeat: NEXT });
    expect([reply.status, reply.headers.get('location')]).toEqual([303, './password-reset/done']);
    await logIn(service.api, person.email, NEXT);
    const [opened, again] = [await open(link), await submit(link, { password: PASSWORD, repeat: PASSWORD })];
    expect([opened.status, stateOf(opened), again.status, stateOf(again)]).toEqual([
      404,
      'invalid',
      404,
      'invalid',
    ]);
  });

  it('shows the form again for a weak password and for two different ones', async () => {
    const link = await linkFor(await aUser(service.api));
    const { faults } = linkPageMessages.en;
    const weak = await submit(link, { password: 'password1', repeat: 'password1' });
    const different = await submit(link, { password: NEXT, repeat: PASSWORD });
    expect([weak.status, stateOf(weak), different.status, stateOf(different)]).toEqual([
      400,
      'form',
      400,
      'form',
    ]);
    expect(weak.html).toContain(faults.weak);
    expect(different.html).toContain(faults.mismatch);
    expect([weak.html, different.html].join()).not.toContain(NEXT);
  });

  it.each(['', '/', '/unknown', `/${'A'.repeat(43)}`, '/%E0%A4%A', '/x/y'])(
    'responds with a page to the unknown address %#',
    async (path) => {
      const page = await open(`${service.url}/password-reset${path}`);
      expect([page.status, stateOf(page)]).toEqual(path.includes('%') ? [400, 'error'] : [404, 'invalid']);
    },
  );

  it.each([
    ['JSON', '{}', 'application/json'],
    ['no fields', '', 'application/x-www-form-urlencoded'],
    ['a large form', 'x'.repeat(5000), 'application/x-www-form-urlencoded'],
  ])('rejects %s', async (_, body, type) => {
    const page = await send(`${service.url}/password-reset`, body, type);
    expect(page.status).toBeGreaterThanOrEqual(400);
    expect(page.status).toBeLessThan(500);
    expect(page.headers.get('content-type')).toContain('text/html');
  });

  it('may not be stored, framed, indexed or run a script, and tells no other site its address', async () => {
    const { headers, html } = await open(await linkFor(await aUser(service.api)));
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'x-robots-tag': 'noindex, nofollow',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      ),
    });
    expect(html).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)/);
  });

  it('masks the password, which a password manager may fill in', async () => {
    const { html } = await open(await linkFor(await aUser(service.api)));
    const fields = html.match(/<input (?!type="hidden")[^>]*>/g) ?? [];
    expect(fields).toHaveLength(2);
    for (const field of fields) expect(field).toMatch(/ type="password" .* autocomplete="new-password"/);
  });

  it('keeps the token out of the log', async () => {
    const link = await linkFor(await aUser(service.api));
    await open(link);
    await submit(link, { password: NEXT, repeat: NEXT });
    expect(service.logged.join('')).toContain('"/password-reset/:token"');
    expect(service.logged.join('')).not.toContain(tokenOf(link));
  });

  it('requires HTTPS in production', async () => {
    const production = await service.replica({
      NODE_ENV: 'production',
      RUN_WORKER: 'false',
      PAYMENT_PAGE_URL: 'https://pay.countinghouse.test',
      TRUSTED_PROXIES: '127.0.0.1',
    });
    try {
      const link = await linkFor(await aUser(service.api));
      const headers = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'http' };
      const page = await open(`${production.url}/password-reset/${tokenOf(link)}`, { headers });
      expect([page.status, stateOf(page)]).toEqual([400, 'error']);
    } finally {
      await production.stop();
    }
  });
});

const where = hasChromium ? 'in Chromium' : 'in Chromium: SKIPPED, no Chromium runs on this machine';

(hasChromium ? describe : describe.skip)(`The page for a new password ${where}`, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openChromium();
  });
  afterAll(() => browser?.close());

  async function visit(options: BrowserContextOptions, work: (page: Page) => Promise<void>): Promise<void> {
    const context = await browser.newContext({ locale: 'en-GB', ...options });
    const problems: string[] = [];
    const page = await context.newPage();
    page.on('console', (message) => void problems.push(message.text()));
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

  async function fill(page: Page, password: string, repeat = password): Promise<void> {
    await page.fill('#password', password);
    await page.fill('#repeat', repeat);
    await Promise.all([page.waitForEvent('load'), page.click('button')]);
  }

  it('replaces a forgotten password from the email alone, without JavaScript', async () => {
    const person = await aUser(service.api);
    const link = await linkFor(person);
    await visit({ ...phone, javaScriptEnabled: false }, async (page) => {
      await page.goto(link);
      await fill(page, NEXT, PASSWORD);
      expect(await page.getByRole('alert').textContent()).toBe(linkPageMessages.en.faults.mismatch);
      await fill(page, NEXT);
      expect(await page.locator('main').getAttribute('class')).toBe('done');
      expect(page.url()).toBe(`${service.url}/password-reset/done`);
      const next = page.getByRole('link', { name: linkPageMessages.en.states.done.link });
      expect(new URL((await next.getAttribute('href'))!, page.url()).pathname).toBe('/dashboard/');
      await page.goto(link);
      expect(await page.locator('main').getAttribute('class')).toBe('invalid');
    });
    expect((await logIn(service.api, person.email, NEXT)).id).toBe(person.id);
  });

  it.each([
    ['small-phone', smallPhone],
    ['phone', phone],
    ['desktop', desktop],
  ])('conforms to WCAG 2.2 AA on a %s in light and dark mode', async (name, size) => {
    const link = await linkFor(await aUser(service.api));
    await visit(size, async (page) => {
      const check = async (state: string): Promise<void> => {
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          expect([await violations(page), await overflows(page)]).toEqual([[], false]);
          await screenshot(page, `password-reset/${state}-${name}-${colorScheme}`);
        }
      };
      await page.goto(link);
      await check('form');
      await fill(page, 'password1');
      await check('weak');
      await fill(page, NEXT);
      await check('done');
      await page.goto(link);
      await check('invalid');
    });
  });

  it.each([
    ['small-phone', smallPhone],
    ['desktop', desktop],
  ])('that verifies an email conforms to WCAG 2.2 AA on a %s in light and dark mode', async (name, size) => {
    const { email } = await aUser(service.api);
    const [sent] = await verificationLinksTo({ smtp, service }, email, 1);
    const link = `${service.url}/email-verification/${tokenOf(sent!)}`;
    await visit(size, async (page) => {
      const check = async (state: string): Promise<void> => {
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          expect([await violations(page), await overflows(page)]).toEqual([[], false]);
          await screenshot(page, `email-verification/${state}-${name}-${colorScheme}`);
        }
      };
      const submit = async (password: string): Promise<void> => {
        await page.fill('#password', password);
        await Promise.all([page.waitForEvent('load'), page.click('button')]);
      };
      await page.goto(link);
      await check('form');
      await submit(NEXT);
      await check('wrong');
      await submit(PASSWORD);
      await check('done');
      expect(page.url()).toBe(`${service.url}/email-verification/done`);
    });
  });

  it.each(languages)('fits a small phone in %s, also with text of double size', async (language) => {
    const link = await linkFor(await aUser(service.api));
    await visit({ ...smallPhone, locale: language }, async (page) => {
      await page.goto(link);
      expect(await page.locator('html').getAttribute('lang')).toBe(language);
      expect(await page.title()).toBe(linkPageMessages[language].form.heading);
      await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
      expect(await overflows(page)).toBe(false);
    });
  });
});
