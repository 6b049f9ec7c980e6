// What a year of transactions needs: a simulation on measured costs, with skewed accounts, on one PostgreSQL server and on
// 1 to 32 workers of Citus. It places every account on a shard at random (with a seed), gives it a share of the work by
// Zipf's law, and adds up what each worker gets at the peak. Run it with `npm run bench:scale`, for example
//   npm run bench:scale -- --largest 0.2 --peak 20
// Every number below is an option of the same name; --json prints the result for programs. docs/scale.md explains it.
import { parseArgs } from 'node:util';
import { printTable } from './support/print-table.mjs';

/** Measured with the command that is named, on two cores of an AMD EPYC (2.6 GHz). */
const MEASURED = {
  serviceMsPerPost: 0.57, // CPU of the service for a payment with a key, and its settlement: `npm run bench:row-cost`
  postgresMsPerPost: 0.49, // CPU of PostgreSQL for the same: the same command
  serviceMsPerGet: 0.15, // reading a transaction: the same command
  postgresMsPerGet: 0.02,
  bytesPerTransaction: 3_100, // tables and indexes, without what is kept for days only: the same command
  bytesPerEvents: 2_100, // the events of a transaction, kept for 30 days: the same command
  bytesPerKey: 630, // the idempotency record, kept for 7 days: the same command
  walBytesPerTransaction: 12_200, // the same command
  hotPostsPerSecond: 1_900, // credits to one account: `npm run bench -- --rows post-one`
  citusRate: 0.61, // of a POST with a key, beside one server, in the lower of two runs: docs/citus.md
};

/** Chosen: what the year is like, and how full machines may be. */
const ASSUMED = {
  transactions: 1e9,
  accounts: 1_000_000,
  skew: 1, // the exponent of Zipf's law: 0 makes all accounts alike
  largest: 0, // the share of the largest account; 0 leaves it to Zipf's law
  peak: 10, // the busiest second, as a multiple of the mean
  getsPerPost: 5,
  cores: 16, // of one PostgreSQL server
  disk: 8_000, // the gigabytes that it holds
  years: 3, // that are kept
  full: 0.5, // the part of its cores and of its disk that a server should use, at the peak
  shards: 64, // `npm run citus:distribute -- --shards=64`
  seed: 1,
};

const WORKERS = [1, 2, 4, 8, 16, 32];
const SECONDS_A_YEAR = 365 * 86_400;
/** What is deleted afterwards. */
const EVENT_DAYS = 30;
const KEY_DAYS = 7;
const GB = 1e9;

/** @returns a generator of numbers from 0 to 1 that follow from the seed (mulberry32) */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** @returns the shares of all accounts, the largest first; they add up to 1 */
function sharesOf({ accounts, skew, largest }) {
  const weights = Float64Array.from({ length: accounts }, (_, rank) => (rank + 1) ** -skew);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  if (largest === 0) return weights.map((weight) => weight / sum);
  const others = (1 - largest) / (sum - weights[0]);
  return weights.map((weight, rank) => (rank === 0 ? largest : weight * others));
}

/** @returns the share of the work of every shard; an account and all that belongs to it are on one */
function shardsOf(shares, { shards, seed }) {
  const random = randomFrom(seed);
  const loads = Array(shards).fill(0);
  for (const share of shares) loads[Math.floor(random() * shards)] += share;
  return loads;
}

/** What each of `count` workers gets, from shards that are dealt out in turn, as Citus does. */
function workersOf(shards, count) {
  const loads = Array(count).fill(0);
  for (const [shard, load] of shards.entries()) loads[shard % count] += load;
  return loads;
}

function simulate(options) {
  const { transactions, peak, getsPerPost, cores, full, citusRate } = options;
  const posts = (transactions / SECONDS_A_YEAR) * peak;
  const gets = posts * getsPerPost;
  const [service, postgres] = ['service', 'postgres'].map(
    (side) => (posts * options[`${side}MsPerPost`] + gets * options[`${side}MsPerGet`]) / 1000,
  );
  // What a POST costs more on Citus is counted for the coordinator, which plans statements and commits in two phases.
  const coordinator = (posts * options.postgresMsPerPost * (1 / citusRate - 1)) / 1000;
  const shares = sharesOf(options);
  const shards = shardsOf(shares, options);
  const gigabytes = (transactions * options.bytesPerTransaction) / GB;
  const passingGigabytes =
    ((transactions / 365) * (EVENT_DAYS * options.bytesPerEvents + KEY_DAYS * options.bytesPerKey)) / GB;
  const server = (workers, loads, extra) => {
    const busiest = Math.max(...loads);
    return {
      workers,
      loads,
      mean: postgres / Math.max(loads.length, 1) / cores,
      busiest: (postgres * busiest) / cores,
      coordinator: extra / cores,
      disk: ((gigabytes * options.years + passingGigabytes) * busiest) / options.disk,
    };
  };
  const rows = [server(0, [1], 0)];
  for (const count of WORKERS.filter((one) => one <= options.shards)) {
    rows.push(server(count, workersOf(shards, count), coordinator));
  }
  const hottest = { share: shares[0], busy: (posts * shares[0]) / options.hotPostsPerSecond };
  const holds = ({ busiest, coordinator: own, disk }) => Math.max(busiest, own, disk) <= full;
  return {
    posts,
    gets,
    rows,
    hottest,
    serviceCores: service / full,
    postgresCores: postgres / full,
    gigabytes,
    passingGigabytes,
    walGigabytesADay: (transactions / 365 / GB) * options.walBytesPerTransaction,
    enough: hottest.busy > 1 ? null : (rows.find(holds)?.workers ?? null),
  };
}

function print(result, { peak, cores, disk, years, full, hotPostsPerSecond }) {
  const percent = (part) => `${(part * 100).toFixed(part < 0.1 ? 1 : 0)} %`;
  const { posts, gets, hottest, enough } = result;
  console.log(`Peak (${peak} times the mean): ${posts.toFixed(0)} POST/s and ${gets.toFixed(0)} GET/s.\n`);
  printTable(
    [
      'servers',
      'mean use of the cores',
      'of the busiest',
      'of the coordinator',
      `disk of the busiest after ${years} years`,
    ],
    result.rows.map(({ workers, mean, busiest, coordinator, disk }) => [
      workers === 0 ? 'one PostgreSQL' : `${workers} of Citus`,
      percent(mean),
      percent(busiest),
      workers === 0 ? '' : percent(coordinator),
      percent(disk),
    ]),
  );
  const isLimit = hottest.busy > 1 ? 'IS THE LIMIT: no number of workers helps' : 'is no limit';
  console.log(`
The largest account (${percent(hottest.share)} of the work) ${isLimit}: ${(posts * hottest.share).toFixed(0)} of ${hotPostsPerSecond} POST/s.
Cores of the service: ${Math.ceil(result.serviceCores)}, as many replicas. Cores of PostgreSQL: ${Math.ceil(result.postgresCores)}.
Disk of each copy: ${result.gigabytes.toFixed(0)} GB a year, and ${result.passingGigabytes.toFixed(0)} GB of events and idempotency records. WAL: ${result.walGigabytesADay.toFixed(0)} GB a day.`);
  const answer = { 0: 'One PostgreSQL server is enough', null: 'None of these is enough' };
  console.log(
    `${answer[enough] ?? `${enough} workers are enough`} with ${cores} cores and ${disk} GB each, to be ${percent(full)} full at most.`,
  );
}

const numbers = { ...MEASURED, ...ASSUMED };
const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    ...Object.fromEntries(Object.keys(numbers).map((name) => [name, { type: 'string' }])),
  },
});
const given = Object.entries(values).filter(([name]) => name !== 'json');
const options = { ...numbers, ...Object.fromEntries(given.map(([name, text]) => [name, Number(text)])) };
for (const [name, value] of Object.entries(options))
  if (!(value >= 0)) throw new Error(`--${name} is a number from 0 on.`);
const result = simulate(options);
if (values.json) console.log(JSON.stringify(result));
else print(result, options);
