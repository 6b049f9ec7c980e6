// Where the service's time goes: CPU time per request by category, in microseconds, while 32 connections send requests;
// for `settle` and `settle-one` per settlement of what is due at once, while nobody sends requests. Run it with
// `npm run bench:profile`; --rows chooses the operations, --seconds the length of a measurement, and --against names the
// folder of another checkout, which is measured too.
import { parseArgs } from 'node:util';
import { categories, categoryOf } from './support/categories.mjs';
import { onBenchmarkDatabase } from './support/database.mjs';
import { Fixture } from './support/fixture.mjs';
import { rateOf } from './support/load.mjs';
import { postgresCpuMs } from './support/postgres-cpu.mjs';
import { makeDue, untilSettled } from './support/settlements.mjs';

const REQUESTS = {
  'get-one': 'getOne',
  'get-balance': 'getBalance',
  list: 'list',
  post: 'credit',
  'post-with-key': 'creditWithKey',
  'batch-atomic': 'atomicBatch',
  'batch-independent': 'independentBatch',
};
/** The number of accounts that settlements are spread over. */
const SETTLEMENTS = { settle: 200, 'settle-one': 1 };
const DUE = 2_000;
const CONNECTIONS = 32;
const ROUNDS = 3;
const WARM_UP_REQUESTS = 1_000;
/** Waiting, and the start of the profiler itself. */
const IGNORED = ['(idle)', 'dispatch'];

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: Object.keys(REQUESTS).join(',') },
    seconds: { type: 'string', default: '3' },
    against: { type: 'string' },
    functions: { type: 'string', default: '0' },
  },
});

/** @returns the self time of each node of a profile in microseconds, without idle time */
function selfTimes({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const times = new Map();
  for (const [index, id] of samples.entries()) {
    const { functionName, url } = byId.get(id).callFrame;
    if (IGNORED.includes(functionName)) continue;
    const key = `${functionName} ${url}`;
    const category = categoryOf(functionName, url);
    const { us = 0 } = times.get(key) ?? {};
    times.set(key, { category, us: us + timeDeltas[index] });
  }
  return times;
}

/** Sends requests until the compilers have done their work. */
async function warmUp(connections, nextRequest) {
  for (let requests = 0; requests < WARM_UP_REQUESTS;) {
    requests += (await rateOf(connections, nextRequest, 1)).requests;
  }
}

/**
 * How an operation is measured. `prepare` comes before each measurement and is not measured itself.
 * @returns the number of requests or settlements of `run`
 */
function workOf(row, { fixture, client }) {
  const accounts = SETTLEMENTS[row];
  if (accounts !== undefined) {
    const prepare = (server) => fixture.createPending(server, client, DUE, accounts);
    const run = async () => {
      await makeDue(client);
      await untilSettled(client);
      return DUE;
    };
    return { warmUp: () => undefined, prepare, run };
  }
  const nextRequest = fixture.requests[REQUESTS[row]];
  return {
    warmUp: (server) => warmUp(server.connections(CONNECTIONS), nextRequest),
    prepare: () => undefined,
    run: async (server) => {
      const connections = server.connections(CONNECTIONS);
      return (await rateOf(connections, nextRequest, Number(options.seconds))).requests;
    },
  };
}

/** One measurement. @returns the requests, the CPU time of both processes and the self times, in microseconds */
async function measure(server, work, client) {
  await work.prepare(server);
  const postgresBefore = await postgresCpuMs(client);
  await server.ask('startProfile');
  const cpuBefore = await server.ask('cpuMs');
  const requests = await work.run(server);
  const cpuUs = ((await server.ask('cpuMs')) - cpuBefore) * 1000;
  const times = selfTimes(await server.ask('stopProfile'));
  return { requests, cpuUs, postgresUs: ((await postgresCpuMs(client)) - postgresBefore) * 1000, times };
}

/** @returns microseconds per request by category and by function, from the measurements of one server */
function summarize(measurements) {
  const sum = (member) => measurements.reduce((total, one) => total + one[member], 0);
  const functions = new Map();
  for (const [name, { category, us }] of measurements.flatMap(({ times }) => [...times])) {
    functions.set(name, { category, us: us + (functions.get(name)?.us ?? 0) });
  }
  const sampled = [...functions.values()].reduce((total, { us }) => total + us, 0);
  // Samples also count the time in which other processes had the processor.
  const scale = sum('cpuUs') / sum('requests') / sampled;
  const byCategory = Object.fromEntries(categories.map((name) => [name, 0]));
  for (const { category, us } of functions.values()) byCategory[category] += us * scale;
  const postgresUs = sum('postgresUs') / sum('requests');
  return { byCategory, postgresUs, functions: [...functions].sort(([, a], [, b]) => b.us - a.us), scale };
}

const serverNames = options.against === undefined ? ['service'] : ['other-checkout', 'service'];

await onBenchmarkDatabase(async ({ servers, client }) => {
  const fixture = await Fixture.create(await servers.get('service'), client, { accounts: 200, readers: 100 });
  const columns = [];
  for (const row of options.rows.split(',')) {
    const work = workOf(row, { fixture, client });
    const measurements = new Map(serverNames.map((name) => [name, []]));
    for (const name of serverNames) await work.warmUp(await servers.get(name));
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [name, done] of measurements) {
        done.push(await measure(await servers.get(name), work, client));
      }
    }
    for (const [name, done] of measurements) {
      const summary = summarize(done);
      columns.push({ head: name === 'service' ? row : `${row}, other`, ...summary });
      for (const [label, { category, us }] of summary.functions.slice(0, Number(options.functions))) {
        console.log(`${row}\t${name}\t${(us * summary.scale).toFixed(1)}\t${category}\t${label}`);
      }
    }
  }
  const line = (cells) => console.log(`| ${cells.join(' | ')} |`);
  line(['microseconds per request', ...columns.map(({ head }) => head)]);
  line(['---', ...columns.map(() => '---')]);
  for (const name of categories)
    line([name, ...columns.map(({ byCategory }) => byCategory[name].toFixed(0))]);
  const sums = columns.map(({ byCategory }) => Object.values(byCategory).reduce((sum, us) => sum + us, 0));
  line(['sum', ...sums.map((sum) => sum.toFixed(0))]);
  line(['PostgreSQL', ...columns.map(({ postgresUs }) => postgresUs.toFixed(0))]);
}, options.against);
