import { Reply } from '../../support/api';
import { aPaymentRequest } from '../../support/request-bodies';
import { anOperator, anOwner, created, logIn, Owner, Person, someEmail } from '../../support/people';
import { submitOutcome } from '../../support/payment-page';
import { startTestService, TestService } from '../../support/service';
import { Arrived, SmtpServer } from '../../support/smtp';
import { until } from '../../support/until';

describe('An email about a payment request that is sent again', () => {
  let smtp: SmtpServer;
  let service: TestService;
  let owner: Owner;

  beforeAll(async () => {
    smtp = await SmtpServer.start();
    service = await startTestService({ ...smtp.settings, RUN_WORKER: 'true' });
  });
  beforeEach(async () => {
    owner = await anOwner(service.api); // tokens of before have expired
  });
  afterAll(async () => {
    await service?.stop();
    await smtp?.stop();
  });

  interface Requested {
    readonly id: string;
    readonly customer: string;
    readonly link: string;
  }

  /** A payment request whose first email has arrived. */
  async function requested(members: object = {}): Promise<Requested> {
    const customer = someEmail();
    const body = aPaymentRequest(owner.accountId, { customer_email: customer, ...members });
    const { id, payment_url: link } = await created(owner.api, '/v1/payments', body);
    await service.runDueTasks();
    await emailsTo(customer, 1);
    await sentOf(id, 1);
    return { id, customer, link };
  }

  async function emailsTo(customer: string, count: number): Promise<Arrived[]> {
    expect(await until(() => smtp.to(customer).length >= count)).toBe(true);
    return smtp.to(customer);
  }

  /** Waits until no email is left, and so many kinds of emails are marked as sent. */
  async function sentOf(id: string, count: number): Promise<void> {
    const emails = 'SELECT FROM payment_emails WHERE payment_request_id = $1 AND ';
    const isDone = async (): Promise<boolean> =>
      (await service.sql(`${emails} sent_at IS NOT NULL`, [id])).length === count &&
      (await service.sql(`${emails} due_at IS NOT NULL`, [id])).length === 0;
    expect(await until(isDone)).toBe(true);
  }

  async function send(person: Person, id: string, key?: string): Promise<Reply> {
    const options = key === undefined ? {} : { headers: { 'Idempotency-Key': key } };
    const reply = await person.api.post(`/v1/payments/${id}/email`, {}, options);
    await service.runDueTasks();
    return reply;
  }

  it('has the same link, and is an email of its own for mail programs', async () => {
    const { id, customer, link } = await requested();
    service.clock.move({ minutes: 11 });
    const reply = await send(owner, id);
    expect([reply.status, reply.body]).toEqual([
      201,
      { payment_request_id: id, kind: 'request', message: 'The email is on its way to the customer.' },
    ]);
    expect(reply.text).not.toContain(link);
    const [first, second] = await emailsTo(customer, 2);
    expect(second!.subject).toBe(first!.subject);
    expect(second!.text).toContain(link);
    expect(second!.messageId).not.toBe(first!.messageId);
    await sentOf(id, 1);
  });

  it('is sent ten minutes after the last one at the earliest, and once for an idempotency key', async () => {
    const { id, customer } = await requested();
    const early = await send(owner, id);
    expect([early.status, early.body.error]).toEqual([429, 'rate_limited']);
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(500);
    service.clock.move({ minutes: 11 });
    const replies = [await send(owner, id, 'again'), await send(owner, id, 'again')];
    expect(replies.map(({ status }) => status)).toEqual([201, 201]);
    await emailsTo(customer, 2);
    await sentOf(id, 1);
    expect((await send(owner, id, 'again')).status).toBe(201);
    expect((await send(owner, id, 'another')).status).toBe(429);
    await sentOf(id, 1);
    expect(smtp.to(customer)).toHaveLength(2);
  });

  it('is the receipt once the payment is made', async () => {
    const { id, customer, link } = await requested();
    await submitOutcome(link.replace('https://pay.countinghouse.test', service.url), 'succeeded');
    await service.runDueTasks();
    await emailsTo(customer, 2);
    await sentOf(id, 2);
    service.clock.move({ minutes: 11 });
    expect((await send(owner, id)).body.kind).toBe('receipt');
    const [, second, third] = await emailsTo(customer, 3);
    expect(third!.subject).toBe(second!.subject);
  });

  it('stands in the audit log when the back office sends it', async () => {
    const { id, customer } = await requested();
    service.clock.move({ minutes: 11 });
    const support = await anOperator(service.api, 'support');
    expect((await send(support, id)).status).toBe(201);
    const admin = await anOperator(service.api, 'admin');
    await emailsTo(customer, 2);
    const { body } = await admin.api.get(
      `/v1/audit-log?object_id=${id}&action=payment_request.send_email&outcome=succeeded`,
    );
    expect(body.data).toEqual([
      expect.objectContaining({ actor_id: support.id, details: { kind: 'request' } }),
    ]);
  });

  it('is not sent for a request that has ended unpaid, or of a suspended account', async () => {
    const other = await anOwner(service.api);
    const { id } = await created(other.api, '/v1/payments', aPaymentRequest(other.accountId));
    const admin = await anOperator(service.api, 'admin');
    const status = (value: string) => admin.api.patch(`/v1/accounts/${other.accountId}`, { status: value });
    await status('suspended'); // which ends the sessions of the account
    const suspended = await logIn(service.api, other.email);
    expect([(await send(suspended, id)).status, (await send(admin, id)).status]).toEqual([403, 403]);
    await status('active');
    await admin.api.delete(`/v1/payments/${id}`);
    const reply = await send(admin, id);
    expect([reply.status, reply.body.error]).toEqual([409, 'conflict']);
  });

  it('needs a mail server', async () => {
    const without = await startTestService();
    try {
      const person = await anOwner(without.api);
      const { id } = await created(person.api, '/v1/payments', aPaymentRequest(person.accountId));
      const reply = await send(person, id);
      expect([reply.status, reply.body.message]).toEqual([409, expect.stringContaining('no mail server')]);
    } finally {
      await without.stop();
    }
  });
});
