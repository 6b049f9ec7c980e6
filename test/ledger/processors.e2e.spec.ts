import { createDatabase, dropDatabase } from '../support/databases';
import { aTransaction } from '../support/movements';
import { anOperator, anOwner, created, Owner, Person, theAdmin } from '../support/people';
import { startTestService, TestService } from '../support/service';
import { readConfig } from '../../src/platform/config/config';
import { Log } from '../../src/platform/telemetry/log';
import { createContext } from '../../src/service';
import { TestClock } from '../support/clock';

const PATH = '/v1/transactions';

describe('the processor manual', () => {
  let service: TestService;
  let owner: Owner;
  let operators: Record<string, Person>;

  beforeAll(async () => {
    service = await startTestService({ PROCESSOR: 'manual', ACCESS_TOKEN_TTL: '86400' });
    operators = { admin: await theAdmin(service.api), platform: await anOperator(service.api, 'platform') };
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    owner = await anOwner(service.api);
  });

  const record = (by: { api: Owner['api'] }, members: object) =>
    created(by.api, PATH, aTransaction(owner.accountId, { amount: 10, ...members }));
  const balance = async () => {
    const { posted, held, pending_in } = (await owner.api.get('/v1/account/balance')).body;
    return { posted, held, pending_in };
  };

  it.each(['admin', 'platform'])('takes a credit of an operator (%s) as done', async (who) => {
    expect((await record(operators[who]!, { type: 'credit' })).status).toBe('succeeded');
    expect(await balance()).toEqual({ posted: 10, held: 0, pending_in: 0 });
  });

  it('lets everything else wait for an outcome, whoever records it', async () => {
    await record(operators['admin']!, { type: 'credit', amount: 100 });
    expect((await record(owner, { type: 'credit' })).status).toBe('pending');
    expect((await record(owner, { type: 'payment' })).status).toBe('pending');
    expect((await record(owner, { type: 'refund' })).status).toBe('pending');
    expect((await record(operators['admin']!, { type: 'payment' })).status).toBe('pending');
    expect((await record(operators['platform']!, { type: 'refund' })).status).toBe('pending');
    expect(await balance()).toEqual({ posted: 100, held: 20, pending_in: 30 });
  });

  it.each([
    ['payment', 'succeeded', { posted: 110, held: 0, pending_in: 0 }],
    ['payment', 'failed', { posted: 100, held: 0, pending_in: 0 }],
    ['credit', 'succeeded', { posted: 110, held: 0, pending_in: 0 }],
    ['credit', 'failed', { posted: 100, held: 0, pending_in: 0 }],
    ['refund', 'succeeded', { posted: 90, held: 0, pending_in: 0 }],
    ['refund', 'failed', { posted: 100, held: 0, pending_in: 0 }],
  ])('moves the money of a %s that is reported as %s', async (type, outcome, after) => {
    await record(operators['admin']!, { type: 'credit', amount: 100 });
    const { id } = await record(owner, { type });
    const reply = await operators['platform']!.api.post(`${PATH}/${id}/settlement`, { outcome });
    expect(reply).toMatchObject({ status: 200, body: { id, status: outcome } });
    expect(await balance()).toEqual(after);
  });

  it('ends nothing by time, and takes the key of the sandbox as plain metadata', async () => {
    const metadata = { sandbox_outcome: 'maybe' };
    const made = await record(owner, { type: 'credit', metadata });
    expect(made).toMatchObject({ status: 'pending', metadata });
    service.clock.move({ minutes: 600 });
    await service.sweep();
    expect((await owner.api.get(`${PATH}/${made.id}`)).body.status).toBe('pending');
  });
});

describe('a database remembers what its money is', () => {
  /** The service's modules on the database, with this processor; closed again at once. */
  async function open(databaseUrl: string, processor: string): Promise<string> {
    const config = readConfig({ PROCESSOR: processor });
    const parts = { config, databaseUrl, clock: new TestClock(), log: new Log('silent') };
    return createContext(parts).then(
      (app) => app.close().then(() => 'it opened'),
      (error: Error) => error.message,
    );
  }

  it.each([
    ['sandbox', 'manual', 'PROCESSOR: this database is for sandbox money, not for live money'],
    ['manual', 'sandbox', 'PROCESSOR: this database is for live money, not for sandbox money'],
  ])('of %s first, and refuses %s ever after', async (first, other, refusal) => {
    const { name, url } = await createDatabase();
    expect(await open(url, first)).toBe('it opened');
    expect(await open(url, other)).toBe(refusal);
    expect(await open(url, first)).toBe('it opened');
    await dropDatabase(name);
  });

  it('also when two of different kinds start at once: one of them does', async () => {
    const { name, url } = await createDatabase();
    const results = await Promise.all([open(url, 'sandbox'), open(url, 'manual')]);
    expect(results.filter((result) => result === 'it opened')).toHaveLength(1);
    await dropDatabase(name);
  });
});
