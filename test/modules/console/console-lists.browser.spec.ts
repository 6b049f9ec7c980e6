import { Page } from 'playwright-core';
import { created, logIn, PASSWORD, Person, someEmail } from '../../support/people';
import { aPaymentRequest, aTransaction } from '../../support/request-bodies';
import { TestService } from '../../support/service';
import { until } from '../../support/until';
import { conforms, screenshot } from './console-browser';
import { describeConsole } from './console-suite';

const NAMES = ['Babbage & Sons', 'Byron Theatre', 'Clement Mills', 'Jacquard Looms', 'Somerville Press'];

describeConsole('Lists in the console', (suite) => {
  const { go, table, button, titled } = suite;
  let service: TestService;
  let admin: Person;
  let page: Page;
  const accounts: { readonly id: string; readonly name: string; readonly email: string }[] = [];

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
    const inEuro = { currency: 'EUR', reference: `order of ${name}` };
    await created(api, '/v1/transactions', aTransaction(id, { ...inEuro, type: 'credit' }));
    const request = await created(api, '/v1/payments', aPaymentRequest(id, inEuro));
    await created(admin.api, `/v1/payments/${request.id}/unapplied-payments`, { amount: 700 });
    const adjustment = {
      amount: 250,
      currency: 'EUR',
      direction: 'credit',
      reason: 'A fee was charged twice.',
    };
    await created(admin.api, `/v1/accounts/${id}/adjustments`, adjustment);
    await created(api, '/v1/webhooks', { url: `https://shop.example.com/${'hooks/'.repeat(12)}${email}` });
    return { id, name, email };
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
    ['/unapplied', 'Unapplied payments'],
    ['/adjustments', 'Adjustments'],
    ['/webhooks', 'Webhooks'],
    ['/events?type=account.created', 'Events'],
    ['/audit?action=account.create', 'Audit trail'],
  ];

  it.each(lists)('names the accounts of %s with one request', async (path, label) => {
    const requests = await accountRequests(async () => {
      await go(path);
      for (const { name, id } of accounts) {
        const link = table(label).getByRole('link', { name, exact: true }).first();
        await link.waitFor();
        expect(await link.getByTitle(id).count()).toBe(1);
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
      await screenshot(page, 'account-found-desktop-light');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/transactions?account_id=${id}`);
      expect(await account.inputValue()).toBe('Babbage & Sons');
      await page.getByText('That is all.').waitFor();
      expect(await table('Transactions').getByRole('row').count()).toBe(2);
      await conforms(page, 'account-filter');
      await page.reload();
      await until(async () => (await account.inputValue()) === 'Babbage & Sons');
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
    expect(await account.inputValue()).toBe('Somerville Press');
    await button('Remove filters').click();
    await page.waitForURL(/\/payments$/);
    expect(await account.inputValue()).toBe('');
  });

  it('leads from the account of a row to its page', async () => {
    await go('/transactions');
    await table('Transactions').getByRole('link', { name: 'Byron Theatre' }).click();
    await titled('Byron Theatre');
  });
});
