// Measures the service beside rivals that do the same work with less around it (bench/rivals), all on one PostgreSQL and
// in turn, so that other load on the machine affects all alike. Run it with `npm run bench`; docs/performance.md explains
// the rows. It needs `pgbench` (15 or later) on the PATH.
//   npm run bench -- --rounds 1 --seconds 1 --accounts 200    takes about a minute
//   npm run bench -- --rows get-one,list                      measures some rows only
//   npm run bench -- --against ../other                     measures the service beside another checkout of itself
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { onBenchmarkDatabase } from './support/database.mjs';
import { Fixture } from './support/fixture.mjs';
import { median, percentile } from './support/load.mjs';
import { printTable } from './support/print-table.mjs';
import { measureSettlements, rows, rowsAgainstOther, settlementRows } from './support/rows.mjs';

const require = createRequire(import.meta.url);
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    against: { type: 'string' },
    accounts: { type: 'string', default: '1000' },
    rows: { type: 'string', default: [...rows, ...settlementRows].map(({ name }) => name).join(',') },
  },
});
const [rounds, seconds, accounts] = [options.rounds, options.seconds, options.accounts].map(Number);
const chosen = options.rows.split(',');
/** Compilers and caches do their work before the first round: a server that has one row only gets no other requests. */
const WARM_UPS = 3;
const isChosen = ({ name }) => chosen.includes(name);
const requestRows = (options.against === undefined ? rows : rowsAgainstOther).filter(isChosen);
const dueRows = options.against === undefined ? settlementRows.filter(isChosen) : [];

/** Both sides of a row, in an order that changes with every round. */
async function measureRow(row, context, round, results) {
  const sides = round % 2 === 0 ? ['ours', 'rival'] : ['rival', 'ours'];
  for (const side of sides) results[side].rates.push(await row[side].rate(context));
  const half = Math.max(...results.ours.rates.map(({ perSecond }) => perSecond)) / 2;
  for (const side of sides) results[side].latencies.push(await row[side].latencies(context, half));
}

const newSide = () => ({ rates: [], latencies: [] });
const medianOf = (measured, member) => median(measured.map((one) => one[member]));
const percentileOf = ({ latencies }, percent) => median(latencies.map((round) => percentile(round, percent)));
const cell = (value, digits) => (Number.isFinite(value) ? value.toFixed(digits) : '');

function lineOf({ title }, { ours, rival }) {
  const [rate, rivalRate] = [ours, rival].map(({ rates }) => medianOf(rates, 'perSecond'));
  const [cpu, rivalCpu] = [ours, rival].map(({ rates }) => medianOf(rates, 'cpuMs'));
  const times = [ours, rival].map((side) => [50, 99].map((percent) => cell(percentileOf(side, percent), 1)));
  const ratios = ours.rates.map(({ perSecond }, round) => perSecond / rival.rates[round].perSecond);
  const postgres = [ours, rival].map(({ rates }) => medianOf(rates, 'postgresMs'));
  const cpus = [cpu, rivalCpu, ...postgres].map((ms) => cell(ms, 2));
  const memory = [ours, rival].map(({ rates }) => cell(medianOf(rates, 'memoryMb'), 0));
  const compared = [cell(rate, 0), cell(rivalRate, 0), cell(median(ratios), 2)];
  return [title, ...compared, ...cpus, ...memory, ...times.map((percentiles) => percentiles.join(' / '))];
}

function settlementLineOf({ title }, results) {
  const [ours, rival, alone, beside] = ['ours', 'rival', 'aloneMs', 'besideMs'].map((member) =>
    medianOf(results, member),
  );
  return [title, cell(ours, 0), cell(rival, 0), cell(ours / rival, 2), cell(alone, 1), cell(beside, 1)];
}

/** Measures all rows in every round. @returns their results by row */
async function measureAll(context) {
  const measured = new Map(requestRows.map((row) => [row, { ours: newSide(), rival: newSide() }]));
  const settled = new Map(dueRows.map((row) => [row, []]));
  for (const row of measured.keys()) {
    for (const side of [row.ours, row.rival]) {
      await side.prepare(context);
      for (let times = 0; times < WARM_UPS; times += 1) await side.rate(context);
    }
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const [row, results] of measured) await measureRow(row, context, round, results);
    for (const [row, results] of settled) results.push(await measureSettlements(row, context));
    console.error(`round ${round + 1} of ${rounds}`);
  }
  return { measured, settled };
}

await onBenchmarkDatabase(async ({ servers, client, url }) => {
  const readers = Math.min(100, accounts);
  const fixture = await Fixture.create(await servers.get('service'), client, { accounts, readers });
  if (chosen.some((name) => name.startsWith('login')))
    await fixture.hashWithCost(client, 10, require('bcryptjs').hashSync);
  const { measured, settled } = await measureAll({ servers, fixture, client, url, seconds });
  printTable(
    [
      ...['', 'per second', 'rival', 'ratio', 'CPU ms', 'rival', 'PostgreSQL CPU ms', 'rival'],
      ...['memory MB', 'rival', 'p50 / p99 ms at half', 'rival'],
    ],
    [...measured].map(([row, results]) => lineOf(row, results)),
  );
  if (settled.size === 0) return;
  console.log();
  printTable(
    ['', 'per second', 'rival', 'ratio', 'p99 ms of a POST alone', 'beside'],
    [...settled].map(([row, results]) => settlementLineOf(row, results)),
  );
}, options.against);
