import { emailMessages } from '../../../src/modules/emails/messages';
import { aPaymentRequest } from '../../support/request-bodies';
import { anOwner, created, Owner, someEmail, theAdmin } from '../../support/people';
import { dropDatabase } from '../../support/databases';
import { createPartitionedTemplate } from '../../support/partitioned';
import { startTestService, TestService } from '../../support/service';
import { Arrived, SMTP_PASSWORD, SmtpServer } from '../../support/smtp';
import { eventually, until } from '../../support/until';
import { submitOutcome } from '../../support/payment-page';

let smtp: SmtpServer;
let service: TestService;

beforeAll(async () => {
  smtp = await SmtpServer.start();
  service = await startTestService({ ...smtp.settings, RUN_WORKER: 'true' });
});
afterAll(async () => {
  await service.stop();
  await smtp.stop();
});
beforeEach(() => smtp.behave('accept'));

/** A payment request to a customer of its own. */
interface SentRequest {
  readonly id: string;
  readonly customer: string;
  /** The link in the email. */
  readonly link: string;
  /** The same page at the address of the test service. */
  readonly page: string;
}

async function sendRequest(owner: Owner, members: object = {}): Promise<SentRequest> {
  const sent = await requestPayment(owner, members);
  await service.runDueTasks();
  return sent;
}

async function requestPayment(owner: Owner, members: object = {}): Promise<SentRequest> {
  const customer = someEmail();
  const body = aPaymentRequest(owner.accountId, { customer_email: customer, ...members });
  const { id, payment_url: link } = await created(owner.api, '/v1/payments', body);
  return { id, customer, link, page: link.replace('https://pay.countinghouse.test', service.url) };
}

async function pay({ page }: SentRequest): Promise<void> {
  await submitOutcome(page, 'succeeded');
  await service.runDueTasks();
}

/** Waits for that many emails to the customer, and checks that there are no more. */
async function emailsTo({ customer }: SentRequest, count: number): Promise<Arrived[]> {
  expect(await until(() => smtp.to(customer).length >= count)).toBe(true);
  await nothingLeft();
  expect(smtp.to(customer)).toHaveLength(count);
  return smtp.to(customer);
}

/** Waits until no email is left to send. */
async function nothingLeft(): Promise<void> {
  const left = () => service.sql('SELECT FROM payment_emails WHERE due_at IS NOT NULL');
  expect(await until(async () => (await left()).length === 0)).toBe(true);
}

/** Before then, an email that waits is due again; one that is being sent is claimed for longer. */
const endOfRetries = (): Date => new Date(service.clock.now().getTime() + 100_000);

/** Whether that many attempts have failed or more, and the email is tried again or given up. */
async function hasFailed({ id }: SentRequest, attempts = 1): Promise<boolean> {
  const failed = await service.sql(
    `SELECT FROM payment_emails
     WHERE payment_request_id = $1 AND attempts >= $2 AND (due_at < $3 OR due_at IS NULL)`,
    [id, attempts, endOfRetries()],
  );
  return failed.length === 1;
}

/** Makes an email due at once that failed. */
async function retry({ id }: SentRequest): Promise<void> {
  await service.sql('UPDATE payment_emails SET due_at = $2 WHERE payment_request_id = $1 AND due_at < $3', [
    id,
    service.clock.now(),
    endOfRetries(),
  ]);
}

const failures = (words: string): string[] => service.logged.filter((line) => line.includes(words));

describe('Customers', () => {
  it('get one email for the request and one for the payment', async () => {
    const owner = await anOwner(service.api, { timezone: 'Europe/Berlin' });
    const sent = await sendRequest(owner, { amount: 124_950, reference: 'Invoice 2041' });
    const [request] = await emailsTo(sent, 1);
    const { email } = (await owner.api.get('/v1/account')).body;
    expect(request).toMatchObject({
      subject: 'Lovelace Ltd asks you to pay $1,249.50',
      from: { name: 'Lovelace Ltd', address: 'payments@countinghouse.test' },
      to: [{ name: '', address: sent.customer }],
      replyTo: [{ name: '', address: email }],
      messageId: `<request.${sent.id}@countinghouse.test>`,
      envelope: { from: 'payments@countinghouse.test', to: [sent.customer] },
    });
    expect(headers(request!)).toMatchObject({ 'auto-submitted': 'auto-generated', 'content-language': 'en' });
    expect(request!.text).toContain(`Pay here:\n${sent.link}\n`);
    expect(request!.text).toMatch(/^For: Invoice 2041\nPay by: .*GMT\+[12]$/m);
    expect(request!.html).toContain(`href="${sent.link}"`);

    await pay(sent);
    await pay(sent);
    const [, receipt] = await emailsTo(sent, 2);
    const [transaction] = (await owner.api.get('/v1/transactions')).body.data;
    expect(receipt).toMatchObject({
      subject: 'Receipt: $1,249.50 to Lovelace Ltd',
      messageId: `<receipt.${sent.id}@countinghouse.test>`,
    });
    expect(receipt!.text).toMatch(
      /^To: Lovelace Ltd\nAmount: \$1,249\.50\nFor: Invoice 2041\nPaid on: .*GMT\+[12]\n/m,
    );
    expect(receipt!.text).toContain(`Receipt number: ${transaction.id}`);
    expect(receipt!.raw).not.toContain('/pay/');
    const rows = await service.sql(
      'SELECT kind, due_at, sent_at FROM payment_emails WHERE payment_request_id = $1 ORDER BY kind',
      [sent.id],
    );
    expect(rows).toEqual([
      { kind: 'receipt', due_at: null, sent_at: expect.any(Date) },
      { kind: 'request', due_at: null, sent_at: expect.any(Date) },
    ]);
  });

  it.each(Object.entries(emailMessages))(
    'get it in the language of the account: %s',
    async (language, { payment: t }) => {
      const owner = await anOwner(service.api, { language: `${language}-XX`, currency: 'EUR' });
      const sent = await sendRequest(owner, { currency: 'EUR', reference: '<b>1 & 2</b>' });
      await emailsTo(sent, 1);
      await pay(sent);
      const [request, receipt] = await emailsTo(sent, 2);
      for (const [mail, own] of [
        [request!, t.request.otherwise],
        [receipt!, t.receipt.thanks],
      ] as const) {
        expect(headers(mail)).toMatchObject({ 'content-language': language });
        expect(mail.html).toContain(`lang="${language}"`);
        expect(mail.html).toContain(own);
        expect(mail.html).toContain('&lt;b&gt;1 &amp; 2&lt;/b&gt;');
        expect(mail.html).not.toContain('<b>');
        expect(mail.text).toContain(`${t.labels.reference}: <b>1 & 2</b>\n`);
        expect(mail.text).toContain(t.testMode.text);
      }
      expect(request!.text).toContain(`${t.request.link}\n${sent.link}`);
      expect(request!.subject).toMatch(/Lovelace Ltd.*12[.,]50|12[.,]50.*Lovelace Ltd/);
    },
  );

  it('get no header, recipient or line that the account injected', async () => {
    const owner = await anOwner(service.api);
    const evil = 'Shop\r\nBcc: victim@example.com\r\n\r\nPay here:\nhttps://evil.example\u2028\u202e';
    await owner.api.patch('/v1/account', { name: evil });
    const sent = await sendRequest(owner, { reference: `x"; <a@b.example>, ${evil}` });
    const [mail] = await emailsTo(sent, 1);
    expect(mail!.envelope.to).toEqual([sent.customer]);
    expect(mail!.to).toHaveLength(1);
    expect(mail!.bcc).toBeUndefined();
    expect(mail!.from).toEqual({ name: '', address: 'payments@countinghouse.test' });
    expect(mail!.subject).toBe(
      'Shop Bcc: victim@example.com Pay here: https://evil.example asks you to pay $12.50',
    );
    expect(Object.keys(headers(mail!)).toSorted()).toEqual(HEADERS);
    const lines = mail!.text!.split('\n');
    expect(lines.filter((line) => line.startsWith('Pay here:'))).toEqual(['Pay here:']);
    expect(lines.filter((line) => line.startsWith('https:'))).toEqual([sent.link]);
    expect(mail!.html).not.toMatch(/\u202e|src=|<script|<img/);
  });

  it.each([
    ['an encoded word', '=?utf-8?Q?Your_=E2=80=AEBank?=', '= ?utf-8?Q?Your_=E2=80=AEBank?='],
    ['a bidirectional override', 'Your \u202eknaB\u202c Ltd', 'Your knaB Ltd'],
    ['invisible characters', 'Y\u200bou\u00adr\u3164 \u2066Bank\u2069', 'Your Bank'],
    ['look-alike characters', 'Ｙour 𝐁𝐚𝐧𝐤', 'Your Bank'],
  ])('get a name and a reference without %s', async (_, name, shown) => {
    const owner = await anOwner(service.api);
    await owner.api.patch('/v1/account', { name });
    const sent = await sendRequest(owner, { reference: name });
    const [mail] = await emailsTo(sent, 1);
    expect(mail!.from).toEqual({ name: shown, address: 'payments@countinghouse.test' });
    expect(mail!.subject).toBe(`${shown} asks you to pay $12.50`);
    expect(mail!.text).toContain(`\nFor: ${shown}\n`);
    expect(mail!.html).toContain(`<bdi>${shown}</bdi>`);
    expect(mail!.raw.replaceAll(/\r\n\s/g, '')).not.toMatch(/^From:.*"=\?/m);
    const page = await (await fetch(sent.page)).text();
    expect(page).toContain(`<title>Pay $12.50 to ${shown}</title>`);
    expect(page).toContain(`<bdi>${shown}</bdi>`);
    expect((await owner.api.get('/v1/account')).body.name).toBe(name);
    expect((await owner.api.get(`/v1/payments/${sent.id}`)).body.reference).toBe(name);
  });

  it('get no name that contains an address in look-alike characters', async () => {
    const owner = await anOwner(service.api);
    await owner.api.patch('/v1/account', { name: 'ceo＠bank․example' });
    const [mail] = await emailsTo(await sendRequest(owner), 1);
    expect(mail!.from).toEqual({ name: '', address: 'payments@countinghouse.test' });
    expect(mail!.subject).toBe('ceo@bank.example asks you to pay $12.50');
  });

  it('get no email at a stored address that today would be rejected, and none that replies to one', async () => {
    const owner = await anOwner(service.api);
    const evil = `=?utf-8?q?${someEmail().replace('@', '=40')}=3e?=@example.com`;
    await service.sql('UPDATE accounts SET email = $1 WHERE id = $2', [evil, owner.accountId]);
    const [mail] = await emailsTo(await sendRequest(owner), 1);
    expect(mail!.replyTo).toBeUndefined();
    const { id } = await created(owner.api, '/v1/payments', aPaymentRequest(owner.accountId));
    await service.sql('UPDATE payment_requests SET customer_email = $1 WHERE id = $2', [evil, id]);
    await service.runDueTasks();
    await nothingLeft();
    expect(failures('ambiguous_address').some((line) => line.includes(id))).toBe(true);
    expect(smtp.tried.filter((recipient) => recipient.includes('=?'))).toEqual([]);
  });

  it('get no request that was canceled, paid or expired before the email was sent', async () => {
    const owner = await anOwner(service.api);
    await smtp.behave('defer');
    const soon = new Date(service.clock.now().getTime() + 60_000).toISOString();
    const [canceled, paid, expired] = [
      await sendRequest(owner),
      await sendRequest(owner),
      await sendRequest(owner, { expires_at: soon }),
    ];
    for (const sent of [canceled, paid, expired]) expect(await until(() => hasFailed(sent))).toBe(true);
    await owner.api.delete(`/v1/payments/${canceled.id}`);
    await pay(paid);
    service.clock.move({ seconds: 61 });
    await smtp.behave('accept');
    for (const sent of [canceled, paid, expired]) await retry(sent);
    const [only] = await emailsTo(paid, 1);
    expect(only!.subject).toMatch(/^Receipt/);
    expect([...smtp.to(canceled.customer), ...smtp.to(expired.customer)]).toEqual([]);
  });

  it('get no request of an account that was suspended before', async () => {
    const owner = await anOwner(service.api);
    await smtp.behave('defer');
    const sent = await sendRequest(owner);
    expect(await until(() => hasFailed(sent))).toBe(true);
    const admin = await theAdmin(service.api);
    await admin.api.patch(`/v1/accounts/${owner.accountId}`, { status: 'suspended' });
    await smtp.behave('accept');
    await retry(sent);
    await nothingLeft();
    expect(smtp.to(sent.customer)).toEqual([]);
  });
});

describe('A mail server', () => {
  it('gets a retry when it is down or rejects temporarily', async () => {
    const owner = await anOwner(service.api);
    await smtp.stop();
    const sent = await sendRequest(owner);
    const failed = (): string => failures(`request ${sent.id} failed, attempt`).join('\n');
    expect(await until(() => hasFailed(sent))).toBe(true);
    expect(failed()).toMatch(/ECONNREFUSED.*attempt 1 of 13/);
    await smtp.restart();
    await smtp.behave('defer');
    await retry(sent);
    await eventually(failed).toMatch(/SMTP_451.*attempt [2-9] of 13/);
    expect(await until(() => hasFailed(sent, 2))).toBe(true);
    await smtp.behave('accept');
    await retry(sent);
    await emailsTo(sent, 1);
  });

  it('gets no retry after it rejects a recipient permanently', async () => {
    const owner = await anOwner(service.api);
    await smtp.behave('reject');
    const sent = await sendRequest(owner);
    expect(await until(() => smtp.tried.includes(sent.customer))).toBe(true);
    await nothingLeft();
    expect(smtp.tried.filter((address) => address === sent.customer)).toHaveLength(1);
    expect(failures(`permanently rejected the request email for ${sent.id}`)).toHaveLength(1);
    expect(failures('SMTP_550')).not.toEqual([]);
    const rows = await service.sql(
      'SELECT kind, due_at, sent_at FROM payment_emails WHERE payment_request_id = $1',
      [sent.id],
    );
    expect(rows).toEqual([{ kind: 'request', due_at: null, sent_at: null }]);
  });

  it('gets a bounded number of retries when it rejects the service', async () => {
    const owner = await anOwner(service.api);
    await smtp.behave('reject-sender');
    const sent = await sendRequest(owner);
    expect(await until(() => hasFailed(sent))).toBe(true);
    await service.sql('UPDATE payment_emails SET attempts = 12 WHERE payment_request_id = $1', [sent.id]);
    await retry(sent);
    expect(await until(() => hasFailed(sent, 13))).toBe(true);
    expect(failures(`request ${sent.id} failed, attempt 13 of 13`)).toHaveLength(1);
    expect(failures('SMTP_554')).not.toEqual([]);
    await retry(sent);
    await service.runDueTasks();
    await nothingLeft();
    expect(smtp.tried.filter((address) => address === sent.customer)).toHaveLength(2);
    await smtp.behave('accept');
    await service.sql(
      'UPDATE payment_emails SET due_at = now(), attempts = 0 WHERE due_at IS NULL AND attempts > 0',
    );
    await emailsTo(sent, 1);
  });

  it('gets a retry after a timeout when it does not respond', async () => {
    const owner = await anOwner(service.api);
    await smtp.behave('hold');
    const timeout = new AbortController();
    const limit = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(timeout.signal);
    const sent = await requestPayment(owner);
    expect(await until(() => smtp.to(sent.customer).length === 1)).toBe(true);
    timeout.abort(new Error('timeout'));
    expect(await until(() => hasFailed(sent))).toBe(true);
    expect(limit).toHaveBeenCalledWith(20_000);
    limit.mockRestore();
    await smtp.behave('accept');
    await retry(sent);
    const [first, second] = await emailsTo(sent, 2);
    expect(second!.messageId).toBe(first!.messageId);
  });
});

describe('Replicas', () => {
  /** Starts one whose clock is like that of the service, which other tests move. */
  async function aReplica(): Promise<TestService> {
    const replica = await service.replica();
    const aheadMs = service.clock.now().getTime() - replica.clock.now().getTime();
    replica.clock.move({ seconds: Math.ceil(aheadMs / 1000) });
    return replica;
  }

  it('send each email once when they work concurrently', async () => {
    const replicas = [service, await aReplica(), await aReplica()];
    const owners = [await anOwner(service.api), await anOwner(service.api)];
    const sent = [];
    for (let index = 0; index < 20; index += 1) sent.push(await sendRequest(owners[index % 2]!));
    for (const each of sent) await emailsTo(each, 1);
    await Promise.all(sent.slice(0, 10).map(({ page }) => submitOutcome(page, 'succeeded')));
    await Promise.all(replicas.map((replica) => replica.runDueTasks()));
    for (const [index, each] of sent.entries()) await emailsTo(each, index < 10 ? 2 : 1);
    await Promise.all(replicas.slice(1).map((replica) => replica.stop()));
  });

  it('finish the emails in progress before they stop', async () => {
    const owner = await anOwner(service.api);
    const replica = await aReplica();
    const sent: SentRequest[] = [];
    await smtp.behave('hold');
    for (let index = 0; index < 8; index += 1) sent.push(await requestPayment(owner));
    expect(await until(() => sent.filter(({ customer }) => smtp.to(customer).length > 0).length >= 5)).toBe(
      true,
    );
    const stopping = replica.stop();
    await smtp.behave('accept');
    await stopping;
    for (const each of sent) await emailsTo(each, 1);
    expect(replica.logged.filter((line) => line.includes('"level":50'))).toEqual([]);
  });
});

describe('The log and the outbox', () => {
  it('contain no link, address, password or content of an email', async () => {
    const owner = await anOwner(service.api);
    await smtp.behave('defer');
    const sent = await sendRequest(owner, { reference: 'canary of the reference' });
    expect(await until(() => hasFailed(sent))).toBe(true);
    const kept = await service.sql('SELECT * FROM payment_emails');
    const secrets = [
      SMTP_PASSWORD,
      sent.link.split('/').at(-1)!,
      sent.customer,
      'canary of the reference',
      '127.0.0.1',
    ];
    for (const text of [service.logged.join(''), JSON.stringify(kept)]) {
      for (const secret of secrets) expect(text).not.toContain(secret);
    }
    expect(JSON.stringify(kept)).toContain(sent.id);
    await smtp.behave('accept');
    await retry(sent);
    await emailsTo(sent, 1);
  });

  it('contain no password that the server rejects and quotes', async () => {
    const url = smtp.settings.SMTP_URL.replace(SMTP_PASSWORD, `wrong-${SMTP_PASSWORD}`);
    const other = await startTestService({ ...smtp.settings, SMTP_URL: url, RUN_WORKER: 'true' });
    const owner = await anOwner(other.api);
    await created(owner.api, '/v1/payments', aPaymentRequest(owner.accountId));
    expect(await until(() => other.logged.some((line) => line.includes('SMTP_535')))).toBe(true);
    expect(other.logged.join('')).not.toContain(SMTP_PASSWORD);
    expect(JSON.stringify(await other.sql('SELECT * FROM payment_emails'))).not.toContain(SMTP_PASSWORD);
    await other.stop();
  });
});

describe('Without SMTP_URL', () => {
  it('no email is due', async () => {
    const other = await startTestService({ RUN_WORKER: 'true' });
    const owner = await anOwner(other.api);
    const { payment_url } = await created(owner.api, '/v1/payments', aPaymentRequest(owner.accountId));
    await submitOutcome(payment_url.replace('https://pay.countinghouse.test', other.url), 'succeeded');
    await other.runDueTasks();
    expect(await other.sql('SELECT status FROM payment_requests')).toEqual([{ status: 'succeeded' }]);
    expect(await other.sql('SELECT 1 FROM payment_emails')).toEqual([]);
    await other.stop();
  });
});

describe('With tables partitioned by account', () => {
  it('each email is sent once', async () => {
    const template = await createPartitionedTemplate();
    const other = await startTestService({ ...smtp.settings, RUN_WORKER: 'true' }, template);
    for (let count = 0; count < 8; count += 1) {
      const owner = await anOwner(other.api);
      const customer = someEmail();
      const body = aPaymentRequest(owner.accountId, { customer_email: customer });
      const { payment_url } = await created(owner.api, '/v1/payments', body);
      await other.runDueTasks();
      expect(await until(() => smtp.to(customer).length === 1)).toBe(true);
      await submitOutcome(payment_url.replace('https://pay.countinghouse.test', other.url), 'succeeded');
      await other.runDueTasks();
      expect(await until(() => smtp.to(customer).length === 2)).toBe(true);
    }
    await other.stop();
    await dropDatabase(template);
  });
});

const HEADERS = [
  'auto-submitted',
  'content-language',
  'content-type',
  'date',
  'from',
  'message-id',
  'mime-version',
  'reply-to',
  'subject',
  'to',
];

function headers(mail: Arrived): Record<string, string> {
  return Object.fromEntries(mail.headers.map(({ key, value }) => [key, value]));
}
