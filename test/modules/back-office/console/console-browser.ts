import { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { overflows, violations } from '../../../support/accessibility';
import { openChromium } from '../../../support/chromium';
import { PASSWORD, Person } from '../../../support/people';
import { screenshot } from '../../../support/screenshot';
import { buildConsole } from './built-console';

export const desktop = { width: 1280, height: 800 };
export const phone = { width: 390, height: 844 };

/**
 * What the console logs when a test lets the service reject a request or the connection fail. Chromium gives up a resource
 * (ERR_TOO_MANY_RETRIES) now and then when it ignores that nobody has signed the certificate.
 */
const EXPECTED =
  /status of 4\d\d|ERR_INTERNET_DISCONNECTED|ERR_FAILED|ERR_TOO_MANY_RETRIES|The code of a page did not load/;

/** Chromium with the built console. */
export class ConsoleBrowser {
  private readonly logged: string[] = [];

  private constructor(private readonly browser: Browser) {}

  static async start(): Promise<ConsoleBrowser> {
    buildConsole();
    return new ConsoleBrowser(await openChromium());
  }

  newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const { browser } = this;
    return browser.newContext({ locale: 'en-GB', viewport: desktop, acceptDownloads: true, ...options });
  }

  async open(context: BrowserContext, url: string): Promise<Page> {
    const page = await context.newPage();
    page.on('console', (message) => void (message.type() === 'error' && this.logged.push(message.text())));
    page.on('pageerror', (error) => void this.logged.push(error.message));
    await page.goto(url);
    return page;
  }

  /** Returns what pages have logged since the last call, beside rejected requests. */
  problems(): string[] {
    return this.logged.splice(0).filter((text) => !EXPECTED.test(text));
  }

  close(): Promise<void> {
    return this.browser.close();
  }
}

export async function signIn(page: Page, { email }: Pick<Person, 'email'>): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
}

interface View {
  readonly name: string;
  readonly size: { readonly width: number; readonly height: number };
  readonly colorScheme: 'light' | 'dark';
}

/** Where texts have the least room. */
export const phoneView: View = { name: 'phone-dark', size: phone, colorScheme: 'dark' };
/** Each device and each colour scheme once: colours do not depend on the width. */
const views: readonly View[] = [{ name: 'desktop-light', size: desktop, colorScheme: 'light' }, phoneView];
/** Each device in each colour scheme, for pages that have most parts of the console. */
export const everyView: readonly View[] = [
  ...views,
  { name: 'desktop-dark', size: desktop, colorScheme: 'dark' },
  { name: 'phone-light', size: phone, colorScheme: 'light' },
];

/** Checks a page in light and dark mode, on a desktop and on a phone. */
export async function conforms(page: Page, name: string, shown = views): Promise<void> {
  for (const view of shown) {
    await page.setViewportSize(view.size);
    await page.emulateMedia({ colorScheme: view.colorScheme });
    await screenshot(page, `console/${name}-${view.name}`);
    expect([await violations(page), await overflows(page)]).toEqual([[], false]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(desktop);
}
