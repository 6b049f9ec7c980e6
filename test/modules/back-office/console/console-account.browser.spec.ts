import { Page } from 'playwright-core';
import { aMember, anOperator, anOwner, created, Owner, Person, someEmail } from '../../../support/people';
import { aPaymentRequest, aSubscription, aTransaction } from '../../../support/request-bodies';
import { TestService } from '../../../support/service';
import { eventually } from '../../../support/until';
import { conforms, everyView } from './console-browser';
import { describeConsole } from './console-suite';

const env = { SMTP_URL: 'smtp://localhost:1', MAIL_FROM: 'payments@countinghouse.test' };

describeConsole(
  'What belongs to an account in the console',
  (suite) => {
    const { go, act, button, table, dialog, titled, toasted, saved, confirm, confirmWith } = suite;
    let service: TestService;
    let admin: Person;
    let owner: Owner;
    let member: Owner;
    let page: Page;

    beforeAll(async () => {
      ({ service, admin, page } = suite);
      owner = await anOwner(service.api, { currency: 'USD' });
      member = await aMember(service.api, owner);
    });

    const tab = (name: string, shown = page) => go(`/accounts/${owner.accountId}?tab=${name}`, shown);
    const audited = async (objectId: string, action: string): Promise<object[]> =>
      (await admin.api.get(`/v1/audit-log?object_id=${objectId}&action=${action}`)).body.data;

    it('shows its people with their roles, and leads to a user and back', async () => {
      await tab('people');
      await table('People')
        .getByRole('row', { name: `${owner.email} Owner Active` })
        .waitFor();
      await conforms(page, 'account-people');
      await table('People').getByRole('row', { name: 'Owner Active The account itself' }).waitFor();
      await page.getByRole('link', { name: member.email }).click();
      await page.getByText('Member', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Lovelace Ltd' }).click();
      await titled('Lovelace Ltd');
    });

    it('invites a member by an email', async () => {
      const { api, accountId } = await anOwner(service.api);
      await go(`/accounts/${accountId}?tab=people`);
      await button('Invite a user').click();
      await dialog().getByText('which works for seven days').waitFor();
      const invite = dialog().getByRole('button', { name: 'Invite a user' });
      await dialog().getByLabel('Email').fill('no email');
      await eventually(() => invite.isDisabled()).toBe(true);
      const email = someEmail();
      await dialog().getByLabel('Email').fill(email);
      await dialog().getByLabel('Name').fill('Grace Hopper');
      await conforms(page, 'invite-member', everyView);
      await confirm('Invite a user');
      await titled('Grace Hopper');
      await page.getByText('Member', { exact: true }).waitFor();
      const [invited] = (await api.get('/v1/users')).body.data;
      expect(invited).toMatchObject({ email, name: 'Grace Hopper' });
      const kinds = await service.sql('SELECT kind FROM security_emails WHERE email_key = $1', [email]);
      expect(kinds).toEqual([{ kind: 'invitation' }]);
    });

    it('opens a new one by an invitation, and invites people of the platform', async () => {
      const email = someEmail();
      await go('/accounts');
      await button('Invite an account').click();
      await dialog().getByLabel('Email').fill(email);
      await dialog().getByLabel('Name').fill('Hopper Yards');
      await dialog().getByLabel('Currency').selectOption('EUR');
      await dialog().getByLabel('Time zone').selectOption('Europe/Berlin');
      await dialog().getByLabel('Language').selectOption('Deutsch');
      await conforms(page, 'invite-account', everyView);
      await dialog().getByRole('button', { name: 'Invite an account' }).click();
      await titled('Hopper Yards');
      const [{ id }] = (await admin.api.get(`/v1/accounts?email=${email}`)).body.data;
      const { settings, type } = (await admin.api.get(`/v1/accounts/${id}`)).body;
      const chosen = { currency: 'EUR', timezone: 'Europe/Berlin', language: 'de' };
      expect({ settings, type }).toEqual({ settings: chosen, type: 'business' });

      await go('/users');
      await button('Invite a user').click();
      await dialog().getByLabel('Email').fill(someEmail());
      await dialog().getByLabel('Role').selectOption('Support');
      await eventually(() => dialog().getByLabel('Account').count()).toBe(0);
      await conforms(page, 'invite-user', everyView);
      await dialog().getByRole('button', { name: 'Invite a user' }).click();
      await page.locator('.details').getByText('Support', { exact: true }).waitFor();

      await button('Send password link').click();
      await confirm('Send password link');
      await toasted('The email is on its way.');
    });

    it('edits what it is called and how it is written to, unless it has changed meanwhile', async () => {
      const { accountId } = await anOwner(service.api);
      const path = `/v1/accounts/${accountId}`;
      await go(`/accounts/${accountId}`);
      await act('Edit');
      await dialog().getByLabel('Name').fill('Renamed Ltd');
      await dialog().getByLabel('Language').selectOption('Français');
      await dialog().getByLabel('Reason').fill('They moved');
      await conforms(page, 'edit-account', everyView);
      await confirm('Save');
      await titled('Renamed Ltd');
      const { name, settings } = (await admin.api.get(path)).body;
      expect([name, settings.language]).toEqual(['Renamed Ltd', 'fr']);
      const [entry] = (await audited(accountId, 'account.update')) as [{ reason: string }];
      expect(entry.reason).toBe('They moved');

      await act('Edit');
      await dialog().getByLabel('Name').fill('Renamed again');
      await admin.api.patch(path, { name: 'Somebody was faster' });
      await page.getByText('Somebody was faster').first().waitFor(); // the page behind the dialog is read again
      await dialog().getByLabel('Reason').fill('They moved again');
      await confirm('Save');
      await titled('Somebody was faster');
    });

    it('shows its subscriptions, and cancels one', async () => {
      const { id } = await created(owner.api, '/v1/subscriptions', aSubscription(owner.accountId));
      await tab('subscriptions');
      await table('Subscriptions').waitFor();
      await conforms(page, 'account-subscriptions');
      await table('Subscriptions').getByRole('link').first().click();
      await page.getByText('Next payment', { exact: true }).waitFor();
      await conforms(page, 'subscription');
      await button('Cancel').click();
      await confirm('Cancel');
      await titled('Canceled');
      expect((await owner.api.get(`/v1/subscriptions/${id}`)).body.status).toBe('canceled');
    });

    it('creates a key of the platform, which is shown once', async () => {
      await go('/keys');
      await button('New key').click();
      await dialog().getByLabel('Name').fill('Warehouse');
      await dialog().getByLabel('May do').selectOption('What I choose');
      await dialog().getByLabel('transactions:read').check();
      await conforms(page, 'create-key', everyView);
      await dialog().getByRole('button', { name: 'New key' }).click();
      const key = (await page.locator('.effect code').innerText()).trim();
      const { status, body } = await service.api.as(key).get('/v1/transactions?limit=1');
      expect([status, body.data.length]).toEqual([200, expect.any(Number)]);
      await table('API keys').getByRole('row').filter({ hasText: 'Warehouse' }).waitFor();
      await conforms(page, 'created-key');
      await page.reload();
      await table('API keys').getByRole('row').filter({ hasText: 'Warehouse' }).waitFor();
      await eventually(() => page.getByText(key).count()).toBe(0);
    });

    it('revokes an API key with a reason', async () => {
      const { id, key } = await created(owner.api, '/v1/api-keys', { name: 'Web shop' });
      await created(owner.api, '/v1/api-keys', { name: 'Accounting', scopes: ['transactions:read'] });
      await go(`/search?q=${id}`);
      await table('API keys')
        .getByRole('row', { name: /Accounting/ })
        .waitFor();
      expect(page.url()).toMatch(/\?tab=keys$/);
      await conforms(page, 'account-keys');
      expect((await saved('Export CSV'))[1]).toContain(id);
      await button('Revoke: Web shop').click();
      await conforms(page, 'revoke-key');
      await confirmWith('Found in a public repository', 'Revoke');
      await button('Revoke: Web shop').waitFor({ state: 'detached' });
      expect((await service.api.as(key).get('/v1/transactions')).status).toBe(401);
      const reason = 'Found in a public repository';
      expect(await audited(id, 'api_key.revoke')).toEqual([expect.objectContaining({ reason })]);
    });

    it('finds platform keys, which belong to no account, by id', async () => {
      const { id } = await created(admin.api, '/v1/api-keys', { name: 'Rails', role: 'platform' });
      await go(`/search?q=${id}`);
      await titled('Platform keys');
      await table('API keys').getByRole('row', { name: /Rails/ }).waitFor();
      await conforms(page, 'platform-keys');
    });

    it('opens the notes and the audit log where a search finds a note or an entry of the audit log', async () => {
      for (const path of [`accounts/${owner.accountId}`, `users/${member.id}`]) {
        const { id } = await created(admin.api, `/v1/${path}/notes`, { text: 'Called on Monday.' });
        await go(`/search?q=${id}`);
        await page.locator('.notes').getByText('Called on Monday.').waitFor();
        expect(new URL(page.url()).pathname).toBe(`/console/${path}`);
        const { data } = (await admin.api.get(`/v1/audit-log?object_id=${id}`)).body;
        await go(`/search?q=${data[0].id}`);
        await titled('Note: created');
        expect(new URL(page.url()).pathname).toBe(`/console/audit/${data[0].id}`);
      }
    });

    it('shows its webhook endpoints, and lets the secret of one expire', async () => {
      const url = 'https://hooks.example.com/countinghouse';
      const { id } = await created(owner.api, '/v1/webhooks', { url });
      await tab('webhooks');
      await page.getByRole('table').getByRole('link', { name: url }).waitFor();
      await go(`/search?q=${id}`);
      await page.getByText('Only the account itself can rotate it.').waitFor();
      await button('Expire secret').click();
      await confirmWith('Seen in a log', 'Expire secret');
      await page.getByText('The account has to rotate it before.').waitFor();
      await conforms(page, 'webhook-secret');
      expect((await owner.api.get(`/v1/webhooks/${id}`)).body.secret_expires_at).not.toBeNull();
    });

    it('ends one of its sessions, and then all', async () => {
      const sessions = async (person: Person) => (await person.api.get('/v1/auth/sessions')).status;
      await tab('sessions');
      const row = table('Sessions').getByRole('row').filter({ hasText: member.email });
      await row.waitFor();
      await conforms(page, 'account-sessions');
      await row.getByRole('button').click();
      await confirm('End');
      await row.waitFor({ state: 'detached' });
      expect([await sessions(member), await sessions(owner)]).toEqual([401, 200]);
      await act('End all sessions');
      await confirm('End all sessions');
      await page.getByText('All sessions of the account have ended.').waitFor();
      expect(await sessions(owner)).toBe(401);
    });

    it('shows everything to support people, and says why they may not change it', async () => {
      const support = await anOperator(service.api, 'support');
      const shown = await suite.signedIn(support, `/accounts/${owner.accountId}?tab=keys`);
      await table('API keys', shown).waitFor();
      await eventually(() => button(/^Revoke/, shown).isDisabled()).toBe(true);
      const denials = shown.getByText('Your role may not do this.');
      await eventually(() => denials.count()).toBe(2);
      await button('More actions', shown).click();
      await eventually(() => denials.count()).toBe(3);
      await shown.keyboard.press('Escape');
      await tab('sessions', shown);
      await shown.getByText('There is nothing here yet.').waitFor();
      await tab('webhooks', shown);
      await shown.getByRole('table').getByRole('link').click();
      await button('Expire secret', shown).waitFor();
      await eventually(() => button('Expire secret', shown).isDisabled()).toBe(true);
      await shown.context().close();
    });

    describe('and its payments', () => {
      const request = (members: object = {}) =>
        created(admin.api, '/v1/payments', aPaymentRequest(owner.accountId, members));

      it('resolves unapplied ones, from the list and on the page of one', async () => {
        const { id } = await request();
        const record = (amount: number) =>
          created(admin.api, `/v1/payments/${id}/unapplied-payments`, { amount });
        const [first, second] = [await record(700), await record(900)];
        const failed =
          "status = 'needs_attention', failure_reason = 'account_closed', processor_reference = 'pi_1'";
        await service.sql(`UPDATE unapplied_payments SET ${failed} WHERE id = $1`, [second.id]);
        await go('/unapplied');
        await button('Resolve: US$7.00').waitFor();
        await conforms(page, 'unapplied-list');
        await button('Resolve: US$7.00').click();
        await dialog().getByText('cannot be undone').waitFor();
        await confirm('Mark as returned');
        await button('Resolve: US$7.00').waitFor({ state: 'detached' });
        expect((await admin.api.get(`/v1/unapplied-payments/${first.id}`)).body.status).toBe('returned');

        await page.getByRole('link', { name: 'US$9.00' }).click();
        await page.getByText('account_closed').waitFor();
        await conforms(page, 'unapplied-payment');
        await button('Return again').click();
        await dialog().getByRole('button', { name: 'Return again' }).click();
        await dialog().getByText('The processor cannot return this payment.').waitFor(); // the sandbox has it not
        await dialog().getByRole('button', { name: 'Back' }).click();
        await button('Mark as returned').click();
        await confirm('Mark as returned');
        await titled('Returned');
      });

      it('sends the email about a payment request again', async () => {
        const { id } = await request({ customer_email: 'customer@example.com' });
        await go(`/payments/${id}`);
        await button('Send email again').click();
        await dialog().getByText('customer@example.com gets the email').waitFor();
        await confirm('Send email again');
        await page.getByText('The email is on its way.').waitFor();
        expect(await audited(id, 'payment_request.send_email')).toHaveLength(1);
      });

      it('finds transactions by their amounts, with the decimals of a currency, from the address', async () => {
        for (const amount of [1_000, 1_250, 1_300])
          await created(admin.api, '/v1/transactions', aTransaction(owner.accountId, { amount }));
        await go('/transactions');
        await page.getByLabel('Amount from').fill('12.50');
        await page.getByLabel('Amount to').fill('13,00');
        await page.waitForURL(/amount_min=12\.50&amount_max=13%2C00$/);
        await page.getByRole('link', { name: 'US$10.00' }).waitFor({ state: 'detached' });
        await page.reload();
        await page.getByRole('link', { name: 'US$13.00' }).waitFor();
        await eventually(() =>
          table('Transactions').locator('tbody td:first-child a').allTextContents(),
        ).toEqual(['US$13.00', 'US$12.50']);
        await page.getByLabel('Decimals').selectOption('0');
        await page.getByText('Enter an amount such as 1,250.').first().waitFor(); // 12.50 is no such amount
        await page.getByLabel('Amount from').fill('1250');
        await page.getByLabel('Amount to').fill('1250');
        await page.getByRole('link', { name: 'US$12.50' }).waitFor();
        await conforms(page, 'transactions-amounts');
        await go('/payments?amount_min=1&amount_max=9');
        await page.getByText('Nothing matches these filters.').waitFor();
      });

      it('says beside a filter what an amount looks like, and lists by the other filters', async () => {
        const { accountId } = await anOwner(service.api, { currency: 'USD' });
        for (const amount of [1_000, 1_250, 1_300])
          await created(admin.api, '/v1/transactions', aTransaction(accountId, { amount }));
        await go(`/transactions?account_id=${accountId}&amount_max=12.50`);
        await page.getByRole('link', { name: 'US$12.50' }).waitFor();
        const asked: string[] = [];
        page.on('request', (request) => void asked.push(request.url()));
        const from = page.getByRole('textbox', { name: 'Amount from', exact: true });
        for (const text of ['abc', '0', '12.345']) {
          await from.fill(text);
          await page.waitForURL(new RegExp(`amount_min=${text}$`));
          await eventually(() => from.getAttribute('aria-invalid')).toBe('true');
          await eventually(() => page.getByText('Enter an amount such as 12.50.').count()).toBe(1);
          await page.getByRole('link', { name: 'US$12.50' }).waitFor();
          await page.getByRole('link', { name: 'US$10.00' }).waitFor();
          expect(await page.getByRole('link', { name: 'US$13.00' }).count()).toBe(0);
        }
        await conforms(page, 'transactions-no-amount');
        expect(asked.filter((url) => url.includes('/v1/') && url.includes('amount_min'))).toEqual([]);
        await from.fill('12.50');
        await page.getByRole('link', { name: 'US$10.00' }).waitFor({ state: 'detached' });
        await eventually(() => from.getAttribute('aria-invalid')).toBe('false');
      });

      it('finds users by their role and their account', async () => {
        await go('/users');
        await page.getByLabel('Role').selectOption('admin');
        await page.getByRole('link', { name: admin.email }).waitFor();
        await eventually(() => page.getByRole('link', { name: member.email }).count()).toBe(0);
        await go(`/users?account_id=${owner.accountId}`);
        await table('Users')
          .getByRole('row', { name: new RegExp(`${member.email} Active Member`) })
          .waitFor();
        await eventually(() => table('Users').locator('tbody a').count()).toBe(2);
      });
    });
  },
  { env },
);
