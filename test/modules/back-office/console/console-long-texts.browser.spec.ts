import { Locator, Page } from 'playwright-core';
import { overflows } from '../../../support/accessibility';
import { created, logIn, PASSWORD, Person, someEmail } from '../../../support/people';
import { aPaymentRequest, aTransaction } from '../../../support/request-bodies';
import { TestService } from '../../../support/service';
import { eventually } from '../../../support/until';
import { conforms, desktop, phone } from './console-browser';
import { describeConsole } from './console-suite';

const NAME = 'Vereinigte Norddeutsche Binnenschifffahrtsgesellschaft mit beschränkter Haftung';
const REFERENCE = 'RE-2026-11-000451-HAMBURG-HAFENCITY-LIEFERUNG-TEIL-2-VON-3-GUTSCHRIFT-AUSSTEHEND';
const REASON =
  'The parcel of 12 October never arrived, and the carrier confirmed the loss under RA-2290-55. '.repeat(4);
const CUSTOMER = `kreditorenbuchhaltung.${'zentrale.'.repeat(3)}hamburg@grosshandelsgesellschaft.example`;
/** Twice 1.25 times the 14 pixels of the font. */
const TWO_LINES_PX = 35;
/** €12,345,678.90. */
const LARGE = 1_234_567_890;

describeConsole('Long texts in the console', (suite) => {
  const { go, hold, table } = suite;
  let admin: Person;
  let page: Page;
  let accountId: string;
  let adjustmentId: string;

  beforeAll(async () => {
    const { service }: { service: TestService } = suite;
    ({ admin, page } = suite);
    const email = someEmail();
    const body = { email, password: PASSWORD, name: NAME, type: 'business', settings: { currency: 'EUR' } };
    ({ id: accountId } = await created(service.api, '/v1/accounts', body));
    const { api } = await logIn(service.api, email);
    const failing = { amount: 300, currency: 'EUR' };
    const failed = await created(api, '/v1/transactions', aTransaction(accountId, failing));
    const outcome = { outcome: 'failed', failure_reason: 'Declined.' };
    await admin.api.post(`/v1/transactions/${failed.id}/settlement`, outcome);
    const shared = { currency: 'EUR', amount: LARGE, reference: REFERENCE };
    await created(api, '/v1/transactions', aTransaction(accountId, shared));
    const request = { ...shared, customer_email: CUSTOMER };
    const { id } = await created(api, '/v1/payments', aPaymentRequest(accountId, request));
    await created(api, '/v1/api-keys', { name: NAME });
    await created(admin.api, `/v1/payments/${id}/unapplied-payments`, { amount: LARGE - 1 });
    const adjustment = { amount: 250, currency: 'EUR', direction: 'credit', reason: REASON };
    ({ id: adjustmentId } = await created(admin.api, `/v1/accounts/${accountId}/adjustments`, adjustment));
  });

  afterEach(async () => {
    await page.evaluate('localStorage.removeItem("countinghouse.console.language")');
    await page.setViewportSize(desktop);
  });

  const speak = (language: string) =>
    page.evaluate(`localStorage.setItem("countinghouse.console.language", "${language}")`);

  /** Whether something of an element is not shown. Its lines may end between two pixels. */
  const isCut = (shown: Locator): Promise<boolean> =>
    shown.evaluate(
      ({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
        scrollWidth > clientWidth || scrollHeight > clientHeight + 1,
    );
  const linesOf = (shown: Locator): Promise<number> =>
    shown.evaluate((element) => {
      const text = element.ownerDocument.createRange();
      text.selectNodeContents(element);
      return new Set([...text.getClientRects()].map(({ bottom }: { bottom: number }) => Math.round(bottom)))
        .size;
    });

  it.each([
    ['en', desktop],
    ['de', desktop],
    ['de', phone],
  ] as const)('shows reasons and ids of the audit log in full: %s, %o', async (language, size) => {
    await page.setViewportSize(size);
    await speak(language);
    await go('/audit?action=adjustment.create');
    const row = page.locator('.list tbody tr').first();
    const action = row.locator('.content').first();
    await action.getByText(REASON.trim()).waitFor();
    await eventually(() => isCut(action)).toBe(false);
    const object = row.locator(size === phone ? '.second' : '.content', { hasText: adjustmentId });
    await object.waitFor();
    await eventually(() => isCut(object)).toBe(false);
    await conforms(page, `long-audit-${language}`);
  });

  it.each([
    ['/transactions', REFERENCE, REFERENCE],
    ['/payments', REFERENCE, REFERENCE],
    ['/adjustments', REASON.trim().slice(0, 40), REASON.trim()],
    ['/transactions', NAME, `${NAME}\n`],
  ])('shows two lines of what is long in %s, and all of it as the title: %s', async (path, text, title) => {
    await go(path);
    const cell = page.locator('.list tbody tr').first().locator('.content', { hasText: text });
    await eventually(() => cell.evaluate(({ clientHeight }) => clientHeight)).toBe(TWO_LINES_PX);
    expect(await isCut(cell)).toBe(true);
    const titled = cell.locator('xpath=descendant-or-self::*[@title]');
    await eventually(() => titled.getAttribute('title')).toContain(title);
    await conforms(page, `long-${path.slice(1)}`);
  });

  it('breaks no amount and no button on a phone, and says there why a payment is not applied', async () => {
    await page.setViewportSize(phone);
    await speak('de');
    await go('/unapplied');
    const row = table('Nicht zugeordnete Zahlungen').getByRole('row').nth(1);
    await row.getByText('Der Betrag weicht ab').locator('visible=true').waitFor();
    const amount = row.locator('.content').first();
    await eventually(() => linesOf(amount)).toBe(1);
    await eventually(() => isCut(amount)).toBe(false);
    await eventually(() => linesOf(row.getByRole('button'))).toBe(1);
    await conforms(page, 'long-unapplied');
    for (const width of [phone.width, 860]) {
      await page.setViewportSize({ width, height: phone.height });
      await go(`/accounts/${accountId}?tab=keys`);
      const revoke = page.getByRole('button', { name: /^Widerrufen/ });
      await eventually(() => linesOf(revoke)).toBe(1);
    }
  });

  it('fits results of a search on a phone', async () => {
    await page.setViewportSize(phone);
    await go(`/search?q=${REFERENCE}`);
    const customer = page.locator('.second').getByText(CUSTOMER);
    await customer.waitFor();
    const right = await customer.evaluate((element) => element.getBoundingClientRect().right);
    expect(right).toBeLessThanOrEqual(phone.width);
    await conforms(page, 'long-search');
  });

  /** The headers and the statuses of a list that are cut. */
  const CUT = `[...document.querySelectorAll('.list th, .list [data-kind="status"] .content')]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map(({ innerText }) => innerText)`;

  it.each([1216, 1024, 976, 900, 600, 430])('shows lists in a window of %i pixels', async (width) => {
    await page.setViewportSize({ width, height: 800 });
    await speak('de');
    for (const path of ['/transactions', '/payments', '/users', '/audit']) {
      await go(path);
      await page.locator('.list tbody tr').first().waitFor();
      await eventually(() => page.evaluate(CUT)).toEqual([]);
      await eventually(() => overflows(page)).toBe(false);
    }
  });

  it('keeps the menu beside what is shown where a list has room for all columns', async () => {
    const menu = page.getByRole('link', { name: 'Unapplied payments' });
    for (const [width, isBeside] of [
      [1280, true],
      [1024, false],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await go('/users');
      await page.locator('.list td[data-kind="date"]').first().waitFor(); // the last column
      await eventually(() => menu.isVisible()).toBe(isBeside);
    }
  });

  /** By how many pixels the text or the hint of a field is wider than the field. */
  const MISSING = `(input) => {
    const canvas = document.createElement('canvas').getContext('2d');
    const { font, paddingLeft, paddingRight } = getComputedStyle(input);
    canvas.font = font;
    const { width } = canvas.measureText(input.value || input.placeholder);
    return width + parseFloat(paddingLeft) + parseFloat(paddingRight) - input.clientWidth;
  }`;

  it('shows the hint in the filter by account in full, and seven filters in two rows', async () => {
    await speak('de');
    await go('/transactions');
    const account = page.getByRole('combobox', { name: 'Konto' });
    await account.waitFor();
    const missing = await page.evaluate<number>(`(${MISSING})(document.querySelector('[role="combobox"]'))`);
    expect(missing).toBeLessThan(0);
    await go('/audit');
    const fields = page.locator('.filters .field');
    await eventually(() => fields.count()).toBe(7);
    const tops = await fields.evaluateAll((all) => all.map((field) => field.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(2);
  });

  it('leaves the filters where they are when the filter by account is loaded', async () => {
    const release = await hold('**/assets/found-field-*.js');
    await go('/transactions?status=failed');
    const field = page.locator('.filters .field, .filters .fields > button');
    const places = () => field.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
    await page.locator('.filters input:disabled').waitFor();
    const before: unknown = await places();
    release();
    await page.locator('.filters input[role="combobox"]').waitFor();
    expect(await places()).toEqual(before);
  });

  it('leaves the tabs of a suspended account where they are when the reason is read', async () => {
    const reason = 'Asked for by the bank.';
    const change = await admin.api.patch(`/v1/accounts/${accountId}`, { status: 'suspended', reason });
    expect(change.status).toBe(200);
    const release = await hold('**/v1/audit-log?**');
    await go(`/accounts/${accountId}`);
    const tabs = page.getByRole('navigation', { name: NAME });
    const top = () => tabs.evaluate((element) => element.getBoundingClientRect().top);
    await page.locator('.figures').waitFor();
    const before = await top();
    release();
    await page.getByText(reason).waitFor();
    expect(await top()).toBe(before);
  });
});
