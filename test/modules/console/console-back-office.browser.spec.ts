import { readFileSync } from 'node:fs';
import { Page } from 'playwright-core';
import { hasChromium } from '../../support/chromium';
import { anAccount, anOperator, aUser, created, logIn, Owner, Person } from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { conforms, ConsoleBrowser, signIn } from './console-browser';

const where = hasChromium ? 'in Chromium' : 'in Chromium: SKIPPED, no Chromium runs on this machine';

(hasChromium ? describe : describe.skip)(
  `Accounts, users and payment requests in the console ${where}`,
  () => {
    let service: TestService;
    let browser: ConsoleBrowser;
    let admin: Person;
    let owner: Owner;
    let page: Page;

    beforeAll(async () => {
      service = await startTestService();
      browser = await ConsoleBrowser.start();
      owner = await anAccount(service.api, { currency: 'EUR' });
      for (const amount of [120_000, 45_000, 80_000]) {
        const body = { account_id: owner.accountId, amount, currency: 'EUR', type: 'credit' };
        const { api } = await logIn(service.api, owner.email);
        expect((await api.post('/v1/transactions', body)).status).toBe(201);
        service.clock.move({ days: 9 });
      }
      service.clock.move({ days: 40 });
      admin = await anOperator(service.api, 'admin'); // tokens of before have expired
      page = await browser.open(await browser.newContext(), `${service.url}/console/accounts`);
      await signIn(page, admin);
      await page.getByRole('table').waitFor();
    });
    afterAll(async () => {
      await browser?.close();
      await service?.stop();
    });
    afterEach(() => expect(browser.problems()).toEqual([]));

    const go = (path: string) => page.goto(`${service.url}/console${path}`);
    const dialog = () => page.getByRole('alertdialog');

    /** Presses a button that saves a file. @returns its name and content */
    async function saved(button: string): Promise<readonly [name: string, text: string]> {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: button }).click(),
      ]);
      return [download.suggestedFilename(), readFileSync(await download.path(), 'utf8')];
    }

    /** Opens the dialog of an action, enters a reason and confirms. */
    async function confirm(action: string): Promise<void> {
      await page.getByRole('button', { name: action }).click();
      const button = dialog().getByRole('button', { name: action });
      expect(await button.isDisabled()).toBe(true);
      await dialog().getByLabel('Reason').fill('Asked for by the customer, ticket 7');
      await button.click();
      await dialog().waitFor({ state: 'detached' });
    }

    it('shows the balance of an account, over time as well, and its entries', async () => {
      await conforms(page, 'accounts');
      await page.getByRole('link', { name: 'Lovelace Ltd' }).click();
      await page.locator('.figures').getByText('€2,450.00').first().waitFor();
      await page.getByRole('img', { name: /to €2,450\.00/ }).waitFor();
      await page.getByRole('table', { name: 'Entries' }).waitFor();
      await conforms(page, 'account');
      await page.getByRole('link', { name: 'Transactions' }).last().click();
      await page.getByRole('table', { name: 'Transactions' }).waitFor();
    });

    it('suspends and reinstates an account with a reason, which stands in the audit trail', async () => {
      await go(`/accounts/${owner.accountId}`);
      await confirm('Suspend');
      await page.locator('h1').getByText('Suspended').waitFor();
      const { body } = await admin.api.get(
        `/v1/audit-log?object_id=${owner.accountId}&action=account.suspend`,
      );
      expect(body.data).toEqual([
        expect.objectContaining({ reason: 'Asked for by the customer, ticket 7', actor_id: admin.id }),
      ]);
      await confirm('Reinstate');
      await page.locator('h1').getByText('Active').waitFor();
      await go(`/accounts/${owner.accountId}?tab=audit`);
      await page.getByRole('cell', { name: 'account.suspend' }).waitFor();
      await conforms(page, 'account-audit');
      await go('/audit?action=account.suspend');
      await page.getByRole('cell', { name: 'account.suspend' }).waitFor();
      await conforms(page, 'audit');
      const [name, text] = await saved('Export CSV');
      expect(name).toMatch(/^audit-log-.*\.csv$/);
      expect(text).toMatch(/account\.suspend.*ticket 7/);
      expect(text).not.toContain('account.reinstate');
    });

    it('finds accounts by the beginning of their names, and saves them', async () => {
      await go('/accounts');
      await page.getByLabel('Name').fill('lovelace');
      await page.waitForURL(/name=lovelace$/);
      await page.getByRole('link', { name: 'Lovelace Ltd' }).first().waitFor();
      const [name, text] = await saved('Export CSV');
      expect(name).toMatch(/^accounts-.*\.csv$/);
      expect(text).toContain(owner.accountId);
      await page.getByLabel('Email').fill('nobody@example.com');
      await page.getByText('Nothing matches these filters.').waitFor();
    });

    it('saves the statement of a month', async () => {
      await go(`/accounts/${owner.accountId}?tab=statements`);
      const download = page.getByRole('button', { name: 'Download' });
      const now = new Date(); // the browser offers the months of its own clock
      const [current, past] = [0, 2].map((ago) =>
        new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago)).toISOString().slice(0, 7),
      ) as [string, string];
      expect(await download.isDisabled()).toBe(true); // no month has ended since the account was created
      await service.sql(`UPDATE accounts SET created_at = $2 WHERE id = $1`, [
        owner.accountId,
        new Date(`${past}-05`),
      ]);
      await page.reload();
      await page.getByLabel('Month').fill(current);
      expect(await download.isDisabled()).toBe(true);
      await page.getByLabel('Month').fill(past);
      const formats = [
        ['pdf', 'pdf', '%PDF-1.7'],
        ['csv', 'csv', 'closing_balance'],
        ['camt053', 'xml', 'camt.053.001.08'],
      ] as const;
      for (const [format, extension, content] of formats) {
        await page.getByLabel('Format').selectOption(format);
        const [name, text] = await saved('Download');
        expect(name).toBe(`statement-${owner.accountId}-${past}.${extension}`);
        expect(text).toContain(content);
      }
      await conforms(page, 'statements');
    });

    it('closes an account only after its name was typed', async () => {
      const { accountId } = await anAccount(service.api);
      await go(`/accounts/${accountId}`);
      await page.getByRole('button', { name: 'Close account' }).click();
      await dialog().getByLabel('Reason').fill('Fraud');
      const button = dialog().getByRole('button', { name: 'Close account' });
      expect(await button.isDisabled()).toBe(true);
      await dialog()
        .getByLabel(/^Type the name/)
        .fill('Lovelace Ltd');
      await conforms(page, 'close-account');
      await button.click();
      await page.locator('h1').getByText('Closed').waitFor();
    });

    it('shows payment requests, and cancels one', async () => {
      const { body } = await admin.api.post('/v1/payments', {
        account_id: owner.accountId,
        amount: 9_900,
        currency: 'EUR',
        customer_email: 'customer@example.com',
        reference: 'invoice-7',
      });
      await go('/payments?customer_email=customer%40example.com');
      await page.getByRole('cell', { name: 'invoice-7' }).waitFor();
      await conforms(page, 'payments');
      await page.getByRole('link', { name: '€99.00' }).click();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await dialog().getByRole('button', { name: 'Cancel' }).click();
      await page.locator('h1').getByText('Canceled').waitFor();
      await conforms(page, 'payment');
      expect((await admin.api.get(`/v1/payments/${body.id}`)).body.status).toBe('canceled');
    });

    it('shows why a payment request failed, or that it expired', async () => {
      const ofOwner = { account_id: owner.accountId, amount: 9_900, currency: 'EUR' };
      const request = { ...ofOwner, customer_email: 'customer@example.com' };
      const expiresAt = new Date(service.clock.now().getTime() + 60_000);
      const [failed, expired] = [
        await created(admin.api, '/v1/payments', request),
        await created(admin.api, '/v1/payments', { ...request, expires_at: expiresAt.toISOString() }),
      ];
      await admin.api.post(`/v1/payments/${failed.id}/settlement`, { outcome: 'failed', amount: 9_900 });
      await go(`/payments/${failed.id}`);
      await page.getByText('Reason of the failure: The payment was reported as failed.').waitFor();
      await conforms(page, 'payment-failed');
      service.clock.move({ minutes: 2 });
      await service.runDueTasks();
      await go(`/payments/${expired.id}`);
      await page.getByText('It expired before it was paid.').waitFor();
    });

    it('suspends a user and ends the sessions of another', async () => {
      const [suspended, other] = [await aUser(service.api), await aUser(service.api)];
      await go('/users');
      await page.getByLabel('Search', { exact: true }).last().fill(suspended.email);
      await page.getByRole('link', { name: suspended.email }).click();
      await page.getByRole('table', { name: 'Sessions' }).waitFor();
      await conforms(page, 'user');
      await confirm('Suspend');
      await page.locator('h1').getByText('Suspended').waitFor();
      expect((await suspended.api.get('/v1/auth/sessions')).status).toBe(401);

      await go(`/users/${other.id}`);
      await page.getByRole('button', { name: 'End all sessions' }).click();
      await dialog().getByRole('button', { name: 'End all sessions' }).click();
      await page.getByText('All sessions of the user have ended.').waitFor();
      expect((await other.api.get('/v1/auth/sessions')).status).toBe(401);
      await go('/users');
      await page.getByRole('table').waitFor();
      await conforms(page, 'users');
    });

    it('shows that there are no unapplied payments', async () => {
      await go('/unapplied');
      await page.getByText('There is nothing here yet.').waitFor();
      await conforms(page, 'unapplied');
    });
  },
);
