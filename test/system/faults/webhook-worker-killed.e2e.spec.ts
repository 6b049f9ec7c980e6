import { SECOND_MS } from '../../../src/kernel/clock';
import { Compiled } from '../../support/compiled';
import { anOwner } from '../../support/people';
import { SEED } from '../../support/rounds';
import { startTestService, TestService } from '../../support/service';
import {
  anEndpoint,
  anEvent,
  deliveriesOf,
  later,
  receivedBy,
} from '../../modules/events/webhooks/deliveries';
import { Receiver } from '../../modules/events/webhooks/receiver';
import { LIMIT_MS, randomDelays, repetitions, report, until, wait } from './support/form';

/** SIGKILL of the worker process that delivers webhooks. */
jest.setTimeout(LIMIT_MS);

const EVENTS_EACH_TIME = 100;
const DELIVERING_MS = 150;
/** The deliveries of one lease, whose results are recorded together. */
const BATCH = 50;

let compiled: Compiled;
let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  compiled = new Compiled();
  service = await startTestService();
  receiver = await Receiver.start();
});
afterAll(async () => {
  compiled.stop();
  await service.stop();
  await receiver.stop();
});

it(`No webhook is lost, and those of one lease at most are sent twice, under the same id (seed ${SEED})`, async () => {
  const kills = repetitions({ short: 2, long: 30 });
  const owner = await anOwner(service.api);
  const { id } = await anEndpoint(owner, receiver, { event_types: ['transaction.created'] });
  const transactions: string[] = [];
  for (const moment of randomDelays(DELIVERING_MS, kills)) {
    const created = await Promise.all(Array.from({ length: EVENTS_EACH_TIME }, () => anEvent(owner)));
    transactions.push(...created.map((transaction) => transaction.id as string));
    const before = receiver.received.length;
    const worker = compiled.run('worker', {
      DATABASE_URL: service.databaseUrl,
      JWT_SECRETS: 'a test secret that is only used in tests',
      PROCESSOR: 'sandbox',
    });
    await until('the worker delivers', () => receiver.received.length > before);
    await wait(moment);
    worker.signal('SIGKILL');
    await worker.ended;
    // The lease of the killed process ends.
    const ended = [owner.accountId, id, new Date(Date.now() - SECOND_MS)];
    await service.sql(
      'UPDATE webhook_endpoints SET leased_until = $3 WHERE account_id = $1 AND id = $2',
      ended,
    );
  }
  const pending = () => deliveriesOf(owner, id, '?status=pending&limit=100');
  const interrupted = (await pending()).length;
  // On a busy machine a result may not be recorded; its delivery waits for the end of another lease.
  for (let round = 0; round < 5 && (round === 0 || (await pending()).length > 0); round += 1)
    await later(service, 61);
  const received = receivedBy(receiver, owner);
  const sent = received.map(({ body }) => (JSON.parse(body) as { object_id: string }).object_id);
  const lost = transactions.filter((transaction) => !sent.includes(transaction)).length;
  const twice = sent.length - new Set(sent).size;
  report('webhook worker killed', { kills, events: transactions.length, interrupted, lost, twice });
  expect(lost).toBe(0);
  expect(twice).toBeLessThanOrEqual(BATCH * kills);
  const ids = received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(transactions.length);
  expect(await pending()).toEqual([]);
});
