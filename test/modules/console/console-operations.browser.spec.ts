import { readFileSync } from 'node:fs';
import { Page } from 'playwright-core';
import { overflows } from '../../support/accessibility';
import { hasChromium } from '../../support/chromium';
import { anAccount, anOperator, aUser, created, logIn, Owner, Person } from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { anEndpoint, anEvent } from '../webhooks/deliveries';
import { Receiver } from '../webhooks/receiver';
import { conforms, ConsoleBrowser, desktop, screenshot, signIn } from './console-browser';

/** In minor units: the largest adjustment without a second admin. */
const LIMIT = 50_000;

/** A busy machine takes long to build the console and start the service. */
const SETUP_MS = 180_000;

const where = hasChromium ? 'in Chromium' : 'in Chromium: SKIPPED, no Chromium runs on this machine';

(hasChromium ? describe : describe.skip)(
  `Approvals, adjustments and deliveries in the console ${where}`,
  () => {
    let lax: TestService;
    let service: TestService;
    let browser: ConsoleBrowser;
    let receiver: Receiver;
    let owner: Owner;
    /** Two admins and a support person, each at the console. */
    let [admin, other, support]: Person[] = [];
    let [page, otherPage, supportPage]: Page[] = [];

    beforeAll(async () => {
      lax = await startTestService();
      const people = [
        await anOperator(lax.api, 'admin'),
        await anOperator(lax.api, 'admin'),
        await anOperator(lax.api, 'support'),
      ];
      service = await lax.replica({ REQUIRE_APPROVALS: 'true', ADJUSTMENT_APPROVAL_LIMIT: `${LIMIT}` });
      receiver = await Receiver.start();
      browser = await ConsoleBrowser.start();
      [admin, other, support] = await Promise.all(people.map(({ email }) => logIn(service.api, email)));
      owner = await anAccount(service.api, { currency: 'EUR' });
      await adjust({ amount: LIMIT, reason: 'Opening balance of the old system' });
      [page, otherPage, supportPage] = await Promise.all([admin!, other!, support!].map(atTheConsole));
    }, SETUP_MS);
    afterAll(async () => {
      await browser?.close();
      await receiver?.stop();
      await service?.stop();
      await lax?.stop();
    });
    afterEach(() => expect(browser.problems()).toEqual([]));

    async function atTheConsole(person: Person): Promise<Page> {
      const opened = await browser.open(await browser.newContext(), `${service.url}/console/approvals`);
      await signIn(opened, person);
      await opened.getByRole('heading', { name: 'Approvals', level: 1 }).waitFor();
      return opened;
    }

    const adjust = (terms: object): Promise<any> =>
      created(admin!.api, `/v1/accounts/${owner.accountId}/adjustments`, {
        currency: 'EUR',
        direction: 'credit',
        reason: 'A fee was charged twice.',
        ...terms,
      });
    const balance = async (): Promise<number> =>
      (await admin!.api.get(`/v1/accounts/${owner.accountId}/balance`)).body.posted;
    const go = (path: string, shown = page!) => shown.goto(`${service.url}/console${path}`);
    const dialog = (shown = page!) => shown.getByRole('alertdialog');
    const button = (name: string | RegExp, shown = page!) => shown.getByRole('button', { name, exact: true });
    const heading = (text: string, shown = page!) => shown.locator('h1').getByText(text).waitFor();
    const toast = (text: string | RegExp, shown = page!) =>
      shown.locator('.toasts').getByText(text).waitFor();

    /** Confirms the open dialog, which then goes away. */
    async function confirm(name: string | RegExp, shown = page!): Promise<void> {
      await dialog(shown).getByRole('button', { name, exact: true }).click();
      await dialog(shown).waitFor({ state: 'detached' });
    }

    it('asks for the approval of a closing in its dialog, and another admin approves it from the keyboard', async () => {
      const { accountId } = await anAccount(service.api, { currency: 'EUR' });
      await created(admin!.api, `/v1/accounts/${accountId}/adjustments`, {
        amount: 1_250,
        currency: 'EUR',
        direction: 'credit',
        reason: 'Interest',
      });
      await go(`/accounts/${accountId}`);
      await button('Close account').click();
      await dialog().getByLabel('Reason').fill('Closes at the wish of its owner');
      await dialog()
        .getByLabel(/^Type the name/)
        .fill('Lovelace Ltd');
      await dialog().getByRole('button', { name: 'Close account' }).click();
      await dialog().getByText('A second admin has to approve this.').waitFor();
      await conforms(page!, 'ask-for-approval');
      expect(await dialog().getByLabel('Reason').inputValue()).toBe('Closes at the wish of its owner');
      await confirm('Ask for approval');
      await page!.getByText('Waiting for a second admin:').waitFor();
      await page!.getByRole('link', { name: /^Approvals.*1 waiting/ }).waitFor();
      await conforms(page!, 'account-waiting');
      await page!.locator('.waiting').getByRole('link', { name: 'Close an account' }).click();
      await page!.getByText('You asked for this').waitFor();
      expect(await button('Approve').isDisabled()).toBe(true);
      await page!.getByText('is closed with €12.50 in it.').waitFor();
      await screenshot(page!, 'approval-own-desktop-light');

      await go('/approvals?status=pending', otherPage);
      await otherPage!.getByRole('link', { name: 'Close an account' }).focus();
      await otherPage!.keyboard.press('Enter');
      await button('Approve', otherPage).focus();
      await otherPage!.keyboard.press('Enter');
      await dialog(otherPage).getByText('takes effect at once').waitFor();
      await screenshot(otherPage!, 'approve-desktop-light');
      await otherPage!.keyboard.press('Tab');
      await otherPage!.keyboard.press('Tab');
      await otherPage!.keyboard.press('Enter');
      await toast('It was approved and has taken effect.', otherPage);
      await heading('Approved', otherPage);
      await conforms(otherPage!, 'approval');
      await go(`/accounts/${accountId}`);
      await heading('Closed');
    });

    it('asks for another admin, whom the second one rejects with a reason', async () => {
      const { id, email } = await aUser(service.api);
      await go(`/users/${id}`);
      await button('Make admin').click();
      await dialog().getByLabel('Reason').fill('Joins the back office');
      await dialog().getByRole('button', { name: 'Make admin' }).click();
      await confirm('Ask for approval');
      const asked = page!.locator('.waiting').getByRole('link', { name: 'Make an admin' });
      const path = (await asked.getAttribute('href'))!.replace('/console', '');

      await go(path, supportPage);
      await supportPage!.getByText(`${email} becomes an admin`).waitFor();
      await supportPage!.getByText('Your role may not do this.').waitFor();
      expect(await button('Reject', supportPage).isDisabled()).toBe(true);

      await go(path, otherPage);
      await button('Reject', otherPage).click();
      await dialog(otherPage).getByLabel('Reason').fill('Nobody knows this person');
      await confirm('Reject', otherPage);
      await heading('Rejected', otherPage);
      await otherPage!.getByText('Nobody knows this person').waitFor();
      await go(`/users/${id}`);
      await button('Make admin').waitFor();
      expect(await page!.getByText('Waiting for a second admin:').count()).toBe(0);
    });

    it('shows that another admin was faster, and then what is true', async () => {
      const { approval_id: id } = await adjust({ amount: LIMIT + 1 });
      await go(`/approvals/${id}`, otherPage);
      await button('Approve', otherPage).click();
      await dialog(otherPage).getByText('The balance goes from €500.00 to €1,000.01.').waitFor();
      await admin!.api.post(`/v1/approvals/${id}/reject`, { reason: 'The amount is wrong.' });
      await dialog(otherPage).getByRole('button', { name: 'Approve' }).click();
      await toast('It has changed in the meantime.', otherPage);
      await heading('Rejected', otherPage);
      await dialog(otherPage).waitFor({ state: 'detached' });
      expect(await balance()).toBe(LIMIT);
    });

    it('keeps an approval pending when it cannot take effect, and says why', async () => {
      const { id } = await created(admin!.api, `/v1/accounts/${owner.accountId}/adjustments`, {
        amount: LIMIT,
        currency: 'EUR',
        direction: 'debit',
        reason: 'Paid out by hand',
      });
      const { approval_id } = await adjust({ amount: LIMIT + 2 });
      expect((await other!.api.post(`/v1/approvals/${approval_id}/approve`, undefined)).status).toBe(200);
      const debit = await adjust({ amount: LIMIT + 2, direction: 'debit' });
      await adjust({ amount: 2, direction: 'debit' });
      await go(`/approvals/${debit.approval_id}`, otherPage);
      await button('Approve', otherPage).click();
      await dialog(otherPage).getByRole('button', { name: 'Approve' }).click();
      await dialog(otherPage).getByRole('alert').waitFor();
      await button('Back', otherPage).click();
      await heading('Pending', otherPage);
      await go(`/adjustments/${id}`);
      await button('Undo').waitFor();
    });

    it('adjusts a balance after it has said what it will be, and undoes it', async () => {
      const before = await balance();
      await go(`/accounts/${owner.accountId}`);
      await button('Adjust balance').click();
      const amount = dialog().getByLabel('Amount in EUR');
      await dialog().getByLabel('Reason').fill('A fee was charged twice');
      for (const wrong of ['', '0', '1.005', 'ten']) {
        await amount.fill(wrong);
        expect(await button('Adjust balance', page).last().isDisabled()).toBe(true);
      }
      await dialog().getByLabel('Direction').selectOption('debit');
      await amount.fill('99999');
      await dialog().getByText('is available.').waitFor();
      await dialog().getByLabel('Direction').selectOption('credit');
      await amount.fill('2,50');
      await dialog().getByText('The balance will be').waitFor();
      await conforms(page!, 'adjust');
      await confirm('Adjust by €2.50');
      await toast('The adjustment was posted.');
      expect(await balance()).toBe(before + 250);

      await go('/adjustments?status=posted');
      await page!.getByRole('link', { name: '€2.50' }).first().waitFor();
      await conforms(page!, 'adjustments');
      await page!.getByRole('link', { name: '€2.50' }).first().click();
      await button('Undo').click();
      await dialog().getByLabel('Reason').fill('It was right before');
      await screenshot(page!, 'undo-desktop-light');
      await confirm('Adjust by -€2.50');
      await conforms(page!, 'adjustment');
      expect(await balance()).toBe(before);
    });

    it('lets a large adjustment wait, with a link to its approval', async () => {
      await go(`/accounts/${owner.accountId}?tab=adjustments`);
      await button('Adjust balance').click();
      await dialog().getByLabel('Amount in EUR').fill(`${LIMIT}`);
      await dialog().getByLabel('Reason').fill('Moved from another bank');
      await confirm(/^Adjust by/);
      await toast('The adjustment waits for a second admin.');
      await page!.locator('.waiting').getByText('Moved from another bank').waitFor();
      await page!.getByRole('table', { name: 'Adjustments' }).getByText('Pending').first().waitFor();
      await go('/approvals?type=adjustment&status=pending');
      await page!.getByRole('row').nth(1).waitFor();
      await conforms(page!, 'approvals');
    });

    it('finds events by type and object, and leads from a transaction to its event and back', async () => {
      const { id } = await anEvent(owner, { currency: 'EUR' });
      await go(`/transactions/${id}`);
      await page!.locator('.history').getByRole('link', { name: 'Created' }).click();
      await heading('Transaction: created');
      await page!.locator('.json').getByText(`"id": "${id}"`).waitFor();
      await conforms(page!, 'event');
      const eventId = page!.url().split('/').at(-1)!;
      await go('/transactions');
      await page!.getByRole('searchbox').fill(eventId);
      await page!.keyboard.press('Enter');
      await heading('Transaction: created');
      await page!.getByRole('link', { name: 'All events of this object' }).click();
      await page!.waitForURL(/object_id=txn_/);
      await page!.getByLabel('Type').selectOption('transaction.failed');
      await page!.getByText('Nothing matches these filters.').waitFor();
      await page!.getByLabel('Type').selectOption('transaction.created');
      await page!.getByRole('link', { name: id }).click();
      await page!.getByRole('heading', { name: /^Transaction|€/, level: 1 }).waitFor();
      await go(`/events?account_id=${owner.accountId}`);
      await page!.getByRole('table', { name: 'Events' }).waitFor();
      await conforms(page!, 'events');
      const [download] = await Promise.all([page!.waitForEvent('download'), button('Export CSV').click()]);
      expect(readFileSync(await download.path(), 'utf8')).toContain(id);
      await go(`/accounts/${owner.accountId}?tab=events`);
      await page!.getByRole('link', { name: 'Transaction: created' }).first().waitFor();
    });

    it('shows what an endpoint responded, and delivers again one or all that failed', async () => {
      receiver.respondWith(500);
      const endpoint = await anEndpoint(owner, receiver, { event_types: ['transaction.created'] });
      for (let count = 0; count < 3; count += 1) await anEvent(owner, { currency: 'EUR' });
      await service.runDueTasks();
      await go(`/webhooks/${endpoint.id}`);
      await page!.getByText('Every attempt has failed since').waitFor();
      const deliveries = page!.getByRole('table', { name: 'Deliveries' });
      await deliveries.getByText('500', { exact: true }).first().waitFor();
      await screenshot(page!, 'webhook-failing-desktop-light');
      await button('Open: transaction.created').first().click();
      await dialog().getByText('as configured').waitFor();
      await conforms(page!, 'delivery');
      await button('Back').click();
      await owner.api.patch(`/v1/webhooks/${endpoint.id}`, { status: 'disabled' });
      await service.runDueTasks();
      await page!.reload();
      await page!.getByText('It gets no events: it was switched off.').waitFor();
      expect(await button('Deliver failed ones again').isDisabled()).toBe(true);
      await button('Enable').click();
      await confirm('Enable');
      await button('Disable').waitFor();

      await button('Open: transaction.created').first().click();
      await confirm('Deliver again');
      await toast('The event is being delivered again.');
      receiver.accept();
      await button('Deliver failed ones again').click();
      await dialog().getByLabel('Failed since').fill('2026-01-01T00:00');
      await screenshot(page!, 'redeliver-desktop-light');
      await confirm('Deliver again');
      await toast('2 deliveries are being sent again.');
      await service.runDueTasks();
      await page!.reload();
      await page!.getByLabel('Status').selectOption('succeeded');
      await deliveries.getByText('200', { exact: true }).nth(2).waitFor();

      await button('Send a test').click();
      await confirm('Send a test');
      await page!.getByRole('heading', { name: /^Result of the test/ }).waitFor();
      await page!.locator('pre').getByText('thank you').waitFor();
      await conforms(page!, 'webhook');
      await go('/webhooks');
      await page!.getByRole('link', { name: endpoint.url }).waitFor();
      await conforms(page!, 'webhooks');

      await go(`/webhooks/${endpoint.id}`, supportPage);
      await supportPage!.getByText('Your role may not do this.').waitFor();
      expect(await button('Send a test', supportPage).isDisabled()).toBe(true);
      await button('Open: transaction.created', supportPage).first().click();
      expect(await dialog(supportPage).getByRole('button', { name: 'Deliver again' }).isDisabled()).toBe(
        true,
      );
    });

    it.each(['de', 'fr', 'es', 'pt'])('speaks %s on a narrow phone', async (language) => {
      await page!.setViewportSize({ width: 320, height: 640 });
      const [approval] = (await admin!.api.get('/v1/approvals?limit=1')).body.data;
      const [endpoint] = (await admin!.api.get('/v1/webhooks')).body.data;
      await page!.evaluate(`localStorage.setItem('countinghouse.console.language', '${language}')`);
      const paths = {
        approval: `/approvals/${approval.id}`,
        webhook: `/webhooks/${endpoint.id}`,
        events: '/events',
      };
      for (const [name, path] of Object.entries(paths)) {
        await go(path);
        await page!.locator(`html[lang=${language}]`).waitFor({ state: 'attached' });
        await page!.locator('main :is(.history, table) a').first().waitFor();
        await screenshot(page!, `${name}-${language}`);
        expect(await overflows(page!)).toBe(false);
      }
      await page!.locator('.menu-button').click();
      await screenshot(page!, `navigation-${language}`);
      expect(await overflows(page!)).toBe(false);
      await page!.evaluate(`localStorage.removeItem('countinghouse.console.language')`);
      await page!.setViewportSize(desktop);
    });
  },
);
