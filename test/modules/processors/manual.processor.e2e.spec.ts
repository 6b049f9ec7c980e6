import { createDatabase, dropDatabase } from '../../support/databases';
import { aTransaction } from '../../support/request-bodies';
import { anOperator, anOwner, created, Owner, PASSWORD, Person, theAdmin } from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { core } from '../../support/core';
import { Log } from '../../../src/platform/telemetry/log';

const PATH = '/v1/transactions';

describe('The manual processor', () => {
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

  it('moves real money, so no page says that it is in test mode', async () => {
    const response = await fetch(`${service.url}/dashboard/session`, {
      method: 'POST',
      headers: { 'x-console': '1', 'content-type': 'application/json' },
      body: JSON.stringify({ email: owner.email, password: PASSWORD }),
    });
    expect(await response.json()).toMatchObject({ test_mode: false });
  });

  it.each(['admin', 'platform'])('creates a credit of an operator as succeeded: %s', async (who) => {
    expect((await record(operators[who]!, { type: 'credit' })).status).toBe('succeeded');
    expect(await balance()).toEqual({ posted: 10, held: 0, pending_in: 0 });
  });

  it('creates every other transaction as pending', async () => {
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
  ])('changes the balance when a %s is settled as %s', async (type, outcome, after) => {
    await record(operators['admin']!, { type: 'credit', amount: 100 });
    const { id } = await record(owner, { type });
    const reply = await operators['platform']!.api.post(`${PATH}/${id}/settlement`, { outcome });
    expect(reply).toMatchObject({ status: 200, body: { id, status: outcome } });
    expect(await balance()).toEqual(after);
  });

  it('ends no transaction by itself, and treats sandbox_outcome as plain metadata', async () => {
    const metadata = { sandbox_outcome: 'maybe' };
    const made = await record(owner, { type: 'credit', metadata });
    expect(made).toMatchObject({ status: 'pending', metadata });
    service.clock.move({ minutes: 600 });
    await service.runDueTasks();
    expect((await owner.api.get(`${PATH}/${made.id}`)).body.status).toBe('pending');
  });
});

describe('The mode of a database', () => {
  /** Starts the modules with a processor on the database, and stops them. */
  async function open(databaseUrl: string, processor: string): Promise<string> {
    const settings = { PROCESSOR: processor, DATABASE_URL: databaseUrl, JWT_SECRETS: 's'.repeat(32) };
    return core
      .run(settings, async () => 'started', { log: new Log('silent') })
      .catch((error: Error) => error.message);
  }

  it.each([
    [
      'sandbox',
      'manual',
      'PROCESSOR: the database is in test mode, the processor in live mode; use another database',
    ],
    [
      'manual',
      'sandbox',
      'PROCESSOR: the database is in live mode, the processor in test mode; use another database',
    ],
  ])('allows %s again but not %s', async (first, other, error) => {
    const { name, url } = await createDatabase();
    expect(await open(url, first)).toBe('started');
    expect(await open(url, other)).toBe(error);
    expect(await open(url, first)).toBe('started');
    await dropDatabase(name);
  });

  it('is set by one of two services that start at once with different processors', async () => {
    const { name, url } = await createDatabase();
    const results = await Promise.all([open(url, 'sandbox'), open(url, 'manual')]);
    expect(results.filter((result) => result === 'started')).toHaveLength(1);
    await dropDatabase(name);
  });
});
