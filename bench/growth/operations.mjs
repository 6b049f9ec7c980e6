// The operations that are measured. Values of filters are rare (only the oldest rows have them) or frequent, as in fill.sql.
import { URLSearchParams } from 'node:url';

/** An amount of one in 10,000 rows, a range of one in 1,000, and one of all; all by amount. */
const AMOUNTS = {
  rare: { amount_min: 7_000, amount_max: 7_000 },
  few: { amount_min: 1, amount_max: 10 },
  frequent: { amount_min: 1, amount_max: 10_000 },
  sorted: { sort: 'amount' },
};

const LISTS = [
  {
    path: '/v1/transactions',
    table: 'transactions',
    amounts: Object.values(AMOUNTS),
    rare: { status: 'failed', type: 'refund', reference: 'order-7' },
    frequent: { status: 'succeeded', type: 'payment', reference: 'subscription' },
  },
  {
    path: '/v1/payments',
    table: 'payment_requests',
    amounts: Object.values(AMOUNTS),
    rare: { status: 'failed', customer_email: 'customer-9@example.com', reference: 'order-9' },
    frequent: { status: 'succeeded', customer_email: 'frequent@example.com', reference: 'subscription' },
  },
  {
    path: '/v1/subscriptions',
    table: 'subscriptions',
    rare: { status: 'canceled', customer_email: 'customer-9@example.com', reference: 'order-9' },
    frequent: { status: 'active', customer_email: 'frequent@example.com', reference: 'subscription' },
  },
  {
    path: '/v1/unapplied-payments',
    table: 'unapplied_payments',
    rare: { status: 'needs_attention', reason: 'canceled' },
    frequent: { status: 'returned', reason: 'amount_mismatch' },
  },
  {
    path: '/v1/events',
    table: 'events',
    rare: { type: 'transaction.failed' },
    frequent: { type: 'transaction.succeeded' },
  },
  {
    path: '/v1/audit-log',
    table: 'audit_log',
    rare: { actor_id: 'usr_rare', action: 'account.suspend', object_id: 'acc_rare', outcome: 'refused' },
    frequent: {
      actor_id: 'usr_frequent',
      action: 'account.read',
      object_id: 'acc_frequent',
      outcome: 'succeeded',
    },
  },
];

const DATES = { created_after: '2026-02-01T10:00:00Z', created_before: '2026-09-30T17:30:00Z' };
const MOST_USERS = 'account with most users';
const PAGE_LISTS = [
  { path: '/v1/accounts', queries: [{}, { status: 'pending' }, { type: 'business' }, DATES] },
  { path: '/v1/users', queries: [{}, { status: 'pending' }, { search: 'user-77@' }] },
  { path: '/v1/users', scope: MOST_USERS, queries: [{}, { status: 'active' }] },
];
const SEARCHES = {
  'a reference': 'order-9',
  'a frequent reference': 'subscription',
  'an email': 'customer-9@example.com',
};
const LIMIT = 20;

const any = (items) => items[Math.floor(Math.random() * items.length)];
const rowsOf = async (client, sql, params = []) => (await client.query(sql, params)).rows;

/** What the requests to one database name: accounts, some transactions, and the middle of each list. */
async function readFacts(client) {
  const accounts = await rowsOf(
    client,
    'SELECT account_id AS id FROM transactions GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 6',
  );
  const scopes = { all: null, 'large account': accounts[0].id, 'small account': accounts[5].id };
  const cursors = {};
  for (const { table } of LISTS) {
    for (const accountId of Object.values(scopes)) {
      const ids = `SELECT id FROM ${table} WHERE $1::text IS NULL OR account_id = $1`;
      const sql = `${ids} ORDER BY id OFFSET (SELECT count(*) / 2 FROM (${ids}) AS listed) LIMIT 1`;
      cursors[`${table} ${accountId}`] = (await rowsOf(client, sql, [accountId]))[0]?.id;
    }
  }
  const transactions = await rowsOf(client, 'SELECT id FROM transactions ORDER BY hashtext(id) LIMIT 200');
  const owners = await rowsOf(client, `SELECT id FROM accounts WHERE status = 'active' LIMIT 200`);
  const [{ id: mostUsers }] = await rowsOf(
    client,
    'SELECT account_id AS id FROM users WHERE account_id IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1',
  );
  return { scopes: { ...scopes, [MOST_USERS]: mostUsers }, cursors, transactions, owners };
}

/** Reads the facts of a filled service. @returns the service */
export async function withFacts(service) {
  return Object.assign(service, { facts: await readFacts(service.client) });
}

const get = (path, query) => ({ method: 'GET', path: `${path}?${new URLSearchParams(query)}` });

function credit(accountId) {
  const body = { account_id: accountId, amount: 100, currency: 'USD', type: 'credit', reference: 'bench' };
  return { method: 'POST', path: '/v1/transactions', body };
}

const PAYMENT_REQUEST = {
  amount: 100,
  currency: 'USD',
  customer_email: 'frequent@example.com',
  reference: 'subscription',
};

/** By path: a creation, whose request names an account. */
export const CREATIONS = {
  '/v1/transactions': credit,
  '/v1/payments': (account_id) => ({
    method: 'POST',
    path: '/v1/payments',
    body: { account_id, ...PAYMENT_REQUEST },
  }),
  '/v1/subscriptions': (account_id) => ({
    method: 'POST',
    path: '/v1/subscriptions',
    body: { account_id, ...PAYMENT_REQUEST, interval: 'month' },
  }),
};

/** Any of the accounts of a service that own something. */
export const anOwner = ({ owners }) => any(owners).id;

/** @returns operations, each with a name and `request(facts, pages)`; `pages` are the last pages of page lists by path */
export function operations() {
  return [
    { name: 'POST transaction, any account', request: (facts) => credit(anOwner(facts)) },
    { name: 'POST transaction, large account', request: ({ scopes }) => credit(scopes['large account']) },
    {
      name: 'GET transaction',
      request: ({ transactions }) => ({ method: 'GET', path: `/v1/transactions/${any(transactions).id}` }),
    },
    ...['', '2026-05-01T00:00:00Z'].map((asOf) => ({
      name: `GET balance${asOf && ' as_of'}, large account`,
      request: ({ scopes }) =>
        get(`/v1/accounts/${scopes['large account']}/balance`, asOf === '' ? {} : { as_of: asOf }),
    })),
    ...[{}, { date_to: '2026-05-01' }].map((query) => ({
      name: `GET entries ${Object.values(query).join(' ')}, large account`,
      request: ({ scopes }) => get(`/v1/accounts/${scopes['large account']}/entries`, query),
    })),
    ...[{}, { from: '2025-11-01', to: '2026-10-31' }].map((query) => ({
      name: `GET totals${Object.keys(query).length > 0 ? ' of a year' : ''}`,
      request: () => get('/v1/totals', query),
    })),
    ...Object.entries(SEARCHES).map(([what, q]) => ({
      name: `GET search, ${what}`,
      request: () => get('/v1/search', { q }),
    })),
    {
      name: 'GET search, an id',
      request: ({ transactions }) => get('/v1/search', { q: any(transactions).id }),
    },
    ...LISTS.flatMap(cursorListOperations),
    ...PAGE_LISTS.flatMap(pageListOperations),
  ];
}

function cursorListOperations({ path, table, rare, frequent, amounts = [] }) {
  const single = (values) => Object.entries(values).map(([name, value]) => ({ [name]: value }));
  const combined = [rare, frequent].filter((values) => Object.keys(values).length > 1);
  const filters = [...single(rare), ...single(frequent), ...combined, ...amounts, { date_to: '2026-05-01' }];
  const scoped = ({ scopes }, scope, query) =>
    get(path, { ...query, ...(scopes[scope] !== null && { account_id: scopes[scope] }), limit: LIMIT });
  return ['all', 'large account', 'small account'].flatMap((scope) => [
    { name: `${path}, ${scope}`, request: (facts) => scoped(facts, scope, {}) },
    ...['starting_after', 'ending_before'].map((side) => ({
      name: `${path}, ${scope}, ${side} the middle`,
      request: (facts) => {
        const cursor = facts.cursors[`${table} ${facts.scopes[scope]}`];
        return scoped(facts, scope, cursor === undefined ? {} : { [side]: cursor });
      },
    })),
    ...filters.map((query) => ({
      name: `${path}, ${scope}, ${Object.values(query).join(' ')}`,
      request: (facts) => scoped(facts, scope, query),
    })),
  ]);
}

function pageListOperations({ path, scope, queries }) {
  const scoped = ({ scopes }, query) =>
    get(path, { ...query, ...(scope && { account_id: scopes[scope] }), limit: LIMIT });
  return queries.flatMap((query) =>
    [1, 0.5, 0].map((place) => ({
      name: `${path}${scope ? ` of the ${scope}` : ''} ${Object.values(query).join(' ')}, ${{ 1: 'last', 0.5: 'middle', 0: 'first' }[place]} page`,
      /** Makes the request that tells how many pages there are. */
      total: (facts) => scoped(facts, query),
      request: (facts, total) =>
        scoped(facts, { ...query, page: Math.max(1, Math.ceil((total * place) / LIMIT)) }),
    })),
  );
}
