import { Page } from 'playwright-core';
import { anAccount, anOperator, Owner } from '../../../support/people';
import { screenshot } from '../../../support/screenshot';
import { TestService } from '../../../support/service';
import { eventually } from '../../../support/until';
import { anEndpoint, anEvent } from '../../events/webhooks/deliveries';
import { Receiver } from '../../events/webhooks/receiver';
import { conforms } from './console-browser';
import { describeConsole } from './console-suite';

describeConsole('Events and webhooks in the console', (suite) => {
  const { go, button, table, dialog, titled, toasted, confirm, saved } = suite;
  let service: TestService;
  let receiver: Receiver;
  let owner: Owner;
  let page: Page;

  beforeAll(async () => {
    ({ service, page } = suite);
    receiver = await Receiver.start();
    owner = await anAccount(service.api, { currency: 'EUR' });
  });
  afterAll(() => receiver?.stop());

  it('finds events by type and object, and leads from a transaction to its event and back', async () => {
    const { id } = await anEvent(owner, { currency: 'EUR' });
    await go(`/transactions/${id}`);
    await page.locator('.history').getByRole('link', { name: 'Created' }).click();
    await titled('Transaction: created');
    await page.locator('.json').getByText(`"id": "${id}"`).waitFor();
    await conforms(page, 'event');
    const eventId = page.url().split('/').at(-1)!;
    await go('/transactions');
    await page.getByRole('searchbox').fill(eventId);
    await page.keyboard.press('Enter');
    await titled('Transaction: created');
    await page.getByRole('link', { name: 'All events of this object' }).click();
    await page.waitForURL(/object_id=txn_/);
    await page.getByLabel('Type').selectOption('transaction.failed');
    await page.getByText('Nothing matches these filters.').waitFor();
    await page.getByLabel('Type').selectOption('transaction.created');
    await page.getByRole('link', { name: id }).click();
    await titled('€12.50');
    await go(`/events?account_id=${owner.accountId}`);
    await table('Events').waitFor();
    await conforms(page, 'events');
    const [, text] = await saved('Export CSV');
    expect(text).toContain(id);
    await go(`/accounts/${owner.accountId}?tab=events`);
    await page.getByRole('link', { name: 'Transaction: created' }).first().waitFor();
  });

  it('shows what an endpoint responded, and delivers again one or all that failed', async () => {
    receiver.respondWith(500);
    const endpoint = await anEndpoint(owner, receiver, { event_types: ['transaction.created'] });
    for (let count = 0; count < 3; count += 1) await anEvent(owner, { currency: 'EUR' });
    await service.runDueTasks();
    await go(`/webhooks/${endpoint.id}`);
    await page.getByText('Every attempt has failed since').waitFor();
    const deliveries = table('Deliveries');
    await deliveries.getByText('500', { exact: true }).first().waitFor();
    await screenshot(page, 'console/webhook-failing-desktop-light');
    // A new endpoint gets one delivery at a time, so others may wait.
    const attempted = deliveries.getByRole('row').filter({ hasText: '500' }).first();
    await attempted.getByRole('button', { name: 'Open: Transaction: created' }).click();
    await dialog().getByText('as configured').waitFor();
    await conforms(page, 'delivery');
    await button('Back').click();
    await owner.api.patch(`/v1/webhooks/${endpoint.id}`, { status: 'disabled' });
    await service.runDueTasks();
    await page.reload();
    await page.getByText('It gets no events: it was switched off.').waitFor();
    await eventually(() => button('Deliver failed ones again').isDisabled()).toBe(true);
    const actions = page.locator('.heading .actions').first().getByRole('button');
    expect(await actions.first().innerText()).toBe('Enable'); // what has to be done before the rest
    await button('Enable').click();
    await confirm('Enable');
    await button('Disable').waitFor();

    await button('Open: Transaction: created').first().click();
    await confirm('Deliver again');
    await toasted('The event is being delivered again.');
    receiver.accept();
    await button('Deliver failed ones again').click();
    await screenshot(page, 'console/redeliver-desktop-light');
    await confirm('Deliver again');
    await toasted('2 deliveries are being sent again.');
    await service.runDueTasks();
    await page.reload();
    await page.getByLabel('Status').selectOption('succeeded');
    await deliveries.getByText('200', { exact: true }).nth(2).waitFor();

    await button('Send a test').click();
    await confirm('Send a test');
    await page.getByRole('heading', { name: /^Result of the test/ }).waitFor();
    await page.locator('pre').getByText('thank you').waitFor();
    await conforms(page, 'webhook');
    await go('/webhooks');
    await page.getByRole('link', { name: endpoint.url }).waitFor();
    await conforms(page, 'webhooks');

    await page.getByLabel('Status').selectOption('failing');
    await page.getByText('Nothing matches these filters.').waitFor();

    const support = await anOperator(service.api, 'support');
    const supportPage = await suite.signedIn(support, `/webhooks/${endpoint.id}`);
    await supportPage.getByText('Your role may not do this.').first().waitFor();
    await eventually(() => button('Send a test', supportPage).isDisabled()).toBe(true);
    await button('Open: Transaction: created', supportPage).first().click();
    await eventually(() =>
      dialog(supportPage).getByRole('button', { name: 'Deliver again' }).isDisabled(),
    ).toBe(true);
  });

  it('lists what failed at all endpoints, and delivers it again in batches that can be left and pressed twice', async () => {
    receiver.accept();
    const { id } = await anEndpoint(owner, receiver, { event_types: ['transaction.created'] });
    for (let count = 0; count < 130; count += 1) await anEvent(owner, { currency: 'EUR' });
    await service.runDueTasks();
    const fail = () =>
      service.sql(`UPDATE webhook_deliveries SET status = 'failed' WHERE endpoint_id = $1`, [id]);
    await fail();
    await go('/deliveries?status=failed');
    await titled('Deliveries');
    const row = table('Deliveries').getByRole('row').nth(1);
    await row.getByRole('link', { name: id }).waitFor();
    await conforms(page, 'deliveries');

    // Closed after the first batch: the rest stays failed.
    let batches = 0;
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/v1/webhook-deliveries/redeliveries', async (route) => {
      batches += 1;
      if (batches === 2) await held;
      await route.continue().catch(() => undefined);
    });
    await button('Deliver failed ones again').click();
    await dialog().getByRole('button', { name: 'Deliver again' }).dblclick();
    await dialog().getByText('100 deliveries are being sent again.').waitFor();
    await conforms(page, 'redeliver');
    await page.reload();
    release();
    await dialog().waitFor(); // it is open again, and hides the table
    await page.unrouteAll({ behavior: 'wait' }); // a page that is being loaded meanwhile may get stuck
    expect(batches).toBe(2);
    const failed = async () =>
      (
        await service.sql<{ count: number }>(
          `SELECT count(*)::integer FROM webhook_deliveries WHERE endpoint_id = $1 AND status = 'failed'`,
          [id],
        )
      )[0]!.count;
    expect(await failed()).toBeLessThanOrEqual(30);
    await confirm('Deliver again');
    await eventually(failed).toBe(0);
    await service.runDueTasks();

    await fail();
    await owner.api.patch(`/v1/webhooks/${id}`, { status: 'disabled' });
    await go('/deliveries?status=failed');
    await button('Deliver failed ones again').click();
    await confirm('Deliver again');
    await toasted('130 stay failed, because their endpoint is disabled.');
    const support = await anOperator(service.api, 'support');
    const supportPage = await suite.signedIn(support, '/deliveries?status=failed');
    await table('Deliveries', supportPage).waitFor();
    await eventually(() => button('Deliver failed ones again', supportPage).isDisabled()).toBe(true);
  });
});
