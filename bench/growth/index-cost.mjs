// What indexes cost a POST, by default those of the lists of transactions: two databases with the same rows, one of them
// without these indexes, measured in turn. Run it with `npm run bench:index-cost -- --size 100000 --rounds 5 --seconds 4`;
// `--indexes journal_entries_posted` measures only this one, `--path /v1/payments` another creation.
import { parseArgs } from 'node:util';
import { onBenchmarkDatabase } from '../support/database.mjs';
import { median, rateOf } from '../support/load.mjs';
import { FilledService } from './filled-service.mjs';
import { anOwner, CREATIONS, withFacts } from './operations.mjs';

const INDEXES = [
  'account_status_type',
  'status_type',
  'account_reference_status_type',
  'reference_status_type',
  'account_amount',
  'amount',
].map((name) => `transactions_${name}`);

const { values: options } = parseArgs({
  options: {
    size: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    indexes: { type: 'string', default: INDEXES.join(',') },
    path: { type: 'string', default: '/v1/transactions' },
  },
});
const [size, rounds, seconds] = [options.size, options.rounds, options.seconds].map(Number);
const CONNECTIONS = 32;
const CALLS_ALONE = 100;
const post = { request: (facts) => CREATIONS[options.path](anOwner(facts)) };

/** @returns the requests per second of many connections, and the milliseconds of one request at a time */
async function measure(service) {
  const request = () => ({ ...post.request(service.facts), token: service.token });
  const { perSecond } = await rateOf(service.server.connections(CONNECTIONS), request, seconds);
  return { perSecond, aloneMs: await service.measure(post, 0, CALLS_ALONE) };
}

await onBenchmarkDatabase(async (context) => {
  const complete = await withFacts(await FilledService.start(context, size));
  const without = await withFacts(await FilledService.start(context, size));
  for (const index of options.indexes.split(',')) await without.client.query(`DROP INDEX ${index}`);
  const results = new Map([complete, without].map((service) => [service, []]));
  for (const service of results.keys()) await measure(service); // warms up
  for (let round = 0; round < rounds; round += 1) {
    const inTurn = round % 2 === 0 ? [complete, without] : [without, complete];
    for (const service of inTurn) results.get(service).push(await measure(service));
  }
  for (const member of ['perSecond', 'aloneMs']) {
    const [withIndexes, withoutIndexes] = [complete, without].map((service) =>
      results.get(service).map((result) => result[member]),
    );
    const ratios = withIndexes.map((value, round) => value / withoutIndexes[round]);
    const medians = [withIndexes, withoutIndexes, ratios].map((values) => median(values).toFixed(2));
    const range = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2));
    console.log(
      `${member}: ${medians[0]} with, ${medians[1]} without, ratio ${medians[2]} (${range.join(' to ')})`,
    );
  }
  for (const service of results.keys()) await service.client.end();
});
