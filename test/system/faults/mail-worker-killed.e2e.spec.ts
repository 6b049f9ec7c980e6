import { Compiled } from '../../support/compiled';
import { aPaymentRequest } from '../../support/request-bodies';
import { anOwner, created, someEmail } from '../../support/people';
import { SEED } from '../../support/rounds';
import { startTestService, TestService } from '../../support/service';
import { SmtpServer } from '../../support/smtp';
import { LIMIT_MS, randomDelays, wait, report, repetitions, until } from './support/form';

/** SIGKILL of the worker process that sends emails. */
jest.setTimeout(LIMIT_MS);

const MAILS_EACH_TIME = 30;
const SENDING_MS = 150;

/** The number of emails that a worker sends concurrently. Those may be sent again after a kill. */
const AT_ONCE = 4;

let compiled: Compiled;
let smtp: SmtpServer;
let service: TestService;

beforeAll(async () => {
  compiled = new Compiled();
  smtp = await SmtpServer.start();
  service = await startTestService(smtp.settings);
});
afterAll(async () => {
  compiled.stop();
  await service.stop();
  await smtp.stop();
});

it(`No email is lost, and at most those in progress are sent twice (seed ${SEED})`, async () => {
  const kills = repetitions({ short: 2, long: 30 });
  const owner = await anOwner(service.api);
  const customers: string[] = [];
  for (const moment of randomDelays(SENDING_MS, kills)) {
    for (let count = 0; count < MAILS_EACH_TIME; count += 1) {
      const customer_email = someEmail();
      customers.push(customer_email);
      await created(owner.api, '/v1/payments', aPaymentRequest(owner.accountId, { customer_email }));
    }
    const before = smtp.arrived.length;
    const worker = compiled.run('worker', {
      ...smtp.settings,
      DATABASE_URL: service.databaseUrl,
      JWT_SECRETS: 'a test secret that is only used in tests',
    });
    await until('the worker sends', () => smtp.arrived.length > before);
    await wait(moment);
    worker.signal('SIGKILL');
    await worker.ended;
  }
  const interrupted = await emailsLeft();
  await finish();
  const times = customers.map((customer) => smtp.to(customer).length);
  const lost = times.filter((count) => count === 0).length;
  const twice = times.reduce((sum, count) => sum + Math.max(0, count - 1), 0);
  report('mail worker killed', { kills, emails: customers.length, interrupted, lost, twice });
  expect(lost).toBe(0);
  expect(twice).toBeLessThanOrEqual(AT_ONCE * kills);
  const ids = customers.flatMap((customer) => smtp.to(customer)).map(({ messageId }) => messageId);
  expect(new Set(ids).size).toBe(customers.length);
});

const emailsLeft = async (): Promise<number> =>
  (await service.sql('SELECT FROM payment_emails WHERE due_at IS NOT NULL')).length;

/** Another worker takes over what is left after two minutes. */
async function finish(): Promise<void> {
  const worker = await service.replica({ RUN_WORKER: 'true' });
  worker.clock.move({ seconds: 121 });
  await until('nothing is left', async () => (await emailsLeft()) === 0);
  await worker.stop();
}
