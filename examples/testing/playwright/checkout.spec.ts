import { expect, test as base } from '@playwright/test';
import { startCountinghouse, TestService } from 'countinghouse/testing';

/** One service for each worker, as it was after its start in each test. */
const test = base.extend<{ service: TestService }, { shared: TestService }>({
  shared: [
    async ({}, use) => {
      const service = await startCountinghouse();
      await use(service);
      await service.stop();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  service: async ({ shared }, use) => {
    await use(shared);
    await shared.reset();
  },
});

test('the customer pays on the payment page', async ({ page, service }) => {
  const merchant = await service.account({ currency: 'EUR' });
  const request = { account_id: merchant.id, amount: 1250, currency: 'EUR', customer_email: 'c@example.com' };
  const { id, payment_url } = await service.create(merchant.api, '/v1/payments', request);

  await page.goto(payment_url);
  await page.locator('button[value=succeeded]').click();
  await expect(page.locator('button[value=succeeded]')).toHaveCount(0);

  expect((await merchant.api.get(`/v1/payments/${id}`)).body.status).toBe('succeeded');
});

test('the link expires', async ({ page, service }) => {
  const merchant = await service.account();
  const request = { account_id: merchant.id, amount: 1250, currency: 'USD', customer_email: 'c@example.com' };
  const { payment_url } = await service.create(merchant.api, '/v1/payments', request);
  await service.clock.advance('31 days');
  await page.goto(payment_url);
  await expect(page.locator('button[value=succeeded]')).toHaveCount(0);
});
