import { Page } from 'playwright-core';
import { anAccount, created, logIn, PASSWORD, Person, someEmail } from '../../../support/people';
import { aPaymentRequest, aSubscription, aTransaction } from '../../../support/request-bodies';
import { TestService } from '../../../support/service';
import { eventually } from '../../../support/until';
import { Receiver } from '../../events/webhooks/receiver';
import { describeConsole } from './console-suite';

/** Where the attacks would send something. */
const FOREIGN = 'attacker.example';

/** What a name or a reference may contain, and what each would do where it is more than a text. */
const attacks = {
  markup: `"><img src=//${FOREIGN} onerror=attack()><svg onload=attack()></script><script>attack()</script></pre><iframe srcdoc="<script>parent.attack()</script>"></iframe><base href=//${FOREIGN}>{{constructor.constructor("attack()")()}}\${attack()}`,
  link: 'javascript:attack()//',
  /** It ends an isolation, overrides directions, is invisible, looks like other letters, and is long. */
  disguise: `An invoice\u2069\u2069\u202egnp.exe\u2066\u202d Pay\u200b\u2060\ufeffPal\u00ad Р\u0430yРal\u3164 \u{e0041}\nbreak\ttab\u0007bell\u001b[31mred\u0085\u2028${'W'.repeat(150)}`,
} as const;

const DATA_URL = 'data:text/html,<script>opener.attack()</script>';

type Attack = keyof typeof attacks;

/** Changes the order of the text around it, also beyond the end of its own element. */
const DIRECTION_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/;

/** What an attack has left in a document. */
const FINDINGS = `(() => {
  const own = new Set([location.origin]);
  const isSafe = ({ href, target }) => {
    const { protocol, origin } = new URL(href, location.href);
    return protocol === 'mailto:' || (['http:', 'https:', 'blob:'].includes(protocol) && own.has(origin));
  };
  const names = (elements) => [...elements].map((element) => element.outerHTML.slice(0, 200));
  const handlers = [...document.querySelectorAll('*')].filter((element) =>
    element.getAttributeNames().some((name) => name.startsWith('on')));
  const resources = [...document.querySelectorAll('[src], link[href], [action], [formaction], [xlink\\\\:href]')]
    .filter((element) => ['src', 'href', 'action', 'formaction'].some((name) =>
      element.hasAttribute(name) && !/^data:image\\/(png|svg\\+xml)[;,]/.test(element.getAttribute(name)) &&
      new URL(element.getAttribute(name), location.href).origin !== location.origin));
  return [
    ...names(document.querySelectorAll('iframe, frame, object, embed, base, script:not([src]), svg script')),
    ...names(handlers),
    ...names(resources),
    ...names([...document.links].filter((link) => !isSafe(link))),
    ...(window.attacked ? ['attack() was called'] : []),
    ...window.violations,
  ];
})()`;

/** Runs before the scripts of each page. */
const WATCH = `
  window.violations = [];
  window.attack = () => { window.attacked = true; };
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    window.violations.push(violatedDirective + ' ' + blockedURI));`;

describeConsole('Stored attacks', (suite) => {
  let service: TestService;
  let admin: Person;
  let receiver: Receiver;
  let page: Page;
  /** Requests to other hosts, and dialogs of the browser. */
  const caused: string[] = [];

  beforeAll(async () => {
    ({ service, admin, page } = suite);
    receiver = await Receiver.start();
    await suite.context.addInitScript(WATCH);
    const { host } = new URL(service.url);
    suite.context.on('request', (request) => {
      const url = new URL(request.url());
      if (url.host !== host && !['data:', 'blob:'].includes(url.protocol)) caused.push(url.href);
    });
    suite.context.on('dialog', (dialog) => {
      caused.push(dialog.message());
      void dialog.dismiss();
    });
  });
  afterAll(() => receiver?.stop());

  /** Stores a text wherever the API takes one. @returns the addresses of the pages that show it */
  async function store(name: Attack): Promise<string[]> {
    const text = attacks[name];
    const metadata = { [text.slice(0, 40)]: text, nested: { list: [text] } };
    const shared = { reference: name === 'link' ? DATA_URL : text, metadata };
    const email = someEmail();
    await created(service.api, '/v1/users', { email, password: PASSWORD, name: text });
    const user = await logIn(service.api, email);
    const account = { email: someEmail(), password: PASSWORD, name: text, type: 'business' };
    const { id } = await created(user.api, '/v1/accounts', account);
    const agent = text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '');
    const body = { email, password: PASSWORD };
    await service.api.post('/v1/auth/login', body, { headers: { 'user-agent': agent } });
    const { api } = await logIn(service.api, email);
    const failed = await created(api, '/v1/transactions', aTransaction(id, shared));
    const outcome = { outcome: 'failed', failure_reason: text };
    expect((await admin.api.post(`/v1/transactions/${failed.id}/settlement`, outcome)).status).toBe(200);
    const paid = await created(api, '/v1/transactions', aTransaction(id, shared));
    await admin.api.post(`/v1/transactions/${paid.id}/settlement`, { outcome: 'succeeded' });
    const request = await created(api, '/v1/payments', aPaymentRequest(id, shared));
    const unapplied = await created(admin.api, `/v1/payments/${request.id}/unapplied-payments`, {
      amount: 7,
    });
    const { accountId: partner } = await anAccount(service.api, { currency: 'USD' });
    const terms = { from_account_id: id, to_account_id: partner, amount: 1, currency: 'USD', ...shared };
    const transfer = await created(api, '/v1/transfers', { ...terms, capture: 'later' });
    const subscription = await created(api, '/v1/subscriptions', aSubscription(id, shared));
    await created(api, '/v1/api-keys', { name: text.slice(0, 100) });
    const url = `${receiver.url}/${encodeURIComponent(text).slice(0, 900)}?q=${encodeURIComponent(text)}`;
    const webhook = await created(api, '/v1/webhooks', { url });
    receiver.respond = (response) => response.writeHead(500, { 'content-type': 'text/html' }).end(text);
    await service.runDueTasks();
    await created(admin.api, `/v1/accounts/${id}/notes`, { text });
    await created(admin.api, `/v1/users/${user.id}/notes`, { text });
    const adjustment = await created(admin.api, `/v1/accounts/${id}/adjustments`, {
      ...{ amount: 250, currency: 'USD', direction: 'credit', reason: text },
    });
    const other = await created(service.api, '/v1/users', {
      email: someEmail(),
      password: PASSWORD,
      name: text,
    });
    const promotion = { type: 'make_admin', object_id: other.id, reason: text };
    const approval = await created(admin.api, '/v1/approvals', promotion);
    const suspension = { status: 'suspended', reason: text };
    for (const path of [`/v1/users/${user.id}`, `/v1/accounts/${id}`])
      expect((await admin.api.patch(path, suspension)).status).toBe(200);
    const [event] = (await admin.api.get(`/v1/events?object_id=${request.id}&limit=1`)).body.data;
    const tabs =
      'entries transactions transfers payments subscriptions people adjustments keys webhooks sessions events';
    const ofConsole = [
      ...['', ...tabs.split(' '), 'notes', 'audit'].map((tab) => `accounts/${id}${tab && `?tab=${tab}`}`),
      ...[
        'transactions',
        'transfers',
        'payments',
        'accounts',
        'users',
        'unapplied',
        'adjustments',
        'approvals',
      ],
      ...[
        'audit',
        'webhooks',
        'events',
        `users/${user.id}`,
        `users/${other.id}`,
        `users/${user.id}?tab=notes`,
      ],
      `transactions/${failed.id}`,
      `transactions/${paid.id}`,
      `transfers/${transfer.id}`,
      `payments/${request.id}`,
      `unapplied/${unapplied.id}`,
      `subscriptions/${subscription.id}`,
      `webhooks/${webhook.id}`,
      `adjustments/${adjustment.id}`,
      `approvals/${approval.id}`,
      `events/${event.id}`,
      ...['search?q', 'accounts?name', 'users?search', 'transactions?reference', 'audit?object_id'].map(
        (filter) => `${filter}=${encodeURIComponent(text)}`,
      ),
      `users/${encodeURIComponent(text)}`,
    ].map((path) => `console/${path}`);
    return [...ofConsole, new URL(request.payment_url).pathname.slice(1)];
  }

  /** @returns what is wrong with what is shown now */
  async function findings(path: string): Promise<string[]> {
    const found = await page.evaluate<string[]>(FINDINGS);
    const text = await page.evaluate<string>('document.documentElement.textContent');
    if (DIRECTION_CONTROLS.test(text.replaceAll(/\u2068[^\u202a-\u202e\u2066-\u2069]*\u2069/g, '')))
      found.push('direction controls');
    return [...found, ...caused.splice(0)].map((problem) => `${path}: ${problem}`);
  }

  /** Opens everything that a page has, one after the other: dialogs and menus change nothing before one confirms. */
  async function openDialogs(path: string): Promise<string[]> {
    const found: string[] = [];
    const buttons = page.locator('main button:not([disabled])');
    for (let index = 0; index < (await buttons.count()); index += 1) {
      const button = buttons.nth(index);
      const name = (await button.getAttribute('aria-label')) ?? (await button.innerText());
      if (/^(Export|Copy|Add|Download|Filters|Reset)/.test(name)) continue;
      await button.click();
      found.push(...(await findings(`${path} > ${name}`)));
      await page.keyboard.press('Escape');
      await suite.dialog().waitFor({ state: 'detached' });
    }
    return found;
  }

  it('keep nobody from closing an account by its name', async () => {
    const name = 'An account\nof \u202eline\u200b breaks';
    const account = { email: someEmail(), password: PASSWORD, name, type: 'business' };
    const { id } = await created(service.api, '/v1/accounts', account);
    await suite.go(`/accounts/${id}`);
    await suite.act('Close account');
    const dialog = suite.dialog();
    await dialog.getByLabel('Reason').fill('Fraud');
    const typed = dialog.getByLabel(/^Type the name/);
    const close = dialog.getByRole('button', { name: 'Close account' });
    await typed.fill('An account of line');
    await eventually(() => close.isDisabled()).toBe(true);
    await typed.fill('An account of line breaks');
    await close.click();
    await suite.titled('Closed');
  });

  it.each(Object.keys(attacks) as Attack[])(
    'remain text on every page: %s',
    async (name) => {
      const paths = await store(name);
      const found: string[] = [];
      let shown = '';
      for (const path of paths) {
        await page.goto(`${service.url}/${path}`);
        await suite.heading().waitFor();
        await eventually(() => page.getByText('Loading …').count()).toBe(0);
        found.push(...(await findings(path)));
        shown += await page.locator('main').innerText();
        if (/^console\/\w+\/\w+($|.*=keys)/.test(path)) found.push(...(await openDialogs(path)));
      }
      expect(found).toEqual([]);
      const visible = attacks[name].slice(0, 10);
      expect(shown.split(visible).length).toBeGreaterThan(20);
    },
    300_000,
  );
});
