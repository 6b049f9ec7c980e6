// POST /v1/transactions at 32 connections, beside pgbench running the same statements one by one on the same server.
// Run it with `npm run bench`; it needs `pgbench` on the PATH (any version from 15).
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CONNECTIONS = 32;
const ACCOUNTS = 64;
const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const PORT = 3900;

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'countinghouse-bench-'));
const dataDir = join(folder, 'data');
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

function call(method, path, body, token) {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    };
    const sent = request({ port: PORT, method, path, agent, headers }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() }),
      );
    });
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}

async function must(method, path, body, token) {
  const { status, text } = await call(method, path, body, token);
  if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`);
  return JSON.parse(text);
}

async function untilReady() {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const ready = await call('GET', '/health/ready').then(
      (reply) => reply.status === 200,
      () => false,
    );
    if (ready) return;
    if (performance.now() > deadline) throw new Error('The service did not start.');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Creates accounts and answers their ids, and a token that acts for all of them. */
async function prepare() {
  const ids = [];
  for (let index = 0; index < ACCOUNTS; index += 1) {
    const email = `bench-${index}@example.com`;
    ids.push(
      (
        await must('POST', '/v1/accounts', {
          email,
          name: 'Bench',
          type: 'business',
          password: 'benchmarks need one too',
        })
      ).id,
    );
  }
  const login = { email: 'admin@example.com', password: 'benchmarks need one too' };
  return { ids, token: (await must('POST', '/v1/auth/login', login)).access_token };
}

/** Credits per second through the service. */
async function throughService({ ids, token }) {
  const until = performance.now() + SECONDS * 1000;
  let done = 0;
  const worker = async (first) => {
    for (let index = first; performance.now() < until; index += CONNECTIONS) {
      const body = {
        account_id: ids[index % ids.length],
        amount: 100,
        currency: 'USD',
        type: 'credit',
        reference: 'bench',
      };
      await must('POST', '/v1/transactions', body, token);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => worker(index)));
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

const service = spawn(process.execPath, [join(root, 'scripts', 'start.mjs')], {
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
try {
  await untilReady();
  const prepared = await prepare();
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
  agent.destroy();
  service.kill('SIGTERM');
  await new Promise((resolve) => service.once('exit', resolve));
  rmSync(folder, { recursive: true, force: true });
}
