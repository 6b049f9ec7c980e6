// A whole integration against the service: an API key, connections that break, a list, a webhook, and time that passes.
import { Countinghouse, verifyWebhook } from 'countinghouse-client';
import { startCountinghouse } from 'countinghouse/testing';
import { once } from 'node:events';
import { createServer } from 'node:http';
import * as net from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

const ORDERS = 60;
const CUT_EVERY = 5;

let service;
beforeAll(async () => {
  service = await startCountinghouse();
}, 60_000);
afterAll(() => service.stop());

it('creates each transaction once through cut connections, and hears of each once it has settled', async () => {
  const merchant = await service.account({ currency: 'EUR' });
  const { key } = await service.create(merchant.api, '/v1/api-keys', { name: 'Integration' });
  const receiver = await aReceiver();
  const endpoint = { url: receiver.url, event_types: ['transaction.succeeded'] };
  receiver.secret = (await service.create(merchant.api, '/v1/webhooks', endpoint)).secret;

  const network = await aBadNetwork(service.url);
  const countinghouse = new Countinghouse({
    baseUrl: network.url,
    credentials: { apiKey: key },
    retry: { baseDelayMs: 10, maxDelayMs: 50 },
  });
  const created = [];
  for (let order = 1; order <= ORDERS; order += 1) {
    const { id } = await countinghouse.post('/v1/transactions', {
      body: {
        account_id: merchant.id,
        amount: 500,
        currency: 'EUR',
        type: 'payment',
        reference: `order-${order}`,
      },
    });
    created.push(id);
  }
  expect(network.cuts).toBeGreaterThan(ORDERS / CUT_EVERY);
  const listed = [];
  const query = { status: 'pending', limit: 25 };
  for await (const { id } of countinghouse.list('/v1/transactions', { params: { query } }))
    listed.unshift(id);
  expect(listed).toEqual(created);

  await service.clock.advance('2 minutes');
  await vi.waitUntil(
    async () => {
      await service.runDueTasks(); // delivers what has become due
      return receiver.objects.size === ORDERS;
    },
    { timeout: 60_000 },
  );
  expect(receiver.rejected).toBe(0);
  const { posted } = await countinghouse.get('/v1/account/balance');
  expect(posted).toBe(ORDERS * 500);
  expect(await service.verifyLedger()).toEqual([]);
  network.close();
  receiver.close();
}, 120_000);

/** Receives webhooks, verifies them, and remembers the objects of the events: an event may arrive twice. */
async function aReceiver() {
  const receiver = { secret: '', objects: new Set(), rejected: 0 };
  const server = createServer(async (request, response) => {
    try {
      const body = Buffer.concat(await request.toArray());
      const event = await verifyWebhook(body, request.headers, receiver.secret);
      receiver.objects.add(event.object_id);
      response.writeHead(204).end();
    } catch {
      receiver.rejected += 1;
      response.writeHead(400).end();
    }
  });
  return Object.assign(receiver, await listening(server));
}

/** Forwards to a service, and cuts the connection at every fifth request: before it, or instead of its response. */
async function aBadNetwork(serviceUrl) {
  const network = { cuts: 0 };
  let requests = 0;
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(new URL(serviceUrl).port), 'localhost');
    const cut = () => [client, upstream].forEach((socket) => socket.destroy());
    for (const socket of [client, upstream]) socket.on('error', cut).on('close', cut);
    let losesResponse = false;
    client.on('data', (request) => {
      requests += 1;
      const isCut = requests % CUT_EVERY === 0;
      if (isCut) network.cuts += 1;
      losesResponse = isCut && network.cuts % 2 === 0;
      if (isCut && !losesResponse) cut();
      else upstream.write(request);
    });
    upstream.on('data', (response) => (losesResponse ? cut() : client.write(response)));
  });
  return Object.assign(network, await listening(server));
}

async function listening(server) {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
