// A service with two months of business of some accounts, for screenshots. It is the same in every run.

/** Where the story begins: the dates in the screenshots are those of any run. */
const START = new Date('2027-01-11T08:30:00Z');
const DAYS = 60;
const PASSWORD = 'correct horse battery';

const accounts = [
  ['Harbour Cycles Ltd', 'accounts@harbourcycles.example', 'GBP', 'Europe/London', 9_000],
  ['Blue Door Books', 'hello@bluedoorbooks.example', 'EUR', 'Europe/Dublin', 3_500],
  ['Hartmann Werkzeuge GmbH', 'buchhaltung@hartmann.example', 'EUR', 'Europe/Berlin', 24_000],
  ['Atelier Fontaine', 'contact@fontaine.example', 'EUR', 'Europe/Paris', 12_000],
  ['Maple Street Yoga', 'desk@mapleyoga.example', 'USD', 'America/New_York', 4_500],
  ['Redwood Roasters', 'orders@redwood.example', 'USD', 'America/Los_Angeles', 6_000],
];

const failures = ['The card has expired.', 'The bank declined the payment.', 'Insufficient funds.'];

/** Numbers from 0 to 1 that are the same in every run (a linear congruential generator). */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Posts as an admin. @returns the body @throws Error when it is rejected */
async function post(api, path, body) {
  const response = await api.post(path, body);
  if (response.status >= 300) throw new Error(`POST ${path}: ${JSON.stringify(response.body)}`);
  return response.body;
}

async function createAccounts({ api }) {
  const created = [];
  for (const [name, email, currency, timezone, size] of accounts) {
    const body = { name, email, password: PASSWORD, type: 'business', settings: { currency, timezone } };
    const { id } = await post(api, '/v1/accounts', body);
    created.push({ id, currency, size });
  }
  return created;
}

/** The payments of one day: most succeed, some fail, some are refunded in part, and those of the last day are pending. */
async function trade(api, { id: account_id, currency, size }, day, random, order) {
  const count = Math.floor(random() * 3);
  for (let index = 0; index < count; index += 1) {
    const amount = Math.round((size * (0.4 + random() * 1.6)) / 50) * 50 - 1;
    const reference = `order-${order()}`;
    const payment = { account_id, amount, currency, type: 'payment', reference };
    const { id } = await post(api, '/v1/transactions', payment);
    if (day === DAYS) continue;
    const luck = random();
    const outcome =
      luck < 0.06
        ? { outcome: 'failed', failure_reason: failures[Math.floor(random() * failures.length)] }
        : { outcome: 'succeeded' };
    await post(api, `/v1/transactions/${id}/settlement`, outcome);
    if (luck > 0.88) {
      const refund = { account_id, amount: Math.ceil(amount / 2), currency, type: 'refund' };
      await post(api, '/v1/transactions', { ...refund, source_transaction_id: id });
    }
  }
}

/** What waits for somebody at the end. */
async function leaveWork(service, api, [first, second]) {
  const unpaid = { customer_email: 'lena@example.com', reference: 'invoice-2041' };
  const request = { account_id: first.id, amount: 18_500, currency: first.currency, ...unpaid };
  const { id } = await post(api, '/v1/payments', request);
  await post(api, `/v1/payments/${id}/unapplied-payments`, { amount: 5_000 });
  const open = { amount: 32_000, currency: second.currency, customer_email: 'sam@example.com' };
  await post(api, '/v1/payments', { account_id: second.id, ...open, reference: 'invoice-2042' });
  const colleague = { email: 'grace@example.com', password: PASSWORD, name: 'Grace Hopper' };
  const { id: object_id } = await post(service.api, '/v1/users', colleague); // a sign-up: nobody else knows the password
  const promotion = { type: 'make_admin', object_id, reason: 'Joins the back office on Monday.' };
  await post(api, '/v1/approvals', promotion);
}

/**
 * Fills a service that was started with startCountinghouse().
 * @returns who signs in, and the id of the account to look at
 */
export async function fill(service) {
  const random = numbers(7);
  let orders = 1_040;
  const order = () => (orders += 1);
  service.clock.move({ seconds: (START.getTime() - service.clock.now().getTime()) / 1_000 });
  const created = await createAccounts(service);
  for (let day = 1; day <= DAYS; day += 1) {
    const { api } = await service.admin(); // the token of yesterday has expired
    for (const account of created) await trade(api, account, day, random, order);
    if (day === DAYS) await leaveWork(service, api, created);
    else await service.clock.advance('1 day');
  }
  return { email: 'admin@example.com', password: PASSWORD, accountId: created[0].id };
}
