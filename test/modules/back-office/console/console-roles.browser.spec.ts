import { Page } from 'playwright-core';
import { anOperator, anOwner, aUser, created, Owner, Person } from '../../../support/people';
import { aTransaction } from '../../../support/request-bodies';
import { eventually } from '../../../support/until';
import { conforms } from './console-browser';
import { describeConsole } from './console-suite';

describeConsole('What each role sees in the console', (suite) => {
  const { go, act, titled, button, dialog, heading } = suite;
  let owner: Owner;
  let platform: Person;
  let rails: Page;
  let support: Page;
  const rejected: string[] = [];

  beforeAll(async () => {
    const { api } = suite.service;
    owner = await anOwner(api, { currency: 'EUR' });
    platform = await anOperator(api, 'platform');
    rails = await suite.signedIn(platform);
    support = await suite.signedIn(await anOperator(api, 'support'));
    rails.on('response', (response) => void (response.status() === 403 && rejected.push(response.url())));
  });

  /** The texts of the links of the menu, or of the tabs. */
  const linksIn = (place: string, page: Page): Promise<string[]> =>
    page.locator(`${place} a`).allInnerTexts();

  it('offers the role platform only what it may open', async () => {
    expect(await linksIn('.side', rails)).toEqual([
      ...['Overview', 'Transactions', 'Transfers', 'Payment requests', 'Subscriptions'],
      ...['Unapplied payments', 'Adjustments'],
      ...['Accounts', 'Users', 'Events', 'Webhooks', 'Deliveries', 'Request log'],
    ]);
    await eventually(() => rails.locator('.side .group').allInnerTexts()).toEqual([
      'Money',
      'Customers',
      'Integrations',
    ]);
    expect(await linksIn('.side', support)).toEqual(
      expect.arrayContaining(['Approvals', 'Audit log', 'Platform keys']),
    );
    const places = await rails
      .locator('.side a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')!.replace('/console', '')));
    const tabs = [
      'entries',
      'transactions',
      'transfers',
      'payments',
      'subscriptions',
      'statements',
      'people',
    ];
    const more = ['adjustments', 'webhooks', 'events', 'audit', 'notes', 'sessions', 'keys'];
    const ofAccount = [...tabs, ...more].map((tab) => `/accounts/${owner.accountId}?tab=${tab}`);
    for (const path of [...places, ...ofAccount, `/users/${owner.id}`]) {
      await go(path, rails);
      await heading(rails).waitFor();
      await rails.waitForLoadState('networkidle');
    }
    expect(rejected).toEqual([]);
    await conforms(rails, 'user-platform');
    for (const name of ['Notes', 'Sessions'])
      expect(await rails.getByRole('heading', { name, exact: true }).count()).toBe(0);
  });

  it('offers the role platform the types of events that it may read', async () => {
    await go('/events', rails);
    await heading(rails).waitFor();
    const options = rails.locator('.filters').getByLabel('Type').locator('option');
    const values = await options.evaluateAll((all) => all.map((one) => one.getAttribute('value')));
    const types = values.filter((type) => type !== '');
    expect(types.length).toBeGreaterThan(30);
    for (const type of types)
      expect([type, (await platform.api.get(`/v1/events?type=${type}&limit=1`)).status]).toEqual([type, 200]);
  });

  it('shows no button to try again what the role may not see', async () => {
    await go('/audit', rails);
    await rails.getByText('Your role may not see this.').waitFor();
    expect(await button('Try again', rails).count()).toBe(0);
  });

  it('names everybody who may do what the role may not', async () => {
    const { id } = await created(
      suite.admin.api,
      '/v1/transactions',
      aTransaction(owner.accountId, { currency: 'EUR' }),
    );
    await go(`/transactions/${id}`, support);
    await support
      .getByText('Your role may not do this. Ask an admin or a colleague with the role “Platform”.')
      .waitFor();
    await go(`/accounts/${owner.accountId}`, support);
    await button('More actions', support).click();
    await support.getByText('Your role may not do this. Ask an admin.', { exact: true }).waitFor();
    const url = 'https://shop.example.com/hooks';
    const { id: webhook } = await created(owner.api, '/v1/webhooks', { url });
    await go(`/webhooks/${webhook}`, support);
    await support.getByText('Expire secret: Your role may not do this. Ask an admin.').waitFor();
    await conforms(support, 'webhook-support');
  });

  it.each(['account', 'user'] as const)(
    'says since when, by whom and why an %s is suspended',
    async (kind) => {
      const id = kind === 'account' ? owner.accountId : (await aUser(suite.service.api)).id;
      const path = `/${kind}s/${id}`;
      await go(path);
      await titled('Active');
      expect(await suite.page.getByText('Audit log entry').count()).toBe(0);
      await act('Suspend');
      await dialog().getByLabel('Reason').fill('Chargebacks above the limit');
      await suite.confirm('Suspend');
      await titled('Suspended');
      const who = suite.admin.email;
      const line = new RegExp(`^Suspended on .*\\b20\\d\\d\\b.* by ${who}: Chargebacks above the limit`);
      await suite.page.getByText(line).waitFor();
      await conforms(suite.page, `${kind}-suspended`);
      await go(path, support);
      await support.getByText(line).getByRole('link').click();
      await support.waitForURL(/\/audit\/aud_/);
      await support.getByText('Chargebacks above the limit').waitFor();
      await go(path, rails);
      await titled('Suspended', rails);
      await rails.waitForLoadState('networkidle');
      expect(await rails.getByText('Chargebacks').count()).toBe(0);
    },
  );

  it('says who has closed an account', async () => {
    const closed = await anOwner(suite.service.api);
    await suite.admin.api.delete(`/v1/accounts/${closed.accountId}`, { reason: 'Fraud' });
    await suite.page.evaluate('localStorage.setItem("countinghouse.console.language", "de")');
    await go(`/accounts/${closed.accountId}`);
    await suite.page
      .getByText(new RegExp(`^Geschlossen am .* von ${suite.admin.email}: Fraud Eintrag im Prüfprotokoll$`))
      .waitFor();
    await conforms(suite.page, 'account-closed-de');
    await suite.page.evaluate('localStorage.removeItem("countinghouse.console.language")');
    expect(rejected.filter((url) => url.includes('/audit-log?object_id'))).toEqual([]);
  });
});
