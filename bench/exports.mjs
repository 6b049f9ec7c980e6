// Exports a list of transactions as CSV, and the statement of an account for the month of all of them in each format, while
// a small request is sent at a fixed rate. Prints the memory of the server, the longest statement of the database, and the
// latency of the small request, beside those of an idle server. Run it with `npm run bench:exports`; docs/performance.md
// explains it.
//   npm run bench:exports -- --sizes 100000,1000000 --rate 20
import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { FilledService } from './growth/filled-service.mjs';
import { onBenchmarkDatabase } from './support/database.mjs';
import { latenciesAt, percentile } from './support/load.mjs';
import { printRow, printTable } from './support/print-table.mjs';

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: '100000,1000000' },
    rate: { type: 'string', default: '20' },
  },
});
const sizes = options.sizes.split(',').map(Number);
const rate = Number(options.rate);

/** fill.sql begins on the first of this month. */
const MONTH = '2025-11';
const DAYS = 30;
const SAMPLE_MS = 100;
const IDLE_MS = 5_000;
const STOPPED_MS = 10_000;
const MB = 2 ** 20;

/** What is exported, and what begins each row, or each page, of the file. */
const exportsOf = (accountId) => [
  { name: 'transactions, CSV', path: '/v1/transactions?format=csv', row: '\n' },
  ...[
    ['csv', '\n'],
    ['camt053', '<Ntry>'],
    ['json', '"number":'],
    ['pdf', '/Type /Page\n'],
  ].map(([format, row]) => ({
    name: `statement, ${format}`,
    path: `/v1/accounts/${accountId}/statements/${MONTH}?format=${format}`,
    row,
  })),
];

/** Sends a request. @returns the response, of which nothing is read yet */
async function begin({ server, token }, path) {
  const headers = { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    get({ port: server.port, path, headers, agent: false }, resolve).once('error', reject);
  });
}

/** Reads a response. @returns its bytes, and how often it contains `row` */
async function read(response, row) {
  let [bytes, rows] = [0, 0];
  let rest = ''; // the end of a chunk, which may be the beginning of a row
  for await (const chunk of response) {
    bytes += chunk.length;
    const text = rest + chunk.toString('latin1');
    rows += text.split(row).length - 1;
    rest = row.length > 1 ? text.slice(1 - row.length) : '';
  }
  return { bytes, rows };
}

/** Samples the server until `work` ends, and sends it small requests meanwhile. */
async function observe(service, work) {
  const { server, client } = service;
  const [{ id }] = (await client.query('SELECT id FROM transactions LIMIT 1')).rows;
  const small = { method: 'GET', path: `/v1/transactions/${id}`, token: service.token };
  const peak = { rss: 0, heapUsed: 0, statementMs: 0 };
  let ended = false;
  const sample = async () => {
    while (!ended) {
      const memory = await server.ask('memory');
      const { rows } = await client.query(
        `SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)::float8 * 1000 AS ms FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
      );
      for (const name of ['rss', 'heapUsed']) peak[name] = Math.max(peak[name], memory[name]);
      peak.statementMs = Math.max(peak.statementMs, rows[0].ms);
      await delay(SAMPLE_MS);
    }
  };
  const connections = server.connections(1); // one, which is never without a request for long: the service would close it
  const others = [
    sample(),
    latenciesAt(
      rate,
      connections,
      () => small,
      () => ended,
    ),
  ];
  const begun = performance.now();
  const result = await work().finally(() => (ended = true));
  const seconds = (performance.now() - begun) / 1000;
  const [, latencies] = await Promise.all(others);
  return { ...peak, ...result, seconds, latencies };
}

const cellsOf = ({ rss, heapUsed, statementMs, latencies }) => [
  (rss / MB).toFixed(0),
  (heapUsed / MB).toFixed(0),
  statementMs.toFixed(0),
  percentile(latencies, 50).toFixed(1),
  percentile(latencies, 99).toFixed(1),
];

async function measure(service, { name, path, row }) {
  const observed = await observe(service, async () => {
    const response = await begin(service, path);
    return { ...(await read(response, row)), status: response.statusCode };
  });
  const { bytes, rows, seconds, status } = observed;
  const file = status === 200 ? [rows, (bytes / MB).toFixed(0)] : [`status ${status}`, ''];
  return [name, ...file, seconds.toFixed(1), ...cellsOf(observed)];
}

/** Reads the beginning of an export and then nothing; then it goes. Prints what the server has done meanwhile. */
async function stopReading(service) {
  const { client } = service;
  const statements = async () => {
    await delay(1_500); // PostgreSQL reports them every second
    const sql = 'SELECT xact_commit AS count FROM pg_stat_database WHERE datname = current_database()';
    return Number((await client.query(sql)).rows[0].count);
  };
  const response = await begin(service, '/v1/transactions?format=csv');
  await delay(STOPPED_MS);
  const whileStopped = [await statements(), await statements()];
  const { rss } = await service.server.ask('memory');
  response.destroy();
  const afterwards = [await statements(), await statements()];
  const [stopped, gone] = [whileStopped, afterwards].map(([before, after]) => after - before);
  console.log(
    `\nA client that stops reading: ${stopped} database transactions in 1.5 s after ${STOPPED_MS / 1000} s (one is the measurement's), ` +
      `${(rss / MB).toFixed(0)} MB; one that has gone: ${gone}.`,
  );
}

await onBenchmarkDatabase(async (context) => {
  const heads = [
    'Export',
    'rows, pages',
    'MB',
    's',
    'memory MB',
    'heap MB',
    'longest statement ms',
    'p50 ms',
    'p99 ms',
  ];
  for (const size of sizes) {
    const service = await FilledService.start(context, size, 1, DAYS);
    const [{ id: accountId }] = (await service.client.query('SELECT id FROM accounts')).rows;
    const idle = await observe(service, async () => delay(IDLE_MS));
    console.log(`\n${size} transactions in one account, in one month:\n`);
    printTable(heads, [['idle', '', '', idle.seconds.toFixed(1), ...cellsOf(idle)]]);
    for (const one of exportsOf(accountId)) printRow(await measure(service, one));
    await stopReading(service);
    await service.client.end();
    await service.server.stop();
  }
});
