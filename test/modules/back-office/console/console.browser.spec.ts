import * as papaparse from 'papaparse';
import { Page } from 'playwright-core';
import { anAccount, created, logIn, Owner, PASSWORD, Person } from '../../../support/people';
import { submitOutcome } from '../../../support/payment-page';
import { aPaymentRequest, aSubscription } from '../../../support/request-bodies';
import { TestService } from '../../../support/service';
import { eventually, until } from '../../../support/until';
import { assets } from './built-console';
import { conforms, desktop, everyView, phone } from './console-browser';
import { describeConsole } from './console-suite';

const FIRST_PAGE_BYTES = 220 * 1024;

/** More than a list reads at a time, and than it has in the document. */
const ROWS = 70;

describeConsole('Transactions and lists in the console', (suite) => {
  const { go, heading, button, dialog, titled, saved, confirm, confirmWith } = suite;
  let service: TestService;
  let admin: Person;
  let owner: Owner;
  let page: Page;

  beforeAll(async () => {
    ({ service, admin, page } = suite);
    owner = await anAccount(service.api, { currency: 'EUR' });
    for (let n = 1; n <= ROWS; n += 1)
      await create({ type: 'credit', amount: 100 * n, reference: `payout-${n}` });
  });

  async function create(fields: object): Promise<string> {
    const { body } = await owner.api.post('/v1/transactions', {
      account_id: owner.accountId,
      currency: 'EUR',
      ...fields,
    });
    return body.id;
  }

  /** A payment that has succeeded or failed. */
  async function aPayment(outcome: object, fields: object = {}): Promise<string> {
    const id = await create({ type: 'payment', amount: 12_345, ...fields });
    const settled = await admin.api.post(`/v1/transactions/${id}/settlement`, outcome);
    expect(settled.status).toBe(200);
    return id;
  }

  /** The part of the list's width that its columns fill. */
  async function filledWidth(): Promise<number> {
    const [last, list] = [page.locator('th:visible').last(), page.locator('main')].map((box) =>
      box.boundingBox(),
    );
    const { x, width } = (await last)!;
    const outer = (await list)!;
    return (x + width - outer.x) / outer.width;
  }

  it('finds a payment by its reference from the keyboard, and shows why it failed', async () => {
    const reference = 'invoice-2041';
    await aPayment({ outcome: 'failed', failure_reason: 'The card has expired.' }, { reference });
    await go('/transactions');
    await heading().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(reference);
    await page.keyboard.press('Enter');
    await page.getByText('The card has expired.').waitFor();
    await eventually(() => heading().textContent()).toContain('€123.45');
    await page.getByText('Created', { exact: true }).first().waitFor();
    await conforms(page, 'transaction');
  });

  it('refunds a part of a payment, after it has said what will happen', async () => {
    const id = await aPayment({ outcome: 'succeeded' });
    await go(`/transactions/${id}`);
    await button('Refund').click();
    await dialog().getByText('cannot be undone').waitFor();
    const amount = dialog().getByLabel('Amount in EUR');
    const confirmation = dialog().getByRole('button', { name: /^Refund/ });
    await amount.fill('999');
    await eventually(() => confirmation.isDisabled()).toBe(true);
    await amount.fill('23.45');
    await conforms(page, 'refund', everyView);
    await confirmWith('Ordered twice', 'Refund €23.45');
    await page.getByText('The refund was created.').waitFor();
    const { body } = await admin.api.get('/v1/transactions?type=refund&view=full');
    expect(body.data[0]).toMatchObject({
      amount: 2345,
      source_transaction_id: id,
      metadata: { reason: 'Ordered twice' },
    });
    await page.getByText('€100.00').waitFor();
    await conforms(page, 'partly-refunded');

    await button('Refund').click();
    await eventually(() => amount.inputValue()).toBe('100.00');
    await amount.fill('100.01');
    await eventually(() => confirmation.isDisabled()).toBe(true);
    await amount.fill('100');
    await confirmWith('Ordered twice', 'Refund €100.00');
    await page.getByText('All of it is refunded.').waitFor();
    await eventually(() => button('Refund').isDisabled()).toBe(true);
    const refunds = page.getByRole('table', { name: 'Refunds' });
    for (const part of ['€23.45', '€100.00']) await refunds.getByRole('link', { name: part }).waitFor();
    await conforms(page, 'refunds');
  });

  it('says before a refund whose payment it is, what is refunded of it and what is left', async () => {
    const terms = {
      amount: 8_000,
      currency: 'EUR',
      reference: 'invoice-9',
      customer_email: 'ada@example.com',
    };
    const { id } = await created(owner.api, '/v1/payments', aPaymentRequest(owner.accountId, terms));
    await admin.api.post(`/v1/payments/${id}/settlement`, { outcome: 'succeeded', amount: 8_000 });
    const { transaction_id } = (await admin.api.get(`/v1/payments/${id}`)).body;
    await create({ type: 'refund', amount: 1_500, source_transaction_id: transaction_id });
    await go(`/transactions/${transaction_id}`);
    await button('Refund').click();
    await dialog().getByText('ada@example.com').waitFor();
    await dialog().getByText('Money goes from Lovelace Ltd back to the customer.').waitFor();
    await eventually(() => dialog().locator('.about').textContent()).toBe('invoice-9');
    await eventually(() => dialog().locator('.details > div').allTextContents()).toEqual([
      'Customerada@example.com',
      'Paid€80.00',
      'Refunded€15.00',
      'Left to refund€65.00',
    ]);
    await conforms(page, 'refund-rest');
    await confirmWith('Ordered twice', 'Refund €65.00');
    await page.getByText('All of it is refunded.').waitFor();
  });

  it('says in its own language why a refund is refused, and keeps what the service says as details', async () => {
    const id = await aPayment({ outcome: 'succeeded' }, { amount: 5_000 });
    await page.evaluate('localStorage.setItem("countinghouse.console.language", "de")');
    await go(`/transactions/${id}`);
    await button('Erstatten').click();
    await dialog().getByLabel('Grund').fill('Doppelt bestellt');
    await create({ type: 'refund', amount: 4_000, source_transaction_id: id });
    await button('50,00\u00a0€ erstatten').click();
    const alert = dialog().getByRole('alert');
    await alert.getByText('Der Dienst nimmt diese Eingabe nicht an.').waitFor();
    await eventually(() => alert.locator('[lang=en]').textContent()).toMatch(
      /^The refund exceeds .* 1000 minor units/,
    );
    await eventually(() => alert.locator('p').nth(1).textContent()).toMatch(
      /^Angaben des Dienstes: The refund/,
    );
    await conforms(page, 'refund-refused');
    await page.evaluate('localStorage.removeItem("countinghouse.console.language")');
  });

  it('offers no refund while the account is suspended, and says why', async () => {
    const id = await aPayment({ outcome: 'succeeded' });
    const setStatus = (status: string) => admin.api.patch(`/v1/accounts/${owner.accountId}`, { status });
    await setStatus('suspended');
    await go(`/transactions/${id}`);
    await page.getByText('The account takes no refunds. Its status: Suspended.').waitFor();
    await eventually(() => button('Refund').isDisabled()).toBe(true);
    await setStatus('active');
    owner = await logIn(service.api, owner.email).then(({ api }) => ({ ...owner, api }));
  });

  it('settles, fails and cancels a pending transaction', async () => {
    const actions = [
      ['Mark as succeeded', 'succeeded'],
      ['Mark as failed', 'failed'],
      ['Cancel', 'canceled'],
    ] as const;
    for (const [action, status] of actions) {
      const id = await create({ type: 'payment', amount: 500 });
      await go(`/transactions/${id}`);
      await button(action).click();
      const reason = dialog().getByLabel('Why it failed');
      if (status === 'failed') await reason.fill('Declined by the bank');
      await confirm(action);
      expect((await admin.api.get(`/v1/transactions/${id}`)).body.status).toBe(status);
    }
  });

  it('shows a conflict with another admin, and then what is true now', async () => {
    const id = await create({ type: 'payment', amount: 700 });
    await go(`/transactions/${id}`);
    await button('Cancel').click();
    await admin.api.post(`/v1/transactions/${id}/settlement`, { outcome: 'succeeded' });
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('It has changed in the meantime.').waitFor();
    await page.keyboard.press('Escape');
    await titled('Succeeded');
  });

  it('keeps the filters of a list in its address, and exports what they select', async () => {
    await go('/transactions');
    await page.getByLabel('Type').selectOption('credit');
    await page.getByLabel('Reference').fill('payout-42');
    await page.waitForURL(/type=credit&reference=payout-42$/);
    await page.getByText('That is all.').waitFor();
    await page.reload();
    await page.getByText('That is all.').waitFor();
    await eventually(() => page.getByRole('row').count()).toBe(2);
    await conforms(page, 'transactions-filtered');
    const [, text] = await saved('Export CSV');
    const { data } = papaparse.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true });
    expect(data).toEqual([expect.objectContaining({ amount: '4200', reference: 'payout-42' })]);
    await button('Remove filters').click();
    await page.waitForURL(/transactions$/);
    await page.getByLabel('Reference').fill('no such thing');
    await page.getByText('Nothing matches these filters.').waitFor();
  });

  it('shows a long list as it is scrolled, with few rows in the document, and opens one by keyboard', async () => {
    await go('/transactions?type=credit');
    const last = page.getByText('payout-1', { exact: true });
    const scrollsToLast = async (): Promise<boolean> => {
      await page.mouse.wheel(0, 20_000);
      return last.isVisible();
    };
    expect(await until(scrollsToLast)).toBe(true);
    await eventually(() => page.getByRole('row').count()).toBeLessThan(60);
    await go('/transactions?type=credit');
    await page.locator('tbody a').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText(`payout-${ROWS - 1}`).waitFor();
    await go('/transactions');
    await page.locator('tbody a').first().waitFor();
    await conforms(page, 'transactions', everyView);
    await page.setViewportSize(phone);
    expect(await filledWidth()).toBeGreaterThan(0.9);
    await page.setViewportSize(desktop);
  });

  it('folds the filters on a phone until one is set, and shows the type and the reference of a row', async () => {
    await page.setViewportSize(phone);
    await go('/transactions');
    const second = page.getByText(/^Credit · payout-\d+$/).first();
    await second.waitFor();
    const [toggle, reference] = [button('Filters'), page.getByLabel('Reference')];
    expect([await toggle.getAttribute('aria-expanded'), await reference.isVisible()]).toEqual([
      'false',
      false,
    ]);
    await toggle.focus();
    await page.keyboard.press('Enter');
    await reference.fill('payout-42');
    await page.waitForURL(/reference=payout-42$/);
    await page.reload();
    await button('Filters (1)').waitFor();
    await eventually(() => reference.isVisible()).toBe(true);
    await page.setViewportSize(desktop);
    await page.getByText('That is all.').waitFor();
    for (const hidden of [toggle, second]) await eventually(() => hidden.isVisible()).toBe(false);
  });

  it('says that an id names nothing', async () => {
    await go('/nope');
    await page.getByRole('main').getByRole('link', { name: 'Overview' }).click();
    await titled('Overview');
    await go('/transactions/txn_00000000000000000000000000');
    await page.getByText('There is nothing here').waitFor();
    await page.getByRole('searchbox').fill('nobody@example.com');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing was found.').waitFor();
    await conforms(page, 'search');
  });

  it.each([
    ['/audit-log?action=login', '/audit?action=login', 'Audit log'],
    ['/unapplied-payments', '/unapplied', 'Unapplied payments'],
    ['/unapplied-payments/unp_1', '/unapplied/unp_1', 'Unapplied payment'],
    ['/api-keys', '/keys', 'Platform keys'],
  ])('leads from the name that the API has for a page to the page: %s', async (path, target, title) => {
    await go(path);
    await titled(title);
    expect(page.url()).toBe(`${service.url}/console${target}`);
  });

  it('shows what contains a text as one types, by type, and opens a single result on Enter', async () => {
    await created(service.api, '/v1/accounts', {
      name: 'Côte d’Azur Cycles',
      email: 'azur@example.com',
      password: PASSWORD,
      type: 'business',
    });
    const reference = 'INV-60417';
    await created(
      owner.api,
      '/v1/payments',
      aPaymentRequest(owner.accountId, { reference, currency: 'EUR' }),
    );
    await go('/transactions');
    const field = page.getByRole('searchbox');
    await field.pressSequentially('60417');
    await suite.table('Payment request').getByRole('link', { name: reference }).waitFor();
    await eventually(() => new URL(page.url()).search).toBe('?q=60417');
    await field.fill('cycl');
    const accounts = suite.table('Account');
    await accounts.getByRole('link', { name: 'Côte d’Azur Cycles' }).waitFor();
    await accounts.getByRole('columnheader', { name: 'Email' }).waitFor();
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
    await field.fill("cote d'azur");
    await eventually(() => new URL(page.url()).searchParams.get('q')).toBe("cote d'azur");
    await accounts.getByRole('link', { name: 'Côte d’Azur Cycles' }).waitFor();
    await conforms(page, 'search-typed');
    await page.keyboard.press('Enter');
    await titled('Côte d’Azur Cycles');
    await eventually(() => field.inputValue()).toBe('');
    await page.goBack();
    await titled('Transactions');
  });

  it('tells what an email names apart by reference, amount, account and date, and opens one', async () => {
    const customer_email = 'charles@example.com';
    for (const [reference, amount] of Object.entries({ 'engine-1': 1_500, 'engine-2': 2_500 })) {
      const terms = { customer_email, reference, amount, currency: 'EUR' };
      await created(owner.api, '/v1/payments', aPaymentRequest(owner.accountId, terms));
    }
    await go(`/search?q=${customer_email}`);
    const results = suite.table('Payment request').locator('tbody tr');
    for (const text of ['engine-1', '€15.00', 'Lovelace Ltd', /\d{4}, \d{2}:\d{2}/])
      await results.nth(1).getByText(text).waitFor();
    await conforms(page, 'search-results');
    await results.getByRole('link', { name: 'engine-2' }).click();
    await titled('€25.00');
  });

  describe('of what a customer declines', () => {
    const decline = async (id: string, times: number): Promise<void> => {
      const { payment_url } = (await owner.api.get(`/v1/payments/${id}`)).body;
      const url = `${service.url}/pay/${payment_url.split('/').at(-1)}`;
      for (let declines = 0; declines < times; declines += 1) await submitOutcome(url, 'declined', declines);
    };

    it('shows each attempt with its reason in the history of a payment request', async () => {
      const { id } = await created(
        owner.api,
        '/v1/payments',
        aPaymentRequest(owner.accountId, { currency: 'EUR' }),
      );
      await decline(id, 2);
      await go(`/payments/${id}`);
      const entries = page.locator('.history li');
      await eventually(() => entries.count()).toBe(3);
      for (const entry of [entries.nth(0), entries.nth(1)]) {
        await entry.getByText('In the sandbox: The customer chose a decline.').waitFor();
        await entry.getByRole('link', { name: 'Declined' }).waitFor();
      }
      expect(await page.getByText('Changed', { exact: true }).count()).toBe(1); // the time of the last change
      await conforms(page, 'payment-attempts');
    });

    it('lists the payment requests of a subscription, and says why the last one failed', async () => {
      const terms = { currency: 'EUR', reference: 'hosting-7', customer_email: 'ada@example.com' };
      const subscription = await created(
        owner.api,
        '/v1/subscriptions',
        aSubscription(owner.accountId, terms),
      );
      const path = '/v1/payments?reference=hosting-7';
      const [request] = (await owner.api.get(path)).body.data;
      await decline(request.id, 5);
      await go(`/subscriptions/${subscription.id}`);
      await page.getByText('The payment was declined 5 times. The customer chose a decline.').waitFor();
      await suite.table('Payment requests').locator('.content').getByText('hosting-7').waitFor();
      await conforms(page, 'subscription-payments');
    });
  });

  it.each([
    ['/search?q=%', 'Nothing was found.'],
    ['/search?q=%00', 'Nothing was found.'],
    ['/accounts/%', 'There is nothing here'],
  ])('says that a malformed address names nothing: %s', async (path, text) => {
    await go(path);
    await page.getByText(text).waitFor();
  });

  it('says how many rows are newer while one is further down, and keeps the headings in sight', async () => {
    await go('/transactions');
    await page.locator('tbody a').first().waitFor();
    await create({ type: 'credit', amount: 100, reference: 'newer-1' });
    await create({ type: 'credit', amount: 100, reference: 'newer-2' });
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await button('2 new').waitFor();
    expect((await page.getByRole('columnheader', { name: 'Amount' }).boundingBox())!.y).toBeGreaterThan(0);
    await button('2 new').click();
    await page.locator('tbody tr').first().getByTitle('newer-2').waitFor();
    expect(await button('2 new').count()).toBe(0);
  });

  it('turns the order of a list around, in its address, and reads on to the newest', async () => {
    await go('/transactions?type=credit');
    await button('Created').click();
    await page.waitForURL(/type=credit&order=asc$/);
    await page.locator('tbody tr').first().getByTitle('payout-1', { exact: true }).waitFor();
    const directions = () =>
      page
        .locator('th[aria-sort]')
        .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('aria-sort')));
    expect(await directions()).toEqual(['none', 'ascending']);
    await conforms(page, 'oldest-first');
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.locator('tbody').getByTitle(`payout-${ROWS}`).waitFor();
    await button('Created').click();
    await page.waitForURL(/type=credit$/);
    expect(await directions()).toEqual(['none', 'descending']);
  });

  it('sorts a list by amount, by keyboard, and exports it so', async () => {
    await create({ type: 'credit', amount: 7_654_321, reference: 'the-largest' });
    await go('/transactions?type=credit');
    await button('Amount').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/type=credit&sort=amount$/);
    await page.locator('tbody tr').first().getByTitle('the-largest').waitFor();
    await conforms(page, 'by-amount');
    const [, csv] = await saved('Export CSV');
    expect(csv.split('\n')[1]).toContain('the-largest');
    await button('Amount').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/sort=amount&order=asc$/);
    await page.locator('tbody tr').first().getByText('€1.00').waitFor();
  });

  it('changes the reference and the metadata of a transaction, and removes a key of them', async () => {
    const id = await create({ type: 'credit', amount: 100, metadata: { order: 77, note: 'x' } });
    await go(`/transactions/${id}`);
    await button('Edit').click();
    const metadata = dialog().getByLabel('Metadata');
    await metadata.fill('{"order": 78');
    await eventually(() => dialog().getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await metadata.fill('{"order": 78}');
    await dialog().getByLabel('Reference').fill('order-78');
    await conforms(page, 'edit-transaction');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await suite.toasted('The transaction was changed.');
    expect((await owner.api.get(`/v1/transactions/${id}`)).body).toMatchObject({
      reference: 'order-78',
      metadata: { order: 78 },
    });
    expect((await owner.api.get(`/v1/transactions/${id}`)).body.metadata).not.toHaveProperty('note');
  });

  it('shows that the connection is lost, and that it is back', async () => {
    await go('/transactions');
    await page.locator('tbody a').first().waitFor();
    await suite.context.setOffline(true);
    const notice = page.getByText('The connection to the service is lost.');
    await page.getByLabel('Type').selectOption('payment');
    await notice.waitFor();
    await suite.context.setOffline(false);
    await notice.waitFor({ state: 'detached' });
    await page.locator('tbody a').first().waitFor();
  });

  it('loads less than 220 KB for its first page, and a language when it is chosen', async () => {
    const context = await suite.browser.newContext();
    const sizes: Promise<number>[] = [];
    context.on('requestfinished', (request) => {
      if (new URL(request.url()).pathname.startsWith('/console/'))
        sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    const shown = await suite.signedIn(admin, '', context);
    await titled('Overview', shown);
    await shown.waitForLoadState('networkidle');
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(100 * 1024);
    expect(bytes).toBeLessThan(FIRST_PAGE_BYTES);
    for (const language of ['de', 'fr', 'es', 'pt'])
      expect(assets().some((name) => name.startsWith(`${language}-`))).toBe(true);
    await context.close();
  });
});
