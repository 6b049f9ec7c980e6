import { Page } from 'playwright-core';
import { overflows } from '../../../support/accessibility';
import { anOperator, anOwner, aUser, created, logIn, Owner, Person } from '../../../support/people';
import { aPaymentRequest, aSubscription, aTransaction } from '../../../support/request-bodies';
import { TestService } from '../../../support/service';
import { eventually } from '../../../support/until';
import { conforms, desktop } from './console-browser';
import { describeConsole } from './console-suite';

interface VisitedPage {
  readonly path: string;
  readonly text: string;
  readonly isTooWide: boolean;
}

/** Runs in the browser: opens pages one after another, without loading the console again, and returns what they show. */
const VISIT = `async (paths) => {
  const rendered = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const pages = [];
  for (const path of paths) {
    history.pushState(null, '', '/console/' + path);
    do await rendered();
    while (document.querySelector('main p.soft[role=status]'));
    const { scrollWidth, clientWidth } = document.documentElement;
    pages.push({ path, text: document.body.innerText, isTooWide: scrollWidth > clientWidth });
  }
  return pages;
}`;

describeConsole('A day of work in the console', (suite) => {
  const { go, act, heading, button, dialog, titled, confirmWith } = suite;
  let service: TestService;
  let admin: Person;
  let owner: Owner;
  let page: Page;

  beforeAll(async () => {
    ({ service, admin, page } = suite);
    owner = await anOwner(service.api, { currency: 'EUR' });
  });

  const inEuro = { currency: 'EUR' };
  const settled = async (fields: object): Promise<string> => {
    const body = aTransaction(owner.accountId, { ...inEuro, ...fields });
    const { id } = await created(admin.api, '/v1/transactions', body);
    await admin.api.post(`/v1/transactions/${id}/settlement`, { outcome: 'succeeded' });
    return id;
  };

  /** Presses Tab until a link or a button with that text has the focus. */
  async function tabTo(text: string): Promise<void> {
    const focused = 'document.activeElement.matches("a, button") ? document.activeElement.textContent : ""';
    for (let count = 0; count < 60; count += 1) {
      if ((await page.evaluate<string>(focused)) === text) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`Tab does not reach ${text}.`);
  }

  /** Waits until an element with that name and text has the focus. */
  async function focusIsOn(expected: string): Promise<void> {
    const focused = '`${document.activeElement.tagName} ${document.activeElement.textContent}`';
    await eventually(() => page.evaluate<string>(focused)).toBe(expected);
  }

  it('needs no mouse: a payment is found, a part of it refunded, and its account suspended', async () => {
    const payment = await settled({ amount: 5_000, reference: 'order-77' });
    await go('/transactions');
    await heading().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('order-77');
    await page.keyboard.press('Enter');
    await titled('€50.00');

    await tabTo('Refund');
    await page.keyboard.press('Enter');
    await dialog().waitFor();
    await page.keyboard.type('12.34'); // in place of all that is left
    await page.keyboard.press('Tab');
    await page.keyboard.type('Ordered twice');
    await page.keyboard.press('Enter');
    await page.getByText('The refund was created.').waitFor();
    await focusIsOn('BUTTON Refund');
    await titled('Partly refunded');
    const { data } = (await admin.api.get('/v1/transactions?type=refund&view=full')).body;
    expect(data[0]).toMatchObject({ amount: 1_234, source_transaction_id: payment });
    await page.keyboard.press('Enter');
    await dialog().getByLabel('Reason').fill('Ordered twice');
    await dialog().getByRole('button', { name: 'Refund €37.66' }).click();
    await focusIsOn('H1 €50.00 Succeeded Refunded'); // nothing is left to refund

    await tabTo('Lovelace Ltd');
    await page.keyboard.press('Enter');
    await titled('Lovelace Ltd');
    await tabTo('More actions');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Suspend' }).waitFor();
    await page.keyboard.type('Sus');
    await page.keyboard.press('Enter');
    await dialog()
      .getByText(/^Lovelace Ltd · .+@example\.com$/)
      .waitFor();
    await dialog().getByText('“Reinstate” undoes it at any time').waitFor();
    await conforms(page, 'suspend');
    await page.keyboard.type('Chargebacks above the limit');
    await page.keyboard.press('Enter');
    await titled('Suspended');
    await focusIsOn('BUTTON More actions');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await focusIsOn('BUTTON Reinstate');
    await page.keyboard.press('Enter');
    await dialog().getByText('“Suspend” undoes it at any time').waitFor();
    await page.keyboard.type('Paid');
    await page.keyboard.press('Enter');
    await titled('Active');
  });

  it('keeps notes about accounts and users, written by admins', async () => {
    for (const path of [`/accounts/${owner.accountId}?tab=notes`, `/users/${owner.id}`]) {
      await go(path);
      await page.getByText('There are no notes.').waitFor();
      await page.getByLabel('New note').fill('Called on Monday.');
      await button('Add').click();
      await page.locator('.notes').getByText('Called on Monday.').waitFor();
      await page.locator('.notes').getByRole('link', { name: admin.email }).waitFor();
    }
    await conforms(page, 'user-notes');
  });

  it('shows a change by another admin, without a loss, in what is open already', async () => {
    await go(`/accounts/${owner.accountId}`);
    await act('Suspend');
    const other = await anOperator(service.api, 'admin');
    await other.api.patch(`/v1/accounts/${owner.accountId}`, { name: 'Lovelace & Sons' });
    await confirmWith('Fraud', 'Suspend');
    await titled('Lovelace & Sons');
    await titled('Suspended');
    await other.api.patch(`/v1/accounts/${owner.accountId}`, { name: 'Lovelace Ltd', status: 'active' });
  });

  it('shows a status that another admin sets, and says who was faster when one sets it too', async () => {
    const other = await anOperator(service.api, 'admin');
    const change = (path: string, status: string) =>
      other.api.patch(`/v1${path}`, { status, reason: 'The other was faster' });
    const account = `/accounts/${owner.accountId}`;

    await page.clock.install();
    await go(account);
    await act('Suspend');
    await dialog().waitFor();
    await change(account, 'suspended');
    await page.clock.fastForward('00:16');
    await titled('Suspended'); // read again by itself
    await page.getByText('It has changed in the meantime.').waitFor();
    await dialog().waitFor({ state: 'detached' });
    await change(account, 'active');

    const { id } = await anOperator(service.api, 'support');
    for (const path of [account, `/users/${id}`]) {
      await go(path);
      await act('Suspend');
      await dialog().getByLabel('Reason').fill('Too late');
      await change(path, 'suspended');
      await dialog().getByRole('button', { name: 'Suspend' }).click();
      await page.getByText(`${other.email} was faster.`).waitFor();
      await titled('Suspended');
      const [suspension] = (await admin.api.get(`/v1/audit-log?object_id=${path.split('/')[2]}&limit=1`)).body
        .data;
      expect(suspension.reason).toBe('The other was faster');
    }
    await change(account, 'active');

    // The other one is faster by less than the console can see.
    await page.route(`**/v1${account}`, async (route) => {
      if (route.request().method() === 'PATCH') await change(account, 'suspended');
      await route.continue();
    });
    await go(account);
    await act('Suspend');
    await confirmWith('Too late', 'Suspend');
    await page.getByText(`${other.email} was faster.`).waitFor();
    await titled('Suspended');
    await page.unroute(`**/v1${account}`);
    await go(`${account}?tab=audit`);
    await page.getByRole('row', { name: 'The other was faster' }).first().waitFor();
    await page.getByRole('link', { name: other.email }).first().waitFor();
    await change(account, 'active');
  });

  /** The addresses of all pages of the console, on which something is shown. */
  async function everyPage(): Promise<string[]> {
    const { api } = await logIn(service.api, owner.email); // a suspension ends sessions
    const account = `accounts/${owner.accountId}`;
    const request = await created(admin.api, '/v1/payments', aPaymentRequest(owner.accountId, inEuro));
    const subscription = await created(api, '/v1/subscriptions', aSubscription(owner.accountId, inEuro));
    const unappliedPath = `/v1/payments/${request.id}/unapplied-payments`;
    const unapplied = await created(admin.api, unappliedPath, { amount: 1 });
    const adjustmentOf = { ...inEuro, amount: 250, direction: 'credit', reason: 'A fee' };
    const adjustment = await created(admin.api, `/v1/${account}/adjustments`, adjustmentOf);
    const promotion = { type: 'make_admin', object_id: (await aUser(service.api)).id, reason: 'New here' };
    const approval = await created(admin.api, '/v1/approvals', promotion);
    await created(api, '/v1/api-keys', { name: 'Web shop' });
    const url = 'https://hooks.example.com/a/rather/long/path';
    const webhook = await created(api, '/v1/webhooks', { url });
    const [event] = (await admin.api.get('/v1/events?limit=1')).body.data;
    const tabs = ['entries', 'subscriptions', 'statements', 'people', 'keys', 'webhooks', 'sessions'];
    return [
      ...['', 'transactions', 'payments', 'accounts', 'users', 'unapplied', 'audit', 'search?q=nothing'],
      ...['adjustments', 'approvals', 'events', 'webhooks', 'keys'],
      ...[...tabs, 'notes', 'audit'].map((tab) => `${account}?tab=${tab}`),
      `transactions/${await settled({ amount: 700 })}`,
      `payments/${request.id}`,
      `subscriptions/${subscription.id}`,
      `unapplied/${unapplied.id}`,
      `adjustments/${adjustment.id}`,
      `approvals/${approval.id}`,
      `events/${event.id}`,
      `users/${owner.id}`,
      `webhooks/${webhook.id}`,
      'transactions/txn_00000000000000000000000000',
    ];
  }

  it('speaks each language on every page, on a phone', async () => {
    const paths = await everyPage();
    await page.setViewportSize({ width: 320, height: 640 });
    await go('/transactions');
    const texts = new Map<string, string[]>();
    for (const language of ['de', 'fr', 'es', 'pt', 'en']) {
      await page.locator('.avatar').click();
      await page.locator('.popover select').first().selectOption(language);
      await page.locator(`html[lang=${language}]`).waitFor({ state: 'attached' });
      await page.keyboard.press('Escape');
      await page.locator('.menu-button').click();
      expect(await overflows(page)).toBe(false);
      const pages = await page.evaluate<VisitedPage[]>(`(${VISIT})(${JSON.stringify(paths)})`);
      const isFaulty = ({ text, isTooWide }: VisitedPage) =>
        isTooWide || /\{\w+\}|undefined|\[object/.test(text);
      expect([language, pages.filter(isFaulty)]).toEqual([language, []]);
      texts.set(
        language,
        pages.map(({ text }) => text),
      );
    }
    for (const language of ['de', 'fr', 'es', 'pt'])
      expect(texts.get(language)!.filter((text, index) => text === texts.get('en')![index])).toEqual([]);
    await page.setViewportSize(desktop);
  });
});
