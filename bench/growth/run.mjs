// Fills databases of several sizes and measures each operation on all of them in turn, so that other load on the machine
// affects all sizes alike. Prints the times at the smallest size, those at the others as ratios to it, and the statements
// that are not plain index scans at the largest. Run it with `npm run bench:growth`; docs/performance.md explains it.
//   npm run bench:growth -- --sizes 10000,1000000 --rounds 5 --calls 10
//   npm run bench:growth -- --only /v1/users           measures the operations with this in their name
//   npm run bench:growth -- --accounts 100,10000,1000000    sets the numbers of accounts and users, too
import { parseArgs } from 'node:util';
import { onBenchmarkDatabase } from '../support/database.mjs';
import { median } from '../support/load.mjs';
import { FilledService } from './filled-service.mjs';
import { operations, withFacts } from './operations.mjs';
import { otherScans } from './plans.mjs';

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,100000,1000000' },
    accounts: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    calls: { type: 'string', default: '10' },
    only: { type: 'string', default: '' },
  },
});
const sizes = options.sizes.split(',').map(Number);
const accounts = options.accounts?.split(',').map(Number) ?? sizes.map((size) => size / 100);
const [rounds, calls] = [options.rounds, options.calls].map(Number);
/** Plans for any values replace those for given ones after five executions. */
const WARM_UP_CALLS = 6;

/** Measures an operation on all services in turn. @returns the times of the rounds by service */
async function measureOperation(operation, services) {
  const times = new Map(services.map((service) => [service, []]));
  const totals = new Map();
  for (const service of services) {
    totals.set(service, await service.totalOf(operation));
    await service.measure(operation, totals.get(service), WARM_UP_CALLS);
  }
  for (let round = 0; round < rounds; round += 1) {
    const inTurn = services.map((_, index) => services[(index + round) % services.length]);
    for (const service of inTurn)
      times.get(service).push(await service.measure(operation, totals.get(service), calls));
  }
  return [...times.values()];
}

/** Returns the statements of an operation that are not plain index scans, with what they scan. */
async function statementsOf(operation, service) {
  const total = await service.totalOf(operation);
  await service.server.ask('startRecording');
  await service.measure(operation, total, 1);
  const found = [];
  for (const { text, values } of await service.server.ask('stopRecording')) {
    const scans = await otherScans(service.client, text, values);
    if (scans !== null) found.push(`${scans}: ${text.replaceAll(/\s+/g, ' ').slice(0, 200)}`);
  }
  return found;
}

await onBenchmarkDatabase(async (context) => {
  const services = [];
  for (const [index, size] of sizes.entries())
    services.push(await withFacts(await FilledService.start(context, size, accounts[index])));
  const chosen = operations().filter(({ name }) => name.includes(options.only));
  const heads = sizes.map((size, index) => `${size} / ${accounts[index]}`);
  console.log(`| transactions / accounts | ms at ${heads.join(' | ')} |`);
  console.log(`|${' --- |'.repeat(sizes.length + 1)}`);
  for (const operation of chosen) {
    const [smallest, ...others] = await measureOperation(operation, services);
    const ratios = others.map((times) =>
      median(times.map((time, round) => time / smallest[round])).toFixed(2),
    );
    console.log(`| ${operation.name} | ${median(smallest).toFixed(2)} | ${ratios.join(' | ')} |`);
  }
  console.log(`\nNot plain index scans, at ${sizes.at(-1)}:`);
  const shown = new Set();
  for (const operation of chosen) {
    for (const line of await statementsOf(operation, services.at(-1))) {
      if (shown.has(line)) continue;
      shown.add(line);
      console.log(`- ${operation.name}: ${line}`);
    }
  }
  for (const service of services) await service.client.end();
});
