// Creates transactions, reads them again as a list and handles an error by its code.
import { ApiError, Countinghouse } from 'countinghouse-client';

const countinghouse = new Countinghouse({
  baseUrl: process.env['COUNTINGHOUSE_URL'] ?? 'http://localhost:3000',
  credentials: {
    login: { email: process.env['EMAIL'] ?? '', password: process.env['PASSWORD'] ?? '' },
  },
});

const { id, settings } = await countinghouse.get('/v1/account');
for (const order of ['2041', '2042', '2043']) {
  await countinghouse.post('/v1/transactions', {
    body: { account_id: id, amount: 500, currency: settings.currency, type: 'credit', metadata: { order } },
    // Optional: the client makes a key for each call. Your own also covers a restart of your program.
    params: { header: { 'Idempotency-Key': `order-${order}` } },
  });
}

let total = 0;
const query = { type: 'credit', status: 'succeeded', limit: 2 } as const;
for await (const credit of countinghouse.list('/v1/transactions', { params: { query } }))
  total += credit.amount;
console.log(`The credits are ${total} minor units of ${settings.currency}.`);

try {
  await countinghouse.post('/v1/transactions', {
    body: { account_id: id, amount: total + 1, currency: settings.currency, type: 'refund' },
  });
} catch (error) {
  if (!(error instanceof ApiError) || !error.is('insufficient_funds')) throw error;
  console.log(`Refused: ${error.message}`);
}
