import { Language, messages } from '../../src/modules/payment-requests/page/languages';
import { lettersWith } from './letters';

const languages = Object.keys(messages) as Language[];

/** Versions of Node.js differ in the spaces within a time. */
const plainSpaces = (text: string): string => text.replaceAll('\u202f', ' ');

describe('a mail to a customer', () => {
  it('says who asks, how much, for what and until when, and where to pay', () => {
    const { request, link } = lettersWith({});
    expect(request.subject).toBe('Lovelace Ltd asks you to pay €1,249.50');
    expect(plainSpaces(request.text)).toBe(
      [
        'Lovelace Ltd asks you to pay €1,249.50',
        'For: Invoice 2041, annual service\nPay by: Mar 2, 2026, 1:00 PM GMT+1',
        `Pay here:\n${link}`,
        'Pay only if you know Lovelace Ltd and what this is for. Whoever has this link can see and pay this request, so do not pass this mail on.',
        'Lovelace Ltd gave your address for this payment. Answers go to Lovelace Ltd.\n',
      ].join('\n\n'),
    );
  });

  it('is a receipt once it is paid, without the link', () => {
    const { receipt, link } = lettersWith({});
    expect(receipt.subject).toBe('Receipt: €1,249.50 to Lovelace Ltd');
    expect(plainSpaces(receipt.text)).toBe(
      [
        'You paid €1,249.50 to Lovelace Ltd',
        'To: Lovelace Ltd\nAmount: €1,249.50\nFor: Invoice 2041, annual service\n' +
          'Paid on: Jan 31, 2026, 1:00 PM GMT+1\nReceipt number: txn_01kgx8v2t4e6rb3m5n7p9q1s0w',
        'Thank you. Keep this mail as your receipt.',
        'Lovelace Ltd gave your address for this payment. Answers go to Lovelace Ltd.\n',
      ].join('\n\n'),
    );
    expect(receipt.html + receipt.text).not.toContain(link);
  });

  it.each(languages)('fills every place of its messages: %s', (language) => {
    const { request, receipt } = lettersWith({ language, testMode: true });
    for (const { subject, text, html } of [request, receipt]) {
      expect([subject, text, html].join('')).not.toMatch(/\{\w+\}|undefined|null/);
      expect(text).toContain(`${messages[language].testMode.heading}. ${messages[language].testMode.text}`);
    }
  });

  it.each(['request', 'receipt'] as const)('escapes the words of others, and loads nothing: %s', (kind) => {
    const evil = `"><script src=//evil.example></script><img src='x' onerror=alert(1)>&amp;`;
    const { html } = lettersWith({ payee: evil, reference: evil })[kind];
    expect(html).not.toMatch(/<script|<img/);
    expect(html).toContain('&lt;script');
    expect(html).not.toMatch(/url\(|@import|<link|background=/);
  });
});
