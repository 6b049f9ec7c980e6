// Measures what one transaction costs: bytes in each table and index, bytes of WAL, and the CPU time of the service and of
// PostgreSQL; and the CPU time of reads. Run it with `npm run bench:row-cost` on Linux. docs/scale.md uses the figures.
import { parseArgs } from 'node:util';
import { onBenchmarkDatabase } from './support/database.mjs';
import { Fixture } from './support/fixture.mjs';
import { rateOf } from './support/load.mjs';
import { postgresCpuMs } from './support/postgres-cpu.mjs';
import { printTable } from './support/print-table.mjs';

const CONNECTIONS = 32;

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000' },
    accounts: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '4' },
  },
});
const [rows, accounts, seconds] = Object.values(options).map(Number);

/** Bytes of every table (with what is stored outside its rows) and of every index. */
const SIZES = `
  SELECT relname AS name, pg_table_size(oid)::float8 AS bytes FROM pg_class
  WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
  UNION ALL
  SELECT CASE WHEN indisprimary THEN indrelid::regclass || ', primary key' ELSE indexrelid::regclass::text END,
         pg_relation_size(indexrelid)::float8
  FROM pg_index JOIN pg_class ON oid = indexrelid WHERE relnamespace = 'public'::regnamespace`;

async function sizesOf(client) {
  return new Map((await client.query(SIZES)).rows.map(({ name, bytes }) => [name, bytes]));
}

/** Sends a number of requests, each once. */
async function sendAll(connections, requests) {
  const work = async (connection) => {
    for (let request = requests.pop(); request !== undefined; request = requests.pop()) {
      await connection.send(request);
    }
  };
  await Promise.all(connections.map(work));
}

/** @returns what `work` costs, per transaction that it makes */
async function costOf(server, client, made, work) {
  await client.query('VACUUM');
  await client.query('CHECKPOINT');
  const before = await sizesOf(client);
  const { lsn } = (await client.query('SELECT pg_current_wal_insert_lsn() AS lsn')).rows[0];
  const [cpuBefore, postgresBefore] = [await server.ask('cpuMs'), await postgresCpuMs(client)];
  const count = (await work()) ?? made;
  const cpuMs = ((await server.ask('cpuMs')) - cpuBefore) / count;
  const postgresMs = ((await postgresCpuMs(client)) - postgresBefore) / count;
  const wal = await client.query('SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1)::float8 AS bytes', [
    lsn,
  ]);
  const after = await sizesOf(client);
  const bytes = new Map([...after].map(([name, size]) => [name, (size - (before.get(name) ?? 0)) / count]));
  return { bytes, wal: wal.rows[0].bytes / count, cpuMs, postgresMs };
}

async function untilSettled(client) {
  const sql = `SELECT id FROM transactions WHERE status = 'pending' UNION ALL SELECT id FROM audit_log_unsealed
    UNION ALL SELECT id FROM account_audit_entries LIMIT 1`;
  while ((await client.query(sql)).rowCount > 0) await new Promise((resolve) => setTimeout(resolve, 100));
}

await onBenchmarkDatabase(async ({ servers, client }) => {
  servers.shared.SETTLEMENT_DELAY_SECONDS = '0';
  const server = await servers.get('service');
  const fixture = await Fixture.create(server, client, { accounts, readers: Math.min(100, accounts) });
  const connections = server.connections(CONNECTIONS);

  let keys = 0;
  const many = (change) =>
    Array.from({ length: rows }, () => {
      const request = fixture.requests.credit();
      return { ...request, ...change(request) };
    });
  const key = () => `${(keys += 1)}`.padStart(36, '0'); // as long as a UUID
  const kinds = {
    'a credit': () => ({}),
    'with a key': () => ({ key: key() }),
    'by an admin, with a key': () => ({ key: key(), token: fixture.adminToken }),
    'a payment, settled, with a key': ({ body }) => ({ key: key(), body: { ...body, type: 'payment' } }),
  };
  await sendAll(connections, many(kinds['a credit'])); // compilers warm up, and accounts have their usual size
  const costs = [];
  for (const change of Object.values(kinds)) {
    const requests = many(change);
    const work = () => sendAll(connections, requests).then(() => untilSettled(client));
    costs.push(await costOf(server, client, rows, work));
  }
  const names = [...costs.at(-1).bytes.keys()].sort();
  const grown = names.filter((name) => costs.some(({ bytes }) => bytes.get(name) >= 1));
  const sum = ({ bytes }) => [...bytes.values()].reduce((total, one) => total + one, 0);
  printTable(
    ['per transaction', ...Object.keys(kinds)],
    [
      ...grown.map((name) => [name, ...costs.map(({ bytes }) => bytes.get(name).toFixed(0))]),
      ['bytes in all', ...costs.map((cost) => sum(cost).toFixed(0))],
      ['bytes of WAL', ...costs.map(({ wal }) => wal.toFixed(0))],
      ['CPU ms of the service', ...costs.map(({ cpuMs }) => cpuMs.toFixed(2))],
      ['CPU ms of PostgreSQL', ...costs.map(({ postgresMs }) => postgresMs.toFixed(2))],
    ],
  );

  console.log();
  const reads = { 'a transaction': 'getOne', 'the balance': 'getBalance', 'a list of 20': 'list' };
  const lines = [];
  for (const [title, name] of Object.entries(reads)) {
    const read = async () => (await rateOf(connections, fixture.requests[name], seconds)).requests;
    await read();
    const { cpuMs, postgresMs } = await costOf(server, client, 0, read);
    lines.push([title, cpuMs.toFixed(2), postgresMs.toFixed(2)]);
  }
  printTable(['reading', 'CPU ms of the service', 'CPU ms of PostgreSQL'], lines);
});
