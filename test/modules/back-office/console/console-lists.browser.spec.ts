import { Page } from 'playwright-core';
import { created, logIn, PASSWORD, Person, someEmail } from '../../../support/people';
import { aPaymentRequest, aSubscription, aTransaction } from '../../../support/request-bodies';
import { screenshot } from '../../../support/screenshot';
import { TestService } from '../../../support/service';
import { eventually } from '../../../support/until';
import { conforms, desktop, phone } from './console-browser';
import { describeConsole } from './console-suite';

const NAMES = ['Babbage & Sons', 'Byron Theatre', 'Clement Mills', 'Jacquard Looms', 'Somerville Press'];

/** €12,345,678.90. */
const LARGE = 1_234_567_890;

describeConsole('Lists in the console', (suite) => {
  const { go, table, button, titled } = suite;
  let service: TestService;
  let admin: Person;
  let page: Page;
  const accounts: Readonly<Record<'id' | 'name' | 'email' | 'webhookId', string>>[] = [];

  beforeAll(async () => {
    ({ service, admin, page } = suite);
    for (const name of NAMES) accounts.push(await anAccount(name));
  });

  /** An account with one item in most lists. */
  async function anAccount(name: string) {
    const email = someEmail();
    const settings = { currency: 'EUR' };
    const body = { email, password: PASSWORD, name, type: 'business', settings };
    const { id } = await created(service.api, '/v1/accounts', body);
    const { api } = await logIn(service.api, email);
    const url = `https://shop.example.com/${'hooks/'.repeat(5)}${email}`;
    const { id: webhookId } = await created(api, '/v1/webhooks', { url });
    const inEuro = { currency: 'EUR', reference: `order of ${name}` };
    await created(api, '/v1/transactions', aTransaction(id, { ...inEuro, type: 'credit', amount: LARGE }));
    const customer = { ...inEuro, customer_email: `accounts.payable.${'x'.repeat(11)}@example.com` };
    await created(api, '/v1/subscriptions', aSubscription(id, customer));
    const request = await created(api, '/v1/payments', aPaymentRequest(id, { ...customer, amount: LARGE }));
    await created(admin.api, `/v1/payments/${request.id}/unapplied-payments`, { amount: 700 });
    const adjustment = {
      amount: 250,
      currency: 'EUR',
      direction: 'credit',
      reason: 'A fee was charged twice.',
    };
    await created(admin.api, `/v1/accounts/${id}/adjustments`, adjustment);
    const inAYear = new Date(service.clock.now().getTime() + 365 * 86_400_000).toISOString();
    await created(api, '/v1/api-keys', { name: 'Web shop', expires_at: inAYear });
    return { id, name, email, webhookId };
  }

  /** Counts the requests that name accounts or read a single one. */
  async function accountRequests(show: () => Promise<unknown>): Promise<string[]> {
    const paths: string[] = [];
    const note = (request: { url: () => string }): void => {
      const { pathname } = new URL(request.url());
      if (/^\/v1\/accounts\b/.test(pathname)) paths.push(pathname);
    };
    page.on('request', note);
    await show();
    page.off('request', note);
    return paths;
  }

  const lists: readonly (readonly [path: string, label: string])[] = [
    ['/transactions', 'Transactions'],
    ['/payments', 'Payment requests'],
    ['/subscriptions', 'Subscriptions'],
    ['/unapplied', 'Unapplied payments'],
    ['/adjustments', 'Adjustments'],
    ['/webhooks', 'Webhooks'],
    ['/events?type=account.created', 'Events'],
    ['/audit?action=account.create', 'Audit log'],
  ];

  it.each(lists)('names the accounts of %s with one request', async (path, label) => {
    const requests = await accountRequests(async () => {
      await go(path);
      for (const { name, id } of accounts) {
        const link = table(label).getByRole('link', { name, exact: true }).first();
        await link.waitFor();
        await eventually(() => link.getByTitle(id).count()).toBe(1);
      }
    });
    expect(requests).toEqual(['/v1/accounts']);
    await conforms(page, `list-${path.slice(1).split('?')[0]}`);
  });

  it('finds an account by its name, email or id for a filter, and keeps its id in the address', async () => {
    const [{ id, email }] = accounts as [(typeof accounts)[0]];
    await go('/transactions');
    const account = page.getByRole('combobox', { name: 'Account' });
    for (const text of ['babb', email, id]) {
      await account.fill(text);
      await page.getByRole('option', { name: 'Babbage & Sons' }).waitFor();
      await screenshot(page, 'console/account-found-desktop-light');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/transactions?account_id=${id}`);
      await eventually(() => account.inputValue()).toBe('Babbage & Sons');
      await page.getByText('That is all.').waitFor();
      await eventually(() => table('Transactions').getByRole('row').count()).toBe(2);
      await conforms(page, 'account-filter');
      await page.reload();
      await eventually(() => account.inputValue()).toBe('Babbage & Sons');
      await account.fill('');
      await page.waitForURL(/\/transactions$/);
    }
  });

  it('takes the only account that is found on Enter, and keeps none that is typed in part', async () => {
    await go('/payments');
    const account = page.getByRole('combobox', { name: 'Account' });
    await account.fill('som');
    await page.getByRole('option', { name: 'Somerville Press' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/account_id=acc_/);
    await account.fill('nobody');
    await page.getByText('No account has this email or id, or a name that begins so.').waitFor();
    await page.keyboard.press('Tab');
    await eventually(() => account.inputValue()).toBe('Somerville Press');
    await account.fill('nobody');
    await page.keyboard.press('Enter');
    await page.getByText('No account has this email or id, or a name that begins so.').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('No account has this email or id, or a name that begins so.').waitFor();
    await eventually(() => account.inputValue()).toBe('nobody');
    await page.keyboard.press('Tab');
    await eventually(() => account.inputValue()).toBe('Somerville Press');
    await button('Remove filters').click();
    await page.waitForURL(/\/payments$/);
    await eventually(() => account.inputValue()).toBe('');
  });

  it('puts back the account of the filter on Escape, and closes the list of those that are found', async () => {
    const [{ id, name }] = accounts as [(typeof accounts)[0]];
    await go(`/payments?account_id=${id}`);
    const account = page.getByRole('combobox', { name: 'Account' });
    await eventually(() => account.inputValue()).toBe(name);
    for (const [text, shown] of [
      ['nobody', 'No account has this email or id, or a name that begins so.'],
      ['som', 'Somerville Press'],
    ] as const) {
      await account.fill(text);
      await page.locator('.popover').getByText(shown).waitFor();
      await page.keyboard.press('Escape');
      await eventually(() => account.inputValue()).toBe(name);
      await page.locator('.popover').waitFor({ state: 'detached' });
      await page.keyboard.press('Escape'); // with nothing typed
      await page.keyboard.press('Tab');
      await eventually(() => page.locator('.popover').count()).toBe(0);
      await eventually(() => account.inputValue()).toBe(name);
      expect(new URL(page.url()).search).toBe(`?account_id=${id}`);
    }
  });

  it('undoes what was filtered with the button of the browser', async () => {
    const steps = async (...expected: string[]): Promise<void> => {
      for (const address of expected) {
        await page.goBack();
        await page.waitForURL((url) => url.pathname + url.search === `/console/payments${address}`);
      }
    };
    await go('/payments');
    await page.getByLabel('Status').selectOption('pending');
    await page.waitForURL(/status=pending$/);
    const reference = page.getByLabel('Reference');
    for (const text of ['order of B', 'order of Byron Theatre']) {
      await reference.fill(text);
      await page.waitForURL((url) => url.searchParams.get('reference') === text);
    }
    await button('Remove filters').click();
    await page.waitForURL(/payments$/);
    await steps('?status=pending&reference=order+of+Byron+Theatre');
    await eventually(() => reference.inputValue()).toBe('order of Byron Theatre');
    await steps('?status=pending', '');
    await eventually(() => reference.inputValue()).toBe('');
    await eventually(() => page.getByLabel('Status').inputValue()).toBe('');
  });

  it('keeps the space with which one pauses in typing', async () => {
    await go('/payments');
    const reference = page.getByLabel('Reference');
    await reference.pressSequentially('order ');
    await page.waitForURL(/reference=order$/);
    await reference.pressSequentially('of');
    await page.waitForURL(/reference=order\+of$/);
  });

  it('removes what is typed with the filters', async () => {
    await go('/payments?status=pending');
    const reference = page.getByLabel('Reference');
    await button('Remove filters').waitFor();
    await reference.fill('order');
    await button('Remove filters').click();
    await page.waitForURL(/payments$/);
    await eventually(() => reference.inputValue()).toBe('');
    await page.waitForTimeout(600); // longer than a pause in typing
    expect(new URL(page.url()).search).toBe('');
  });

  it('says that the first date of a filter is after the second', async () => {
    await go('/payments?date_from=2026-11-03&date_to=2026-11-03');
    await page.getByLabel('To date').waitFor();
    expect(await page.getByText('This date is before the first one.').count()).toBe(0);
    await page.getByLabel('To date').fill('2026-11-02');
    await page.getByText('This date is before the first one.').waitFor();
    await eventually(() => page.getByLabel('To date').getAttribute('aria-invalid')).toBe('true');
    await conforms(page, 'dates-reversed');
    await go('/accounts?created_after=2026-11-03&created_before=2026-11-02');
    await page.getByText('This date is before the first one.').waitFor();
  });

  it('says of an entry what was posted, and with which reference', async () => {
    await go(`/accounts/${accounts[0]!.id}?tab=entries`);
    const entries = table('Entries');
    await entries.getByRole('row', { name: /Credit order of Babbage & Sons/ }).waitFor();
    const adjustment = entries.getByRole('row', { name: /Adjustment adj_/ });
    const link = adjustment.getByRole('link', { name: /^adj_/ });
    const id = await link.innerText();
    await eventually(() => link.getAttribute('href')).toBe(`/console/adjustments/${id}`);
    const content = adjustment.locator('.content', { hasText: id });
    const missing = () =>
      content.evaluate((cell) => [
        cell.scrollWidth - cell.clientWidth,
        cell.scrollHeight - cell.clientHeight,
      ]);
    await eventually(missing).toEqual([0, 0]);
    await page.getByRole('img', { name: /^From €12,345,678\.90 to €12,345,681\.40 on [^€]+\.$/ }).waitFor();
    await conforms(page, 'account-entries');
  });

  it('leads from the account of a row to its page', async () => {
    await go('/transactions');
    await table('Transactions').getByRole('link', { name: 'Byron Theatre' }).click();
    await titled('Byron Theatre');
  });

  /** The cells with a date, an amount, an email or a URL. @returns how many there are, and those that are cut */
  const CELLS = `(() => {
    const cells = [...document.querySelectorAll('.list .content')].filter(({ innerText }) =>
      /\\b20\\d\\d\\b|^https?:|\\d[.,]\\d\\d\\b|^\\S+@\\S+$/.test(innerText));
    const cut = cells.filter((cell) =>
      cell.scrollWidth > cell.clientWidth || cell.scrollHeight > cell.clientHeight);
    return [cells.length, cut.map(({ innerText }) => innerText)];
  })()`;

  it.each(['en', 'de', 'pt'])(
    'shows dates, amounts, emails, URLs and responses in full on a desktop: %s',
    async (language) => {
      const [{ id, webhookId }] = accounts as [(typeof accounts)[0]];
      await service.runDueTasks();
      const tabs =
        'entries transactions payments subscriptions people adjustments keys webhooks sessions events';
      const lists = 'transactions payments unapplied adjustments accounts users audit events webhooks';
      const paths = [...lists.split(' ').map((list) => `/${list}`), `/webhooks/${webhookId}`];
      paths.push(...tabs.split(' ').map((tab) => `/accounts/${id}?tab=${tab}`));
      await page.evaluate(`localStorage.setItem("countinghouse.console.language", "${language}")`);
      for (const path of paths) {
        await go(path);
        await page.locator('.list tbody tr').first().waitFor();
        const shown = async () => {
          const [count, cut] = await page.evaluate<[number, string[]]>(CELLS);
          return { path, isShown: count > 0, cut };
        };
        await eventually(shown).toEqual({ path, isShown: true, cut: [] });
        const name = path
          .slice(1)
          .replace(/acc_\w+\?tab=|whk_\w+/, 'one')
          .replace('/', '-');
        await screenshot(page, `console/list-${name}-${language}`);
      }
      await page.evaluate('localStorage.removeItem("countinghouse.console.language")');
    },
  );

  /** Returns on how many lines the first word of each event stands. */
  const LINES = `[...document.querySelectorAll('.list td:first-child a')].map(({ firstChild }) => {
    const word = document.createRange();
    word.setStart(firstChild, 0);
    word.setEnd(firstChild, firstChild.data.search(/\\W/));
    return word.getClientRects().length;
  })`;

  it('breaks no word of the events that were delivered: German', async () => {
    await page.evaluate('localStorage.setItem("countinghouse.console.language", "de")');
    await go(`/webhooks/${accounts[0]!.webhookId}`);
    await page.getByRole('link', { name: 'Zahlungsanforderung: erstellt' }).first().waitFor();
    const lines = await page.evaluate<number[]>(LINES);
    expect(lines).toEqual(lines.map(() => 1));
    await page.evaluate('localStorage.removeItem("countinghouse.console.language")');
  });

  it.each([
    ['en', desktop, 'Too many users.'],
    ['de', phone, 'Zu viele Benutzer.'],
  ] as const)('says beside a search of users that it finds too many: %s', async (language, size, text) => {
    await service.sql(
      `INSERT INTO users (id, email, status, role, created_at, updated_at)
       SELECT 'usr_0' || lpad(n::text, 25, '0'), 'many-' || n || '@example.org', 'active', 'user', now(), now()
       FROM generate_series(1, 10001) AS n`,
    );
    await page.setViewportSize(size);
    await page.evaluate(`localStorage.setItem("countinghouse.console.language", "${language}")`);
    await go('/users?search=many');
    await page.getByText(text).waitFor();
    const field = page.locator('.filters [aria-invalid="true"]');
    await eventually(() => field.inputValue()).toBe('many');
    await eventually(() => page.locator('.list, [role="alert"]').count()).toBe(0);
    await conforms(page, `list-users-too-many-${language}`);
    await field.fill('many-10001');
    await page.getByRole('link', { name: 'many-10001@example.org' }).waitFor();
    await eventually(() => page.getByText(text).count()).toBe(0);
    await service.sql(`DELETE FROM users WHERE email LIKE 'many-%'`);
    await page.evaluate('localStorage.removeItem("countinghouse.console.language")');
    await page.setViewportSize(desktop);
  });

  it('shows on a phone who did what to what, and what an event is about', async () => {
    await created(admin.api, '/v1/users', { email: someEmail(), password: PASSWORD });
    await page.setViewportSize(phone);
    await page.evaluate('localStorage.setItem("countinghouse.console.language", "de")');
    await go('/audit?action=adjustment.create');
    const row = table('Prüfprotokoll').getByRole('row').nth(1);
    for (const text of ['adjustment.create', admin.email, 'adj_', 'Erfolgreich'])
      await row.getByText(text).first().waitFor();
    await row.getByText('A fee was charged twice.').waitFor();
    await screenshot(page, 'console/audit-phone-de');
    await go('/events?type=payment_request.created');
    const event = table('Ereignisse').getByRole('row').nth(1);
    for (const text of ['pay_', 'Somerville Press']) await event.getByText(text).first().waitFor();
    await screenshot(page, 'console/events-phone-de');
    await page.evaluate('localStorage.removeItem("countinghouse.console.language")');
    await page.setViewportSize(desktop);
  });
});
