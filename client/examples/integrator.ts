// All that an integration needs, with an API key: create transactions, walk a list, receive and verify a webhook.
import { Countinghouse, verifyWebhook } from 'countinghouse-client';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const countinghouse = new Countinghouse({
  baseUrl: process.env['COUNTINGHOUSE_URL'] ?? 'http://localhost:3000',
  credentials: { apiKey: process.env['API_KEY'] ?? '' },
});
const { id, settings } = await countinghouse.get('/v1/account');

// The key of an order makes its transaction unique, also when connections are lost or this program starts again.
for (const order of ['2041', '2042', '2043', '2042']) {
  await countinghouse.post('/v1/transactions', {
    body: { account_id: id, amount: 500, currency: settings.currency, type: 'credit', reference: order },
    params: { header: { 'Idempotency-Key': `order-${order}` } },
  });
}
let count = 0;
for await (const transaction of countinghouse.list('/v1/transactions', { params: { query: { limit: 2 } } })) {
  if (transaction.status === 'succeeded') count += 1;
}
console.log(`${count} transactions have succeeded.`);

// The endpoint listens before it is created, since events may come at once. Its secret is shown only here.
let secret = '';
const server = createServer((request, response) => {
  void (async () => {
    try {
      const body = Buffer.concat(await request.toArray());
      const event = await verifyWebhook(body, request.headers, secret);
      console.log(`Received and verified ${event.type}.`);
      response.writeHead(204).end();
    } catch {
      response.writeHead(400).end();
    }
  })();
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
const webhook = await countinghouse.post('/v1/webhooks', { body: { url } });
secret = webhook.secret;

const path = { webhook_id: webhook.id };
const { delivered } = await countinghouse.post('/v1/webhooks/{webhook_id}/test', { params: { path } });
console.log(delivered ? 'The endpoint works.' : 'The endpoint did not accept the test.');
await countinghouse.delete('/v1/webhooks/{webhook_id}', { params: { path } });
server.close();
