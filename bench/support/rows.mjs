import { latenciesAt, percentile, rateOf } from './load.mjs';
import { pgbench } from './pgbench.mjs';
import { postgresCpuMs } from './postgres-cpu.mjs';
import { makeDue, untilSettled } from './settlements.mjs';

const CONNECTIONS = 32;
/** Logins take long, so that with more connections the unfinished ones at the end of a round would count. */
const LOGIN_CONNECTIONS = 4;
/** Payments that fall due at once, for each account of the benchmark. */
const DUE_PER_ACCOUNT = 4;
/** Requests per second that are sent beside settlements. */
const BESIDE = 100;

/**
 * One side of a row: requests to a server, each of which counts as its items. `rate` returns responses per second, the CPU
 * of the server and of PostgreSQL per request in milliseconds, and the memory of the server; `latencies` the ascending
 * times at a rate.
 */
export const http = (serverName, requestName, { count = CONNECTIONS, items = 1 } = {}) => ({
  serverName,
  requestName,
  count,
  items,
  prepare: ({ servers }) => servers.get(serverName),
  async rate({ servers, fixture, client, seconds }) {
    const server = await servers.get(serverName);
    const cpu = async () => [await server.ask('cpuMs'), await postgresCpuMs(client)];
    const before = await cpu();
    const nextRequest = fixture.requests[requestName];
    const { perSecond, requests } = await rateOf(server.connections(count), nextRequest, seconds);
    const [cpuMs, postgresMs] = (await cpu()).map((ms, index) => (ms - before[index]) / requests);
    const memoryMb = (await server.ask('memory')).rss / 1e6;
    return { perSecond: perSecond * items, cpuMs: cpuMs / items, postgresMs: postgresMs / items, memoryMb };
  },
  async latencies({ servers, fixture, seconds }, perSecond) {
    const connections = (await servers.get(serverName)).connections(count);
    const over = (elapsedMs) => elapsedMs >= seconds * 1000;
    return latenciesAt(perSecond / items, connections, fixture.requests[requestName], over);
  },
});

/**
 * The statements of a row without a service in front of them.
 * @param connections how many run them at a time @param items what one run of the script counts as
 */
const sql = (script, { accounts, receivers, connections = CONNECTIONS, items = 1 } = {}) => {
  const variables = ({ fixture }) => ({
    accounts: accounts ?? fixture.accounts.length,
    receivers: receivers ?? fixture.accounts.length,
  });
  return {
    prepare: () => undefined,
    async rate(context) {
      const before = await postgresCpuMs(context.client);
      const options = ['-T', context.seconds];
      const runs = await pgbench(context.url, script, variables(context), connections, options);
      const perSecond = runs.perSecond * items;
      const postgresMs = ((await postgresCpuMs(context.client)) - before) / (perSecond * context.seconds);
      return { perSecond, postgresMs };
    },
    async latencies(context, perSecond) {
      const options = ['-T', context.seconds, '-R', Math.round(perSecond / items)];
      return (await pgbench(context.url, script, variables(context), connections, options)).latencies;
    },
  };
};

/** Rows whose sides are measured in turn, first at full speed, then at half of the service's highest rate. */
export const rows = [
  {
    name: 'post',
    title: 'POST /v1/transactions, all accounts',
    ours: http('service', 'credit'),
    rival: sql('credit.sql'),
  },
  {
    name: 'post-beside-fastify',
    title: '... beside Fastify and pg',
    ours: http('service', 'credit'),
    rival: http('bare-fastify', 'credit'),
  },
  {
    name: 'post-beside-nest',
    title: '... beside Nest and TypeORM',
    ours: http('service', 'credit'),
    rival: http('plain-nest', 'credit'),
  },
  {
    name: 'post-by-admin',
    title: '... by an admin, in the audit log',
    ours: http('service', 'creditByAdmin'),
    rival: sql('credit.sql'),
  },
  {
    // The ceiling of group commit: one connection that always has a full group, and no HTTP.
    name: 'post-beside-function',
    title: '... beside a function for 32 accounts',
    ours: http('service', 'credit'),
    rival: sql('credit-32.sql', { connections: 1, items: 32 }),
  },
  {
    name: 'post-without-group-commit',
    title: '... with GROUP_COMMIT=false',
    ours: http('without-group-commit', 'credit'),
    rival: sql('credit.sql'),
  },
  {
    name: 'post-one',
    title: 'POST /v1/transactions, one account',
    ours: http('service', 'creditToOneAccount'),
    rival: sql('credit.sql', { accounts: 1 }),
  },
  {
    name: 'transfer',
    title: 'POST /v1/transfers, all accounts',
    ours: http('service', 'transfer'),
    rival: sql('transfer.sql'),
  },
  {
    name: 'transfer-to-one',
    title: 'POST /v1/transfers, to one account',
    ours: http('service', 'transferToOneAccount'),
    rival: sql('transfer.sql', { receivers: 1 }),
  },
  {
    name: 'batch-atomic',
    title: 'POST /v1/transactions/batch of 50, atomic',
    ours: http('service', 'atomicBatch', { items: 50 }),
    rival: http('service', 'credit'),
  },
  {
    name: 'batch-independent',
    title: '... independent',
    ours: http('service', 'independentBatch', { items: 50 }),
    rival: http('service', 'credit'),
  },
  {
    name: 'post-hook',
    title: 'POST /v1/transactions, with a hook',
    ours: http('with-hook', 'credit'),
    rival: sql('credit-with-hook.sql'),
  },
  {
    name: 'get-one',
    title: 'GET /v1/transactions/{id}',
    ours: http('service', 'getOne'),
    rival: http('bare-fastify', 'getOne'),
  },
  {
    name: 'get-one-beside-nest',
    title: '... beside Nest and TypeORM',
    ours: http('service', 'getOne'),
    rival: http('plain-nest', 'getOne'),
  },
  {
    name: 'get-balance',
    title: 'GET /v1/account/balance',
    ours: http('service', 'getBalance'),
    rival: http('bare-fastify', 'getBalance'),
  },
  {
    name: 'get-balance-beside-nest',
    title: '... beside Nest and TypeORM',
    ours: http('service', 'getBalance'),
    rival: http('plain-nest', 'getBalance'),
  },
  {
    name: 'list',
    title: 'GET /v1/transactions, 20 items',
    ours: http('service', 'list'),
    rival: http('bare-fastify', 'list'),
  },
  {
    name: 'list-beside-nest',
    title: '... beside Nest and TypeORM',
    ours: http('service', 'list'),
    rival: http('plain-nest', 'list'),
  },
  {
    name: 'login',
    title: 'POST /v1/auth/login, cost 10',
    ours: http('service', 'logIn', { count: LOGIN_CONNECTIONS }),
    rival: http('bare-fastify', 'logIn', { count: LOGIN_CONNECTIONS }),
  },
  {
    name: 'login-beside-nest',
    title: '... beside Nest and TypeORM',
    ours: http('service', 'logIn', { count: LOGIN_CONNECTIONS }),
    rival: http('plain-nest', 'logIn', { count: LOGIN_CONNECTIONS }),
  },
];

/** The rows with the same service on both sides, as it is here and in another checkout. */
export const rowsAgainstOther = [
  ...rows,
  { name: 'post-payment', title: 'the same, pending payments', ours: http('service', 'payment') },
]
  .filter(({ name }) => !name.includes('-beside-'))
  .filter(({ ours }) => ours.serverName === 'service' && ours.count === CONNECTIONS)
  .map((row) => ({ ...row, rival: http('other-checkout', row.ours.requestName, row.ours) }));

/** Settlements, and what they do to the latency of a POST that is sent meanwhile. */
export const settlementRows = [
  { name: 'settle', title: 'settling what is due, all accounts', accounts: Infinity, request: 'credit' },
  {
    name: 'settle-one',
    title: 'settling what is due, one account',
    accounts: 1,
    request: 'creditToOneAccount',
  },
];

/** @returns the settlements per second of both sides, and the p99 of a POST alone and beside them in milliseconds */
export async function measureSettlements({ accounts, request }, { servers, fixture, client, url, seconds }) {
  const server = await servers.get('service');
  const due = fixture.accounts.length * DUE_PER_ACCOUNT;
  const spread = Math.min(accounts, fixture.accounts.length);
  const posts = (until) =>
    latenciesAt(BESIDE, server.connections(CONNECTIONS), fixture.requests[request], until);

  await fixture.createPending(server, client, due, spread);
  const rival = await pgbench(url, 'settle.sql', {}, CONNECTIONS, ['-t', Math.floor(due / CONNECTIONS)]);

  await fixture.createPending(server, client, due, spread);
  const alone = await posts((elapsedMs) => elapsedMs >= seconds * 1000);
  await makeDue(client);
  let settled = false;
  const polling = untilSettled(client).then(() => (settled = true));
  const beside = await posts(() => settled);
  await polling;
  const { rows } = await client.query(
    `SELECT extract(epoch FROM max(updated_at) - min(updated_at))::float AS seconds FROM transactions
     WHERE (account_id, id) IN (SELECT account_id, id FROM bench_due)`,
  );
  return {
    ours: due / rows[0].seconds,
    rival: rival.perSecond,
    aloneMs: percentile(alone, 99),
    besideMs: percentile(beside, 99),
  };
}
