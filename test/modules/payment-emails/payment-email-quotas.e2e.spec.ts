import { aPaymentRequest } from '../../support/request-bodies';
import { anOwner, created, Owner, someEmail } from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { SmtpServer } from '../../support/smtp';
import { until } from '../../support/until';

describe('Quotas of payment emails', () => {
  let smtp: SmtpServer;
  let service: TestService;

  beforeAll(async () => {
    smtp = await SmtpServer.start();
    const quotas = { EMAILS_PER_RECIPIENT: '2', EMAILS_PER_ACCOUNT: '3' };
    service = await startTestService({ ...smtp.settings, ...quotas, RUN_WORKER: 'true' });
  });
  afterAll(async () => {
    await service.stop();
    await smtp.stop();
  });

  const waiting = async (): Promise<number> =>
    (await service.sql('SELECT id FROM graphile_worker.jobs WHERE last_error IS NOT NULL')).length;

  /** Requests a payment and waits until its email has been sent or waits. @returns whether it was sent */
  async function isSent(owner: Owner, customer: string): Promise<boolean> {
    const [sentBefore, waitingBefore] = [smtp.to(customer).length, await waiting()];
    const body = aPaymentRequest(owner.accountId, { customer_email: customer });
    const { id } = await created(owner.api, '/v1/payments', body);
    await service.runDueTasks();
    const isMarked = async () =>
      (
        await service.sql(
          'SELECT 1 FROM payment_emails WHERE payment_request_id = $1 AND sent_at IS NOT NULL',
          [id],
        )
      ).length === 1 &&
      (await service.sql('SELECT id FROM graphile_worker.jobs WHERE last_error IS NULL')).length === 0;
    await until(async () => (await isMarked()) || (await waiting()) > waitingBefore);
    return smtp.to(customer).length > sentBefore;
  }

  it('a recipient gets a bounded number of emails, from all accounts together; further ones wait', async () => {
    const [one, other, customer] = [await anOwner(service.api), await anOwner(service.api), someEmail()];
    expect([await isSent(one, customer), await isSent(other, customer)]).toEqual([true, true]);
    expect(await isSent(one, customer.toUpperCase())).toBe(false);
    expect(service.logged.join('')).toContain('email_quota');
  });

  it('an account has a bounded number of emails sent', async () => {
    const owner = await anOwner(service.api);
    const sent = [];
    for (let count = 0; count < 4; count += 1) sent.push(await isSent(owner, someEmail()));
    expect(sent).toEqual([true, true, true, false]);
    expect(await isSent(await anOwner(service.api), someEmail())).toBe(true);
  });
});
