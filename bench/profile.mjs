// Where the service's time goes: CPU time per request by category, in microseconds, while 32 connections send requests.
// Run it with `npm run bench:profile`; --rows chooses the operations and --seconds the length of a measurement.
import { parseArgs } from 'node:util';
import { categories, categoryOf } from './support/categories.mjs';
import { onBenchmarkDatabase } from './support/database.mjs';
import { Fixture } from './support/fixture.mjs';
import { rateOf } from './support/load.mjs';

const REQUESTS = { 'get-one': 'getOne', 'get-balance': 'getBalance', list: 'list', post: 'credit' };
const CONNECTIONS = 32;

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: Object.keys(REQUESTS).join(',') },
    seconds: { type: 'string', default: '8' },
    functions: { type: 'string', default: '0' },
  },
});

/** @returns the self time of each node of a profile in microseconds, without idle time */
function selfTimes({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const times = new Map();
  for (const [index, id] of samples.entries()) {
    const { functionName, url } = byId.get(id).callFrame;
    if (functionName === '(idle)') continue;
    const key = `${functionName} ${url}`;
    const category = categoryOf(functionName, url);
    const { us = 0 } = times.get(key) ?? {};
    times.set(key, { category, us: us + timeDeltas[index] });
  }
  return times;
}

/** @returns microseconds per request by function and by category */
async function profile(server, nextRequest, seconds) {
  const connections = server.connections(CONNECTIONS);
  await rateOf(connections, nextRequest, 3); // compilers and caches do their work first
  await server.ask('startProfile');
  const { requests } = await rateOf(connections, nextRequest, seconds);
  const times = selfTimes(await server.ask('stopProfile'));
  const byCategory = Object.fromEntries(categories.map((name) => [name, 0]));
  const functions = [...times].map(([name, { category, us }]) => ({ name, category, us: us / requests }));
  for (const { category, us } of functions) byCategory[category] += us;
  return { byCategory, functions: functions.sort((a, b) => b.us - a.us) };
}

await onBenchmarkDatabase(async ({ servers, client }) => {
  const server = await servers.get('service');
  const fixture = await Fixture.create(server, client, { accounts: 200, readers: 100 });
  const columns = [];
  for (const row of options.rows.split(',')) {
    const measured = await profile(server, fixture.requests[REQUESTS[row]], Number(options.seconds));
    columns.push({ row, ...measured });
    for (const { name, category, us } of measured.functions.slice(0, Number(options.functions))) {
      console.log(`${row}\t${us.toFixed(1)}\t${category}\t${name}`);
    }
  }
  const line = (cells) => console.log(`| ${cells.join(' | ')} |`);
  line(['microseconds per request', ...columns.map(({ row }) => row)]);
  line(['---', ...columns.map(() => '---')]);
  for (const name of categories)
    line([name, ...columns.map(({ byCategory }) => byCategory[name].toFixed(0))]);
  const sums = columns.map(({ byCategory }) => Object.values(byCategory).reduce((sum, us) => sum + us, 0));
  line(['sum', ...sums.map((sum) => sum.toFixed(0))]);
});
