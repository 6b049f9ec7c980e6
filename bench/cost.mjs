// What one part of the service costs a request: the same requests to servers with it and without it, on one database, in
// short turns, so that other load on the machine affects both. CPU time, of the server and of PostgreSQL together, is the
// figure to trust; rates vary with whatever else runs.
//   npm run bench:events        events, which every creation records
//   npm run bench:request-log   request log and versions, which every request passes
//   npm run bench:traces        traces, of one request in twenty and of all
//   npm run bench:api-keys      an API key instead of the access token of a session
//   npm run bench:events -- --rounds 20 --seconds 2 --accounts 1000
import { createServer } from 'node:http';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { onBenchmarkDatabase } from './support/database.mjs';
import { Fixture } from './support/fixture.mjs';
import { median } from './support/load.mjs';
import { printTable } from './support/print-table.mjs';
import { http } from './support/rows.mjs';

/** Requests to one server that traces this part of them: two processes of one kind differ by more than traces cost. */
const traced = (part, requestName) => {
  const side = http('with-traces', requestName);
  return {
    ...side,
    async rate(context) {
      await (await side.prepare(context)).ask('recordNewTraces', part);
      return side.rate(context);
    },
  };
};

/**
 * Requests to one server with request log and versions, or without. Each turn begins with a second that is not measured:
 * the log is written a second later.
 */
const logged = (isOn, requestName) => {
  const side = http('beside', requestName);
  return {
    ...side,
    async rate(context) {
      await (await side.prepare(context)).ask('logAndVersionRequests', isOn);
      await side.rate({ ...context, seconds: 1 });
      return side.rate(context);
    },
  };
};

/**
 * By the part: its rows, each with a request on the side that has it and on the one that has not. The last rows compare
 * what is alike: their ratios are what the order and other load do to the ones above.
 */
const parts = {
  events: [
    ['POST /v1/transactions, credits', http('beside', 'credit'), http('without-events', 'credit')],
    ['POST /v1/transactions, pending payments', http('beside', 'payment'), http('without-events', 'payment')],
    ['the first one, both with events', http('control', 'credit'), http('beside', 'credit')],
  ],
  'request-log': [
    ['POST /v1/transactions, credits', logged(true, 'credit'), logged(false, 'credit')],
    ['the same, both with them', logged(true, 'credit'), logged(true, 'credit')],
  ],
  traces: [
    ['POST /v1/transactions, one in twenty', traced(0.05, 'credit'), traced(0, 'credit')],
    ['GET /v1/transactions/{id}, one in twenty', traced(0.05, 'getOne'), traced(0, 'getOne')],
    ['the first one, every request', traced(1, 'credit'), traced(0, 'credit')],
    ['the second one, every request', traced(1, 'getOne'), traced(0, 'getOne')],
    ['the first one, none', traced(0, 'credit'), traced(0, 'credit')],
    ['the second one, none', traced(0, 'getOne'), traced(0, 'getOne')],
  ],
  'api-keys': [
    ['GET /v1/transactions/{id}', http('beside', 'getOneByKey'), http('beside', 'getOne')],
    ['the same, both by sessions', http('control', 'getOne'), http('beside', 'getOne')],
  ],
};

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '2' },
    accounts: { type: 'string', default: '1000' },
  },
});
const [rounds, seconds, accounts] = [options.rounds, options.seconds, options.accounts].map(Number);
const WARM_UP = 8;
const rows = parts[positionals[0]];

/** Receives traces and forgets them. @returns its URL, and how many requests it has had */
async function collector() {
  const received = { requests: 0 };
  const server = createServer((request, response) => {
    received.requests += 1;
    request.resume().on('end', () => response.end('{}'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return { url: `http://127.0.0.1:${server.address().port}`, received };
}

const cpuOf = ({ cpuMs, postgresMs }) => cpuMs + postgresMs;

function lineOf(title, measured) {
  const of = (side, figure) => measured.map((round) => figure(round[side]));
  const medians = (figure, digits) => [0, 1].map((side) => median(of(side, figure)).toFixed(digits));
  const ratiosOf = (figure) => measured.map(([with_, without]) => figure(with_) / figure(without));
  const ratios = ratiosOf(cpuOf).toSorted((a, b) => a - b);
  const quartiles = [1, 3].map((quarter) => ratios[Math.floor((ratios.length * quarter) / 4)].toFixed(2));
  return [
    title,
    ...medians(({ cpuMs }) => cpuMs, 3),
    ...medians(({ postgresMs }) => postgresMs, 3),
    median(ratios).toFixed(3),
    quartiles.join(' to '),
    median(ratiosOf(({ perSecond }) => perSecond)).toFixed(2),
  ];
}

const { url: tracesTo, received } = await collector();
await onBenchmarkDatabase(async ({ servers, client }) => {
  servers.collector = tracesTo;
  const readers = Math.min(100, accounts);
  // By a third server: what these requests leave in the memory of a server makes its later garbage collections cheaper.
  const third = await servers.get('service');
  const fixture = await Fixture.create(third, client, { accounts, readers });
  if (positionals[0] === 'api-keys') await fixture.createApiKeys(third);
  const context = { servers, fixture, client, seconds };
  const measured = new Map(rows.map(([title]) => [title, []]));
  for (let round = -WARM_UP; round < rounds; round += 1) {
    for (const [title, ...sides] of rows) {
      const inTurn = round % 2 === 0 ? [0, 1] : [1, 0];
      const results = [];
      for (const side of inTurn) results[side] = await sides[side].rate(context);
      if (round >= 0) measured.get(title).push(results); // compilers and caches do their work in the first rounds
    }
  }
  printTable(
    ['', 'CPU ms', 'without', 'PostgreSQL CPU ms', 'without', 'CPU together', 'quartiles', 'rate'],
    rows.map(([title]) => lineOf(title, measured.get(title))),
  );
  if (positionals[0] === 'traces') console.log(`${received.requests} batches of spans received`);
});
