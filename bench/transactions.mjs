// POST /v1/transactions at 32 connections, beside pgbench running the same statements one by one on the same server.
// Run it with `npm run bench`; it needs `pgbench` on the PATH (any version from 15).
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'countinghouse-bench-'));
const dataDir = join(folder, 'data');
/** One HTTP connection, one request at a time. Node's own client would take a good part of the machine for itself. */
class Connection {
  constructor() {
    this.received = '';
    this.socket = connect(PORT, 'localhost');
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

  async must(method, path, body, token) {
    const { status, text } = await this.call(method, path, body, token);
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`);
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

async function untilReady() {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const probe = new Connection();
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

/** Creates accounts. @returns their ids, a token that acts for all of them, and connections */
async function prepare() {
  const connections = Array.from({ length: CONNECTIONS }, () => new Connection());
  const post = async (path, body) => JSON.parse(await connections[0].must('POST', path, body));
  const password = 'benchmarks need one too';
  const ids = [];
  for (let index = 0; index < ACCOUNTS; index += 1) {
    const account = { email: `bench-${index}@example.com`, name: 'Bench', type: 'business', password };
    ids.push((await post('/v1/accounts', account)).id);
  }
  const { access_token: token } = await post('/v1/auth/login', { email: 'admin@example.com', password });
  return { connections, ids, token };
}

/** Credits per second through the service, each to an account drawn by chance, as pgbench does. */
async function throughService({ connections, ids, token }) {
  const until = performance.now() + SECONDS * 1000;
  let done = 0;
  const work = async (connection) => {
    while (performance.now() < until) {
      const account_id = ids[Math.floor(Math.random() * ids.length)];
      const body = { account_id, amount: 100, currency: 'USD', type: 'credit', reference: 'bench' };
      await connection.must('POST', '/v1/transactions', body, token);
      done += 1;
    }
  };
  await Promise.all(connections.map(work));
  return done / SECONDS;
}

// What the service sends for a credit: lock the account, insert the transaction and both entries, write the account.
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

/** Transactions per second that pgbench reports for the same statements. */
function throughPgbench(url) {
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

// As `npm start` does, but without npm in between, so that signals reach it.
const service = spawn(process.execPath, ['--max-semi-space-size=64', join(root, 'scripts', 'start.mjs')], {
  cwd: root,
  env: {
    ...process.env,
    PORT: String(PORT),
    DATA_DIR: dataDir,
    LOG_LEVEL: 'error',
    BCRYPT_COST: '4',
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: 'benchmarks need one too',
  },
  stdio: ['ignore', 'ignore', 'inherit'],
});
let prepared;
try {
  await untilReady();
  prepared = await prepare();
  const require = createRequire(import.meta.url);
  const { runningPostgresUrl } = require('../dist/src/platform/database/embedded/running-postgres.js');
  const url = await runningPostgresUrl(dataDir);
  const { Client } = require('pg');
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('CREATE SEQUENCE bench_ids');
  await client.query('CREATE INDEX ON accounts (email)'); // so that pgbench finds an account as fast as the service
  await client.end();
  await throughService(prepared); // warms the service up
  const served = [];
  const direct = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    served.push(await throughService(prepared));
    direct.push(throughPgbench(url));
    console.log(
      `round ${round}: service ${served.at(-1).toFixed(0)}/s, pgbench ${direct.at(-1).toFixed(0)}/s`,
    );
  }
  const [a, b] = [median(served), median(direct)];
  console.log(
    `POST /v1/transactions, ${CONNECTIONS} connections: ${a.toFixed(0)}/s, ${(a / b).toFixed(2)} of pgbench's ${b.toFixed(0)}/s (medians of ${ROUNDS})`,
  );
} finally {
  for (const connection of prepared?.connections ?? []) connection.end();
  service.kill('SIGTERM');
  await new Promise((resolve) => service.once('exit', resolve));
  rmSync(folder, { recursive: true, force: true });
}
