import { PaymentLinks } from '../../src/modules/payment-requests/domain/payment-links';
import { Account } from '../../src/modules/accounts/domain/account';
import { PaymentRequest } from '../../src/modules/payment-requests/domain/payment-request';
import { Language } from '../../src/modules/payment-requests/page/languages';
import { Letter, PaymentMail } from '../../src/modules/payment-requests/page/payment-mail';

const noon = new Date('2026-01-31T12:00:00.000Z');

interface Wanted {
  readonly language?: Language;
  readonly payee?: string;
  readonly reference?: string;
  readonly amount?: number;
  readonly testMode?: boolean;
}

/** The mail about a payment request, and the receipt for it, as they are written with these words. */
export function lettersWith({
  language = 'en',
  payee: name = 'Lovelace Ltd',
  reference = 'Invoice 2041, annual service',
  amount = 124_950,
  testMode = false,
}: Wanted): { request: Letter; receipt: Letter; link: string } {
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
    },
    null,
    noon,
    true,
  );
  const mail = new PaymentMail(testMode, new PaymentLinks(() => 'https://pay.example.com'));
  const asked = mail.letter('request', { request, payee });
  request.pay('txn_01kgx8v2t4e6rb3m5n7p9q1s0w', noon, true);
  return {
    request: asked,
    receipt: mail.letter('receipt', { request, payee }),
    link: `https://pay.example.com/pay/${request.secret}`,
  };
}
