// Measures 1, 2 and 4 replicas of the service on one database, or with --processes one replica with as many processes
// (WEB_CONCURRENCY): rates and times of POST and GET, connections, and how they share the settlement of payments that are
// due at once. Run it with `npm run bench:replicas`. On few cores it shows what replicas cost and not what they bring,
// since all of them, PostgreSQL and the load share the cores.
import { parseArgs } from 'node:util';
import { onBenchmarkDatabase } from './support/database.mjs';
import { Fixture } from './support/fixture.mjs';
import { latenciesAt, median, percentile, rateOf } from './support/load.mjs';
import { postgresCpuMs } from './support/postgres-cpu.mjs';
import { printTable } from './support/print-table.mjs';
import { Server, SERVICE } from './support/processes.mjs';

const COUNTS = [1, 2, 4];
const CONNECTIONS = 32;
const SAMPLE_MS = 5;
const REQUESTS = { post: 'credit', get: 'getOne' };

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    accounts: { type: 'string', default: '500' },
    payments: { type: 'string', default: '4000' },
    rows: { type: 'string', default: 'post,get,settle' },
    processes: { type: 'boolean', default: false },
  },
});
const [rounds, seconds, accounts, payments] = ['rounds', 'seconds', 'accounts', 'payments'].map((name) =>
  Number(options[name]),
);
const chosen = options.rows.split(',');

const start = (shared, RUN_WORKER, processes = 1) =>
  Server.start(SERVICE, { ...shared, RUN_WORKER, WEB_CONCURRENCY: String(processes) });
const numberOf = async (client, sql) => Number(Object.values((await client.query(sql)).rows[0])[0]);
const sumOf = (values) => values.reduce((sum, value) => sum + value, 0);
const cpuMsOf = async (servers) => sumOf(await Promise.all(servers.map((server) => server.ask('cpuMs'))));
const connectionsOf = (servers) =>
  servers.flatMap((server) => server.connections(CONNECTIONS / servers.length));

/** Requests to some replicas at full speed. */
async function measureRate(servers, nextRequest, client) {
  const cpuBefore = await cpuMsOf(servers);
  const { perSecond, requests } = await rateOf(connectionsOf(servers), nextRequest, seconds);
  const cpuMs = ((await cpuMsOf(servers)) - cpuBefore) / requests;
  const open = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'countinghouse'";
  return { perSecond, cpuMs, opened: await numberOf(client, open) };
}

async function measureP99(servers, nextRequest, perSecond) {
  const over = (elapsedMs) => elapsedMs >= seconds * 1000;
  return percentile(await latenciesAt(perSecond, connectionsOf(servers), nextRequest, over), 99);
}

/** Counts how long connections wait for locks while `work` runs. @returns the sum of the waits in milliseconds */
async function lockWaitMs(client, work) {
  let waitedMs = 0;
  let running = true;
  const sampling = (async () => {
    for (let before = performance.now(); running;) {
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
      const sql = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
      const waiting = await numberOf(client, sql);
      const now = performance.now();
      waitedMs += waiting * (now - before);
      before = now;
    }
  })();
  await work();
  running = false;
  await sampling;
  return waitedMs;
}

const untilSettled = async (client) => {
  const pending = "SELECT count(*) FROM (SELECT FROM transactions WHERE status = 'pending' LIMIT 1) AS t";
  while ((await numberOf(client, pending)) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
};

/** Payments that become due at once, settled by the replicas that run background work. */
async function measureSettlements(workers, { fixture, creator, client }) {
  await fixture.createPending(creator, client, payments, fixture.accounts.length);
  // A transaction that locks or writes a row takes a number, so the numbers count the work, also the wasted one.
  const numbers = 'SELECT pg_snapshot_xmax(pg_current_snapshot())::text';
  await client.query("UPDATE transactions SET settles_at = now() WHERE status = 'pending'");
  const [first, cpuBefore, postgresBefore] = [
    await numberOf(client, numbers),
    await cpuMsOf(workers),
    await postgresCpuMs(client),
  ];
  const waitedMs = await lockWaitMs(client, () => untilSettled(client));
  const transactions = (await numberOf(client, numbers)) - first;
  const cpuMs = ((await cpuMsOf(workers)) - cpuBefore) / payments;
  const postgresMs = ((await postgresCpuMs(client)) - postgresBefore) / payments;
  const { rows } = await client.query(
    `SELECT count(*)::int AS posted, count(DISTINCT (e.account_id, e.transaction_id))::int AS settled,
            extract(epoch FROM max(posted_at) - min(posted_at))::float AS seconds
     FROM journal_entries e JOIN bench_due d ON d.account_id = e.account_id AND d.id = e.transaction_id
     WHERE leg = 'customer'`,
  );
  const { posted, settled, seconds: took } = rows[0];
  if (posted !== payments || settled !== payments)
    throw new Error(`${payments} payments have ${posted} postings.`);
  return { perSecond: payments / took, transactions, waitedMs, cpuMs, postgresMs };
}

await onBenchmarkDatabase(async ({ servers: { shared }, client }) => {
  const serving = [];
  const processesOf = options.processes ? COUNTS : Array(Math.max(...COUNTS)).fill(1);
  for (const processes of processesOf) serving.push(await start(shared, 'false', processes));
  /** The replicas that are measured together. */
  const serversOf = (count) =>
    options.processes ? [serving[COUNTS.indexOf(count)]] : serving.slice(0, count);
  const fixture = await Fixture.create(serving[0], client, { accounts, readers: Math.min(100, accounts) });

  for (const [operation, name] of Object.entries(REQUESTS).filter(([one]) => chosen.includes(one))) {
    const nextRequest = fixture.requests[name];
    for (const server of serving) await rateOf(connectionsOf([server]), nextRequest, seconds); // compilers warm up
    const results = new Map(COUNTS.map((count) => [count, { rates: [], p99: [] }]));
    for (let round = 0; round < rounds; round += 1) {
      for (const [count, { rates }] of results) {
        rates.push(await measureRate(serversOf(count), nextRequest, client));
      }
    }
    const medianOf = ({ rates }, member) => median(rates.map((one) => one[member]));
    const half = Math.min(...[...results.values()].map((one) => medianOf(one, 'perSecond'))) / 2;
    for (let round = 0; round < rounds; round += 1) {
      for (const [count, { p99 }] of results) {
        p99.push(await measureP99(serversOf(count), nextRequest, half));
      }
    }
    printTable(
      [operation, 'per second', 'CPU ms', `p99 ms at ${half.toFixed(0)}/s`, 'connections'],
      [...results].map(([count, one]) => {
        const [perSecond, cpuMs, opened] = ['perSecond', 'cpuMs', 'opened'].map((name) =>
          medianOf(one, name),
        );
        return [count, perSecond.toFixed(0), cpuMs.toFixed(2), median(one.p99).toFixed(1), opened];
      }),
    );
    console.log();
  }

  if (!chosen.includes('settle')) return;
  const lines = [];
  for (const count of COUNTS) {
    const workers = [];
    if (options.processes) workers.push(await start(shared, 'true', count));
    else for (let index = 0; index < count; index += 1) workers.push(await start(shared, 'true'));
    const measured = [];
    for (let round = 0; round < rounds; round += 1) {
      measured.push(await measureSettlements(workers, { fixture, creator: serving[0], client }));
    }
    await Promise.all(workers.map((worker) => worker.stop()));
    const of = (member, digits) => median(measured.map((one) => one[member])).toFixed(digits);
    lines.push([
      count,
      of('perSecond', 0),
      of('transactions', 0),
      of('waitedMs', 0),
      of('cpuMs', 2),
      of('postgresMs', 2),
    ]);
  }
  printTable(
    [
      'settling',
      'per second',
      'database transactions',
      'lock waits ms',
      'service CPU ms',
      'PostgreSQL CPU ms',
    ],
    lines,
  );
});
