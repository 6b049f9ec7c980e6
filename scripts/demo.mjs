// A walk through the API over HTTP: prints each call, its answer and what it shows, and fails when an answer is not as
// documented. It talks to the service at COUNTINGHOUSE_URL (default http://localhost:3000). When none answers there it
// starts one on a free port with a database of its own, and ends it afterwards. The admin's part needs ADMIN_EMAIL and
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

/** The members of each answer, as the API documents them. */
const shapes = {
  error: ['error', 'message'],
  user: ['id', 'email', 'name', 'status', 'created_at', 'updated_at'],
  users: ['data', 'pagination'],
  tokens: ['access_token', 'refresh_token', 'token_type', 'expires_in', 'user'],
  sessions: ['data'],
  endedSession: ['message', 'session_id'],
  endedPresentSession: ['message'],
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

/** Addresses that no earlier run has used, so that the demo can run again on the same database. */
const run = randomBytes(4).toString('hex');
const address = (name) => `${name}.${run}@example.com`;

const say = (line = '') => process.stdout.write(`${line}\n`);
const chapter = (title) => say(`\n== ${title} ==`);

/** JSON for the reader's eyes: secrets masked. */
const shown = (value) =>
  JSON.stringify(value, (name, member) =>
    SECRETS.has(name) && typeof member === 'string' ? '(masked)' : member,
  );

class Unexpected extends Error {}

/** What is wrong with an answer, or null. `values` are members that must be so; a function looks at the member. */
function fault(reply, status, shape, values) {
  if (reply.status !== status) return `the status is ${reply.status} and should be ${status}`;
  const members = Object.keys(reply.body).toSorted().join(', ');
  const documented = shapes[shape].toSorted().join(', ');
  if (members !== documented) return `the members are ${members} and should be ${documented}`;
  for (const [name, wanted] of Object.entries(values)) {
    const found = reply.body[name];
    const right =
      typeof wanted === 'function' ? wanted(found) : JSON.stringify(found) === JSON.stringify(wanted);
    if (!right) return `${name} is ${shown({ [name]: found })}, which should be ${wanted}`;
  }
  return null;
}

/** Someone who calls the service, with the tokens that a login gave. */
class Person {
  constructor(name, base) {
    this.name = name;
    this.base = base;
  }

  /** Makes one call, prints it and checks its answer; answers the body. */
  async does(what, method, path, { send, key, status = 200, is, with: values = {}, replayed = false }) {
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
    say(`\n${what}`);
    say(`  ${this.name}: ${method} ${path}${key ? `  Idempotency-Key: ${key}` : ''}`);
    if (send !== undefined) say(`    ${shown(send)}`);
    say(`    ${reply.status} ${shown(reply.body)}`);
    const wrong = fault(reply, status, is, values);
    if (wrong !== null) throw new Unexpected(`${method} ${path}: ${wrong}.`);
    if ((response.headers.get('idempotency-replayed') === 'true') !== replayed) {
      throw new Unexpected(`${method} ${path}: Idempotency-Replayed is not as documented.`);
    }
    return reply.body;
  }

  refused(what, method, path, status, error, options = {}) {
    return this.does(what, method, path, { ...options, status, is: 'error', with: { error } });
  }

  async logsIn(what, email, password = PASSWORD) {
    const tokens = await this.does(what, 'POST', '/v1/auth/login', {
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
  const ada = new Person('Ada', base);
  ada.email = address('ada');
  const account = await ada.does(
    'An account needs no token to sign up. It has an email and a password of its own.',
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
  await ada.refused(
    'Emails compare without regard to case, and serve one account each.',
    'POST',
    '/v1/accounts',
    409,
    'email_exists',
    { send: { email: ada.email.toUpperCase(), name: 'Ada', type: 'individual', password: PASSWORD } },
  );
  await ada.refused(
    'A wrong password says no more than that.',
    'POST',
    '/v1/auth/login',
    401,
    'invalid_credentials',
    { send: { email: ada.email, password: 'not this one' } },
  );
  await ada.logsIn('The login answers tokens; the access token goes with every later call.', ada.email);
  await ada.does('Members of settings that are sent change, the others stay.', 'PATCH', '/v1/account', {
    send: { settings: { currency: 'EUR', timezone: 'Europe/London' } },
    is: 'account',
    with: { settings: { currency: 'EUR', timezone: 'Europe/London', language: 'en' } },
  });

  chapter('A business signs up');
  const grace = new Person('Grace', base);
  grace.email = address('grace');
  const user = await grace.does('A person signs up as a user.', 'POST', '/v1/users', {
    send: { email: grace.email, password: PASSWORD, name: 'Grace Hopper' },
    status: 201,
    is: 'user',
    with: { email: grace.email, status: 'active' },
  });
  grace.id = user.id;
  await grace.logsIn('She logs in ...', grace.email);
  await grace.refused('... and has no account yet.', 'GET', '/v1/account', 403, 'forbidden');
  const business = await grace.does(
    'A user without an account who creates one owns it at once, with the token she holds.',
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
  await grace.does('The token now acts for that account.', 'GET', '/v1/account', {
    is: 'account',
    with: { id: business.id },
  });
  const bob = new Person('Bob', base);
  bob.email = address('bob');
  const member = await grace.does(
    'A user made with the token of an owner is a member of the account.',
    'POST',
    '/v1/users',
    { send: { email: bob.email, password: PASSWORD, name: 'Bob' }, status: 201, is: 'user' },
  );
  bob.id = member.id;
  await bob.logsIn('The member logs in.', bob.email);
  await bob.refused(
    'Members act for the account, but only its owner changes it.',
    'PATCH',
    '/v1/account',
    401,
    'unauthorized',
    { send: { name: 'Bob & Co' } },
  );
  await grace.does('An owner sees the users of the account.', 'GET', '/v1/users?search=bob&limit=5', {
    is: 'users',
    with: { pagination: { page: 1, limit: 5, total_pages: 1, total_records: 1 } },
  });
  return { ada, grace, bob };
}

async function moneyMoves(ada, grace) {
  chapter('Transactions');
  const of = (type, amount, more = {}) => ({
    account_id: ada.accountId,
    amount,
    currency: 'EUR',
    type,
    ...more,
  });
  const post = (what, send, options) =>
    ada.does(what, 'POST', '/v1/transactions', { send, status: 201, is: 'newTransaction', ...options });
  const refuse = (what, send, status, error, options) =>
    ada.refused(what, 'POST', '/v1/transactions', status, error, { send, ...options });

  await post(
    'A credit moves the balance at once. Amounts are minor units: 5000 is 50.00 EUR.',
    of('credit', 5000),
    {
      with: { status: 'succeeded', reference: null, metadata: {} },
    },
  );
  const order = of('payment', 1250, { reference: `order-${run}`, metadata: { table: 7 } });
  const key = `order-${run}`;
  const payment = await post('A payment is born pending. The key makes it safe to send again.', order, {
    key,
    with: { status: 'pending', metadata: { table: 7 } },
  });
  await post('The same key again: the same answer, and nothing new is created.', order, {
    key,
    replayed: true,
    with: { id: payment.id },
  });
  await refuse(
    'The same key for another request is refused.',
    { ...order, amount: 1 },
    400,
    'invalid_request',
    {
      key,
    },
  );
  await post('A refund sends money out.', of('refund', 2000), { with: { status: 'succeeded' } });
  await refuse(
    'More than there is cannot be refunded; pending money does not count.',
    of('refund', 3001),
    402,
    'insufficient_funds',
  );
  await refuse(
    'The currency must be that of the account.',
    { ...of('credit', 1), currency: 'USD' },
    400,
    'currency_mismatch',
  );
  await refuse('Amounts are whole numbers above zero.', of('credit', 1.5), 400, 'invalid_request');
  await ada.refused(
    'The currency is fixed once there is business in it.',
    'PATCH',
    '/v1/account',
    400,
    'invalid_request',
    {
      send: { settings: { currency: 'USD' } },
    },
  );

  chapter('Notes on a transaction');
  const one = `/v1/transactions/${payment.id}`;
  await ada.does('Keys of metadata are merged; a null removes one.', 'PATCH', one, {
    send: { metadata: { table: null, waiter: 'Zoe' } },
    is: 'transaction',
    with: { metadata: { waiter: 'Zoe' }, reference: order.reference },
  });
  await ada.refused('Amount, currency and type never change.', 'PATCH', one, 409, 'conflict', {
    send: { amount: 1 },
  });
  await ada.does('The whole transaction.', 'GET', one, { is: 'transaction', with: { status: 'pending' } });
  await grace.refused('To another account it does not exist.', 'GET', one, 404, 'not_found');

  chapter('Lists with cursors');
  const page = (what, query, values) =>
    ada.does(what, 'GET', `/v1/transactions?${query}`, { is: 'list', with: { object: 'list', ...values } });
  const first = await page('Newest first.', 'limit=2', {
    data: (items) => items.length === 2,
    has_more: true,
  });
  const last = first.data[1].id;
  const second = await page(
    'The page after it starts behind its last item.',
    `limit=2&starting_after=${last}`,
    {
      data: (items) => items.length === 1,
      has_more: false,
    },
  );
  await page('And back again.', `limit=2&ending_before=${second.data[0].id}`, {
    data: (items) => items.map(({ id }) => id).join() === first.data.map(({ id }) => id).join(),
    has_more: false,
  });
  await page('Filters narrow a list.', `type=payment&reference=order-${run}`, {
    data: (items) => items.length === 1 && items[0].id === payment.id,
  });
  await ada.refused(
    'Nothing is silently clamped.',
    'GET',
    '/v1/transactions?limit=101',
    400,
    'invalid_request',
  );

  chapter('Canceling');
  await ada.does('What is pending can be canceled; it stays on record.', 'DELETE', one, {
    is: 'canceled',
    with: { id: payment.id, status: 'canceled' },
  });
  await ada.refused('Once.', 'DELETE', one, 409, 'not_cancellable');
}

async function asksForMoney(grace, bob) {
  chapter('Payment requests');
  const send = {
    account_id: grace.accountId,
    amount: 98000,
    currency: 'JPY',
    customer_email: 'customer@example.com',
    reference: `invoice-${run}`,
    metadata: { project: 'COBOL' },
  };
  const request = await bob.does(
    'A member asks a customer for money. Whoever has payment_url may pay, so it is masked here.',
    'POST',
    '/v1/payments',
    {
      send,
      status: 201,
      is: 'newPayment',
      with: { status: 'pending', payment_url: (url) => /\/pay\/.{43}$/.test(url) },
    },
  );
  await bob.refused(
    'An account that is not there for the caller.',
    'POST',
    '/v1/payments',
    404,
    'account_not_found',
    {
      send: { ...send, account_id: 'acc_nobody' },
    },
  );
  const one = `/v1/payments/${request.id}`;
  await grace.does('The status can be polled.', 'GET', `${one}/status`, {
    is: 'paymentStatus',
    with: { status: 'pending', amount: 98000, reference: send.reference },
  });
  await grace.does('And found by its reference.', 'GET', `/v1/payments?reference=${send.reference}`, {
    is: 'list',
    with: { data: (items) => items.length === 1, has_more: false },
  });
  await grace.does('A request that is not wanted any more is canceled.', 'DELETE', one, {
    is: 'canceled',
    with: { status: 'canceled' },
  });
  await grace.does('Its status tells.', 'GET', `${one}/status`, {
    is: 'paymentStatus',
    with: { status: 'canceled' },
  });
  return bob.does('Another one stays pending.', 'POST', '/v1/payments', {
    send,
    status: 201,
    is: 'newPayment',
  });
}

async function subscriptionRuns(grace) {
  chapter('A subscription');
  const reference = `contract-${run}`;
  const subscription = await grace.does(
    'A customer is asked for the same amount each month.',
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
  await grace.does(
    'The first payment request is made at once.',
    'GET',
    `/v1/payments?reference=${reference}`,
    {
      is: 'list',
      with: { data: (items) => items.length === 1 && items[0].amount === 4900 },
    },
  );
  await grace.refused(
    'An account with an active subscription is not closed ...',
    'DELETE',
    '/v1/account',
    409,
    'active_subscriptions',
  );
  await grace.does('... so it is canceled first.', 'DELETE', `/v1/subscriptions/${subscription.id}`, {
    is: 'canceled',
    with: { status: 'canceled' },
  });
}

async function sessionsEnd(ada) {
  chapter('Sessions');
  const before = ada.refreshToken;
  const tokens = await ada.does(
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
  const laptop = new Person("Ada's laptop", ada.base);
  await laptop.logsIn('A second login is a second session.', ada.email);
  const { data } = await ada.does("One's live sessions.", 'GET', '/v1/auth/sessions', {
    is: 'sessions',
    with: { data: (sessions) => sessions.length === 2 },
  });
  const other = data.find((session) => !session.current).session_id;
  await ada.does('One of them can be ended from another.', 'DELETE', '/v1/auth/session', {
    send: { session_id: other },
    is: 'endedSession',
    with: { session_id: other },
  });
  await laptop.refused('Its access token stops at once.', 'GET', '/v1/account', 401, 'unauthorized');
  await ada.does('Without a body the present session ends.', 'DELETE', '/v1/auth/session', {
    is: 'endedPresentSession',
  });
  await ada.refused('And its refresh token with it.', 'POST', '/v1/auth/refresh', 401, 'unauthorized', {
    send: { refresh_token: ada.refreshToken },
  });
}

async function adminActs(admin, grace, bob) {
  chapter('The back office');
  const { email, password } = admin;
  await admin.logsIn('An admin logs in like anyone else.', email, password);
  await admin.does('Admins see all accounts.', 'GET', '/v1/accounts?type=business&limit=1', {
    is: 'accounts',
    with: {
      data: (items) => items.length === 1,
      pagination: ({ limit, total }) => limit === 1 && total >= 1,
    },
  });
  await grace.refused('Others do not.', 'GET', '/v1/accounts', 403, 'forbidden');
  await admin.does('A user is suspended ...', 'PATCH', `/v1/users/${bob.id}`, {
    send: { status: 'suspended' },
    is: 'user',
    with: { status: 'suspended' },
  });
  await bob.refused('... whose token stops at once ...', 'GET', '/v1/transactions', 401, 'unauthorized');
  await bob.refused('... and who cannot log in ...', 'POST', '/v1/auth/login', 401, 'unauthorized', {
    send: { email: bob.email, password: PASSWORD },
  });
  await admin.does('... until the suspension is lifted.', 'PATCH', `/v1/users/${bob.id}`, {
    send: { status: 'active' },
    is: 'user',
    with: { status: 'active' },
  });
  await bob.logsIn('The old tokens stay ended; a new login works.', bob.email);
}

async function accountCloses(grace, bob, pending, admin) {
  chapter('An account closes');
  await bob.refused('A member cannot close it.', 'DELETE', '/v1/account', 403, 'forbidden');
  await grace.does(
    'Its owner can, for good. What is pending is canceled, linked users are deleted.',
    'DELETE',
    '/v1/account',
    {
      is: 'closedAccount',
      with: { id: grace.accountId, status: 'closed' },
    },
  );
  await bob.refused('All tokens that acted for it stop at once.', 'GET', '/v1/account', 401, 'unauthorized');
  await grace.refused(
    'The owner was a linked user too.',
    'POST',
    '/v1/auth/login',
    401,
    'invalid_credentials',
    {
      send: { email: grace.email, password: PASSWORD },
    },
  );
  if (admin === null) return;
  await admin.does('The back office still sees the account ...', 'GET', `/v1/accounts/${grace.accountId}`, {
    is: 'account',
    with: { status: 'closed' },
  });
  await admin.does(
    '... and that nobody will be asked for money any more.',
    'GET',
    `/v1/payments/${pending.id}/status`,
    {
      is: 'paymentStatus',
      with: { status: 'canceled' },
    },
  );
}

async function story(base, credentials) {
  const { ada, grace, bob } = await signUps(base);
  await moneyMoves(ada, grace);
  const pending = await asksForMoney(grace, bob);
  await subscriptionRuns(grace);
  await sessionsEnd(ada);
  const admin = credentials && Object.assign(new Person('Admin', base), credentials);
  if (admin) await adminActs(admin, grace, bob);
  else
    say('\n(The back office is left out: set ADMIN_EMAIL and ADMIN_PASSWORD of an admin of this service.)');
  await accountCloses(grace, bob, pending, admin);
}

/** Whether a service answers there. @throws Unexpected for something that is not Countinghouse */
async function answersAt(base) {
  let response;
  try {
    response = await fetch(`${base}/health/live`, { signal: AbortSignal.timeout(5_000) });
  } catch {
    return false; // nobody listens
  }
  const body = await response.json().catch(() => null);
  if (response.ok && body?.status === 'ok') return true;
  throw new Unexpected(
    `${base} is not a Countinghouse that lives: GET /health/live answered ${response.status}.`,
  );
}

/** Starts the service for the time of the demo: any free port, a database of its own, an admin of its own. */
async function startOwn() {
  const dataDir = mkdtempSync(join(tmpdir(), 'countinghouse-demo-'));
  // Passable for others: run by root the server is another user's, who would keep the data elsewhere, for good.
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
      DATA_DIR: join(dataDir, 'data'),
      ADMIN_EMAIL: admin.email,
      ADMIN_PASSWORD: admin.password,
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
  throw new Unexpected('The service does not start.');
}

async function main() {
  const base = (process.env.COUNTINGHOUSE_URL || 'http://localhost:3000').replace(/\/+$/, '');
  const { ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = process.env;
  const running = await answersAt(base);
  say(
    running
      ? `The service at ${base} answers.`
      : `No service answers at ${base}: starting one for this demo.`,
  );
  const own = running ? null : await startOwn();
  try {
    await story(own?.base ?? base, own?.admin ?? (email && password ? { email, password } : null));
    say('\nEverything answered as documented.');
  } finally {
    await own?.stop();
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`\nThe demo failed. ${error instanceof Unexpected ? error.message : error.stack}\n`);
  process.exitCode = 1;
}
