import * as papaparse from 'papaparse';
import { Page } from 'playwright-core';
import {
  anAccount,
  anAdminWhoSignedUp,
  anOperator,
  created,
  logIn,
  Owner,
  Person,
} from '../../../support/people';
import { aPaymentRequest, aSubscription, aTransaction } from '../../../support/request-bodies';
import { screenshot } from '../../../support/screenshot';
import { TestService } from '../../../support/service';
import { eventually } from '../../../support/until';
import { conforms, desktop, everyView, phone } from './console-browser';
import { describeConsole } from './console-suite';

const LIMIT = 50_000;

/** Creates an admin, as if before approvals were required. */
async function prepare(service: TestService): Promise<Person> {
  const lax = await service.replica({ REQUIRE_APPROVALS: 'false' });
  const { email } = await anAdminWhoSignedUp(lax.api);
  await lax.stop();
  return logIn(service.api, email);
}

describeConsole(
  'Transfers in the console',
  (suite) => {
    const { go, button, dialog, heading, titled, toasted, table, confirm, saved } = suite;
    let service: TestService;
    let admin: Person;
    let giver: Owner;
    let shop: Owner;
    let farm: Owner;
    let page: Page;

    beforeAll(async () => {
      ({ service, admin, page } = suite);
      giver = await anAccountNamed('Market Hall');
      shop = await anAccountNamed('Corner Shop');
      farm = await anAccountNamed('Hill Farm');
      const money = aTransaction(giver.accountId, { currency: 'EUR', type: 'credit', amount: 10 * LIMIT });
      await created(giver.api, '/v1/transactions', money);
    });

    async function anAccountNamed(name: string): Promise<Owner> {
      const owner = await anAccount(service.api, { currency: 'EUR' });
      await service.sql('UPDATE accounts SET name = $2 WHERE id = $1', [owner.accountId, name]);
      return owner;
    }

    const send = (fields: object = {}, { api }: Person = giver): Promise<any> =>
      created(api, '/v1/transfers', {
        from_account_id: giver.accountId,
        currency: 'EUR',
        ...('to' in fields ? {} : { to_account_id: shop.accountId, amount: 1_000 }),
        ...fields,
      });
    const toBoth = () => [
      { account_id: shop.accountId, amount: 300, reference: 'the first half' },
      { account_id: farm.accountId, amount: 700 },
    ];
    const read = async (id: string) => (await admin.api.get(`/v1/transfers/${id}`)).body;
    const details = (): Promise<string[]> => page.locator('main .details > div').allInnerTexts();

    it('lists both sides with filters in the address, and exports what they select', async () => {
      await send({ reference: 'rent', capture: 'later' });
      await send({ reference: 'shares', to: toBoth() });
      await go('/');
      await page.getByRole('link', { name: 'Transfers', exact: true }).click();
      const row = table('Transfers').getByRole('row');
      await row.filter({ hasText: 'rent' }).getByRole('link', { name: 'Market Hall' }).waitFor();
      await row.filter({ hasText: 'rent' }).getByRole('link', { name: 'Corner Shop' }).waitFor();
      await row.filter({ hasText: 'shares' }).getByText('2 accounts', { exact: true }).waitFor();
      await conforms(page, 'transfers', everyView);
      await page.getByLabel('Status').selectOption('pending');
      await page.getByLabel('Direction').selectOption('in');
      await page.getByLabel('Reference').fill('rent');
      await page.waitForURL(/status=pending&direction=in&reference=rent$/);
      await eventually(() => row.count()).toBe(2);
      const [name, text] = await saved('Export CSV');
      expect(name).toMatch(/^transfers.*csv$/);
      const { data } = papaparse.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true });
      expect(data).toEqual([expect.objectContaining({ reference: 'rent', account_id: shop.accountId })]);
      await go('/transfers?amount_min=11&amount_max=12');
      await page.getByText('Nothing matches these filters.').waitFor();
    });

    it('shows one with both sides, finds it by its reference, and leads to it from an entry', async () => {
      const { id } = await send({ reference: 'invoice-77', metadata: { order: 77 } });
      await go('/transfers');
      await heading().waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('invoice-77');
      await page.keyboard.press('Enter');
      await titled('Succeeded');
      expect(page.url()).toContain(`/console/transfers/${id}`);
      await page.locator('.details').getByRole('link', { name: 'Market Hall' }).waitFor();
      await page.getByText('"order": 77').waitFor();
      await eventually(() => page.locator('.history li').count()).toBe(1); // not one for each side
      await conforms(page, 'transfer');
      await page.locator('.details').getByRole('link', { name: 'Corner Shop' }).click();
      await titled('Corner Shop');
      const entry = table('Entries').getByRole('row').filter({ hasText: 'invoice-77' });
      await entry.getByTitle('Market Hall').waitFor();
      await conforms(page, 'account-entries-counterparty');
      await entry.getByRole('link').click();
      await page.waitForURL(`**/transfers/${id}`);
    });

    it('shows what went in and out of an account, with the other side, in a tab', async () => {
      const { id } = await send({ reference: 'tab' });
      await created(shop.api, `/v1/transfers/${id}/reversal`, { amount: 250, reference: 'tab' });
      await go(`/accounts/${shop.accountId}?tab=transfers`);
      const rows = table('Transfers').getByRole('row').filter({ hasText: 'tab' });
      await eventually(() => rows.count()).toBe(2);
      await rows.filter({ hasText: '-€2.50' }).getByRole('link', { name: 'Market Hall' }).waitFor();
      await rows.filter({ hasText: '€10.00' }).getByRole('link', { name: 'Market Hall' }).waitFor();
      await conforms(page, 'account-transfers');
      expect((await saved('Export CSV'))[1]).toContain(id);
    });

    it('captures a part of one from the keyboard, after it has said what will happen', async () => {
      const { id } = await send({ capture: 'later', reference: 'held' });
      await go(`/transfers/${id}`);
      await button('Capture').focus();
      await page.keyboard.press('Enter');
      await dialog().getByText('goes from Market Hall to Corner Shop; the rest is released.').waitFor();
      await page.keyboard.type('10.01');
      await dialog().getByText('Enter an amount from €0.01 to €10.00.').waitFor();
      const amount = dialog().getByLabel('Amount in EUR');
      await amount.fill('7.50');
      await conforms(page, 'transfer-capture', everyView);
      await amount.press('Enter');
      await toasted('The transfer was captured.');
      await titled('Succeeded');
      await eventually(() => heading().textContent()).toContain('€7.50');
      await eventually(details).toContain('Released\n€2.50');
      expect(await read(id)).toMatchObject({ amount: 750, released_amount: 250 });
    });

    it('captures all of one to several accounts, and cancels another', async () => {
      const [first, second] = [
        await send({ capture: 'later', to: toBoth() }),
        await send({ capture: 'later' }),
      ];
      await go(`/transfers/${first.id}`);
      await button('Capture').click();
      await dialog().getByText('€10.00 goes from Market Hall to 2 accounts.').waitFor();
      await confirm('Capture €10.00');
      await titled('Succeeded');
      await table('Parts').getByRole('row', { name: 'Corner Shop the first half €3.00' }).waitFor();
      await eventually(async () => (await details()).filter((row) => row.startsWith('To'))).toEqual([]);
      await conforms(page, 'transfer-parts');
      await go(`/transfers/${second.id}`);
      await button('Cancel').click();
      await confirm('Cancel');
      await toasted('The transfer was canceled.');
      await titled('Canceled');
      expect((await read(second.id)).status).toBe('canceled');
    });

    it('sends back a part of what one of several has received, and leads both ways', async () => {
      const { id } = await send({ to: toBoth() });
      await created(farm.api, `/v1/transfers/${id}/reversal`, { amount: 100 });
      await go(`/transfers/${id}`);
      await button('Reverse').click();
      await dialog().getByText('from Corner Shop back to Market Hall').waitFor();
      const left = () => dialog().locator('.details > div').allTextContents();
      await dialog().getByLabel('Account that sends money back').selectOption('Hill Farm');
      await dialog().getByText('from Hill Farm back to Market Hall').waitFor();
      await eventually(async () => (await left()).slice(0, 3)).toEqual([
        'Received€7.00',
        'Sent back€1.00',
        'Left to send back€6.00',
      ]);
      const amount = dialog().getByLabel('Amount in EUR');
      await eventually(() => amount.inputValue()).toBe('6.00');
      await amount.fill('6.01');
      await eventually(() => button('Reverse').last().isDisabled()).toBe(true);
      await amount.fill('2');
      await conforms(page, 'transfer-reverse', everyView);
      await confirm('Send back €2.00');
      await toasted('The money was sent back.');
      expect((await read(id)).reversed_amount).toBe(300);
      await conforms(page, 'transfer-reversed');
      await table('Reversals').getByRole('link', { name: '€2.00' }).click();
      await page.locator('.details').getByRole('link', { name: id }).waitFor();
      await eventually(() => button('Reverse').count()).toBe(0);
      await page.locator('.details').getByRole('link', { name: id }).click();
      await page.waitForURL(`**/transfers/${id}`);
    });

    it('shows the parts of a payment, and takes them back when it is refunded', async () => {
      const splits = [
        { account_id: giver.accountId, percent: 12.5 },
        { account_id: farm.accountId, amount: 300 },
      ];
      const body = { currency: 'EUR', amount: 1_000, splits };
      const { id } = await created(shop.api, '/v1/payments', aPaymentRequest(shop.accountId, body));
      const outcome = { outcome: 'succeeded', amount: 1_000 };
      const { body: paid } = await admin.api.post(`/v1/payments/${id}/settlement`, outcome);
      await go(`/payments/${id}`);
      const parts = table('Parts for other accounts');
      await parts.getByRole('row', { name: 'Market Hall 12.5 €1.25' }).waitFor();
      await parts.getByRole('row', { name: 'Hill Farm €3.00' }).waitFor();
      await conforms(page, 'payment-parts', everyView);
      await go(`/transactions/${paid.transaction_id}`);
      await button('Refund').click();
      await dialog().getByLabel('Amount in EUR').fill('8');
      await dialog().getByLabel('Parts of other accounts').selectOption('They are taken back in proportion');
      await dialog().getByLabel('Reason').fill('Returned goods');
      await conforms(page, 'refund-parts', everyView);
      await confirm('Refund €8.00');
      await toasted('The refund was created.');
      const query = `account_id=${farm.accountId}&direction=out&limit=1`;
      const [back] = (await admin.api.get(`/v1/transfers?${query}`)).body.data;
      expect(back).toMatchObject({ amount: 240, to: [{ account_id: shop.accountId }] });
      await go(`/transfers/${back.id}`);
      await page.locator('.details').getByRole('link', { name: back.source_transaction_id }).waitFor();
      const { id: second } = await created(
        shop.api,
        '/v1/subscriptions',
        aSubscription(shop.accountId, { currency: 'EUR', amount: 1_000, splits: splits.slice(0, 1) }),
      );
      await go(`/subscriptions/${second}`);
      await table('Parts for other accounts').getByRole('row', { name: 'Market Hall 12.5 €1.25' }).waitFor();
    });

    it('says when all is sent back, and to support people whom to ask', async () => {
      const { id } = await send();
      await created(shop.api, `/v1/transfers/${id}/reversal`, {});
      await go(`/transfers/${id}`);
      await page.getByText('All of it is sent back.').waitFor();
      await eventually(() => button('Reverse').isDisabled()).toBe(true);
      const support = await suite.signedIn(
        await anOperator(service.api, 'support'),
        `/transfers/${(await send({ capture: 'later' })).id}`,
      );
      await support.getByText('Your role may not do this.').waitFor();
      await eventually(() => button('Capture', support).isDisabled()).toBe(true);
      await support.context().close();
    });

    it('says in an approval who gives, who receives and how much', async () => {
      const { id, approval_id } = await send({ amount: LIMIT + 1 }, admin);
      await go(`/transfers/${id}`);
      await page.getByText('It waits for a second admin.').waitFor();
      await eventually(() => button('Capture').isDisabled()).toBe(true);
      await page.locator('.waiting').getByRole('link', { name: 'Create a transfer €500.01' }).click();
      await page
        .getByText('A transfer of €500.01 from the account Market Hall to Corner Shop goes ahead.')
        .waitFor();
      expect(page.url()).toContain(approval_id);
      await page.locator('.details').getByRole('link', { name: 'Corner Shop' }).waitFor();
      await conforms(page, 'approval-transfer');
      await page.locator('.details').getByRole('link', { name: id }).click();
      await titled('Pending');
    });

    it('shows on the overview what has moved between accounts, also as a table', async () => {
      const { total_moved } = (await admin.api.get('/v1/totals')).body.currencies[0].days[0];
      const moved = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'EUR' }).format(
        total_moved / 100,
      );
      await go('');
      await page.getByText(`${moved} moved between accounts.`).waitFor();
      await page.getByText('Show as a table').click();
      await page.getByRole('columnheader', { name: 'Moved' }).waitFor();
      await page.getByRole('cell', { name: moved }).waitFor();
      await conforms(page, 'overview-moved');
    });

    it.each(['de', 'fr', 'es', 'pt'])('fits a phone in %s', async (language) => {
      await page.setViewportSize(phone);
      await page.evaluate(`localStorage.setItem("countinghouse.console.language", "${language}")`);
      for (const path of ['/transfers', `/transfers/${(await send({ capture: 'later' })).id}`]) {
        await go(path);
        await page
          .getByRole('link', { name: 'Market Hall' })
          .or(page.locator('.list .second'))
          .first()
          .waitFor();
        await screenshot(page, `console/transfers-${language}${path.length > 20 ? '-one' : ''}-phone`);
        await conforms(page, `transfers-${language}`);
        await page.setViewportSize(phone);
      }
      await page.evaluate('localStorage.removeItem("countinghouse.console.language")');
      await page.setViewportSize(desktop);
    });
  },
  { env: { REQUIRE_APPROVALS: 'true', ADJUSTMENT_APPROVAL_LIMIT: `${LIMIT}` }, prepare },
);
