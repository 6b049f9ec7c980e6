// Requests a payment from a customer and waits until it has ended.
import { Countinghouse } from 'countinghouse-client';

const countinghouse = new Countinghouse({
  baseUrl: process.env['COUNTINGHOUSE_URL'] ?? 'http://localhost:3000',
  credentials: {
    login: { email: process.env['EMAIL'] ?? '', password: process.env['PASSWORD'] ?? '' },
  },
});

const account = await countinghouse.get('/v1/account');
const payment = await countinghouse.post('/v1/payments', {
  body: {
    account_id: account.id,
    amount: 1250,
    currency: account.settings.currency,
    customer_email: 'customer@example.com',
    reference: 'invoice-7',
  },
});
console.log(`The customer pays at ${payment.payment_url}`);

const { status } = await countinghouse.waitForPayment(payment.id, {
  timeoutMs: Number(process.env['WAIT_MS'] ?? 600_000),
  intervalMs: 200,
});
console.log(`The payment request is ${status}.`);
