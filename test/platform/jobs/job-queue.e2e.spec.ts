import { aPaymentRequest } from '../../support/request-bodies';
import { anOwner, created, Owner, someEmail } from '../../support/people';
import { Compiled } from '../../support/compiled';
import { onServer } from '../../support/databases';
import { startTestService, TestService } from '../../support/service';
import { SmtpServer } from '../../support/smtp';
import { until } from '../../support/until';

const SECRET = 'a test secret that is only used in tests';

let compiled: Compiled;
let smtp: SmtpServer;
let service: TestService;
let owner: Owner;

beforeAll(async () => {
  compiled = Compiled.create();
  smtp = await SmtpServer.start();
});
afterAll(async () => {
  compiled.remove();
  await smtp.stop();
});
beforeEach(async () => {
  await smtp.behave('accept');
  service = await startTestService(smtp.settings);
  owner = await anOwner(service.api);
  // The links to verify the emails of the owner are no part of these tests.
  await service.sql('DELETE FROM security_emails');
});
afterEach(() => service.stop());

/** Creates a payment request to a new customer. @returns the customer's address */
async function requestPayment(): Promise<string> {
  const customer_email = someEmail();
  await created(owner.api, '/v1/payments', aPaymentRequest(owner.accountId, { customer_email }));
  return customer_email;
}

const workerSettings = (): NodeJS.ProcessEnv => ({
  ...smtp.settings,
  DATABASE_URL: service.databaseUrl,
  JWT_SECRETS: SECRET,
});

const jobs = (): Promise<{ locked_at: Date | null; attempts: number }[]> =>
  service.sql('SELECT locked_at, attempts FROM graphile_worker.jobs');

describe('A killed worker', () => {
  it('leaves its email to another worker, which sends it again after two minutes', async () => {
    await smtp.behave('hold');
    const customer = await requestPayment();
    const worker = compiled.run('worker', workerSettings());
    expect(await until(() => smtp.to(customer).length === 1)).toBe(true);
    worker.signal('SIGKILL');
    expect(await worker.ended).toBe('SIGKILL');
    await smtp.behave('accept');

    const next = await service.replica({ RUN_WORKER: 'true' });
    await next.runDueTasks();
    const later = await requestPayment();
    expect(await until(() => smtp.to(later).length === 1)).toBe(true);
    expect(await until(async () => (await jobs()).length === 1)).toBe(true);
    expect(smtp.to(customer)).toHaveLength(1);
    expect(await jobs()).toEqual([{ locked_at: expect.any(Date), attempts: 1 }]);

    await service.sql(
      `UPDATE graphile_worker._private_jobs SET locked_at = locked_at - interval '121 seconds'`,
    );
    next.clock.move({ seconds: 31 });
    await next.runDueTasks();
    expect(await until(async () => (await jobs()).length === 0)).toBe(true);
    const ids = smtp.to(customer).map(({ messageId }) => messageId);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    await next.stop();
  });

  it('does not send an email again that is marked as sent', async () => {
    const customer = await requestPayment();
    const worker = compiled.run('worker', workerSettings());
    expect(await until(() => smtp.to(customer).length === 1)).toBe(true);
    expect(await until(async () => (await jobs()).length === 0)).toBe(true);
    await service.sql(
      `SELECT graphile_worker.add_job('payment-mail', json_build_object('account_id', account_id, 'id', id, 'kind', 'request'))
       FROM payment_requests`,
    );
    expect(await until(async () => (await jobs()).length === 0)).toBe(true);
    expect(smtp.to(customer)).toHaveLength(1);
    worker.signal('SIGTERM');
    expect(await worker.ended).toBe(0);
    expect(worker.err).toBe('');
  });
});

describe('The queue', () => {
  it('is created once when many replicas start at the same time', async () => {
    const replicas = await Promise.all([1, 2, 3].map(() => service.replica({ RUN_WORKER: 'true' })));
    const customer = await requestPayment();
    await Promise.all(replicas.map((replica) => replica.runDueTasks()));
    expect(await until(() => smtp.to(customer).length === 1)).toBe(true);
    await Promise.all(replicas.map((replica) => replica.stop()));
    for (const { logged } of replicas) expect(logged.filter(isFailure)).toEqual([]);
  });

  it('continues after its connections are terminated', async () => {
    const worker = await service.replica({ RUN_WORKER: 'true' });
    await smtp.behave('hold');
    const held = await requestPayment();
    await worker.runDueTasks();
    expect(await until(() => smtp.to(held).length === 1)).toBe(true);
    await service.sql(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await smtp.behave('accept');
    expect(await until(async () => (await jobs()).length === 0)).toBe(true);
    const customer = await requestPayment();
    await worker.runDueTasks();
    expect(await until(() => smtp.to(customer).length === 1)).toBe(true);
    expect(smtp.to(held)).toHaveLength(1);
    await worker.stop();
  });

  it('sends an email once when the end of its job cannot be recorded', async () => {
    const worker = await service.replica({ RUN_WORKER: 'true' });
    await service.sql(
      `CREATE FUNCTION breakdown() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'words of the database'; END $$;
       CREATE TRIGGER breakdown BEFORE DELETE ON graphile_worker._private_jobs
       FOR EACH ROW EXECUTE FUNCTION breakdown()`,
    );
    const first = await requestPayment();
    await worker.runDueTasks();
    expect(await until(() => worker.logged.some(isFailure))).toBe(true);
    await service.sql('DROP TRIGGER breakdown ON graphile_worker._private_jobs');
    const second = await requestPayment();
    await worker.runDueTasks();
    expect(await until(() => smtp.to(second).length === 1)).toBe(true);
    await service.sql(
      `UPDATE graphile_worker._private_jobs SET locked_at = locked_at - interval '121 seconds'`,
    );
    worker.clock.move({ seconds: 31 });
    await worker.runDueTasks();
    expect(await until(async () => (await jobs()).length === 0)).toBe(true);
    expect(smtp.to(first)).toHaveLength(1);
    expect(worker.logged.join('')).not.toContain('words of the database');
    await worker.stop();
  });

  it('stores only the kind and the code of a failure', async () => {
    const worker = await service.replica({ RUN_WORKER: 'true' });
    await service.sql(
      `CREATE FUNCTION breakdown() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'words of the database'; END $$;
       CREATE TRIGGER breakdown BEFORE UPDATE OF sent_at ON payment_emails
       FOR EACH ROW EXECUTE FUNCTION breakdown()`,
    );
    await requestPayment();
    await worker.runDueTasks();
    const kept = (): Promise<{ last_error: string | null }[]> =>
      service.sql('SELECT last_error FROM graphile_worker._private_jobs');
    expect(await until(async () => (await kept())[0]?.last_error === 'error P0001')).toBe(true);
    expect(worker.logged.join('')).not.toContain('words of the database');
    await worker.stop();
  });

  it('reports in one line that the role may not create its schema', async () => {
    const role = `poor_${new URL(service.databaseUrl, 'http://localhost').pathname.split('/').at(-1)}`;
    await onServer(`CREATE ROLE ${role}`);
    await service.sql(
      `GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${role}`,
    );
    const url = `${service.databaseUrl}${service.databaseUrl.includes('?') ? '&' : '?'}options=${encodeURIComponent(`-c role=${role}`)}`;
    const worker = compiled.run('worker', { ...workerSettings(), DATABASE_URL: url });
    expect(await worker.ended).toBe(1);
    expect(worker.err).toBe(
      'The worker cannot start. SMTP_URL: email requires a job queue in the schema graphile_worker, ' +
        'which the role of DATABASE_URL must be allowed to create: GRANT CREATE ON DATABASE\n',
    );
    await service.sql(`DROP OWNED BY ${role}`);
    await onServer(`DROP ROLE ${role}`);
  });

  it('does not run in a shell command', async () => {
    const customer = await requestPayment();
    const audit = compiled.run('ledger:verify', workerSettings());
    expect(await audit.ended).toBe(0);
    expect(await service.sql(`SELECT 1 FROM pg_namespace WHERE nspname = 'graphile_worker'`)).toEqual([]);
    expect(smtp.to(customer)).toEqual([]);
  });
});

function isFailure(line: string): boolean {
  return line.includes('"level":50');
}
