import { CheckoutApi, PaymentMethod } from '../../../../src/modules/processors';
import { PaymentLinks } from '../../../../src/modules/payment-requests/domain/payment-references';
import { PaymentContext } from '../../../../src/modules/payment-requests';
import { languages } from '../../../../src/platform/i18n/messages';
import {
  pageMessages,
  PaymentPageView,
} from '../../../../src/modules/payment-requests/page/payment-page.view';
import { testMessageFiles } from '../../../support/message-files';
import { PageState } from '../../../../src/modules/payment-requests/page/page-state';

const SECRET = 'A'.repeat(43);
const BANK = {
  payee: 'Operator GmbH',
  iban: 'DE71110220330123456789',
  bic: null,
  instructions: 'Line one\nLine two',
};
const NO_BANK = { payee: null, iban: null, bic: null, instructions: null };
const states = ['pay', ...Object.keys(pageMessages.en.states)] as PageState[];

function aView(
  paymentMethod: PaymentMethod = 'simulation',
  transfer = NO_BANK as typeof BANK | typeof NO_BANK,
): PaymentPageView {
  const checkouts =
    paymentMethod === 'hosted_checkout' ? ({ origin: 'https://checkout.example.com' } as CheckoutApi) : null;
  const processor = { paymentMethod, testMode: paymentMethod === 'simulation', checkouts };
  return new PaymentPageView(
    processor,
    transfer,
    new PaymentLinks((path) => `https://pay.example.com${path}`),
  );
}

function aContext({ request = {}, payee = {} }: { request?: object; payee?: object } = {}): PaymentContext {
  const at = new Date('2026-01-31T12:00:00.000Z');
  return {
    request: {
      id: 'pay_01k9x8v2t4e6rb3m5n7p9q1s0w',
      amount: 1250,
      currency: 'EUR',
      reference: 'invoice-1',
      returnUrl: null,
      cancelUrl: null,
      secret: SECRET,
      declines: 0,
      attemptsLeft: 5,
      expiresAt: at,
      updatedAt: at,
      transactionId: 'txn_01k9x8v2t4e6rb3m5n7p9q1s0w',
      ...request,
    },
    payee: { name: 'Lovelace Ltd', timezone: 'UTC', language: 'en', ...payee },
  } as PaymentContext;
}

describe('The payment page', () => {
  testMessageFiles(pageMessages);

  it.each(states)(
    'renders the state %s in every language, with one heading and all placeholders replaced',
    async (state) => {
      const headings = await Promise.all(
        languages.map(async (language) => {
          const html = await aView().render(aContext(), state, language);
          expect(html).toMatch(new RegExp(`^<!doctype html>\\s*<html lang="${language}">`));
          expect(html.replace(/<style>[^]*<\/style>/, '')).not.toMatch(/\{\w+\}|undefined|\[object|NaN/);
          expect(html.match(/<h1>/g)).toHaveLength(1);
          return /<h1>([^]*)<\/h1>/.exec(html)![1];
        }),
      );
      expect(new Set(headings).size).toBe(languages.length);
    },
  );

  it('escapes all values of the account', async () => {
    const evil = `"><script>alert('x')</script>&amp;<img src=x onerror=alert(1)>`;
    for (const [method, transfer] of [
      ['simulation', NO_BANK],
      ['bank_transfer', NO_BANK],
      ['bank_transfer', BANK],
    ] as const) {
      for (const state of states) {
        const context = aContext({
          request: { reference: evil, declines: 1, transactionId: evil },
          payee: { name: evil },
        });
        const html = await aView(method, transfer).render(context, state, 'en');
        expect(html).not.toMatch(/<script|<img|onerror=alert\(1\)>/i);
        expect(html).toContain('&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp;');
      }
    }
  });

  it("escapes the operator's instructions and keeps their lines", async () => {
    const html = await aView('bank_transfer', { ...BANK, instructions: 'a <b>\nc' }).render(
      aContext(),
      'pay',
      'en',
    );
    expect(html).toContain('<p class="instructions">a &lt;b&gt;\nc</p>');
  });

  it('is smaller than 30 kB with the longest values', async () => {
    const long = { reference: '<'.repeat(255), amount: 9_007_199_254_740_991, declines: 4, attemptsLeft: 1 };
    for (const [method, transfer] of [
      ['simulation', NO_BANK],
      ['bank_transfer', BANK],
    ] as const) {
      for (const language of languages) {
        const html = await aView(method, transfer).render(aContext({ request: long }), 'pay', language);
        expect(Buffer.byteLength(html)).toBeLessThan(30_000);
      }
    }
  });

  it('offers two outcomes in the sandbox and states that no real money moves', async () => {
    const html = await aView().render(aContext(), 'pay', 'en');
    expect(html.match(/<button [^>]*>[^<]*/g)).toEqual([
      '<button name="outcome" value="succeeded">Pay €12.50',
      '<button name="outcome" value="declined" class="secondary">Simulate a decline',
    ]);
    expect(html).toContain('<strong>Test mode</strong> No real money moves here.');
    expect(await aView('bank_transfer', BANK).render(aContext(), 'pay', 'en')).not.toMatch(/<form|Test mode/);
  });

  it.each(languages)(
    'announces the redirect to the processor and has one button for it in %s',
    async (language) => {
      const page = aView('hosted_checkout');
      const html = await page.render(aContext(), 'pay', language);
      const { hostedCheckout, testMode } = pageMessages[language];
      expect(html.match(/<button [^>]*>/g)).toEqual(['<button name="pay" value="now">']);
      expect(html).toContain(hostedCheckout.text);
      expect(html).not.toContain(testMode.heading);
      const resumable = await page.render(aContext(), 'processing', language, { mayResume: true });
      expect(resumable).toContain(
        `<button name="pay" value="now" class="secondary">${hostedCheckout.resume}</button>`,
      );
      expect(Buffer.byteLength(html)).toBeLessThan(30_000);
      expect(page.contentSecurityPolicy).toContain("form-action 'self' https://checkout.example.com;");
      expect(aView().contentSecurityPolicy).toContain("form-action 'self';");
    },
  );

  it.each([
    [4, 'You have 4 attempts left.'],
    [1, 'You have 1 attempt left.'],
  ])('states after a decline that %d attempts are left', async (attemptsLeft, words) => {
    const context = aContext({ request: { declines: 5 - attemptsLeft, attemptsLeft } });
    expect(await aView().render(context, 'pay', 'en')).toContain(words);
  });

  it('shows the bank details, with a QR code for euros when the bank account is set', async () => {
    const shown = async (transfer: typeof BANK | typeof NO_BANK, request: object = {}): Promise<string> =>
      aView('bank_transfer', transfer).render(aContext({ request }), 'pay', 'en');
    const full = await shown(BANK);
    for (const part of [
      'Operator GmbH',
      'DE71 1102 2033 0123 4567 89',
      '€12.50',
      '5N7P9-Q1S0W',
      'Line one',
    ]) {
      expect(full).toContain(part);
    }
    expect(full).toContain('Scan with your banking app');
    expect(await shown(BANK, { currency: 'USD' })).not.toContain('Scan with your banking app');
    expect(await shown(BANK, { amount: 100_000_000_000 })).not.toContain('Scan with your banking app');
    const bare = await shown(NO_BANK);
    expect(bare).toContain('<bdi>Lovelace Ltd</bdi> will tell you the bank details.');
    expect(bare).toContain('5N7P9-Q1S0W');
    expect(bare).not.toContain('IBAN');
  });

  it.each(states)('shows no name or reference in disguise: %s', async (state) => {
    const disguised = '\u202e=?utf-8?Q?x?= B\u200bａnk\u2028';
    const html = await aView('bank_transfer').render(
      aContext({ request: { reference: disguised }, payee: { name: disguised } }),
      state,
      'en',
    );
    expect(html).not.toMatch(/=\?|[\u202e\u200b\u2028ａ]/);
    expect(html.match(/<title>.*= \?utf-8\?Q\?x\?= Bank<\/title>/)).not.toBeNull();
    expect(html.match(/<bdi[^>]*>= \?utf-8\?Q\?x\?= Bank<\/bdi>/g)!.length).toBeGreaterThan(1);
  });

  it('has no button and no QR code when there is nothing to pay', async () => {
    for (const state of states.filter((name) => name !== 'pay')) {
      const html = await aView().render(aContext(), state, 'en');
      expect(html).not.toMatch(/<form|<button|<figure/);
      expect(html).not.toContain(SECRET);
    }
  });

  it('has a strict content security policy', () => {
    const policy = aView().contentSecurityPolicy;
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/]{43}='; /);
    expect(policy).not.toMatch(/unsafe|script-src|\*/);
    expect(policy).toContain("frame-ancestors 'none'");
  });
});
