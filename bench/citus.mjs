// Measures what Citus costs: POST with and without an Idempotency-Key, transfers, and reads, on a distributed database
// and on an ordinary one of the same server, in turn: the rate, and for a request the CPU time of the service and of all
// servers together. These are on this machine, which shows the overhead and not how it scales. The URL names an empty
// database on a coordinator, with the extension and its workers (docs/citus.md). It keeps what a run has written, so each
// run needs a new one.
//   npm run bench:citus -- --url postgres://postgres@localhost/countinghouse
//   npm run bench:citus -- --url ... --rows 'GET one,GET one by an admin'
//   npm run bench:citus -- --url ... --shards 32             sets the shards of each table
//   npm run bench:citus -- --url ... --against ../other     measures another checkout on the distributed database, too
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Fixture, sharedSettings } from './support/fixture.mjs';
import { median, rateOf } from './support/load.mjs';
import { postgresCpuMs } from './support/postgres-cpu.mjs';
import { printTable } from './support/print-table.mjs';
import { Server, SERVICE } from './support/processes.mjs';

const CONNECTIONS = 32;
const PLAIN = `bench_plain_${randomBytes(4).toString('hex')}`;

const { values: options } = parseArgs({
  options: {
    url: { type: 'string' },
    against: { type: 'string' },
    shards: { type: 'string' },
    rows: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    accounts: { type: 'string', default: '500' },
  },
});
if (options.url === undefined)
  throw new Error('--url must name an empty database on a coordinator of Citus.');
const [rounds, seconds, accounts] = [options.rounds, options.seconds, options.accounts].map(Number);
const { Client } = createRequire(import.meta.url)('pg');

async function connect(connectionString) {
  const client = new Client({ connectionString });
  await client.connect();
  return client;
}

const settingsOf = (DATABASE_URL) => ({
  ...sharedSettings,
  DATABASE_URL,
  JWT_SECRETS: randomBytes(32).toString('hex'),
  RUN_WORKER: 'false',
});

/** Connects to the coordinator and to its workers. */
async function connectToAll(coordinator) {
  const { rows } = await coordinator.query('SELECT nodename, nodeport FROM pg_dist_node WHERE groupid <> 0');
  const urls = rows.map(({ nodename, nodeport }) =>
    Object.assign(new URL(options.url), { hostname: nodename, port: nodeport }),
  );
  return [coordinator, ...(await Promise.all(urls.map(({ href }) => connect(href))))];
}

/** Creates the tables and distributes them. */
function distribute(settings) {
  const env = { ...process.env, ...settings };
  const shards = options.shards === undefined ? [] : ['--shards', options.shards];
  const { status, stderr } = spawnSync(process.execPath, [SERVICE, 'citus', 'distribute', ...shards], {
    env,
  });
  if (status !== 0) throw new Error(String(stderr));
}

const onCitus = settingsOf(options.url);
const onPlain = settingsOf(Object.assign(new URL(options.url), { pathname: `/${PLAIN}` }).href);
const maintenance = await connect(options.url);
const servers = await connectToAll(maintenance);

/** @returns the CPU time so far, of a service and of all servers, in milliseconds */
async function cpuMs(service) {
  const ofServers = await Promise.all(servers.map(postgresCpuMs));
  return [await service.ask('cpuMs'), ofServers.reduce((sum, ms) => sum + ms, 0)];
}

/** @returns the rate, and the CPU time of the service and of the servers for a request */
async function measure(service, next) {
  const before = await cpuMs(service);
  const { perSecond, requests } = await rateOf(service.connections(CONNECTIONS), next, seconds);
  const [ofService, ofServers] = (await cpuMs(service)).map((ms, index) => (ms - before[index]) / requests);
  return { perSecond, ofService, ofServers };
}

try {
  distribute(onCitus);
  await maintenance.query(`CREATE DATABASE ${PLAIN}`);
  const start = async (name, script, settings) => ({
    name,
    server: await Server.start(script, settings),
    url: settings.DATABASE_URL,
  });
  const plain = await start('one server', SERVICE, onPlain);
  const citus = await start('Citus', SERVICE, onCitus);
  const sides = [plain, citus];
  if (options.against !== undefined) {
    const script = join(options.against, 'scripts', 'start.mjs');
    sides.push(await start('Citus, other checkout', script, onCitus));
  }
  const fixtures = new Map();
  for (const { server, url } of [plain, citus]) {
    const client = await connect(url);
    fixtures.set(url, await Fixture.create(server, client, { accounts, readers: Math.min(100, accounts) }));
    await client.end();
  }
  const request = (name) => (fixture) => fixture.requests[name]();
  const byAdmin = (next) => (fixture) => ({ ...next(fixture), token: fixture.adminToken });
  const get = (path) => () => ({ method: 'GET', path });
  const allRows = [
    ['POST', request('credit')],
    ['POST by an admin', byAdmin(request('credit'))],
    ['POST with a key', request('creditWithKey')],
    ['POST by an admin with a key', byAdmin(request('creditWithKey'))],
    ['POST of a transfer', request('transfer')],
    ['GET one', request('getOne')],
    ['GET balance', request('getBalance')],
    ['GET list', request('list')],
    ['GET one by an admin', byAdmin(request('getOne'))],
    ['GET list by an admin', byAdmin(get('/v1/transactions'))],
    ['GET list by an admin and status', byAdmin(get('/v1/transactions?status=succeeded'))],
  ];
  const rows = allRows.filter(([name]) => options.rows?.split(',').includes(name) ?? true);
  const results = new Map(rows.map(([name]) => [name, sides.map(() => [])]));
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, next] of rows) {
      for (const [index, { server, url }] of sides.entries()) {
        const measured = await measure(server, () => next(fixtures.get(url)));
        if (round >= 0) results.get(name)[index].push(measured); // compilers warm up in the first
      }
    }
  }
  const medianOf = (rounds, member) => median(rounds.map((measured) => measured[member]));
  const cells = (rounds) => [
    medianOf(rounds, 'perSecond').toFixed(0),
    ['ofService', 'ofServers'].map((member) => medianOf(rounds, member).toFixed(2)).join(' + '),
  ];
  const lines = [...results].map(([name, [plain, ...others]]) => [
    name,
    ...cells(plain),
    ...others.flatMap((rounds) => [
      ...cells(rounds),
      median(rounds.map(({ perSecond }, round) => perSecond / plain[round].perSecond)).toFixed(2),
    ]),
  ]);
  const heads = sides.flatMap(({ name }, index) => [name, 'CPU ms', ...(index === 0 ? [] : ['ratio'])]);
  printTable(['per second', ...heads], lines);
} finally {
  await Server.stopAll();
  await maintenance.query(`DROP DATABASE IF EXISTS ${PLAIN} WITH (FORCE)`);
  for (const server of servers) await server.end();
}
