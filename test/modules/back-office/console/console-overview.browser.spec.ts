import { Page } from 'playwright-core';
import { anAccount, created, logIn, Owner, Person, theAdmin } from '../../../support/people';
import { aTransaction } from '../../../support/request-bodies';
import { TestService } from '../../../support/service';
import { eventually } from '../../../support/until';
import { conforms, everyView } from './console-browser';
import { describeConsole } from './console-suite';

describeConsole('The overview of the console', (suite) => {
  const { go, hold, titled } = suite;
  let service: TestService;
  let admin: Person;
  let page: Page;

  beforeAll(() => void ({ service, admin, page } = suite));

  const euros = (amount: number): string =>
    new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'EUR' }).format(amount / 100);
  const daysAgo = (days: number): string =>
    new Date(service.clock.now().getTime() - days * 86_400_000).toISOString().slice(0, 10);
  const attention = () => page.getByRole('region', { name: 'What needs attention' });

  /** Two currencies, money that came in and went out on several of the last days, and things that wait. */
  async function fill(): Promise<void> {
    const days = [26, 20, 19, 17, 12, 11, 6, 3, 2, 0];
    service.clock.move({ days: -47 });
    const [eur, usd] = await Promise.all(
      ['EUR', 'USD'].map((currency) => anAccount(service.api, { currency })),
    );
    // In the period before, with which the other days are compared.
    await created(
      admin.api,
      '/v1/transactions',
      aTransaction(eur!.accountId, { currency: 'EUR', type: 'credit', amount: 500_000 }),
    );
    service.clock.move({ days: 20 });
    for (const [index, daysAgo] of days.entries()) {
      service.clock.move({ days: (days[index - 1] ?? 27) - daysAgo });
      const { api } = await theAdmin(service.api);
      const post = ({ accountId }: Owner, currency: string, type: string, amount: number) =>
        created(api, '/v1/transactions', aTransaction(accountId, { currency, type, amount }));
      await post(eur!, 'EUR', 'credit', 120_000 + 40_000 * ((index * 7) % 5));
      if (index % 2 === 1) await post(eur!, 'EUR', 'refund', 45_000 + 9_000 * index);
      if (index % 3 === 0) await post(usd!, 'USD', 'credit', 88_000);
      if (index % 4 === 0)
        await fail(api, eur!, index % 8 === 0 ? 'The card has expired.' : 'The bank rejected it.');
    }
    const { api } = await theAdmin(service.api);
    for (const amount of [12_345, 45_000])
      await created(api, '/v1/transactions', aTransaction(eur!.accountId, { currency: 'EUR', amount }));
    const user = await created(service.api, '/v1/users', {
      email: 'grace@example.com',
      password: 'a long one for her',
    });
    await created(api, '/v1/approvals', {
      type: 'make_admin',
      object_id: user.id,
      reason: 'Joins the back office.',
    });
    await service.sql(
      `INSERT INTO webhook_deliveries (account_id, id, endpoint_id, event_id, event_type, status, attempts, created_at)
       VALUES ($1, 'whd_01k9x8v2t4e6rb3m5n7p9q1s01', 'whk_01k9x8v2t4e6rb3m5n7p9q1s0w', 'evt_1', 'transaction.created',
               'failed', 10, now() - interval '2 days')`,
      [eur!.accountId],
    );
    for (const [path, set] of [
      ['failing', `failing_since = now() - interval '5 hours', failures = 3`],
      ['disabled', `disabled_at = now() - interval '60 days', disabled_reason = 'failing'`],
    ]) {
      const owner = await logIn(service.api, eur!.email);
      const { id } = await created(owner.api, '/v1/webhooks', { url: `https://hooks.example.com/${path}` });
      await service.sql(`UPDATE webhook_endpoints SET ${set} WHERE id = $1`, [id]);
    }
    await service.sql(
      `INSERT INTO unapplied_payments (account_id, id, payment_request_id, amount, currency, reason, status, attempts,
         round, created_at, updated_at)
       VALUES ($1, 'unp_01k9x8v2t4e6rb3m5n7p9q1s01', 'pay_01k9x8v2t4e6rb3m5n7p9q1s0w', 7000, 'EUR', 'canceled',
               'needs_attention', 1, 1, now() - interval '3 days', now())`,
      [eur!.accountId],
    );
  }

  async function fail(api: Person['api'], { accountId }: Owner, failure_reason: string): Promise<void> {
    const body = aTransaction(accountId, { currency: 'EUR', amount: 900 });
    const { id } = await created(api, '/v1/transactions', body);
    await api.post(`/v1/transactions/${id}/settlement`, { outcome: 'failed', failure_reason });
  }

  it('is the first page, and says when nothing waits and no account has money', async () => {
    const release = await hold('**/v1/approvals?**');
    await go('');
    await titled('Overview');
    await page.getByText('No account has any money yet.').waitFor();
    expect(await page.getByText('Nothing waits for you.').count()).toBe(0); // it is not known yet
    release();
    await page.getByText('Nothing waits for you.').waitFor();
    await conforms(page, 'overview-empty');
  });

  it('shows balances by currency, what moved by day, also as a table, and what needs attention', async () => {
    await fill();
    await go('');
    const { body } = await admin.api.get('/v1/totals');
    const eur = body.currencies.find(({ currency }: any) => currency === 'EUR');
    await page.getByRole('link', { name: euros(eur.posted) }).waitFor();
    const sum = (member: string): number =>
      eur.days.reduce((total: number, day: any) => total + day[member], 0);
    const text = `${euros(sum('total_in'))} in and ${euros(sum('total_out'))} out`;
    await eventually(() => page.getByRole('img').getAttribute('aria-label')).toContain(text);
    await conforms(page, 'overview', everyView);
    await page.getByText('Show as a table').click();
    const table = page.getByRole('table', { name: 'EUR in and out by day' });
    await eventually(() => table.getByRole('row').count()).toBe(1 + eur.days.length);
    await table
      .getByRole('cell', { name: euros(eur.days[0].total_in) })
      .first()
      .waitFor();
    await page.evaluate('scrollTo(0, 0)'); // else the bar covers a link
    await conforms(page, 'overview-table');
  });

  it('compares volume, number, success rate and refunds with the period before, and counts why some failed', async () => {
    await go('/?currency=EUR&days=30');
    const { body } = await admin.api.get(`/v1/totals?currency=EUR&from=${daysAgo(29)}`);
    const [{ outcomes, previous_outcomes: previous, failure_reasons: reasons }] = body.currencies;
    expect(previous.credits).toEqual({ succeeded: 1, failed: 0, amount: 500_000 });
    expect(reasons).toEqual([
      { failure_reason: 'The card has expired.', count: 2 },
      { failure_reason: 'The bank rejected it.', count: 1 },
    ]);
    const tile = (name: string) => page.locator('.outcomes > div').filter({ hasText: name }).innerText();
    const { amount, succeeded } = outcomes.credits;
    const signed = new Intl.NumberFormat('en-GB', {
      style: 'percent',
      signDisplay: 'exceptZero',
      maximumFractionDigits: 1,
    });
    await eventually(() => tile('Volume')).toBe(
      `Volume\n${euros(amount)}\npayments and credits\n${signed.format(amount / 500_000 - 1)} · before: €5,000.00`,
    );
    await eventually(() => tile('Succeeded')).toContain(`Succeeded\n${succeeded}\n`);
    await eventually(() => tile('Succeeded')).toContain(`${signed.format(succeeded - 1)} · before: 1`);
    const all = succeeded + outcomes.refunds.succeeded;
    const rate = (all / (all + 3)) * 100;
    await eventually(() => tile('Success rate')).toBe(
      `Success rate\n${rate.toFixed(1)}%\n3 failed\n${(rate - 100).toFixed(1)} points · before: 100%`,
    );
    await eventually(() => tile('Refunds')).toBe(
      `Refunds\n${euros(outcomes.refunds.amount)}\nnumber: 5\nbefore: €0.00`,
    );
    const failures = page.getByRole('table', { name: 'Why transactions failed' });
    await failures.getByRole('row', { name: 'The card has expired. 2' }).waitFor();
    await eventually(() => failures.getByRole('row').count()).toBe(3);
    await conforms(page, 'overview-outcomes');
    await page.getByRole('link', { name: 'Show failed transactions' }).click();
    await page.getByRole('table', { name: 'Transactions' }).waitFor();
    expect(new URL(page.url()).search).toBe('?status=failed');
  });

  it('leads from what needs attention to the lists in which it is', async () => {
    const lists = [
      [/^2 ?Pending transactions/, '/transactions?status=pending'],
      [/^1 ?Unapplied payments/, '/unapplied?status=needs_attention'],
      [/^1 ?Failed deliveries/, '/deliveries?status=failed'],
      [/^1 ?Failing webhooks/, '/webhooks?status=failing'],
      [/^1 ?Disabled webhooks/, '/webhooks?status=disabled'],
      [/^1 ?Waiting approvals/, '/approvals?status=pending'],
    ] as const;
    await go('');
    await attention().getByText('Oldest: 3 days ago').waitFor();
    for (const [name, path] of lists)
      await eventually(() => attention().getByRole('link', { name }).getAttribute('href')).toBe(
        `/console${path}`,
      );
    await attention().getByText('Oldest: 60 days ago').waitFor();
    await attention()
      .getByRole('link', { name: /Disabled webhooks/ })
      .click();
    await page.getByRole('link', { name: 'https://hooks.example.com/disabled' }).waitFor();
    await page.goBack();
    await attention().getByRole('link', { name: lists[0][0] }).click();
    await page.getByRole('table', { name: 'Transactions' }).waitFor();
    expect(new URL(page.url()).search).toBe('?status=pending');
  });

  it('keeps the currency and the days in the address, and is worked with the keyboard', async () => {
    await go('/?currency=USD&days=7');
    await page.getByRole('heading', { name: 'USD in and out by day' }).waitFor();
    const year = page.getByRole('link', { name: '365 days' });
    await year.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/currency=USD&days=365$/);
    await page.getByRole('link', { name: /^EUR/ }).click();
    await page.waitForURL(/currency=EUR&days=365$/);
    await page.getByRole('heading', { name: 'EUR in and out by day' }).waitFor();
  });

  it('says that the service does not respond, and tries again', async () => {
    const totals = '**/v1/totals*';
    await page.route(totals, (route) =>
      route.fulfill({ status: 500, json: { error: 'internal_error', message: 'An error.' } }),
    );
    await go('');
    await page.getByRole('alert').waitFor();
    await page.unroute(totals);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('img').waitFor();
    suite.browser.problems(); // the failure that it was told
  });
});
