import { Compiled } from '../support/compiled';
import { aTransaction } from '../support/movements';
import { anAccount, created } from '../support/people';
import { startTestService, TestService } from '../support/service';
import { until } from '../support/until';

const SECRET = 'a test secret that is only used in tests';

let compiled: Compiled;
let service: TestService;

beforeAll(async () => {
  compiled = Compiled.create();
  service = await startTestService({ RUN_WORKER: 'false', SETTLEMENT_DELAY_SECONDS: '0' });
});
afterAll(async () => {
  compiled.remove();
  await service.stop();
});

const settings = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  DATABASE_URL: service.databaseUrl,
  JWT_SECRETS: SECRET,
  PORT: '0',
  ...more,
});

describe('the worker, apart from the service', () => {
  it('settles what the service leaves to it, and ends when it is told to', async () => {
    const { api, accountId } = await anAccount(service.api);
    const { id } = await created(api, '/v1/transactions', aTransaction(accountId));
    const worker = compiled.run('worker', settings());
    const settled = async () => (await api.get(`/v1/transactions/${id}`)).body.status === 'succeeded';
    expect(await until(settled)).toBe(true);
    const later = await created(api, '/v1/transactions', aTransaction(accountId));
    expect(
      await until(async () => (await api.get(`/v1/transactions/${later.id}`)).body.status === 'succeeded'),
    ).toBe(true);
    worker.signal('SIGTERM');
    expect(await worker.ended).toBe(0);
    expect(worker.out).toBe('The worker does what is due, every second\n');
    expect(worker.err).toBe('');
  });
});

describe('a database that holds play money', () => {
  it.each([
    ['worker', 'The worker cannot start'],
    ['main', 'Countinghouse cannot start'],
    ['verify-ledger', 'The journal cannot be verified'],
  ])('is refused by %s with another kind of processor, in one line', async (entry, failure) => {
    const process = compiled.run(entry, settings({ PROCESSOR: 'manual' }));
    expect(await process.ended).toBe(1);
    expect(process.err).toBe(
      `${failure}. PROCESSOR: this database is for sandbox money, not for live money\n`,
    );
    expect(process.out).toBe('');
  });
});

describe('production', () => {
  it('does not start without being told what moves the money', async () => {
    const process = compiled.run('main', settings({ NODE_ENV: 'production' }));
    expect(await process.ended).toBe(1);
    expect(process.err).toBe(
      'Countinghouse cannot start. PROCESSOR: in production it must be named: sandbox, manual or stripe\n',
    );
  });
});

describe('a service that finds its port taken', () => {
  it('says so and ends, though it would do timed work', async () => {
    const process = compiled.run('main', settings({ PORT: new URL(service.url).port }));
    expect(await process.ended).toBe(1);
    expect(process.err).toMatch(/^Countinghouse cannot start\. PORT, LISTEN_ADDRESS: .*\n$/);
  });
});
