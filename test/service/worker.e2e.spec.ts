import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Compiled } from '../support/compiled';
import { aTransaction } from '../support/request-bodies';
import { anAccount, created } from '../support/people';
import { startTestService, TestService } from '../support/service';
import { until } from '../support/until';

const SECRET = 'a test secret that is only used in tests';

let compiled: Compiled;
let service: TestService;

beforeAll(async () => {
  compiled = new Compiled();
  service = await startTestService({ RUN_WORKER: 'false', SETTLEMENT_DELAY_SECONDS: '0' });
});
afterAll(async () => {
  compiled.stop();
  await service.stop();
});

const settings = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  DATABASE_URL: service.databaseUrl,
  JWT_SECRETS: SECRET,
  PORT: '0',
  ...more,
});

describe('A separate worker', () => {
  it('settles transactions that the service creates, and stops on SIGTERM', async () => {
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
    expect(worker.out).toBe('The worker runs background work\n');
    expect(worker.err).toBe('');
  });
});

describe('The help', () => {
  it('is printed without loading the modules of the service', async () => {
    const list = join(compiled.folder, 'list-modules.cjs');
    writeFileSync(
      list,
      "process.on('exit', () => process.stderr.write(Object.keys(require.cache).join('\\n')));",
    );
    const process = compiled.run('--help', { NODE_OPTIONS: `--require=${list}` });
    expect(await process.ended).toBe(0);
    expect(process.err).toContain('command-line.js');
    expect(process.err).not.toMatch(/@nestjs|typeorm|app\.module|class-validator/);
  });
});

describe('A database in test mode', () => {
  it.each([
    ['worker', 'The worker cannot start'],
    ['start', 'Countinghouse cannot start'],
    ['ledger:verify', 'The journal cannot be verified'],
  ])('is rejected by %s with a processor in live mode, in one line', async (entry, failure) => {
    const process = compiled.run(entry, settings({ PROCESSOR: 'manual' }));
    expect(await process.ended).toBe(1);
    expect(process.err).toBe(
      `${failure}. PROCESSOR: the database is in test mode, the processor in live mode; use another database\n`,
    );
    expect(process.out).toBe('');
  });
});

describe('In production, the service', () => {
  it.each([
    ['PROCESSOR', 'to sandbox, manual or stripe', { PAYMENT_PAGE_URL: 'https://pay.example.com' }],
    [
      'PAYMENT_PAGE_URL',
      'to the public address of the payment page, like https://pay.example.com',
      { PROCESSOR: 'sandbox' },
    ],
  ])('does not start without %s', async (name, value, others) => {
    const process = compiled.run('start', settings({ NODE_ENV: 'production', ...others }));
    expect(await process.ended).toBe(1);
    expect(process.err).toBe(`Countinghouse cannot start. ${name}: must be set in production, ${value}\n`);
  });
});

describe('A service whose port is in use', () => {
  it('prints an error and exits, although it runs background work', async () => {
    const process = compiled.run('start', settings({ PORT: new URL(service.url).port }));
    expect(await process.ended).toBe(1);
    expect(process.err).toMatch(/^Countinghouse cannot start\. PORT, LISTEN_ADDRESS: .*\n$/);
  });
});
