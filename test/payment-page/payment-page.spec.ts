import { PaymentLinks } from '../../src/modules/payment-requests/domain/payment-links';
import { Bill } from '../../src/modules/payment-requests/application/checkout.service';
import { Language, messages } from '../../src/modules/payment-requests/page/languages';
import { PageState, PaymentMethod, PaymentPage } from '../../src/modules/payment-requests/page/payment-page';

const SECRET = 'A'.repeat(43);
const BANK = {
  payee: 'Operator GmbH',
  iban: 'DE71110220330123456789',
  bic: null,
  instructions: 'Line one\nLine two',
};
const NO_BANK = { payee: null, iban: null, bic: null, instructions: null };
const languages = Object.keys(messages) as Language[];
const states = ['pay', ...Object.keys(messages.en.states)] as PageState[];

function aPage(
  method: PaymentMethod = 'simulation',
  transfer = NO_BANK as typeof BANK | typeof NO_BANK,
): PaymentPage {
  return new PaymentPage(method, transfer, new PaymentLinks(() => 'https://pay.example.com'));
}

function aBill({ request = {}, payee = {} }: { request?: object; payee?: object } = {}): Bill {
  const at = new Date('2026-01-31T12:00:00.000Z');
  return {
    request: {
      id: 'pay_01k9x8v2t4e6rb3m5n7p9q1s0w',
      amount: 1250,
      currency: 'EUR',
      reference: 'invoice-1',
      secret: SECRET,
      declines: 0,
      attemptsLeft: 5,
      expiresAt: at,
      updatedAt: at,
      transactionId: 'txn_01k9x8v2t4e6rb3m5n7p9q1s0w',
      ...request,
    },
    payee: { name: 'Lovelace Ltd', timezone: 'UTC', language: 'en', ...payee },
  } as Bill;
}

describe('The payment page', () => {
  it.each(states)(
    'shows %s in every language, with one heading and nothing left to fill in',
    async (state) => {
      const headings = await Promise.all(
        languages.map(async (language) => {
          const html = await aPage().ofBill(aBill(), state, language);
          expect(html).toMatch(new RegExp(`^<!doctype html>\\s*<html lang="${language}">`));
          expect(html.replace(/<style>[^]*<\/style>/, '')).not.toMatch(/\{\w+\}|undefined|\[object|NaN/);
          expect(html.match(/<h1>/g)).toHaveLength(1);
          return /<h1>([^]*)<\/h1>/.exec(html)![1];
        }),
      );
      expect(new Set(headings).size).toBe(languages.length);
    },
  );

  it('escapes the words of the merchant wherever they stand', async () => {
    const evil = `"><script>alert('x')</script>&amp;<img src=x onerror=alert(1)>`;
    for (const [method, transfer] of [
      ['simulation', NO_BANK],
      ['transfer', NO_BANK],
      ['transfer', BANK],
    ] as const) {
      for (const state of states) {
        const bill = aBill({
          request: { reference: evil, declines: 1, transactionId: evil },
          payee: { name: evil },
        });
        const html = await aPage(method, transfer).ofBill(bill, state, 'en');
        expect(html).not.toMatch(/<script|<img|onerror=alert\(1\)>/i);
        expect(html).toContain('&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp;');
      }
    }
  });

  it('escapes the instructions of the operator and keeps their lines', async () => {
    const html = await aPage('transfer', { ...BANK, instructions: 'a <b>\nc' }).ofBill(aBill(), 'pay', 'en');
    expect(html).toContain('<p class="instructions">a &lt;b&gt;\nc</p>');
  });

  it('is small, whatever it has to say', async () => {
    const long = { reference: '<'.repeat(255), amount: 9_007_199_254_740_991, declines: 4, attemptsLeft: 1 };
    for (const [method, transfer] of [
      ['simulation', NO_BANK],
      ['transfer', BANK],
    ] as const) {
      for (const language of languages) {
        const html = await aPage(method, transfer).ofBill(aBill({ request: long }), 'pay', language);
        expect(Buffer.byteLength(html)).toBeLessThan(30_000);
      }
    }
  });

  it('shows in the sandbox two choices and that no real money moves', async () => {
    const html = await aPage().ofBill(aBill(), 'pay', 'en');
    expect(html.match(/<button [^>]*>[^<]*/g)).toEqual([
      '<button name="outcome" value="paid">Pay €12.50',
      '<button name="outcome" value="declined" class="quiet">Simulate a decline',
    ]);
    expect(html).toContain('<strong>Test mode</strong> No real money moves here.');
    expect(await aPage('transfer', BANK).ofBill(aBill(), 'pay', 'en')).not.toMatch(/<form|Test mode/);
  });

  it.each(languages)(
    'leads to a provider with one button, and says before that it does: %s',
    async (language) => {
      const provider = { checkoutOrigin: 'https://checkout.example.com', playMoney: false };
      const page = new PaymentPage(
        'checkout',
        NO_BANK,
        new PaymentLinks(() => 'https://pay.example.com'),
        provider,
      );
      const html = await page.ofBill(aBill(), 'pay', language);
      const { checkout, testMode } = messages[language];
      expect(html.match(/<button [^>]*>/g)).toEqual(['<button name="pay" value="now">']);
      expect(html).toContain(checkout.text);
      expect(html).not.toContain(testMode.heading);
      const resumable = await page.ofBill(aBill(), 'processing', language, true);
      expect(resumable).toContain(`<button name="pay" value="now" class="quiet">${checkout.resume}</button>`);
      expect(Buffer.byteLength(html)).toBeLessThan(30_000);
      expect(page.contentSecurityPolicy).toContain("form-action 'self' https://checkout.example.com;");
      expect(aPage().contentSecurityPolicy).toContain("form-action 'self';");
    },
  );

  it.each([
    [4, 'You have 4 attempts left.'],
    [1, 'You have 1 attempt left.'],
  ])('tells after a decline that %d attempts are left', async (attemptsLeft, words) => {
    const bill = aBill({ request: { declines: 5 - attemptsLeft, attemptsLeft } });
    expect(await aPage().ofBill(bill, 'pay', 'en')).toContain(words);
  });

  it('tells how to transfer the money, with a code for euros where the bank account is known', async () => {
    const shown = async (transfer: typeof BANK | typeof NO_BANK, request: object = {}): Promise<string> =>
      aPage('transfer', transfer).ofBill(aBill({ request }), 'pay', 'en');
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

  it('carries nothing to press and no code once there is nothing to pay', async () => {
    for (const state of states.filter((name) => name !== 'pay')) {
      const html = await aPage().ofBill(aBill(), state, 'en');
      expect(html).not.toMatch(/<form|<button|<figure/);
      expect(html).not.toContain(SECRET);
    }
  });

  it('lets the browser do nothing that the page does not need', () => {
    const policy = aPage().contentSecurityPolicy;
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/]{43}='; /);
    expect(policy).not.toMatch(/unsafe|script-src|\*/);
    expect(policy).toContain("frame-ancestors 'none'");
  });
});
