import { Page } from 'playwright-core';
import {
  anAccount,
  anAdminWhoSignedUp,
  anOperator,
  aUser,
  created,
  logIn,
  Owner,
  Person,
} from '../../../support/people';
import { screenshot } from '../../../support/screenshot';
import { TestService } from '../../../support/service';
import { eventually } from '../../../support/until';
import { conforms } from './console-browser';
import { describeConsole } from './console-suite';

/** In minor units: the largest adjustment without a second admin. */
const LIMIT = 50_000;

let others: Person[];

/** Creates two admins and a support person, as if before approvals were required. */
async function prepare(service: TestService): Promise<Person> {
  const lax = await service.replica({ REQUIRE_APPROVALS: 'false' });
  const people = [await anAdminWhoSignedUp(lax.api), await anAdminWhoSignedUp(lax.api)];
  people.push(await anOperator(lax.api, 'support'));
  await lax.stop();
  const [admin, ...rest] = await Promise.all(people.map(({ email }) => logIn(service.api, email)));
  others = rest;
  return admin!;
}

describeConsole(
  'Approvals and adjustments in the console',
  (suite) => {
    const { go, act, button, dialog, titled, toasted, confirm, confirmWith } = suite;
    let service: TestService;
    let owner: Owner;
    let admin: Person;
    let other: Person;
    let platform: Person;
    let page: Page;
    let otherPage: Page;
    let supportPage: Page;

    beforeAll(async () => {
      ({ service, admin, page } = suite);
      other = others[0]!;
      owner = await anAccount(service.api, { currency: 'EUR' });
      platform = await anOperator(service.api, 'platform');
      await move({ type: 'credit', amount: LIMIT });
      const pages = await Promise.all(others.map((person) => suite.signedIn(person)));
      [otherPage, supportPage] = pages as [Page, Page];
    });

    const adjust = (terms: object): Promise<any> =>
      created(admin.api, `/v1/accounts/${owner.accountId}/adjustments`, {
        currency: 'EUR',
        direction: 'credit',
        reason: 'A fee was charged twice.',
        ...terms,
      });
    const move = (terms: object): Promise<any> =>
      created(platform.api, '/v1/transactions', { account_id: owner.accountId, currency: 'EUR', ...terms });
    const balance = async (): Promise<number> =>
      (await admin.api.get(`/v1/accounts/${owner.accountId}/balance`)).body.posted;

    it('asks for the approval of a closing in its dialog, and another admin approves it from the keyboard', async () => {
      const { accountId } = await anAccount(service.api, { currency: 'EUR' });
      await created(admin.api, `/v1/accounts/${accountId}/adjustments`, {
        amount: 1_250,
        currency: 'EUR',
        direction: 'credit',
        reason: 'Interest',
      });
      await go(`/accounts/${accountId}`);
      await act('Close account');
      await dialog().getByLabel('Reason').fill('Closes at the wish of its owner');
      await dialog()
        .getByLabel(/^Type the name/)
        .fill('Lovelace Ltd');
      await dialog().getByRole('button', { name: 'Close account' }).click();
      await dialog().getByText('A second admin has to approve this.').waitFor();
      await conforms(page, 'ask-for-approval');
      await eventually(() => dialog().getByLabel('Reason').inputValue()).toBe(
        'Closes at the wish of its owner',
      );
      await confirm('Ask for approval');
      await page.getByText('Waiting for a second admin:').waitFor();
      await page.getByRole('link', { name: /^Approvals.*1 waiting/ }).waitFor();
      await conforms(page, 'account-waiting');
      await page.locator('.waiting').getByRole('link', { name: 'Close an account' }).click();
      await page.getByText('You asked for this').waitFor();
      await eventually(() => button('Approve').isDisabled()).toBe(true);
      await page.getByText('is closed with €12.50 in it.').waitFor();
      await screenshot(page, 'console/approval-own-desktop-light');

      await go('/approvals?status=pending', otherPage);
      await otherPage.getByRole('link', { name: 'Close an account' }).focus();
      await otherPage.keyboard.press('Enter');
      await button('Approve', otherPage).focus();
      await otherPage.keyboard.press('Enter');
      await dialog(otherPage).getByText('takes effect at once').waitFor();
      await otherPage.keyboard.type('As agreed on the phone');
      await screenshot(otherPage, 'console/approve-desktop-light');
      await otherPage.keyboard.press('Tab');
      await otherPage.keyboard.press('Tab');
      await otherPage.keyboard.press('Enter');
      await toasted('It was approved and has taken effect.', otherPage);
      const { body } = await admin.api.get(`/v1/audit-log?action=approval.approve&account_id=${accountId}`);
      expect(body.data[0].reason).toBe('As agreed on the phone');
      await titled('Approved', otherPage);
      await conforms(otherPage, 'approval');
      await go(`/accounts/${accountId}`);
      await titled('Closed');
    });

    it('asks for another admin, whom the second one rejects with a reason', async () => {
      const { id, email, api } = await aUser(service.api);
      await api.patch(`/v1/users/${id}`, { name: 'Ada Lovelace', password: 'a password of my own' });
      await go(`/users/${id}`);
      await button('Make admin').click();
      await dialog().getByLabel('Reason').fill('Joins the back office');
      await dialog().getByRole('button', { name: 'Make admin' }).click();
      await confirm('Ask for approval');
      const asked = page.locator('.waiting').getByRole('link', { name: 'Make an admin' });
      const path = (await asked.getAttribute('href'))!.replace('/console', '');

      await go(path, supportPage);
      await supportPage.getByText(`${email} becomes an admin`).waitFor();
      await api.patch(`/v1/users/${id}`, { name: 'The director' });
      await supportPage.getByText('Your role may not do this.').waitFor();
      await eventually(() => button('Reject', supportPage).isDisabled()).toBe(true);

      await go(path, otherPage);
      await button('Reject', otherPage).click();
      await dialog(otherPage).getByLabel('Reason').fill('Nobody knows this person');
      await confirm('Reject', otherPage);
      await titled('Rejected', otherPage);
      await otherPage.getByText('Nobody knows this person').waitFor();
      // As it was asked for, whatever the user is called since.
      await otherPage.getByText(`${email} becomes an admin`).waitFor();
      await otherPage.locator('.details').getByText('Ada Lovelace').waitFor();
      await otherPage.getByText(/, by the user$/).waitFor();
      await go(`/users/${id}`);
      await button('Make admin').waitFor();
      await page.waitForLoadState('networkidle'); // what waits is read beside the user
      expect(await page.getByText('Waiting for a second admin:').count()).toBe(0);
    });

    it('lets a refund and a report of a payment wait above the limit, with links to their approvals', async () => {
      const amount = 2 * LIMIT;
      const pending = { type: 'payment', amount, metadata: { sandbox_outcome: 'pending' } };
      const { id } = await move(pending);
      await go(`/transactions/${id}`);
      await button('Mark as succeeded').click();
      await dialog().getByRole('button', { name: 'Mark as succeeded' }).click();
      await dialog().getByText('A second admin has to approve this.').waitFor();
      await dialog().getByLabel('Reason').fill('It is in the bank account');
      await confirm('Ask for approval');
      await page.locator('.waiting').getByRole('link', { name: 'Mark a transaction as succeeded' }).click();
      await page.getByText('It is recorded that €1,000.00 has arrived').waitFor();
      const approval = page.url().split('/').at(-1);
      expect((await other.api.post(`/v1/approvals/${approval}/approve`, undefined)).status).toBe(200);

      await go(`/transactions/${id}`);
      await button('Refund').click();
      await confirmWith('Ordered twice', 'Refund €1,000.00');
      await toasted('It was asked for.');
      const { body } = await admin.api.get(`/v1/transactions?source_transaction_id=${id}&view=full`);
      const [refund] = body.data;
      await go(`/transactions/${refund.id}`);
      await page.locator('.waiting').getByRole('link', { name: 'Create a transaction €1,000.00' }).click();
      await page.getByText('A transaction over €1,000.00 of the account').waitFor();
      const approved = await other.api.post(`/v1/approvals/${refund.approval_id}/approve`, undefined);
      expect(approved.status).toBe(200);
      expect(await balance()).toBe(LIMIT);
    });

    it('shows that another admin was faster, and then what is true', async () => {
      const { approval_id: id } = await adjust({ amount: LIMIT + 1 });
      await go(`/search?q=${id}`, otherPage);
      await button('Approve', otherPage).click();
      await dialog(otherPage).getByText('The balance goes from €500.00 to €1,000.01.').waitFor();
      await admin.api.post(`/v1/approvals/${id}/reject`, { reason: 'The amount is wrong.' });
      await dialog(otherPage).getByRole('button', { name: 'Approve' }).click();
      await toasted('It has changed in the meantime.', otherPage);
      await titled('Rejected', otherPage);
      await dialog(otherPage).waitFor({ state: 'detached' });
      expect(await balance()).toBe(LIMIT);
    });

    it('keeps an approval pending when it cannot take effect, and says why', async () => {
      const { id } = await created(other.api, `/v1/accounts/${owner.accountId}/adjustments`, {
        amount: LIMIT,
        currency: 'EUR',
        direction: 'debit',
        reason: 'Paid out by hand',
      });
      const { approval_id } = await adjust({ amount: LIMIT + 2 });
      expect((await other.api.post(`/v1/approvals/${approval_id}/approve`, undefined)).status).toBe(200);
      const debit = await adjust({ amount: LIMIT + 2, direction: 'debit' });
      await adjust({ amount: 2, direction: 'debit' });
      await go(`/approvals/${debit.approval_id}`, otherPage);
      await button('Approve', otherPage).click();
      await dialog(otherPage).getByRole('button', { name: 'Approve' }).click();
      await dialog(otherPage).getByRole('alert').waitFor();
      await button('Back', otherPage).click();
      await titled('Pending', otherPage);
      await go(`/adjustments/${id}`);
      await button('Undo').waitFor();
    });

    it('adjusts a balance after it has said what it will be, and undoes it', async () => {
      const before = await balance();
      await go(`/accounts/${owner.accountId}`);
      await act('Adjust balance');
      const amount = dialog().getByLabel('Amount in EUR');
      await dialog().getByLabel('Reason').fill('A fee was charged twice');
      for (const wrong of ['', '0', '1.005', 'ten']) {
        await amount.fill(wrong);
        await eventually(() => button('Adjust balance', page).last().isDisabled()).toBe(true);
      }
      await dialog().getByLabel('Direction').selectOption('debit');
      await amount.fill('99999');
      await dialog().getByText('is available.').waitFor();
      await dialog().getByLabel('Direction').selectOption('credit');
      await amount.fill('2,50');
      await dialog().getByText('The balance will be').waitFor();
      await conforms(page, 'adjust');
      await confirm('Adjust by €2.50');
      await toasted('The adjustment was posted.');
      expect(await balance()).toBe(before + 250);

      await go('/adjustments?status=posted');
      await page.getByRole('link', { name: '€2.50' }).first().waitFor();
      await conforms(page, 'adjustments');
      await page.getByRole('link', { name: '€2.50' }).first().click();
      await button('Undo').click();
      await dialog().getByLabel('Reason').fill('It was right before');
      await screenshot(page, 'console/undo-desktop-light');
      await confirm('Adjust by -€2.50');
      await conforms(page, 'adjustment');
      expect(await balance()).toBe(before);
    });

    it('lets a large adjustment wait, with a link to its approval', async () => {
      await go(`/accounts/${owner.accountId}?tab=adjustments`);
      await act('Adjust balance');
      await dialog().getByLabel('Amount in EUR').fill(`${LIMIT}`);
      await dialog().getByLabel('Reason').fill('Moved from another bank');
      await confirm(/^Adjust by/);
      await toasted('The adjustment waits for a second admin.');
      await page.locator('.waiting').getByText('Moved from another bank').waitFor();
      await page.getByRole('table', { name: 'Adjustments' }).getByText('Pending').first().waitFor();
      await go('/approvals?type=adjustment&status=pending');
      await page.getByRole('row').nth(1).waitFor();
      await conforms(page, 'approvals');
    });
  },
  { env: { REQUIRE_APPROVALS: 'true', ADJUSTMENT_APPROVAL_LIMIT: `${LIMIT}` }, prepare },
);
