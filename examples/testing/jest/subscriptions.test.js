const { call, logIn, logInAsAdmin } = require('./service.js');

const PASSWORD = 'correct horse battery';
const merchant = { email: 'ada@example.com', password: PASSWORD, name: 'Lovelace Ltd', type: 'business' };

let admin;
beforeEach(async () => {
  admin = await logInAsAdmin();
});
// All sessions end with a reset, and with a step of the clock.
afterEach(async () => call('POST', '/v1/test/reset', {}, await logInAsAdmin()));

it('bills a subscription each week, and its customer pays', async () => {
  const { id: account_id } = await call('POST', '/v1/accounts', merchant);
  const customer_email = 'customer@example.com';
  const weekly = { account_id, amount: 900, currency: 'USD', customer_email, interval: 'week' };
  await call('POST', '/v1/subscriptions', weekly, await logIn(merchant.email, PASSWORD));

  await call('POST', '/v1/test/clock', { advance: '1 week' }, admin);

  const token = await logIn(merchant.email, PASSWORD);
  const { data } = await call('GET', '/v1/payments?status=pending', undefined, token);
  expect(data).toHaveLength(2);
  await call(
    'POST',
    `/v1/test/payments/${data[0].id}/outcome`,
    { outcome: 'succeeded' },
    await logInAsAdmin(),
  );
  expect((await call('GET', '/v1/account/balance', undefined, token)).posted).toBe(900);
});

it('begins each test without accounts', async () => {
  expect((await call('GET', '/v1/accounts', undefined, admin)).data).toEqual([]);
});
