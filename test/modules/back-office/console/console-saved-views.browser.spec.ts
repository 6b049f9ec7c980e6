import { Page } from 'playwright-core';
import { anAccount, anOperator, created, Person } from '../../../support/people';
import { overflows, violations, WCAG_2_2_AA } from '../../../support/accessibility';
import { screenshot } from '../../../support/screenshot';
import { TestService } from '../../../support/service';
import { eventually } from '../../../support/until';
import { conforms, desktop, phone } from './console-browser';
import { describeConsole } from './console-suite';

describeConsole('Saved views in the console', (suite) => {
  const { go, button, dialog, toasted } = suite;
  let service: TestService;
  let admin: Person;
  let support: Person;
  let page: Page;
  let supportPage: Page;

  beforeAll(async () => {
    ({ service, admin, page } = suite);
    support = await anOperator(service.api, 'support');
    supportPage = await suite.signedIn(support);
  });

  const views = (on = page) => on.getByRole('dialog', { name: 'Saved views' });
  const openViews = async (on = page): Promise<void> => {
    await button('Saved views', on).click();
    await views(on).waitFor();
  };
  const save = async (name: string, visibleTo: string, on = page): Promise<void> => {
    await openViews(on);
    await button('Save these filters', on).click();
    await dialog(on).getByLabel('Name').fill(name);
    await dialog(on).getByLabel('Visible to').selectOption(visibleTo);
    await dialog(on).getByRole('button', { name: 'Save these filters' }).click();
    await dialog(on).waitFor({ state: 'detached' });
    await toasted('The view was saved.', on);
  };
  /** A popover is a part of no landmark, which the best practices of axe demand. */
  async function expectPopoverToConform(): Promise<void> {
    await screenshot(page, 'console/saved-views-desktop-light');
    expect([await violations(page, WCAG_2_2_AA), await overflows(page)]).toEqual([[], false]);
    await page.setViewportSize(phone);
    await screenshot(page, 'console/saved-views-phone-light');
    await eventually(() => overflows(page)).toBe(false); // the popover moves after the page
    await page.setViewportSize(desktop);
  }
  const saved = async ({ api }: Person) => (await api.get('/v1/saved-views')).body.data;

  it('save the filters of a list under a name, and set them again', async () => {
    await go('/transactions');
    await openViews();
    await views().getByText('No view of this list is saved yet.').waitFor();
    await views().getByText('Set a filter to save it.').waitFor();
    await page.keyboard.press('Escape');
    const filters = { status: 'failed', type: 'payment', amount_min: '12,345.67' };
    await go(`/transactions?${new URLSearchParams({ ...filters, other: '1' }).toString()}`);
    await save('Failed payments', 'Only me');
    expect(await saved(admin)).toEqual([
      expect.objectContaining({
        page: 'transactions',
        name: 'Failed payments',
        query: filters,
        shared: false,
      }),
    ]);
    await go('/transactions?status=pending&reference=x');
    await openViews();
    await expectPopoverToConform();
    await views().getByRole('button', { name: 'Failed payments', exact: true }).click();
    await eventually(() => Promise.resolve(Object.fromEntries(new URL(page.url()).searchParams))).toEqual(
      filters,
    );
    await eventually(() => page.getByLabel('Status').inputValue()).toBe('failed');
    await openViews();
    const chosen = views().getByRole('button', { name: 'Failed payments', exact: true });
    await eventually(() => chosen.getAttribute('aria-current')).toBe('true');
    await page.keyboard.press('Escape');
    await go('/payments');
    await openViews();
    await views().getByText('No view of this list is saved yet.').waitFor();
    await page.keyboard.press('Escape');
  });

  it('say that a name is taken, and keep what was typed', async () => {
    await go('/transactions?status=canceled');
    await openViews();
    await button('Save these filters').click();
    await conforms(page, 'saved-views-save');
    await dialog().getByLabel('Name').fill('Failed payments');
    await dialog().getByRole('button', { name: 'Save these filters' }).click();
    await dialog().getByRole('alert').waitFor();
    await eventually(() => dialog().getByLabel('Name').inputValue()).toBe('Failed payments');
    await dialog()
      .getByRole('button', { name: 'Cancel' })
      .or(dialog().getByRole('button', { name: 'Back' }))
      .click();
    expect(await saved(admin)).toHaveLength(1);
  });

  it('are shared with other operators, also by support people, and deleted by their owner and by admins', async () => {
    await go('/accounts?status=suspended', supportPage);
    await save('Suspended ones', 'All operators', supportPage);
    await save('My suspended ones', 'Only me', supportPage);
    await go('/accounts');
    await openViews();
    await eventually(() => views().getByRole('listitem').allInnerTexts()).toEqual(['Suspended ones\nshared']);
    await button('Delete Suspended ones').click();
    await dialog().getByText('The view is deleted for all operators.').waitFor();
    await conforms(page, 'saved-views-delete');
    await dialog().getByRole('button', { name: 'Delete view' }).click();
    await toasted('The view was deleted.');
    await openViews(supportPage);
    await button('Delete My suspended ones', supportPage).click();
    await dialog(supportPage).getByText('The view is deleted for you.').waitFor();
    await dialog(supportPage).getByRole('button', { name: 'Delete view' }).click();
    await toasted('The view was deleted.', supportPage);
    expect(await saved(support)).toEqual([]);
    await created(admin.api, '/v1/saved-views', {
      page: 'accounts',
      name: 'Of an admin',
      query: { type: 'business' },
      shared: true,
    });
    await supportPage.reload();
    await openViews(supportPage);
    await views(supportPage).getByRole('button', { name: 'Of an admin', exact: true }).waitFor();
    expect(await button('Delete Of an admin', supportPage).count()).toBe(0);
    await supportPage.keyboard.press('Escape');
  });

  it('set no parameters that are no filters, whatever is saved, and show any name as text', async () => {
    const name = '<img src=x onerror="document.title=1">';
    await created(admin.api, '/v1/saved-views', {
      page: 'users',
      name,
      query: { role: 'admin', tab: 'x', constructor: 'y' },
    });
    await go('/users');
    await openViews();
    await views().getByRole('button', { name, exact: true }).click();
    await page.waitForURL(/\/users\?role=admin$/);
  });

  it('are worked with the keyboard', async () => {
    await go('/transactions');
    await button('Saved views').focus();
    await page.keyboard.press('Enter');
    const view = views().getByRole('button', { name: 'Failed payments', exact: true });
    await view.waitFor();
    await view.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/status=failed/);
    await eventually(() => views().count()).toBe(0);
  });
});

describeConsole('The balances in the list of accounts', (suite) => {
  it('are in the currency of each account', async () => {
    const { service, admin, page } = suite;
    for (const [currency, amount] of [
      ['EUR', 123_456],
      ['JPY', 5_000],
    ] as const) {
      const { accountId } = await anAccount(service.api, { currency });
      await created(admin.api, '/v1/transactions', {
        account_id: accountId,
        currency,
        amount,
        type: 'credit',
      });
    }
    await suite.go('/accounts');
    const table = suite.table('Accounts');
    await table.getByRole('cell', { name: '€1,234.56' }).waitFor();
    await table.getByRole('cell', { name: 'JP¥5,000' }).waitFor();
    await conforms(page, 'accounts-balances');
  });
});
