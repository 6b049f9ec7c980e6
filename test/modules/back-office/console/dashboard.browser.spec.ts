import { readFileSync } from 'node:fs';
import { createServer, Server } from 'node:http';
import { AddressInfo } from 'node:net';
import { Page } from 'playwright-core';
import { codeAt } from '../../../support/authenticator';
import {
  aMember,
  anAccount,
  anOperator,
  anOwner,
  created,
  logIn,
  Owner,
  PASSWORD,
  someEmail,
} from '../../../support/people';
import { aPaymentRequest, aSubscription, aTransaction } from '../../../support/request-bodies';
import { TestService } from '../../../support/service';
import { eventually } from '../../../support/until';
import { conforms, everyView, phoneView, signIn } from './console-browser';
import { describeConsole } from './console-suite';

let owner: Owner;

async function prepare({ api }: TestService): Promise<Owner> {
  owner = await anOwner(api, { currency: 'EUR' });
  return owner;
}

describeConsole(
  'The dashboard of an account',
  (suite) => {
    const { go, act, button, dialog, heading, titled, toasted, table, confirm } = suite;
    let service: TestService;
    let page: Page;
    let shop: Owner;
    let receiver: Server;
    let received: number;

    beforeAll(async () => {
      ({ service, page } = suite);
      shop = await anAccount(service.api, { currency: 'EUR' });
      await shop.api.patch('/v1/account', { name: 'The Shop' });
      received = 0;
      receiver = createServer((_, response) => {
        received += 1;
        response.end();
      }).listen(0, '127.0.0.1');
    });
    afterAll(() => receiver?.close());

    const inEuro = { currency: 'EUR' };
    const book = async (fields: object): Promise<{ id: string }> =>
      created(owner.api, '/v1/transactions', aTransaction(owner.accountId, { ...inEuro, ...fields }));
    const visit = async (name: string): Promise<void> => {
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
      await titled(name);
    };

    it('begins with what the account holds, what waits, and its entries', async () => {
      await book({ type: 'credit', amount: 50_000, reference: 'opening' });
      await book({ type: 'payment', metadata: { sandbox_outcome: 'pending' } });
      await go('/');
      await titled('Active');
      await page.getByRole('banner').getByText('Test mode No real money moves here.').waitFor();
      await page.locator('.figures').getByText('€500.00').first().waitFor();
      await page.getByRole('link', { name: '1 Pending transactions' }).waitFor();
      await table('Entries').getByRole('row').filter({ hasText: 'opening' }).waitFor();
      expect(await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allInnerTexts()).toEqual([
        'Overview',
        'Payment requests',
        'Subscriptions',
        'Transactions',
        'Transfers',
        'Statements',
        'People',
        'Settings',
        'API keys',
        'Webhooks',
        'Events',
        'Request log',
      ]);
      await conforms(page, 'dashboard', everyView);
    });

    it('asks a customer for money, shows the link, sends the email again and cancels', async () => {
      await visit('Payment requests');
      await button('New payment request').click();
      await dialog().getByLabel('Amount in EUR').fill('12.50');
      await dialog().getByLabel('Email of the customer').fill('jane@example.com');
      await dialog().getByLabel('Reference').fill('INV-7');
      await confirm('New payment request');
      await titled('€12.50');
      await page.getByRole('img', { name: 'QR code of the link to pay' }).waitFor();
      await page
        .getByText(/\/pay\/[\w-]{43}/)
        .first()
        .waitFor();
      await conforms(page, 'dashboard-payment-request');
      await button('Cancel').click();
      await confirm('Cancel');
      await titled('Canceled');
      await page.getByRole('link', { name: 'Payment requests' }).first().click();
      await table('Payment requests').getByRole('row').filter({ hasText: 'INV-7' }).waitFor();
      expect(await page.locator('.filters').getByLabel('Account').count()).toBe(0);
      await conforms(page, 'dashboard-payment-requests');
    });

    it('refunds a payment, and offers no outcome to report', async () => {
      const { id } = await book({ type: 'payment', amount: 3_000, reference: 'order-9' });
      await go(`/transactions/${id}`);
      await titled('Pending');
      await button('Cancel').waitFor();
      expect(await button('Mark as succeeded').count()).toBe(0);
      const admin = await anOperator(service.api, 'admin');
      await admin.api.post(`/v1/transactions/${id}/settlement`, { outcome: 'succeeded' });
      await page.reload();
      await button('Refund').click();
      await dialog().getByLabel('Amount in EUR').fill('10');
      await dialog().getByLabel('Reason').fill('Came late');
      await confirm('Refund €10.00');
      await titled('Partly refunded');
      await conforms(page, 'dashboard-transaction');
    });

    it('sends money to another account, of which it shows the name, and takes nothing back', async () => {
      await go('/transfers');
      await button('New transfer').click();
      await dialog().getByLabel('Amount in EUR').fill('20');
      await dialog().getByLabel('Id of the account that receives').fill(shop.accountId);
      await confirm('New transfer');
      await titled('Succeeded');
      await page.locator('.details').getByText('The Shop').waitFor();
      expect(await button('Reverse').count()).toBe(0);
      await conforms(page, 'dashboard-transfer');
      const back = await created(shop.api, '/v1/transfers', {
        from_account_id: shop.accountId,
        to_account_id: owner.accountId,
        amount: 500,
        currency: 'EUR',
      });
      await go(`/transfers/${back.id}`);
      await button('Reverse').click();
      await confirm('Send back €5.00');
      await toasted('The money was sent back.');
    });

    it('bills a customer again and again, until that is canceled', async () => {
      await visit('Subscriptions');
      await button('New subscription').click();
      await dialog().getByLabel('Amount in EUR').fill('9.90');
      await dialog().getByLabel('Email of the customer').fill('tom@example.com');
      await dialog().getByLabel('Interval').selectOption('Monthly');
      await confirm('New subscription');
      await titled('€9.90');
      await table('Payment requests').getByRole('row').nth(1).waitFor();
      await created(
        owner.api,
        '/v1/subscriptions',
        aSubscription(owner.accountId, { ...inEuro, customer_email: 'lena@example.com' }),
      );
      await button('Cancel').click();
      await confirm('Cancel');
      await titled('Canceled');
      await page.getByRole('link', { name: 'Subscriptions' }).first().click();
      const rows = table('Subscriptions').getByRole('row');
      await eventually(() => rows.count()).toBe(3);
      await page.locator('.filters').getByLabel('Status').selectOption('Canceled');
      await eventually(() => rows.count()).toBe(2);
      await rows.getByTitle('tom@example.com').waitFor();
      await page.locator('.filters').getByLabel('Customer').fill('lena@example.com');
      await page.getByText('Nothing matches').waitFor();
      await button('Remove filters').click();
      await rows.getByRole('button', { name: 'Created' }).click();
      await eventually(() => rows.nth(1).innerText()).toContain('tom@example.com');
      await conforms(page, 'dashboard-subscriptions');
    });

    it('says when there will be a statement, and downloads one', async () => {
      await visit('Statements');
      await page.getByText(/^The first statement/).waitFor();
      const [entries] = await Promise.all([
        page.waitForEvent('download'),
        button(/^Entries of .* so far \(CSV\)$/).click(),
      ]);
      expect(readFileSync(await entries.path(), 'utf8')).toContain('opening');
      await service.sql(`UPDATE accounts SET created_at = created_at - interval '40 days' WHERE id = $1`, [
        owner.accountId,
      ]);
      await page.reload();
      await page.getByLabel('Format').selectOption('csv');
      const [download] = await Promise.all([page.waitForEvent('download'), button('Download').click()]);
      expect(download.suggestedFilename()).toMatch(/^statement-acc_.*\.csv$/);
      await conforms(page, 'dashboard-statements');
    });

    it('invites a colleague and removes one', async () => {
      const member = await aMember(service.api, owner);
      await visit('People');
      const row = table('People').getByRole('row').filter({ hasText: member.email });
      await row.getByTitle('Member').waitFor();
      await button('Invite a colleague').click();
      const email = someEmail();
      await dialog().getByLabel('Email').fill(email);
      await dialog().getByRole('button', { name: 'Invite a colleague' }).click();
      await toasted('The invitation is on its way.');
      const invited = table('People').getByRole('row').filter({ hasText: email });
      await invited.getByTitle('Member').waitFor();
      await invited.getByText('Invited').waitFor();
      await conforms(page, 'dashboard-people');
      await button(`Remove: ${member.email}`).click();
      await confirm('Remove');
      await row.waitFor({ state: 'detached' });
      expect((await member.api.get('/v1/account')).status).toBe(401);
      expect(await page.getByRole('button', { name: `Remove: ${owner.email}` }).count()).toBe(0);
    });

    it('makes a key for the shop, which may do what was chosen, and revokes it', async () => {
      await visit('API keys');
      await button('New key').click();
      await dialog().getByLabel('Name').fill('The shop');
      await dialog().getByLabel('May do').selectOption('A shop: ask for money, see whether it was paid');
      await conforms(page, 'dashboard-new-key');
      await dialog().getByRole('button', { name: 'New key' }).click();
      await page.getByRole('heading', { name: 'The new key' }).waitFor();
      const key = await page.locator('.effect code').innerText();
      const api = service.api.as(key);
      const request = aPaymentRequest(owner.accountId, inEuro);
      expect((await api.post('/v1/payments', request)).status).toBe(201);
      const credit = aTransaction(owner.accountId, { ...inEuro, type: 'credit' });
      expect((await api.post('/v1/transactions', credit)).status).toBe(403);
      await button('Revoke: The shop').click();
      await confirm('Revoke');
      await eventually(async () => (await api.post('/v1/payments', request)).status).toBe(401);
      await conforms(page, 'dashboard-keys');
    });

    it('creates an endpoint, tests it, changes it, and shows each secret once', async () => {
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
      await visit('Webhooks');
      await button('New endpoint').click();
      await dialog().getByLabel('URL').fill(url);
      await dialog().getByLabel('Payment request: succeeded').check();
      await dialog().getByRole('button', { name: 'New endpoint' }).click();
      await page.getByRole('heading', { name: 'The secret of the endpoint' }).waitFor();
      const first = await page.locator('.effect code').innerText();
      expect(first).toMatch(/^whsec_/);
      await conforms(page, 'dashboard-webhooks');
      await table('Webhooks').getByRole('link', { name: url }).click();
      await titled('Enabled');
      await button('Send a test').click();
      await confirm('Send a test');
      await page.getByRole('heading', { name: /Result of the test/ }).waitFor();
      expect(received).toBe(1);
      await act('Edit');
      await dialog().getByLabel('Payment request: succeeded').uncheck();
      await confirm('Edit');
      await page.locator('.details').getByText('All', { exact: true }).waitFor();
      await act('New secret');
      await confirm('New secret');
      expect(await page.locator('.effect code').first().innerText()).not.toBe(first);
      await book({ type: 'credit' });
      await service.runDueTasks();
      await page.reload();
      await table('Deliveries').getByRole('row').filter({ hasText: 'Succeeded' }).first().waitFor();
      expect(await page.getByText(/whsec_/).count()).toBe(0);
      await conforms(page, 'dashboard-webhook');
      await act('Delete');
      await confirm('Delete');
      await titled('Webhooks');
      await page.getByText('There is nothing here yet.').waitFor();
    });

    it('shows what programs have asked of the API, and why they were rejected', async () => {
      expect((await book({}).catch(() => null))?.id).toBeDefined();
      await owner.api.post('/v1/transactions', aTransaction(owner.accountId, { currency: 'USD' }));
      await service.runDueTasks();
      await visit('Request log');
      await page.getByLabel('Error code').fill('currency_mismatch');
      await table('Request log')
        .getByRole('row')
        .filter({ hasText: '400 currency_mismatch' })
        .first()
        .waitFor();
      await conforms(page, 'dashboard-requests');
    });

    it('changes the account, and finds what belongs to it alone', async () => {
      await visit('Settings');
      await button('Edit').click();
      await dialog().getByLabel('Name').fill('Harbour Cycles');
      await confirm('Save');
      await page.getByText('Harbour Cycles').first().waitFor();
      await conforms(page, 'dashboard-settings');
      const { body: before } = await owner.api.get('/v1/account/version');
      const older = before.versions.at(-1);
      await button('Change the API version').click();
      await dialog().getByLabel('API version').selectOption(older.version);
      await dialog().getByText(before.versions[0].changes[0].replaceAll('`', '')).waitFor();
      await conforms(page, 'dashboard-version');
      await confirm('Change the API version');
      await page.getByText('The API version was changed.').waitFor();
      await page.getByRole('definition').filter({ hasText: older.version }).waitFor();
      expect((await owner.api.get('/v1/account/version')).body.version).toBe(older.version);
      await created(
        shop.api,
        '/v1/payments',
        aPaymentRequest(shop.accountId, { ...inEuro, reference: 'INV-8' }),
      );
      await page.getByRole('searchbox').fill('INV-8');
      await page.keyboard.press('Enter');
      await page.getByText(/^Nothing was found/).waitFor();
      await page.getByRole('searchbox').fill('INV-7');
      await page.keyboard.press('Enter');
      await titled('€12.50');
    });

    it('has none of the pages of the back office, and nothing of others', async () => {
      for (const path of [
        '/accounts',
        '/users',
        '/audit',
        '/approvals',
        '/unapplied',
        '/adjustments',
        '/deliveries',
      ]) {
        await go(path);
        await page.getByText('There is nothing here').waitFor();
      }
      const { id } = await created(shop.api, '/v1/payments', aPaymentRequest(shop.accountId, inEuro));
      await go(`/payments/${id}`);
      await page.getByText('There is nothing here').waitFor();
    });

    it('shows a member the work of a day, and neither people nor keys', async () => {
      const member = await aMember(service.api, owner);
      const theirs = await suite.signedIn(member);
      const links = theirs.getByRole('navigation', { name: 'Main' }).getByRole('link');
      await eventually(() => links.allInnerTexts()).toEqual(expect.arrayContaining(['Payment requests']));
      expect(await links.allInnerTexts()).not.toEqual(expect.arrayContaining(['People']));
      expect(await links.allInnerTexts()).not.toEqual(expect.arrayContaining(['API keys']));
      await go('/settings', theirs);
      await theirs.getByText('Only the owner of the account may do this.').waitFor();
      await go('/keys', theirs);
      await theirs.getByText('There is nothing here').waitFor();
      await theirs.close();
    });

    it('changes the password, and sets up a second factor with recovery codes to keep', async () => {
      const person = await anOwner(service.api, inEuro);
      const elsewhere = await logIn(service.api, person.email);
      const theirs = await suite.signedIn(person);
      await button('Your session', theirs).click();
      await button('Your sign-in', theirs).click();
      await titled('Your sign-in', theirs);
      await conforms(theirs, 'dashboard-you');
      const sent: string[] = [];
      theirs.on('request', (request) => void sent.push(new URL(request.url()).pathname));
      await theirs.getByLabel('Current password').fill('wrong wrong wrong');
      await theirs.getByLabel('New password').fill('another good password');
      await button('Change the password', theirs).click();
      await theirs.getByText('The password or the code is wrong.').waitFor();
      expect(sent.filter((path) => path === '/v1/auth/password')).toHaveLength(1); // each one counts
      await theirs.getByLabel('Current password').fill(PASSWORD);
      await button('Change the password', theirs).click();
      await toasted('The password was changed. Your other sessions have ended.', theirs);
      expect((await elsewhere.api.get('/v1/account')).status).toBe(401);

      await button('Set up', theirs).click();
      await theirs.getByRole('textbox', { name: 'Password', exact: true }).fill('another good password');
      await button('Continue', theirs).click();
      const secret = await theirs.locator('.step .copyable code').innerText();
      await theirs.getByLabel('Code', { exact: true }).fill(codeAt(secret, service.clock.now()));
      await button('Switch on', theirs).click();
      await theirs.locator('.codes').waitFor();
      const codes = await theirs.locator('.codes code').allInnerTexts();
      const [download] = await Promise.all([
        theirs.waitForEvent('download'),
        button('Download', theirs).click(),
      ]);
      expect(
        readFileSync(await download.path(), 'utf8')
          .trim()
          .split('\n'),
      ).toEqual(codes);
      await conforms(theirs, 'dashboard-recovery-codes');
      await button('I have kept them', theirs).click();
      await theirs.getByText('Unused recovery codes: 10.').waitFor();
      await button('Switch off', theirs).click();
      await dialog(theirs)
        .getByLabel(/recovery code/)
        .fill(codes[0]!);
      await dialog(theirs).getByRole('button', { name: 'Switch off' }).click();
      await toasted('The second factor is off.', theirs);
      await theirs.close();
    });

    /** Makes the token of a page as old as it may get, which is before an idle session ends, and confirms its dialog. */
    const confirmLater =
      '{ dispatchEvent(new Event("pointerdown")); const now = Date.now; Date.now = () => now() + 876_000; document.querySelector("[role=alertdialog] [type=submit]").click(); }';

    it.each([
      ['rejected', 'document.querySelector("[role=alertdialog] [type=submit]").click()'],
      ['expired', confirmLater],
    ])(
      'does nothing in the account of somebody else who signs in in another tab: token %s',
      async (_, confirmed) => {
        const context = await suite.browser.newContext();
        const first = await suite.signedIn(await anOwner(service.api, inEuro), '', context);
        await go('/keys', first);
        await button('New key', first).click();
        await dialog(first).getByLabel('Name').fill('Of the first');
        await context.clearCookies();
        const other = await anOwner(service.api, inEuro);
        await suite.signedIn(other, '', context);
        await service.sql(`UPDATE sessions SET ended_at = now() WHERE account_id <> $1`, [other.accountId]);
        await first.evaluate(confirmed);
        await first.getByText('Your session has ended. Sign in again.').waitFor();
        const { body } = await (await logIn(service.api, other.email)).api.get('/v1/api-keys');
        expect(body.data).toEqual([]);
        await context.close();
        await suite.signedIn(owner, '', suite.context).then((signedIn) => signedIn.close());
      },
    );

    it('offers a suspended account nothing that fails, and says why', async () => {
      const suspended = await anOwner(service.api, inEuro);
      const admin = await anOperator(service.api, 'admin');
      await admin.api.patch(`/v1/accounts/${suspended.accountId}`, { status: 'suspended', reason: 'Fraud' });
      const theirs = await suite.signedIn(suspended, '', await suite.browser.newContext());
      for (const [path, name] of [
        ['/payments', 'New payment request'],
        ['/transfers', 'New transfer'],
        ['/subscriptions', 'New subscription'],
        ['/people', 'Invite a colleague'],
        ['/keys', 'New key'],
        ['/webhooks', 'New endpoint'],
        ['/settings', 'Edit'],
      ] as const) {
        await go(path, theirs);
        await eventually(() => button(name, theirs).isDisabled()).toBe(true);
        await theirs
          .locator('.notice')
          .getByText(/^The account is suspended/)
          .waitFor();
      }
      await conforms(theirs, 'dashboard-suspended');
      await admin.api.patch(`/v1/accounts/${suspended.accountId}`, { status: 'pending', reason: 'Check' });
      const again = await suite.signedIn(suspended, '/transfers', await suite.browser.newContext());
      await eventually(() => button('New transfer', again).isDisabled()).toBe(true);
      await go('/payments', again);
      await eventually(() => button('New payment request', again).isEnabled()).toBe(true);
      await Promise.all([theirs.context().close(), again.context().close()]);
    });

    it('leaves nothing for the next person in the same tab, nor an open session after a sign-out offline', async () => {
      const context = await suite.browser.newContext();
      const theirs = await suite.signedIn(await anOwner(service.api, inEuro), '', context);
      await go('/payments?customer_email=jane%40example.com', theirs);
      await heading(theirs).waitFor();
      await context.setOffline(true);
      await button('Your session', theirs).click();
      await button('Sign out', theirs).click();
      await theirs.getByText('You are not signed out yet').waitFor();
      await context.setOffline(false);
      await theirs.reload();
      await theirs.getByLabel('Email').waitFor();
      expect(theirs.url()).toBe(suite.urlOf('/'));
      expect(
        await theirs.evaluate('Object.keys(localStorage).length + Object.keys(sessionStorage).length'),
      ).toBe(0);
      await context.close();
    });

    it('says that the email has to be verified first, where it has to, and sends the link', async () => {
      const strict = await service.replica({ REQUIRE_VERIFIED_EMAIL: 'true' });
      const person = await anOwner(strict.api, inEuro);
      const context = await suite.browser.newContext();
      const theirs = await suite.browser.open(context, `${strict.url}/dashboard/keys`);
      await signIn(theirs, person);
      await theirs.getByText(/^Your email is not verified yet/).waitFor();
      await theirs.getByRole('link', { name: 'Your sign-in' }).click();
      await theirs.getByText('not verified').first().waitFor();
      await conforms(theirs, 'dashboard-unverified');
      await button('Send a link to verify it', theirs).click();
      await dialog(theirs).getByRole('button', { name: 'Send a link to verify it' }).click();
      await toasted('The email is on its way.', theirs);
      await context.close();
      await strict.stop();
    });

    it.each(['de', 'fr', 'es', 'pt'])('speaks %s', async (language) => {
      const context = await suite.browser.newContext();
      const theirs = await suite.signedIn(owner, '', context);
      await theirs.evaluate(`localStorage.setItem('countinghouse.console.language', '${language}')`);
      for (const path of [
        '/',
        '/payments',
        '/people',
        '/keys',
        '/webhooks',
        '/requests',
        '/settings',
        '/you',
      ]) {
        await go(path, theirs);
        await heading(theirs).waitFor();
        expect(await theirs.locator('html').getAttribute('lang')).toBe(language);
        await conforms(theirs, `dashboard-${language}${path.replaceAll('/', '-')}`, [phoneView]);
      }
      await context.close();
    });
  },
  {
    place: 'dashboard',
    prepare,
    env: {
      SMTP_URL: 'smtp://localhost:1',
      MAIL_FROM: 'payments@countinghouse.test',
      WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true',
    },
  },
);
