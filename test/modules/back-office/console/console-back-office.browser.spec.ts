import { Page } from 'playwright-core';
import {
  anAccount,
  anOperator,
  aUser,
  created,
  logIn,
  Owner,
  PASSWORD,
  Person,
  someEmail,
} from '../../../support/people';
import { TestService } from '../../../support/service';
import { eventually } from '../../../support/until';
import { conforms, everyView } from './console-browser';
import { describeConsole } from './console-suite';

let owner: Owner;

/** An account with entries of several weeks, older than any token. */
async function prepare({ api, clock }: TestService): Promise<Person> {
  owner = await anAccount(api, { currency: 'EUR' });
  for (const amount of [120_000, 45_000, 80_000]) {
    const body = { account_id: owner.accountId, amount, currency: 'EUR', type: 'credit' };
    await created((await logIn(api, owner.email)).api, '/v1/transactions', body);
    clock.move({ days: 9 });
  }
  clock.move({ days: 40 });
  return anOperator(api, 'admin');
}

describeConsole(
  'Accounts, users and payment requests in the console',
  (suite) => {
    const { go, act, button, table, dialog, titled, toasted, saved, confirmWith } = suite;
    let service: TestService;
    let admin: Person;
    let page: Page;

    beforeAll(() => void ({ service, admin, page } = suite));

    /** Opens the dialog of an action, enters a reason and confirms. */
    async function confirm(action: string): Promise<void> {
      await act(action);
      await confirmWith('Asked for by the customer, ticket 7', action);
    }

    it('shows the balance of an account, over time as well, and its entries', async () => {
      await go('/accounts');
      await page.getByRole('table').waitFor();
      await conforms(page, 'accounts');
      await page.getByRole('link', { name: 'Lovelace Ltd' }).click();
      await page.locator('.figures').getByText('€2,450.00').first().waitFor();
      await page.getByRole('img', { name: /to €2,450\.00/ }).waitFor();
      await page.getByRole('table', { name: 'Entries' }).waitFor();
      await conforms(page, 'account', everyView);
      const entry = page.getByRole('row', { name: /^2 €450\.00 €1,650\.00/ });
      await entry.waitFor(); // the second posting
      const from = service.clock.now().toISOString().slice(0, 10);
      await page.getByLabel('To date').fill('2020-01-31');
      await page.getByText('Nothing matches these filters.').waitFor();
      await page.getByLabel('To date').fill('');
      const { created_at } = (await admin.api.get(`/v1/accounts/${owner.accountId}`)).body;
      const month = created_at.slice(0, 7);
      await page.getByLabel('Month').selectOption(month);
      await page.waitForURL(new RegExp(`month=${month}`));
      const figures = page.locator('.figures').last();
      await figures.getByText(/^Opening balance on 1 /).waitFor();
      await figures.getByText(/^Closing balance on /).waitFor();
      await figures.getByText('€0.00').waitFor();
      await page.getByRole('row', { name: /^1 €1,200\.00 €1,200\.00/ }).waitFor();
      await conforms(page, 'account-month', everyView);
      const [, text] = await saved('Export CSV');
      expect(text).toContain(month);
      await go(`/accounts/${owner.accountId}?date_from=${from}`);
      await figures.getByText('€2,450.00').waitFor();
      await go(`/accounts/${owner.accountId}?date_from=nonsense&month=2026-99`);
      await page.getByRole('alert').waitFor();
      await go(`/accounts/${owner.accountId}`);
      await page.getByRole('link', { name: 'Transactions' }).last().click();
      await table('Transactions').waitFor();
    });

    it('shows in a menu what is needed less often on an account, and then beside the other tabs', async () => {
      await go(`/accounts/${owner.accountId}`);
      await button('More').focus();
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'Adjustments' }).waitFor();
      await conforms(page, 'account-more');
      await page.keyboard.press('End');
      await page.keyboard.press('Enter');
      await table('Events').waitFor();
      await eventually(() => page.locator('.tabs [aria-current]').textContent()).toBe('Events');
      expect((await page.locator('.tabs').boundingBox())!.height).toBeLessThan(60);
    });

    it('suspends and reinstates an account with a reason, which stands in the audit log', async () => {
      await go(`/accounts/${owner.accountId}`);
      await confirm('Suspend');
      await titled('Suspended');
      const { body } = await admin.api.get(
        `/v1/audit-log?object_id=${owner.accountId}&action=account.suspend`,
      );
      expect(body.data).toEqual([
        expect.objectContaining({ reason: 'Asked for by the customer, ticket 7', actor_id: admin.id }),
      ]);
      await confirm('Reinstate');
      await titled('Active');
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

    it('says who changed an email, from what to what, until that is erased', async () => {
      const { id, email } = await aUser(service.api);
      const member = await created(admin.api, '/v1/users', { email: someEmail(), password: PASSWORD });
      await admin.api.patch(`/v1/users/${id}`, { name: 'Grace Hopper', role: 'support', reason: 'Joined' });
      await (await logIn(service.api, email)).api.get(`/v1/users/${member.id}`);
      await go('/audit');
      await table('Audit log').getByText('Name: – → Grace Hopper').waitFor();
      expect(await page.getByRole('cell', { name: 'user.read' }).count()).toBe(0);
      await page.getByLabel('Reads').selectOption('Shown');
      await page.getByRole('cell', { name: 'user.read' }).first().waitFor();
      const actor = page.getByRole('combobox', { name: 'Done by' });
      await actor.fill(email.slice(0, 12));
      await page.getByRole('option', { name: 'Grace Hopper' }).click();
      await page.waitForURL(new RegExp(`actor_id=${id}`));
      await eventually(() => table('Audit log').getByRole('row').count()).toBe(4); // and two sign-ins
      await page.getByLabel('Action').selectOption({ label: 'User: read' });
      await eventually(() => table('Audit log').getByRole('row').count()).toBe(2);
      await conforms(page, 'audit-filters');
      await actor.fill('nobody at all');
      await page.getByText('Nobody has this name, email or id.').waitFor();

      await go(`/users/${id}`);
      await table('Audit log')
        .getByRole('link', { name: /user\.set_role/ })
        .click();
      await titled('User: role changed');
      const change = table('Changes').getByRole('row', { name: 'Role User Support' });
      await change.waitFor();
      await page.getByText('Joined').waitFor();
      await conforms(page, 'audit-entry', everyView);
      await service.sql('UPDATE audit_log_changes SET salt = NULL, changes = NULL');
      await page.reload();
      await page.getByText('What was changed was erased from the audit log.').waitFor();
      const detailsOf = (name: string) =>
        page
          .locator('.details div', { has: page.getByText(name, { exact: true }) })
          .locator('dd')
          .allInnerTexts();
      await eventually(() => detailsOf('Done by')).toEqual([`${admin.email} Admin`]);
      expect(await detailsOf('Role')).toEqual(['Support']); // the new one
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
      const opened = new Date((await admin.api.get(`/v1/accounts/${owner.accountId}`)).body.created_at);
      const inMonths = (months: number, options: object): string =>
        new Intl.DateTimeFormat('en-GB', options).format(
          new Date(Date.UTC(opened.getUTCFullYear(), opened.getUTCMonth() + months, 1)),
        );
      const firstMonth = inMonths(0, { month: 'long', year: 'numeric' });
      const nextDay = inMonths(1, { dateStyle: 'medium' });
      await page
        .getByText(`The first statement, of ${firstMonth}, is available from ${nextDay}, 01:00 on.`)
        .waitFor();
      await conforms(page, 'statements-none');
      expect(await button('Download').count()).toBe(0); // no month has ended since the account was created
      const now = new Date(Date.now() - 3_600_000); // the browser offers months that ended an hour ago by its own clock
      const [last, past] = [1, 2].map((ago) =>
        new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago)).toISOString().slice(0, 7),
      ) as [string, string];
      await service.sql(`UPDATE accounts SET created_at = $2 WHERE id = $1`, [
        owner.accountId,
        new Date(`${past}-05`),
      ]);
      await page.reload();
      const month = page.getByLabel('Month');
      await eventually(() => month.inputValue()).toBe(last);
      await eventually(() => month.getByRole('option').count()).toBe(2);
      await month.selectOption(past);
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
      await act('Close account');
      await dialog().getByLabel('Reason').fill('Fraud');
      const close = dialog().getByRole('button', { name: 'Close account' });
      await eventually(() => close.isDisabled()).toBe(true);
      await dialog()
        .getByLabel(/^Type the name/)
        .fill('Lovelace Ltd');
      await conforms(page, 'close-account');
      await close.click();
      await titled('Closed');
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
      await button('Cancel').click();
      await dialog().getByRole('button', { name: 'Cancel' }).click();
      await titled('Canceled');
      await conforms(page, 'payment');
      expect([body.payment_url, await page.content()]).toEqual([
        expect.stringContaining('/pay/'),
        expect.not.stringContaining(body.payment_url.split('/pay/')[1]),
      ]);
      expect((await admin.api.get(`/v1/payments/${body.id}`)).body.status).toBe('canceled');
    });

    it('creates a payment request and shows its link once it is asked for, also as a QR code', async () => {
      await go(`/accounts/${owner.accountId}`);
      await button('New payment request').click();
      const field = (label: string) => dialog().getByLabel(label);
      const create = dialog().getByRole('button', { name: 'New payment request' });
      await field('Amount in EUR').fill('1.234');
      await dialog().getByText('Enter an amount of at least €0.01.').waitFor();
      await field('Email of the customer').fill('customer@example.com');
      await field('Expires').fill('2020-01-01T00:00');
      await dialog().getByText('Choose a time within the next year.').waitFor();
      await conforms(page, 'new-payment');
      await field('Expires').fill('');
      await field('Reference').fill('invoice-8');
      await eventually(() => create.isDisabled()).toBe(true);
      await field('Amount in EUR').fill('12.34');
      await create.dblclick();
      await toasted('The payment request was created.');
      await titled('€12.34');
      const { data } = (await admin.api.get('/v1/payments?reference=invoice-8&view=full')).body;
      expect(data).toHaveLength(1);
      expect(data[0]).toMatchObject({ amount: 1234, customer_email: 'customer@example.com' });
      await page.getByText(data[0].payment_url).waitFor();
      await page.getByRole('img', { name: 'QR code of the link to pay' }).waitFor();
      await conforms(page, 'payment-link');

      await go(`/payments/${data[0].id}`);
      await titled('€12.34');
      expect((await page.content()).includes(data[0].payment_url)).toBe(false);
      await button('Link to pay').click();
      await page.getByText(data[0].payment_url).waitFor();
      const support = await suite.signedIn(
        await anOperator(service.api, 'support'),
        `/payments/${data[0].id}`,
      );
      await titled('€12.34', support);
      expect(await button('Link to pay', support).count()).toBe(0);
      await go(`/accounts/${owner.accountId}`, support);
      await eventually(() => button('New payment request', support).isDisabled()).toBe(true);
      await button('More actions', support).click();
      await support.getByText('Your role may not do this. Ask an admin.', { exact: true }).waitFor();
      await conforms(support, 'account-support');
    });

    it('creates a transaction of an account', async () => {
      await go(`/accounts/${owner.accountId}`);
      await button('New transaction').click();
      await dialog().getByLabel('Type').selectOption('credit');
      await dialog().getByLabel('Amount in EUR').fill('5,00');
      await dialog().getByLabel('Reference').fill('goodwill');
      await conforms(page, 'new-transaction');
      await dialog().getByRole('button', { name: 'New transaction' }).click();
      await toasted('The transaction was created.');
      await titled('€5.00');
      const { data } = (await admin.api.get('/v1/transactions?reference=goodwill&view=full')).body;
      expect(data).toMatchObject([{ type: 'credit', amount: 500, currency: 'EUR', status: 'succeeded' }]);
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
      await titled('Suspended');
      expect((await suspended.api.get('/v1/auth/sessions')).status).toBe(401);

      await go(`/users/${other.id}`);
      await act('End all sessions');
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
  { prepare },
);
