// POST /v1/transactions over 32 connections: with group commit, without it (GROUP_COMMIT=false), and pgbench running the
// same statements one by one, all on the same server. Run it with `npm run bench`. It needs `pgbench` (15 or later) on
// the PATH. BENCH_SECONDS and BENCH_ROUNDS set the length and the number of rounds.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CONNECTIONS = 32;
const ACCOUNTS = 1000;
const SECONDS = Number(process.env.BENCH_SECONDS ?? 5);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const PORT = 3900;
const PORT_WITHOUT_GROUP_COMMIT = 3901;

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'countinghouse-bench-'));
const dataDir = join(folder, 'data');

/** One HTTP connection with one request at a time. Node's own client would use too much of the machine. */
class Connection {
  constructor(port) {
    this.received = '';
    this.socket = connect(port, 'localhost');
    this.socket.setNoDelay(true);
    this.socket.setEncoding('utf8');
    this.socket.on('data', (text) => this.receive(text));
    this.socket.on('error', (error) => this.waiting?.reject(error));
  }

  call(method, path, body, token) {
    const text = body ? JSON.stringify(body) : '';
    const lines = [
      `${method} ${path} HTTP/1.1`,
      'Host: localhost',
      'Content-Type: application/json',
      `Content-Length: ${text.length}`,
      ...(token ? [`Authorization: Bearer ${token}`] : []),
    ];
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.socket.write(`${lines.join('\r\n')}\r\n\r\n${text}`);
    });
  }

  async send(method, path, body, token) {
    const { status, text } = await this.call(method, path, body, token);
    if (status >= 300) throw new Error(`${method} ${path} returned ${status}: ${text}`);
    return text;
  }

  receive(text) {
    this.received += text;
    const [head, body] = this.received.split('\r\n\r\n', 2);
    if (body === undefined || body.length < Number(/^content-length: (\d+)/im.exec(head)[1])) return;
    this.received = '';
    this.waiting.resolve({ status: Number(head.split(' ', 2)[1]), text: body });
  }

  end() {
    this.socket.destroy();
  }
}

async function untilReady(port) {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const probe = new Connection(port);
    const ready = await probe.call('GET', '/health/ready').then(
      (reply) => reply.status === 200,
      () => false,
    );
    probe.end();
    if (ready) return;
    if (performance.now() > deadline) throw new Error('The service did not start.');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const connectionsTo = (port) => Array.from({ length: CONNECTIONS }, () => new Connection(port));

/** Creates the accounts. @returns their ids, and a token that may act for all of them */
async function prepare(connection) {
  const post = async (path, body) => JSON.parse(await connection.send('POST', path, body));
  const password = 'benchmarks need one too';
  const ids = [];
  for (let index = 0; index < ACCOUNTS; index += 1) {
    const account = { email: `bench-${index}@example.com`, name: 'Bench', type: 'business', password };
    ids.push((await post('/v1/accounts', account)).id);
  }
  const { access_token: token } = await post('/v1/auth/login', { email: 'admin@example.com', password });
  return { ids, token };
}

/** Measures the credits per second of a service, each to a random account, as in pgbench. */
async function measureService(connections, { ids, token }) {
  const until = performance.now() + SECONDS * 1000;
  let done = 0;
  const work = async (connection) => {
    while (performance.now() < until) {
      const account_id = ids[Math.floor(Math.random() * ids.length)];
      const body = { account_id, amount: 100, currency: 'USD', type: 'credit', reference: 'bench' };
      await connection.send('POST', '/v1/transactions', body, token);
      done += 1;
    }
  };
  await Promise.all(connections.map(work));
  return done / SECONDS;
}

// The statements of a credit: lock the account, insert the transaction and both entries, update the account.
const SCRIPT = `
\\set n random(1, ${ACCOUNTS})
BEGIN;
SELECT id AS account, posted, entry_count AS count FROM accounts WHERE email = 'bench-' || (:n - 1) || '@example.com' FOR UPDATE \\gset
INSERT INTO transactions (account_id, id, amount, currency, type, status, reference, metadata, created_at, updated_at)
  VALUES (:account, 'txn_' || lpad(nextval('bench_ids')::text, 26, '0'), 100, 'USD', 'credit', 'succeeded', 'bench', '{}', now(), now());
INSERT INTO journal_entries (account_id, number, transaction_id, leg, amount, currency, balance, posted_at, hash)
  VALUES (:account, :count + 1, 'txn_' || lpad(currval('bench_ids')::text, 26, '0'), 'customer', 100, 'USD', :posted + 100, now(), '\\x00'),
         (:account, :count + 2, 'txn_' || lpad(currval('bench_ids')::text, 26, '0'), 'clearing', -100, 'USD', -(:posted + 100), now(), '\\x00');
UPDATE accounts SET posted = posted + 100, entry_count = entry_count + 2, last_id_at = now(), updated_at = now() WHERE id = :account;
COMMIT;
`;

/** Measures the transactions per second of pgbench. */
function measurePgbench(url) {
  const script = join(folder, 'credit.sql');
  writeFileSync(script, SCRIPT);
  const args = [
    '-n',
    '-M',
    'prepared',
    '-c',
    String(CONNECTIONS),
    '-j',
    '2',
    '-T',
    String(SECONDS),
    '-f',
    script,
    url,
  ];
  const run = spawnSync('pgbench', args, { encoding: 'utf8' });
  const tps = /^tps = ([\d.]+)/m.exec(run.stdout ?? '');
  if (!tps) throw new Error(`pgbench failed: ${run.error?.message ?? run.stderr.slice(0, 500)}`);
  return Number(tps[1]);
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Starts the service as `npm start` does, but without npm in between, so that it receives signals. */
async function startService(port, settings) {
  const script = join(root, 'scripts', 'start.mjs');
  const service = spawn(process.execPath, ['--max-semi-space-size=64', script], {
    cwd: root,
    env: {
      ...process.env,
      PORT: String(port),
      LOG_LEVEL: 'error',
      BCRYPT_COST: '4',
      ADMIN_EMAIL: 'admin@example.com',
      ADMIN_PASSWORD: 'benchmarks need one too',
      ...settings,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  services.push(service);
  await untilReady(port);
}

async function stopServices() {
  for (const service of services.toReversed()) {
    if (service.exitCode !== null) continue;
    service.kill('SIGTERM');
    await new Promise((resolve) => service.once('exit', resolve));
  }
}

/** Lets pgbench find accounts as fast as the service does. */
async function prepareForPgbench(url, { Client }) {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('CREATE SEQUENCE bench_ids');
  await client.query('CREATE INDEX ON accounts (email)');
  await client.end();
}

/** Runs the three measurements in turn, so that other load on the machine affects all of them. */
async function measure(url, grouped, single, prepared) {
  const results = { grouped: [], single: [], pgbench: [] };
  for (let round = 1; round <= ROUNDS; round += 1) {
    results.grouped.push(await measureService(grouped, prepared));
    results.single.push(await measureService(single, prepared));
    results.pgbench.push(measurePgbench(url));
    const [a, b, c] = Object.values(results).map((values) => values.at(-1).toFixed(0));
    console.log(
      `round ${round}: with group commit ${a}/s, without ${b}/s (${(a / b).toFixed(2)} times), pgbench ${c}/s`,
    );
  }
  return results;
}

function report({ grouped, single, pgbench }) {
  const reference = median(pgbench);
  const line = (name, value) =>
    console.log(`${name}: ${value.toFixed(0)}/s, ${(value / reference).toFixed(2)} of pgbench`);
  console.log(`POST /v1/transactions, ${CONNECTIONS} connections, medians of ${ROUNDS} rounds`);
  line('with group commit', median(grouped));
  line('without (GROUP_COMMIT=false)', median(single));
  line('pgbench', reference);
}

const services = [];
const connections = [];
try {
  await startService(PORT, { DATA_DIR: dataDir, DATABASE_URL: '' });
  const require = createRequire(import.meta.url);
  const { runningPostgresUrl } = require('../dist/src/embedded-postgres/running-postgres.js');
  const url = await runningPostgresUrl(dataDir);
  await startService(PORT_WITHOUT_GROUP_COMMIT, {
    DATABASE_URL: url,
    JWT_SECRETS: readFileSync(join(dataDir, 'jwt-secret'), 'utf8'),
    GROUP_COMMIT: 'false',
    RUN_WORKER: 'false',
  });
  const grouped = connectionsTo(PORT);
  const single = connectionsTo(PORT_WITHOUT_GROUP_COMMIT);
  connections.push(...grouped, ...single);
  const prepared = await prepare(grouped[0]);
  await prepareForPgbench(url, require('pg'));
  await measureService(grouped, prepared); // warm-up
  await measureService(single, prepared);
  report(await measure(url, grouped, single, prepared));
} finally {
  for (const connection of connections) connection.end();
  await stopServices();
  rmSync(folder, { recursive: true, force: true });
}
