import { PaymentLinks } from '../../../src/modules/payment-requests/domain/payment-references';
import { Account } from '../../../src/modules/accounts/domain/account';
import { PaymentRequest } from '../../../src/modules/payment-requests/domain/payment-request';
import { Language } from '../../../src/platform/i18n/messages';
import { PaymentEmailContent } from '../../../src/modules/emails/payment-letters.service';
import { EmailContent } from '../../../src/platform/mail/mailer';

const noon = new Date('2026-01-31T12:00:00.000Z');

interface Values {
  readonly language?: Language;
  readonly payee?: string;
  readonly reference?: string;
  readonly amount?: number;
  readonly testMode?: boolean;
}

/** Renders both emails about a payment request with these values. */
export function renderEmails({
  language = 'en',
  payee: name = 'Lovelace Ltd',
  reference = 'Invoice 2041, annual service',
  amount = 124_950,
  testMode = false,
}: Values): { request: EmailContent; receipt: EmailContent; link: string } {
  const payee = Account.create(
    {
      email: 'ada@example.com',
      name,
      type: 'business',
      settings: { language, timezone: 'Europe/Berlin', currency: 'EUR' },
    },
    noon,
  );
  const request = PaymentRequest.create(
    {
      id: 'pay_1',
      accountId: payee.id,
      amount,
      currency: 'EUR',
      customerEmail: 'customer@example.com',
      reference,
      metadata: {},
      returnUrl: null,
      cancelUrl: null,
      splits: null,
    },
    null,
    noon,
  );
  const content = new PaymentEmailContent(
    testMode,
    new PaymentLinks((path) => `https://pay.example.com${path}`),
  );
  const requested = content.render('request', { request, payee });
  request.pay('txn_01kgx8v2t4e6rb3m5n7p9q1s0w', noon);
  return {
    request: requested,
    receipt: content.render('receipt', { request, payee }),
    link: `https://pay.example.com/pay/${request.secret}`,
  };
}
