import { readFileSync } from 'node:fs';
import { BrowserContext, Locator, Page } from 'playwright-core';
import { hasChromium } from '../../../support/chromium';
import { anOperator, Person } from '../../../support/people';
import { startTestService, TestService } from '../../../support/service';
import { eventually } from '../../../support/until';
import { ConsoleBrowser, signIn } from './console-browser';

type Place = 'console' | 'dashboard';

/** A busy machine takes long to build the console and to start the service. */
const SETUP_MS = 180_000;

interface ConsoleSuiteOptions {
  readonly place?: Place;
  readonly env?: NodeJS.ProcessEnv;
  /** Creates what has to be there before the sign-in. @returns who signs in; otherwise that is a new admin */
  readonly prepare?: (service: TestService) => Promise<Person>;
}

/**
 * An admin at the console, in Chromium, with the service beneath it. Functions take the page of somebody else as their
 * last argument. Members are there from the first `beforeAll` of a suite on.
 */
export class ConsoleSuite {
  service!: TestService;
  browser!: ConsoleBrowser;
  admin!: Person;
  /** The admin's browser. Its session is opened once. */
  context!: BrowserContext;
  page!: Page;

  constructor(private readonly options: ConsoleSuiteOptions) {}

  async open(): Promise<void> {
    const { env, prepare = ({ api }: TestService) => anOperator(api, 'admin') } = this.options;
    this.service = await startTestService(env);
    this.browser = await ConsoleBrowser.start();
    this.admin = await prepare(this.service);
    this.context = await this.browser.newContext();
    this.page = await this.signedIn(this.admin, '', this.context);
  }

  async close(): Promise<void> {
    await this.browser?.close();
    await this.service?.stop();
  }

  /** Opens a page of the console for somebody who signs in. */
  async signedIn(person: Person, path = '', context?: BrowserContext): Promise<Page> {
    const page = await this.browser.open(context ?? (await this.browser.newContext()), this.urlOf(path));
    await signIn(page, person);
    await page.getByRole('searchbox').first().waitFor(); // another page would interrupt the sign-in
    return page;
  }

  readonly urlOf = (path: string, place = this.options.place ?? 'console'): string =>
    `${this.service.url}/${place}${path}`;
  readonly go = (path: string, page = this.page) => page.goto(this.urlOf(path));
  readonly heading = (page = this.page): Locator => page.getByRole('heading', { level: 1 });
  readonly titled = (text: string, page = this.page): Promise<void> =>
    this.heading(page).getByText(text).waitFor();
  readonly toasted = (text: string, page = this.page): Promise<void> =>
    page.locator('.toasts').getByText(text).waitFor();
  readonly table = (name: string, page = this.page): Locator =>
    page.getByRole('table', { name, exact: true });
  readonly dialog = (page = this.page): Locator => page.getByRole('alertdialog');
  readonly button = (name: string | RegExp, page = this.page): Locator =>
    page.getByRole('button', { name, exact: true });

  /** Holds the requests of the page to a URL. @returns lets them and all later ones go */
  readonly hold = async (url: string): Promise<() => void> => {
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    await this.page.route(url, async (route) => {
      await held;
      await route.continue();
    });
    return release;
  };

  /** Presses the button of an action, or chooses it in the menu of those that are needed less often. */
  readonly act = async (name: string, page = this.page): Promise<void> => {
    const more = this.button('More actions', page);
    await this.button(name, page).or(more).first().waitFor();
    if ((await this.button(name, page).count()) > 0) return this.button(name, page).click();
    await more.click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  };

  /** Presses the button of the open dialog, which says what it is about, and then goes away. */
  readonly confirm = async (action: string | RegExp, page = this.page): Promise<void> => {
    await eventually(() => this.dialog(page).locator('.about').innerText()).toMatch(/\S/);
    await this.dialog(page).getByRole('button', { name: action, exact: true }).click();
    await this.dialog(page).waitFor({ state: 'detached' });
  };

  /** Confirms the open dialog with a reason, without which it cannot be confirmed. */
  readonly confirmWith = async (reason: string, action: string, page = this.page): Promise<void> => {
    const button = this.dialog(page).getByRole('button', { name: action, exact: true });
    await eventually(() => button.isDisabled()).toBe(true);
    await this.dialog(page).getByLabel('Reason').fill(reason);
    await this.confirm(action, page);
  };

  /** Presses a button that saves a file. @returns its name and content */
  readonly saved = async (button: string): Promise<readonly [name: string, text: string]> => {
    const [download] = await Promise.all([this.page.waitForEvent('download'), this.button(button).click()]);
    return [download.suggestedFilename(), readFileSync(await download.path(), 'utf8')];
  };
}

/** Declares tests that need a browser, with an admin at the console. */
export function describeConsole(
  title: string,
  declare: (suite: ConsoleSuite) => void,
  options: ConsoleSuiteOptions = {},
): void {
  const where = hasChromium ? 'in Chromium' : 'in Chromium: SKIPPED, no Chromium runs on this machine';
  (hasChromium ? describe : describe.skip)(`${title} ${where}`, () => {
    const suite = new ConsoleSuite(options);
    beforeAll(() => suite.open(), SETUP_MS);
    afterAll(() => suite.close());
    afterEach(() => expect(suite.browser.problems()).toEqual([]));
    declare(suite);
  });
}
