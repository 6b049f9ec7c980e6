import { aPaymentRequest } from '../../support/request-bodies';
import { anOwner, created, Owner, someEmail } from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { SmtpServer } from '../../support/smtp';
import { until } from '../../support/until';

describe('Quotas of payment emails', () => {
  let smtp: SmtpServer;
  let service: TestService;
  let owner: Owner;

  beforeAll(async () => {
    smtp = await SmtpServer.start();
    const quotas = {
      EMAILS_PER_ACCOUNT_AND_RECIPIENT: '2',
      EMAILS_PER_RECIPIENT: '3',
      EMAILS_PER_ACCOUNT: '4',
    };
    service = await startTestService({ ...smtp.settings, ...quotas, RUN_WORKER: 'true' });
  });
  afterAll(async () => {
    await service.stop();
    await smtp.stop();
  });
  beforeEach(async () => {
    owner = await anOwner(service.api);
  });

  /** Requests payments and begins to send their emails. @returns the ids of the requests */
  async function requestPayments(sender: Owner, customer: string, count = 1): Promise<string[]> {
    const body = aPaymentRequest(sender.accountId, { customer_email: customer });
    const requests = Array.from({ length: count }, () => created(sender.api, '/v1/payments', body));
    const ids = (await Promise.all(requests)).map(({ id }) => id as string);
    void service.tryDueTasks();
    return ids;
  }

  const countOf = async (sql: string, ids: string[]): Promise<number> =>
    (await service.sql(sql, [ids])).length;
  const sent = (ids: string[]) =>
    countOf('SELECT FROM payment_emails WHERE payment_request_id = ANY ($1) AND sent_at IS NOT NULL', ids);
  const left = (ids: string[], condition = 'true') =>
    countOf(
      `SELECT FROM payment_emails WHERE payment_request_id = ANY ($1) AND due_at IS NOT NULL AND ${condition}`,
      ids,
    );
  /** Those that are tried again in a few seconds; claims take longer. */
  const waiting = (ids: string[]) => left(ids, `attempts > 0 AND due_at < now() + interval '100 seconds'`);

  /** Waits until each email is sent or waits. @returns how many are sent */
  async function sentOf(ids: string[]): Promise<number> {
    expect(await until(async () => (await sent(ids)) + (await waiting(ids)) === ids.length)).toBe(true);
    return sent(ids);
  }

  const sendOne = async (sender: Owner, customer: string): Promise<number> =>
    sentOf(await requestPayments(sender, customer));

  /** Sends what the sign-up of the owner caused, which would take places from the payment emails. */
  async function sendLinksToVerify(): Promise<void> {
    await service.runDueTasks();
    const links = () => service.sql('SELECT FROM security_emails');
    expect(await until(async () => (await links()).length === 0)).toBe(true);
  }

  it('bound those of one account to one recipient, in any case of the address; further ones wait', async () => {
    const customer = someEmail();
    expect([await sendOne(owner, customer), await sendOne(owner, customer)]).toEqual([1, 1]);
    expect(await sendOne(owner, customer.toUpperCase())).toBe(0);
    expect(service.logged.join('')).toContain('email_quota');
  });

  it('leave other accounts their emails to a recipient whose emails of one account are used up', async () => {
    const customer = someEmail();
    await sentOf(await requestPayments(owner, customer, 3));
    expect(await sendOne(await anOwner(service.api), customer)).toBe(1);
  });

  it('bound those of all accounts together to one recipient', async () => {
    const customer = someEmail();
    const results = [];
    for (let count = 0; count < 4; count += 1)
      results.push(await sendOne(await anOwner(service.api), customer));
    expect(results).toEqual([1, 1, 1, 0]);
  });

  it('bound those of one account', async () => {
    const results = [];
    for (let count = 0; count < 5; count += 1) results.push(await sendOne(owner, someEmail()));
    expect(results).toEqual([1, 1, 1, 1, 0]);
    expect(await sendOne(await anOwner(service.api), someEmail())).toBe(1);
  });

  it('are not exceeded by emails that are sent at the same time', async () => {
    const customer = someEmail();
    await sendLinksToVerify();
    await smtp.behave('hold');
    const ids = await requestPayments(owner, customer, 4);
    const haveWaited = await until(
      async () => (await waiting(ids)) === 2 && smtp.to(customer).length === 2,
    ).finally(() => smtp.behave('accept'));
    expect(haveWaited).toBe(true);
    expect(await sentOf(ids)).toBe(2);
  });

  it('do not count an email that the mail server does not accept', async () => {
    const customer = someEmail();
    await smtp.behave('reject');
    for (let count = 0; count < 3; count += 1) {
      const ids = await requestPayments(owner, customer);
      expect(await until(async () => (await left(ids)) === 0)).toBe(true);
      expect(await sent(ids)).toBe(0);
    }
    await smtp.behave('accept');
    expect(await sentOf(await requestPayments(owner, customer, 2))).toBe(2);
  });
});
