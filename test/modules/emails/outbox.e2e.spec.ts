import { aPaymentRequest } from '../../support/request-bodies';
import { anOwner, created, Owner, someEmail } from '../../support/people';
import { Compiled } from '../../support/compiled';
import { startTestService, TestService } from '../../support/service';
import { SmtpServer } from '../../support/smtp';
import { until } from '../../support/until';

const SECRET = 'a test secret that is only used in tests';

let compiled: Compiled;
let smtp: SmtpServer;
let service: TestService;
let owner: Owner;

beforeAll(async () => {
  compiled = new Compiled();
  smtp = await SmtpServer.start();
});
afterAll(async () => {
  compiled.stop();
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

/** The emails that are left to send. */
const waiting = (): Promise<{ due_at: Date; attempts: number }[]> =>
  service.sql('SELECT due_at, attempts FROM payment_emails WHERE due_at IS NOT NULL');

const nothingLeft = () => until(async () => (await waiting()).length === 0);

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
    const later = await requestPayment();
    expect(await until(() => smtp.to(later).length === 1)).toBe(true);
    expect(await until(async () => (await waiting()).length === 1)).toBe(true);
    expect(smtp.to(customer)).toHaveLength(1);
    expect(await waiting()).toEqual([{ due_at: expect.any(Date), attempts: 1 }]);

    next.clock.move({ seconds: 121 });
    expect(await nothingLeft()).toBe(true);
    const ids = smtp.to(customer).map(({ messageId }) => messageId);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    await next.stop();
  });

  it('leaves what it has sent and marked', async () => {
    const customer = await requestPayment();
    const worker = compiled.run('worker', workerSettings());
    expect(await nothingLeft()).toBe(true);
    worker.signal('SIGKILL');
    await worker.ended;
    const next = await service.replica({ RUN_WORKER: 'true' });
    next.clock.move({ seconds: 121 });
    const later = await requestPayment();
    await next.runDueTasks();
    expect(await until(() => smtp.to(later).length === 1)).toBe(true);
    expect(smtp.to(customer)).toHaveLength(1);
    await next.stop();
  });
});

describe('The outbox', () => {
  it('sends an email once when many replicas find it at the same time', async () => {
    const replicas = await Promise.all([1, 2, 3].map(() => service.replica({ RUN_WORKER: 'true' })));
    const customers = await Promise.all([1, 2, 3, 4, 5, 6].map(requestPayment));
    await Promise.all(replicas.map((replica) => replica.runDueTasks()));
    expect(await nothingLeft()).toBe(true);
    for (const customer of customers) expect(smtp.to(customer)).toHaveLength(1);
    await Promise.all(replicas.map((replica) => replica.stop()));
    for (const { logged } of replicas) expect(logged.filter(isFailure)).toEqual([]);
  });

  it('continues after its connections are terminated', async () => {
    const worker = await service.replica({ RUN_WORKER: 'true' });
    await smtp.behave('hold');
    const held = await requestPayment();
    expect(await until(() => smtp.to(held).length === 1)).toBe(true);
    await service.sql(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await smtp.behave('accept');
    expect(await nothingLeft()).toBe(true);
    const customer = await requestPayment();
    expect(await until(() => smtp.to(customer).length === 1)).toBe(true);
    expect(smtp.to(held)).toHaveLength(1);
    await worker.stop();
  });

  it('retries what a mail server that was down did not take, in the order in which it is due', async () => {
    await smtp.stop();
    const customers: string[] = [];
    for (let count = 0; count < 16; count += 1) customers.push(await requestPayment());
    const first = await service.replica({ RUN_WORKER: 'true' });
    const haveFailed = async (): Promise<boolean> =>
      (await waiting()).every(({ attempts, due_at }) => attempts > 0 && isRetry(first, due_at));
    expect(await until(haveFailed)).toBe(true);
    await first.stop();
    // The first that is due is the last that was added, to tell the order from that of the rows.
    await service.sql(
      `UPDATE payment_emails SET attempts = 1, due_at = now() - array_position($1, customer_email) * interval '1 second'
       FROM payment_requests WHERE id = payment_request_id`,
      [customers],
    );
    await smtp.restart();
    const next = await service.replica({ RUN_WORKER: 'true' });
    expect(await nothingLeft()).toBe(true);
    const arrived = smtp.arrived
      .map(({ envelope }) => envelope.to[0]!)
      .filter((to) => customers.includes(to));
    expect(arrived).toHaveLength(customers.length);
    const expected = customers.toReversed();
    const late = arrived.filter((to, place) => Math.abs(expected.indexOf(to) - place) > 4);
    expect(late).toEqual([]); // four are sent at the same time
    expect(next.logged.filter(isFailure)).toEqual([]);
    await next.stop();
  });

  it('continues to count the attempts of an email in the next process', async () => {
    await smtp.behave('defer');
    const customer = await requestPayment();
    let counted = 0;
    for (const round of [0, 1]) {
      const worker = await service.replica({ RUN_WORKER: 'true' });
      worker.clock.move({ seconds: 60 * round });
      const line = `failed, attempt ${counted + 1} of 13`;
      expect(await until(() => worker.logged.some((text) => text.includes(line)))).toBe(true);
      await worker.stop();
      counted = (await waiting())[0]!.attempts;
    }
    await smtp.behave('accept');
    const worker = await service.replica({ RUN_WORKER: 'true' });
    worker.clock.move({ seconds: 600 });
    expect(await until(() => smtp.to(customer).length === 1)).toBe(true);
    expect(await nothingLeft()).toBe(true);
    await worker.stop();
  });

  it('sends an email again whose end cannot be recorded, and logs only the code of the failure', async () => {
    const worker = await service.replica({ RUN_WORKER: 'true' });
    await service.sql(
      `CREATE FUNCTION breakdown() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'words of the database'; END $$;
       CREATE TRIGGER breakdown BEFORE UPDATE OF sent_at ON payment_emails
       FOR EACH ROW EXECUTE FUNCTION breakdown()`,
    );
    const customer = await requestPayment();
    expect(await until(() => worker.logged.some(isFailure))).toBe(true);
    await service.sql('DROP TRIGGER breakdown ON payment_emails');
    worker.clock.move({ seconds: 121 });
    expect(await nothingLeft()).toBe(true);
    const ids = smtp.to(customer).map(({ messageId }) => messageId);
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
    expect(worker.logged.find(isFailure)).toContain('P0001');
    expect(worker.logged.join('')).not.toContain('words of the database');
    await worker.stop();
  });

  it('does not run in a shell command', async () => {
    const customer = await requestPayment();
    const audit = compiled.run('ledger:verify', workerSettings());
    expect(await audit.ended).toBe(0);
    expect(await waiting()).toEqual([{ due_at: expect.any(Date), attempts: 0 }]);
    expect(smtp.to(customer)).toEqual([]);
  });
});

/** Whether an email waits to be tried again, and is not being sent, for which it is claimed for two minutes. */
function isRetry({ clock }: TestService, dueAt: Date): boolean {
  return dueAt.getTime() < clock.now().getTime() + 100_000;
}

function isFailure(line: string): boolean {
  return line.includes('"level":50');
}
