// Fills a journal and measures `npm run ledger:verify` on it. Run it with `npm run bench:verify`; ENTRIES sets the size.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ENTRIES = Number(process.env.ENTRIES ?? 1_000_000);
const ACCOUNTS = 100;
const POSTINGS = Math.ceil(ENTRIES / 2 / ACCOUNTS);

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'countinghouse-bench-'));
chmodSync(folder, 0o711); // root's server runs as another user, and would put its data elsewhere
const dataDir = join(folder, 'data');
const env = { ...process.env, DATA_DIR: dataDir, LOG_LEVEL: 'error', DATABASE_URL: '' };

function run(command) {
  const started = performance.now();
  const ended = spawnSync(process.execPath, [join(root, 'scripts', 'start.mjs'), command], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
  return { ...ended, seconds: (performance.now() - started) / 1000 };
}

/** Returns one account's postings of 1 minor unit each, with the hash chain of the service. */
function journalOf(accountId, { createEntries, newId, at }) {
  const entries = [];
  let end = { entryCount: 0, chainHead: null };
  for (let posted = 1; posted <= POSTINGS; posted += 1) {
    const transactionId = newId('txn', at);
    const posting = { accountId, transactionId, direction: 'in', amount: 1, currency: 'USD', posted, at };
    const pair = createEntries(posting, end);
    end = { entryCount: pair[1].number, chainHead: pair[1].hash };
    entries.push(...pair);
  }
  return { entries, end };
}

async function fill(client, accountId, tools) {
  const { entries, end } = journalOf(accountId, tools);
  const { at } = tools;
  const column = (member) => entries.map((entry) => entry[member]);
  await client.query(
    `INSERT INTO accounts (id, email, name, type, status, currency, timezone, language, posted, held, pending_in,
       entry_count, chain_head, last_id_at, last_id_number, created_at, updated_at)
     VALUES ($1, $1, 'Bench', 'business', 'active', 'USD', 'UTC', 'en', $2, 0, 0, $3, $4, $5, 0, $5, $5)`,
    [accountId, POSTINGS, end.entryCount, end.chainHead, at],
  );
  await client.query(
    `INSERT INTO transactions (account_id, id, amount, currency, type, status, created_at, updated_at)
     SELECT $1, t, 1, 'USD', 'credit', 'succeeded', $2, $2 FROM unnest($3::text[]) AS t`,
    [accountId, at, column('transactionId').filter((_, index) => index % 2 === 0)],
  );
  await client.query(
    `INSERT INTO journal_entries (account_id, number, transaction_id, leg, amount, currency, balance, posted_at, hash)
     SELECT $1, n, t, l, a, 'USD', b, $2, h
     FROM unnest($3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bytea[]) AS entry (n, t, l, a, b, h)`,
    [accountId, at, ...['number', 'transactionId', 'leg', 'amount', 'balance', 'hash'].map(column)],
  );
}

try {
  const first = run('migrate'); // builds what has changed and creates the database
  if (first.status !== 0) throw new Error(first.stderr);
  const require = createRequire(import.meta.url);
  const { startEmbeddedPostgres } = require('../dist/src/embedded-postgres/embedded-postgres.js');
  const { createEntries } = require('../dist/src/modules/ledger/entry.js');
  const { newId } = require('../dist/src/kernel/ids.js');
  const { Client } = require('pg');
  const postgres = await startEmbeddedPostgres({ dataDir, print: () => undefined });
  try {
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    const tools = { createEntries, newId, at: new Date('2026-01-01T00:00:00Z') };
    for (let index = 0; index < ACCOUNTS; index += 1) await fill(client, newId('acc', tools.at), tools);
    await client.query('VACUUM ANALYZE');
    await client.end();
    const { status, stdout, stderr, seconds } = run('ledger:verify');
    if (status !== 0) throw new Error(stdout + stderr);
    console.log(stdout.trim());
    const entries = ACCOUNTS * POSTINGS * 2;
    const rate = (entries / seconds).toFixed(0);
    console.log(
      `${entries} entries: ${seconds.toFixed(1)} s including the start and the end of the process, ${rate} entries/s`,
    );
  } finally {
    await postgres.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
