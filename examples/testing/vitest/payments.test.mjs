// The whole service in the process of the test.
import { startCountinghouse } from 'countinghouse/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';

let service;
beforeAll(async () => {
  service = await startCountinghouse();
}, 60_000);
afterEach(() => service.reset());
afterAll(() => service.stop());

it('settles a payment after its delay', async () => {
  const merchant = await service.account({ currency: 'EUR' });
  const payment = { account_id: merchant.id, amount: 1250, currency: 'EUR', type: 'payment' };
  const { id } = await service.create(merchant.api, '/v1/transactions', payment);
  await service.clock.advance('2 minutes');
  expect((await merchant.api.get(`/v1/transactions/${id}`)).body.status).toBe('succeeded');
});

it('creates a payment once, although its first response is lost', async () => {
  const merchant = await service.account();
  const payment = { account_id: merchant.id, amount: 1250, currency: 'USD', type: 'payment' };
  const create = () => merchant.api.post('/v1/transactions', payment, { 'Idempotency-Key': 'order-7' });
  service.faults.script({ operation: 'POST /v1/transactions', fault: 'lost_response' });
  await expect(create()).rejects.toThrow();
  expect((await create()).status).toBe(201);
  expect((await merchant.api.get('/v1/transactions')).body.data).toHaveLength(1);
});
