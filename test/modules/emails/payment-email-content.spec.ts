import { languages } from '../../../src/platform/i18n/messages';
import { emailMessages } from '../../../src/modules/emails/messages';
import { testMessageFiles } from '../../support/message-files';
import { renderEmails } from './rendered-emails';

/** Node.js versions differ in the spaces within a time. */
const plainSpaces = (text: string): string => text.replaceAll('\u202f', ' ');

describe('The emails', () => {
  testMessageFiles(emailMessages);
});

describe('An email to a customer', () => {
  it('states payee, amount, reference, expiry and payment link', () => {
    const { request, link } = renderEmails({});
    expect(request.subject).toBe('Lovelace Ltd asks you to pay €1,249.50');
    expect(plainSpaces(request.text)).toBe(
      [
        'Lovelace Ltd asks you to pay €1,249.50',
        'For: Invoice 2041, annual service\nPay by: Mar 2, 2026, 1:00 PM GMT+1',
        `Pay here:\n${link}`,
        'Pay only if you know Lovelace Ltd and what this is for. Anyone who has this link can see and pay this request, so do not forward this email.',
        'Lovelace Ltd provided your address for this payment. Replies go to Lovelace Ltd.\n',
      ].join('\n\n'),
    );
  });

  it('is a receipt without a link once the request is paid', () => {
    const { receipt, link } = renderEmails({});
    expect(receipt.subject).toBe('Receipt: €1,249.50 to Lovelace Ltd');
    expect(plainSpaces(receipt.text)).toBe(
      [
        'You paid €1,249.50 to Lovelace Ltd',
        'To: Lovelace Ltd\nAmount: €1,249.50\nFor: Invoice 2041, annual service\n' +
          'Paid on: Jan 31, 2026, 1:00 PM GMT+1\nReceipt number: txn_01kgx8v2t4e6rb3m5n7p9q1s0w',
        'Thank you. Keep this email as your receipt.',
        'Lovelace Ltd provided your address for this payment. Replies go to Lovelace Ltd.\n',
      ].join('\n\n'),
    );
    expect(receipt.html + receipt.text).not.toContain(link);
  });

  it.each(languages)('replaces all placeholders in %s', (language) => {
    const { request, receipt } = renderEmails({ language, testMode: true });
    for (const { subject, text, html } of [request, receipt]) {
      expect([subject, text, html].join('')).not.toMatch(/\{\w+\}|undefined|null/);
      expect(text).toContain(
        `${emailMessages[language].payment.testMode.heading}. ${emailMessages[language].payment.testMode.text}`,
      );
    }
  });

  it.each(['request', 'receipt'] as const)('escapes all values and loads nothing: %s', (kind) => {
    const evil = `"><script src=//evil.example></script><img src='x' onerror=alert(1)>&amp;`;
    const { html } = renderEmails({ payee: evil, reference: evil })[kind];
    expect(html).not.toMatch(/<script|<img/);
    expect(html).toContain('&lt;script');
    expect(html).not.toMatch(/url\(|@import|<link|background=/);
  });
});
