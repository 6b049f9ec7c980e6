import { aPaymentRequest } from '../../support/request-bodies';
import { anAccount, anOwner, created, Owner, PASSWORD, someEmail } from '../../support/people';
import { describeOnOneServer } from '../../support/citus';
import { startTestService, TestService } from '../../support/service';
import { SmtpServer } from '../../support/smtp';
import { until } from '../../support/until';

/** The tables of the queue of the previous release (graphile-worker 0.17), with the columns that are read. */
const QUEUE = `CREATE SCHEMA graphile_worker;
  CREATE TABLE graphile_worker._private_tasks (
    id int PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    identifier text NOT NULL UNIQUE
  );
  CREATE TABLE graphile_worker._private_jobs (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    task_id int NOT NULL,
    payload json NOT NULL,
    run_at timestamptz DEFAULT now() NOT NULL,
    attempts smallint DEFAULT 0 NOT NULL,
    max_attempts smallint DEFAULT 13 NOT NULL,
    locked_at timestamptz
  );
  INSERT INTO graphile_worker._private_tasks (identifier)
  VALUES ('security-mail'), ('payment-mail'), ('webhook-mail'), ('job of an extension')`;

interface Job {
  readonly inHours?: number;
  readonly attempts?: number;
  readonly lockedSeconds?: number;
  readonly lastSentAt?: Date;
}

describeOnOneServer('Emails in the queue of the previous release', 'its tables are not placed', () => {
  let smtp: SmtpServer;
  let service: TestService;
  let owner: Owner;

  beforeAll(async () => {
    smtp = await SmtpServer.start();
    service = await startTestService(smtp.settings);
    owner = await anOwner(service.api);
    await service.sql('DELETE FROM security_emails');
    await service.sql(QUEUE);
  });
  afterAll(async () => {
    await service?.stop();
    await smtp?.stop();
  });

  /** Adds a job like the previous release, which leaves no due time. */
  async function queue(
    name: string,
    payload: object,
    { inHours = 0, attempts = 0, lockedSeconds }: Job = {},
  ) {
    await service.sql(
      `INSERT INTO graphile_worker._private_jobs (task_id, payload, attempts, locked_at, run_at)
       SELECT id, $2, $3, now() - $4 * interval '1 second', now() + $5 * interval '1 hour'
       FROM graphile_worker._private_tasks WHERE identifier = $1`,
      [name, payload, attempts, lockedSeconds ?? null, inHours],
    );
  }

  async function queuePayment(job: Job = {}): Promise<{ id: string; customer: string }> {
    const customer = someEmail();
    const body = aPaymentRequest(owner.accountId, { customer_email: customer });
    const { id } = await created(owner.api, '/v1/payments', body);
    await service.sql('UPDATE payment_emails SET due_at = NULL, sent_at = $2 WHERE payment_request_id = $1', [
      id,
      job.lastSentAt ?? null,
    ]);
    const { lastSentAt } = job;
    const last = lastSentAt === undefined ? {} : { last_sent_at: lastSentAt.toISOString() };
    await queue('payment-mail', { account_id: owner.accountId, id, kind: 'request', ...last }, job);
    return { id, customer };
  }

  const jobs = async (): Promise<number> =>
    (await service.sql('SELECT FROM graphile_worker._private_jobs')).length;

  it('are sent, each once, whatever they are about', async () => {
    const { customer } = await queuePayment();
    const repeated = await queuePayment({ lastSentAt: new Date('2026-01-31T09:30:00.123Z') });
    const account = await anAccount(service.api);
    await account.api.post('/v1/auth/password', { current_password: PASSWORD, password: 'another long one' });
    const [{ id }] = (await service.sql(
      `UPDATE security_emails SET due_at = NULL WHERE kind = 'password_changed' RETURNING id`,
    )) as [{ id: string }];
    await queue('security-mail', { id });
    const { id: endpoint } = await created(account.api, '/v1/webhooks', { url: 'http://127.0.0.1:9999/' });
    await service.sql(`UPDATE webhook_endpoints SET disabled_at = now(), disabled_reason = 'gone'`);
    await queue('webhook-mail', { account_id: account.accountId, id: endpoint });

    const replicas = await Promise.all([1, 2].map(() => service.replica({ RUN_WORKER: 'true' })));
    const counts = (): number[] =>
      [customer, repeated.customer, account.email].map((address) => smtp.to(address).length);
    expect(await until(() => counts().join() === '1,1,2')).toBe(true);
    expect(smtp.to(repeated.customer)[0]!.messageId).toContain(`.${Date.parse('2026-01-31T09:30:00.123Z')}@`);
    expect(await jobs()).toBe(0);
    for (const replica of replicas) await replica.stop();
    expect(counts()).toEqual([1, 1, 2]);
  });

  it('keep their attempts, and those that are given up stay so', async () => {
    const waiting = await queuePayment({ inHours: 1, attempts: 5 });
    const failed = await queuePayment({ attempts: 13 });
    await service.runDueTasks();
    const emails = await service.sql(
      `SELECT attempts, due_at IS NOT NULL AS "isDue" FROM payment_emails
       WHERE payment_request_id = ANY ($1) ORDER BY attempts`,
      [[waiting.id, failed.id]],
    );
    expect(emails).toEqual([
      { attempts: 5, isDue: true },
      { attempts: 13, isDue: false },
    ]);
    expect(await jobs()).toBe(0);
  });

  it('are left to a process of the previous release that sends them, unless it has died', async () => {
    await queuePayment({ attempts: 1, lockedSeconds: 10 });
    const died = await queuePayment({ inHours: 1, attempts: 1, lockedSeconds: 121 });
    await queue('job of an extension', {});
    await service.runDueTasks();
    expect(await jobs()).toBe(2);
    const due = await service.sql(
      'SELECT payment_request_id AS id FROM payment_emails WHERE due_at IS NOT NULL AND attempts = 1',
    );
    expect(due).toEqual([{ id: died.id }]);
    await service.sql('DELETE FROM graphile_worker._private_jobs');
  });

  it('are not sent again if they were sent', async () => {
    const { id } = await queuePayment();
    await service.sql('UPDATE payment_emails SET sent_at = now() WHERE payment_request_id = $1', [id]);
    await service.runDueTasks();
    expect(await jobs()).toBe(0);
    const [email] = await service.sql('SELECT due_at FROM payment_emails WHERE payment_request_id = $1', [
      id,
    ]);
    expect(email).toEqual({ due_at: null });
  });
});
