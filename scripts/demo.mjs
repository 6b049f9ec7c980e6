// A tour of the API over HTTP. It prints each request with its response, and fails if a response is not as documented.
// It uses the service at COUNTINGHOUSE_URL (default http://localhost:3000). If no service responds there, it starts one
// on a free port with a temporary database, and stops it afterwards. The back office part needs ADMIN_EMAIL and
// ADMIN_PASSWORD of an admin of that service.
/* global AbortSignal */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The members of each response, as the API documents them. */
const shapes = {
  error: ['error', 'message'],
  user: ['id', 'email', 'name', 'status', 'created_at', 'updated_at'],
  users: ['data', 'pagination'],
  tokens: ['access_token', 'refresh_token', 'token_type', 'expires_in', 'user'],
  sessions: ['data'],
  endedSession: ['message', 'session_id'],
  endedCurrentSession: ['message'],
  account: ['id', 'email', 'name', 'type', 'status', 'created_at', 'updated_at', 'settings'],
  accounts: ['data', 'pagination'],
  closedAccount: ['id', 'status', 'closed_at', 'message'],
  newTransaction: [
    'id',
    'account_id',
    'amount',
    'currency',
    'type',
    'status',
    'reference',
    'metadata',
    'created_at',
  ],
  transaction: [
    'id',
    'account_id',
    'amount',
    'currency',
    'type',
    'status',
    'reference',
    'metadata',
    'created_at',
    'updated_at',
  ],
  newPayment: [
    'id',
    'account_id',
    'amount',
    'currency',
    'status',
    'customer_email',
    'reference',
    'metadata',
    'created_at',
    'payment_url',
  ],
  paymentStatus: ['id', 'status', 'amount', 'currency', 'reference', 'updated_at'],
  subscription: [
    'id',
    'account_id',
    'amount',
    'currency',
    'status',
    'customer_email',
    'interval',
    'reference',
    'metadata',
    'next_payment_at',
    'created_at',
    'updated_at',
  ],
  list: ['object', 'data', 'has_more'],
  canceled: ['id', 'status', 'canceled_at', 'message'],
};

const SECRETS = new Set(['password', 'current_password', 'access_token', 'refresh_token', 'payment_url']);
const PASSWORD = `demo ${randomBytes(12).toString('hex')}`;

/** Email addresses that no earlier run has used, so that the demo can run again on the same database. */
const run = randomBytes(4).toString('hex');
const address = (name) => `${name}.${run}@example.com`;

const print = (line = '') => process.stdout.write(`${line}\n`);
const chapter = (title) => print(`\n== ${title} ==`);

/** JSON for printing, with secrets masked. */
const masked = (value) =>
  JSON.stringify(value, (name, member) =>
    SECRETS.has(name) && typeof member === 'string' ? '(masked)' : member,
  );

/** The service does not behave as documented. */
class DemoError extends Error {}

/** What is wrong with a response, or null. `values` are expected members; a function checks the member. */
function mismatch(reply, status, shape, values) {
  if (reply.status !== status) return `the status is ${reply.status} and should be ${status}`;
  const members = Object.keys(reply.body).toSorted().join(', ');
  const documented = shapes[shape].toSorted().join(', ');
  if (members !== documented) return `the members are ${members} and should be ${documented}`;
  for (const [name, expected] of Object.entries(values)) {
    const found = reply.body[name];
    const matches =
      typeof expected === 'function' ? expected(found) : JSON.stringify(found) === JSON.stringify(expected);
    if (!matches) return `${name} is ${masked({ [name]: found })}, which should be ${expected}`;
  }
  return null;
}

/** A client of the service, with the tokens of its login. */
class Client {
  constructor(name, base) {
    this.name = name;
    this.base = base;
  }

  /** Sends one request, prints it and checks its response. @returns the body */
  async call(what, method, path, { send, key, status = 200, is, with: values = {}, replayed = false }) {
    const headers = {
      ...(send !== undefined && { 'content-type': 'application/json' }),
      ...(this.token && { authorization: `Bearer ${this.token}` }),
      ...(key && { 'idempotency-key': key }),
    };
    const response = await fetch(`${this.base}${path}`, {
      method,
      headers,
      body: send === undefined ? undefined : JSON.stringify(send),
      signal: AbortSignal.timeout(30_000),
    });
    const reply = { status: response.status, body: await response.json().catch(() => ({})) };
    print(`\n${what}`);
    print(`  ${this.name}: ${method} ${path}${key ? `  Idempotency-Key: ${key}` : ''}`);
    if (send !== undefined) print(`    ${masked(send)}`);
    print(`    ${reply.status} ${masked(reply.body)}`);
    const wrong = mismatch(reply, status, is, values);
    if (wrong !== null) throw new DemoError(`${method} ${path}: ${wrong}.`);
    if ((response.headers.get('idempotency-replayed') === 'true') !== replayed) {
      throw new DemoError(`${method} ${path}: Idempotency-Replayed is not as documented.`);
    }
    return reply.body;
  }

  expectError(what, method, path, status, error, options = {}) {
    return this.call(what, method, path, { ...options, status, is: 'error', with: { error } });
  }

  async logIn(what, email, password = PASSWORD) {
    const tokens = await this.call(what, 'POST', '/v1/auth/login', {
      send: { email, password },
      is: 'tokens',
      with: { token_type: 'Bearer', expires_in: Number.isInteger, user: (user) => user.email === email },
    });
    this.keep(tokens);
  }

  keep({ access_token: token, refresh_token: refreshToken }) {
    this.token = token;
    this.refreshToken = refreshToken;
  }
}

async function signUps(base) {
  chapter('An individual signs up');
  const ada = new Client('Ada', base);
  ada.email = address('ada');
  const account = await ada.call(
    'Signing up an account needs no token. An account has its own email and password.',
    'POST',
    '/v1/accounts',
    {
      send: { email: ada.email, name: 'Ada Lovelace', type: 'individual', password: PASSWORD },
      status: 201,
      is: 'account',
      with: { status: 'active', settings: { currency: 'USD', timezone: 'UTC', language: 'en' } },
    },
  );
  ada.accountId = account.id;
  await ada.expectError(
    'Emails are compared without case, and each belongs to one account only.',
    'POST',
    '/v1/accounts',
    409,
    'email_exists',
    { send: { email: ada.email.toUpperCase(), name: 'Ada', type: 'individual', password: PASSWORD } },
  );
  await ada.expectError(
    'A wrong password and an unknown email get the same response.',
    'POST',
    '/v1/auth/login',
    401,
    'invalid_credentials',
    { send: { email: ada.email, password: 'not this one' } },
  );
  await ada.logIn('The login returns tokens; the access token authorizes all further requests.', ada.email);
  await ada.call('Only the settings that are sent change.', 'PATCH', '/v1/account', {
    send: { settings: { currency: 'EUR', timezone: 'Europe/London' } },
    is: 'account',
    with: { settings: { currency: 'EUR', timezone: 'Europe/London', language: 'en' } },
  });

  chapter('A business signs up');
  const grace = new Client('Grace', base);
  grace.email = address('grace');
  const user = await grace.call('A person signs up as a user.', 'POST', '/v1/users', {
    send: { email: grace.email, password: PASSWORD, name: 'Grace Hopper' },
    status: 201,
    is: 'user',
    with: { email: grace.email, status: 'active' },
  });
  grace.id = user.id;
  await grace.logIn('She logs in ...', grace.email);
  await grace.expectError('... and has no account yet.', 'GET', '/v1/account', 403, 'forbidden');
  const business = await grace.call(
    'A user without an account who creates one becomes its owner at once, with the same token.',
    'POST',
    '/v1/accounts',
    {
      send: {
        email: address('books'),
        name: 'Hopper & Co',
        type: 'business',
        password: PASSWORD,
        settings: { currency: 'JPY', language: 'ja' },
      },
      status: 201,
      is: 'account',
      with: { type: 'business', settings: { currency: 'JPY', timezone: 'UTC', language: 'ja' } },
    },
  );
  grace.accountId = business.id;
  await grace.call('The token now acts for that account.', 'GET', '/v1/account', {
    is: 'account',
    with: { id: business.id },
  });
  const bob = new Client('Bob', base);
  bob.email = address('bob');
  const member = await grace.call(
    "A user created with an owner's token is a member of the account.",
    'POST',
    '/v1/users',
    { send: { email: bob.email, password: PASSWORD, name: 'Bob' }, status: 201, is: 'user' },
  );
  bob.id = member.id;
  await bob.logIn('The member logs in.', bob.email);
  await bob.expectError(
    'Members act for the account, but only its owner can change it.',
    'PATCH',
    '/v1/account',
    401,
    'unauthorized',
    { send: { name: 'Bob & Co' } },
  );
  await grace.call('An owner lists the users of the account.', 'GET', '/v1/users?search=bob&limit=5', {
    is: 'users',
    with: { pagination: { page: 1, limit: 5, total_pages: 1, total_records: 1 } },
  });
  return { ada, grace, bob };
}

async function transactions(ada, grace) {
  chapter('Transactions');
  const of = (type, amount, more = {}) => ({
    account_id: ada.accountId,
    amount,
    currency: 'EUR',
    type,
    ...more,
  });
  const post = (what, send, options) =>
    ada.call(what, 'POST', '/v1/transactions', { send, status: 201, is: 'newTransaction', ...options });
  const reject = (what, send, status, error, options) =>
    ada.expectError(what, 'POST', '/v1/transactions', status, error, { send, ...options });

  await post(
    'A credit is added to the balance at once. Amounts are in minor units: 5000 is 50.00 EUR.',
    of('credit', 5000),
    {
      with: { status: 'succeeded', reference: null, metadata: {} },
    },
  );
  const order = of('payment', 1250, { reference: `order-${run}`, metadata: { table: 7 } });
  const key = `order-${run}`;
  const payment = await post(
    'A new payment is pending. The key makes it safe to send the request again.',
    order,
    {
      key,
      with: { status: 'pending', metadata: { table: 7 } },
    },
  );
  await post('The same key again returns the same response, and creates nothing.', order, {
    key,
    replayed: true,
    with: { id: payment.id },
  });
  await reject(
    'The same key with a different request is rejected.',
    { ...order, amount: 1 },
    400,
    'invalid_request',
    {
      key,
    },
  );
  await post('A refund sends money out.', of('refund', 2000), { with: { status: 'succeeded' } });
  await reject(
    'A refund cannot exceed the available balance; pending money does not count.',
    of('refund', 3001),
    402,
    'insufficient_funds',
  );
  await reject(
    'The currency must be the currency of the account.',
    { ...of('credit', 1), currency: 'USD' },
    400,
    'currency_mismatch',
  );
  await reject('Amounts are positive integers.', of('credit', 1.5), 400, 'invalid_request');
  await ada.expectError(
    'The currency of an account is fixed once it has a transaction.',
    'PATCH',
    '/v1/account',
    400,
    'invalid_request',
    {
      send: { settings: { currency: 'USD' } },
    },
  );

  chapter('Annotating a transaction');
  const one = `/v1/transactions/${payment.id}`;
  await ada.call('Metadata keys are merged; null removes a key.', 'PATCH', one, {
    send: { metadata: { table: null, waiter: 'Zoe' } },
    is: 'transaction',
    with: { metadata: { waiter: 'Zoe' }, reference: order.reference },
  });
  await ada.expectError('Amount, currency and type never change.', 'PATCH', one, 409, 'conflict', {
    send: { amount: 1 },
  });
  await ada.call('Retrieve the full transaction.', 'GET', one, {
    is: 'transaction',
    with: { status: 'pending' },
  });
  await grace.expectError('For another account it does not exist.', 'GET', one, 404, 'not_found');

  chapter('Pagination with cursors');
  const page = (what, query, values) =>
    ada.call(what, 'GET', `/v1/transactions?${query}`, { is: 'list', with: { object: 'list', ...values } });
  const first = await page('Lists are newest first.', 'limit=2', {
    data: (items) => items.length === 2,
    has_more: true,
  });
  const last = first.data[1].id;
  const second = await page('The next page starts after the last item.', `limit=2&starting_after=${last}`, {
    data: (items) => items.length === 1,
    has_more: false,
  });
  await page('ending_before goes back.', `limit=2&ending_before=${second.data[0].id}`, {
    data: (items) => items.map(({ id }) => id).join() === first.data.map(({ id }) => id).join(),
    has_more: false,
  });
  await page('Filters select items.', `type=payment&reference=order-${run}`, {
    data: (items) => items.length === 1 && items[0].id === payment.id,
  });
  await ada.expectError(
    'A limit that is too large is rejected, not reduced.',
    'GET',
    '/v1/transactions?limit=101',
    400,
    'invalid_request',
  );

  chapter('Canceling');
  await ada.call('A pending transaction can be canceled; it stays on record.', 'DELETE', one, {
    is: 'canceled',
    with: { id: payment.id, status: 'canceled' },
  });
  await ada.expectError('It cannot be canceled twice.', 'DELETE', one, 409, 'not_cancellable');
}

async function paymentRequests(grace, bob) {
  chapter('Payment requests');
  const send = {
    account_id: grace.accountId,
    amount: 98000,
    currency: 'JPY',
    customer_email: 'customer@example.com',
    reference: `invoice-${run}`,
    metadata: { project: 'COBOL' },
  };
  const request = await bob.call(
    'A member requests a payment from a customer. Anyone with the payment_url can pay, so it is masked here.',
    'POST',
    '/v1/payments',
    {
      send,
      status: 201,
      is: 'newPayment',
      with: { status: 'pending', payment_url: (url) => /\/pay\/.{43}$/.test(url) },
    },
  );
  await bob.expectError(
    'An account that the caller may not see does not exist for the caller.',
    'POST',
    '/v1/payments',
    404,
    'account_not_found',
    {
      send: { ...send, account_id: 'acc_nobody' },
    },
  );
  const one = `/v1/payments/${request.id}`;
  await grace.call('The status can be polled.', 'GET', `${one}/status`, {
    is: 'paymentStatus',
    with: { status: 'pending', amount: 98000, reference: send.reference },
  });
  await grace.call(
    'The request can be found by its reference.',
    'GET',
    `/v1/payments?reference=${send.reference}`,
    {
      is: 'list',
      with: { data: (items) => items.length === 1, has_more: false },
    },
  );
  await grace.call('A pending request can be canceled.', 'DELETE', one, {
    is: 'canceled',
    with: { status: 'canceled' },
  });
  await grace.call('The status shows it.', 'GET', `${one}/status`, {
    is: 'paymentStatus',
    with: { status: 'canceled' },
  });
  return bob.call('A second request stays pending.', 'POST', '/v1/payments', {
    send,
    status: 201,
    is: 'newPayment',
  });
}

async function subscriptions(grace) {
  chapter('A subscription');
  const reference = `contract-${run}`;
  const subscription = await grace.call(
    'A subscription requests the same amount every month.',
    'POST',
    '/v1/subscriptions',
    {
      send: {
        account_id: grace.accountId,
        amount: 4900,
        currency: 'JPY',
        customer_email: 'customer@example.com',
        interval: 'month',
        reference,
      },
      status: 201,
      is: 'subscription',
      with: { status: 'active', next_payment_at: (moment) => Date.parse(moment) > Date.now() },
    },
  );
  await grace.call(
    'The first payment request is created at once.',
    'GET',
    `/v1/payments?reference=${reference}`,
    {
      is: 'list',
      with: { data: (items) => items.length === 1 && items[0].amount === 4900 },
    },
  );
  await grace.expectError(
    'An account with an active subscription cannot be closed ...',
    'DELETE',
    '/v1/account',
    409,
    'active_subscriptions',
  );
  await grace.call('... so it is canceled first.', 'DELETE', `/v1/subscriptions/${subscription.id}`, {
    is: 'canceled',
    with: { status: 'canceled' },
  });
}

async function sessions(ada) {
  chapter('Sessions');
  const before = ada.refreshToken;
  const tokens = await ada.call(
    'A refresh token is exchanged for new tokens of the same session.',
    'POST',
    '/v1/auth/refresh',
    {
      send: { refresh_token: ada.refreshToken },
      is: 'tokens',
      with: { refresh_token: (token) => token !== before },
    },
  );
  ada.keep(tokens);
  const laptop = new Client("Ada's laptop", ada.base);
  await laptop.logIn('A second login is a second session.', ada.email);
  const { data } = await ada.call('List your active sessions.', 'GET', '/v1/auth/sessions', {
    is: 'sessions',
    with: { data: (sessions) => sessions.length === 2 },
  });
  const other = data.find((session) => !session.current).session_id;
  await ada.call('One session can end another.', 'DELETE', '/v1/auth/session', {
    send: { session_id: other },
    is: 'endedSession',
    with: { session_id: other },
  });
  await laptop.expectError(
    'Its access token stops working at once.',
    'GET',
    '/v1/account',
    401,
    'unauthorized',
  );
  await ada.call('Without a body the current session ends.', 'DELETE', '/v1/auth/session', {
    is: 'endedCurrentSession',
  });
  await ada.expectError(
    'Its refresh token has stopped working too.',
    'POST',
    '/v1/auth/refresh',
    401,
    'unauthorized',
    {
      send: { refresh_token: ada.refreshToken },
    },
  );
}

async function backOffice(admin, grace, bob) {
  chapter('The back office');
  const { email, password } = admin;
  await admin.logIn('An admin logs in like any user.', email, password);
  await admin.call('Admins list all accounts.', 'GET', '/v1/accounts?type=business&limit=1', {
    is: 'accounts',
    with: {
      data: (items) => items.length === 1,
      pagination: ({ limit, total }) => limit === 1 && total >= 1,
    },
  });
  await grace.expectError('Others may not.', 'GET', '/v1/accounts', 403, 'forbidden');
  await admin.call('The admin suspends a user ...', 'PATCH', `/v1/users/${bob.id}`, {
    send: { status: 'suspended' },
    is: 'user',
    with: { status: 'suspended' },
  });
  await bob.expectError(
    '... whose token stops working at once ...',
    'GET',
    '/v1/transactions',
    401,
    'unauthorized',
  );
  await bob.expectError('... and who cannot log in ...', 'POST', '/v1/auth/login', 401, 'unauthorized', {
    send: { email: bob.email, password: PASSWORD },
  });
  await admin.call('... until the suspension is lifted.', 'PATCH', `/v1/users/${bob.id}`, {
    send: { status: 'active' },
    is: 'user',
    with: { status: 'active' },
  });
  await bob.logIn('The old tokens stay invalid; a new login works.', bob.email);
}

async function closing(grace, bob, pending, admin) {
  chapter('Closing an account');
  await bob.expectError('A member cannot close it.', 'DELETE', '/v1/account', 403, 'forbidden');
  await grace.call(
    'Its owner can, which is final: pending transactions and payment requests are canceled, linked users are deleted.',
    'DELETE',
    '/v1/account',
    {
      is: 'closedAccount',
      with: { id: grace.accountId, status: 'closed' },
    },
  );
  await bob.expectError(
    'All tokens that act for the account stop working at once.',
    'GET',
    '/v1/account',
    401,
    'unauthorized',
  );
  await grace.expectError(
    'The owner was a linked user too, and has been deleted.',
    'POST',
    '/v1/auth/login',
    401,
    'invalid_credentials',
    {
      send: { email: grace.email, password: PASSWORD },
    },
  );
  if (admin === null) return;
  await admin.call('The back office still sees the account ...', 'GET', `/v1/accounts/${grace.accountId}`, {
    is: 'account',
    with: { status: 'closed' },
  });
  await admin.call(
    '... and that the pending payment request has been canceled.',
    'GET',
    `/v1/payments/${pending.id}/status`,
    {
      is: 'paymentStatus',
      with: { status: 'canceled' },
    },
  );
}

async function tour(base, credentials) {
  const { ada, grace, bob } = await signUps(base);
  await transactions(ada, grace);
  const pending = await paymentRequests(grace, bob);
  await subscriptions(grace);
  await sessions(ada);
  const admin = credentials && Object.assign(new Client('Admin', base), credentials);
  if (admin) await backOffice(admin, grace, bob);
  else print('\n(Skipping the back office: set ADMIN_EMAIL and ADMIN_PASSWORD of an admin of this service.)');
  await closing(grace, bob, pending, admin);
}

/** Whether a service responds there. @throws DemoError if something else responds there */
async function respondsAt(base) {
  let response;
  try {
    response = await fetch(`${base}/health/live`, { signal: AbortSignal.timeout(5_000) });
  } catch {
    return false; // nothing listens there
  }
  const body = await response.json().catch(() => null);
  if (response.ok && body?.status === 'ok') return true;
  throw new DemoError(
    `${base} is not a running Countinghouse: GET /health/live returned ${response.status}.`,
  );
}

/** Starts a service for the demo, with a free port, a temporary database and an admin. */
async function startOwn() {
  const dataDir = mkdtempSync(join(tmpdir(), 'countinghouse-demo-'));
  // For root, the server runs as another user, who must be able to enter the folder.
  chmodSync(dataDir, 0o711);
  const admin = { email: 'admin@example.com', password: `demo ${randomBytes(12).toString('hex')}` };
  const child = spawn(process.execPath, [fileURLToPath(new URL('start.mjs', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      PORT: '0',
      NODE_ENV: 'development',
      LISTEN_ADDRESS: '',
      DATABASE_URL: '',
      DATABASE_URL_FILE: '',
      DATA_DIR: join(dataDir, 'data'),
      ADMIN_EMAIL: admin.email,
      ADMIN_PASSWORD: admin.password,
      ADMIN_PASSWORD_FILE: '',
      TLS_CERT_FILE: '',
      TLS_KEY_FILE: '',
      LOG_LEVEL: 'error',
    },
  });
  const exit = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await exit;
    rmSync(dataDir, { recursive: true, force: true });
  };
  for await (const line of createInterface(child.stdout)) {
    const base = /^Countinghouse listens on (\S+)$/.exec(line)?.[1];
    if (base) return { base, admin, stop };
  }
  await stop();
  throw new DemoError('The service did not start.');
}

async function main() {
  const base = (process.env.COUNTINGHOUSE_URL || 'http://localhost:3000').replace(/\/+$/, '');
  const { ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = process.env;
  const running = await respondsAt(base);
  print(running ? `Using the service at ${base}.` : `No service at ${base}: starting one for this demo.`);
  const own = running ? null : await startOwn();
  try {
    await tour(own?.base ?? base, own?.admin ?? (email && password ? { email, password } : null));
    print('\nAll responses were as documented.');
  } finally {
    await own?.stop();
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`\nThe demo failed. ${error instanceof DemoError ? error.message : error.stack}\n`);
  process.exitCode = 1;
}
