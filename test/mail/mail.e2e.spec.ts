import { messages } from '../../src/modules/payment-requests/page/languages';
import { aPaymentRequest } from '../support/movements';
import { anOwner, created, Owner, someEmail, theAdmin } from '../support/people';
import { dropDatabase } from '../support/databases';
import { createPartitionedTemplate } from '../support/partitioned';
import { startTestService, TestService } from '../support/service';
import { Arrived, SMTP_PASSWORD, SmtpServer } from '../support/smtp';
import { until } from '../support/until';
import { press } from '../payment-page/visitor';

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
interface Asked {
  readonly id: string;
  readonly customer: string;
  /** As the customer reads it. */
  readonly link: string;
  /** The same page, in the test. */
  readonly page: string;
}

async function ask(owner: Owner, members: object = {}): Promise<Asked> {
  const customer = someEmail();
  const body = aPaymentRequest(owner.accountId, { customer_email: customer, ...members });
  const { id, payment_url: link } = await created(owner.api, '/v1/payments', body);
  await service.sweep();
  return { id, customer, link, page: link.replace('https://pay.countinghouse.test', service.url) };
}

async function pay({ page }: Asked): Promise<void> {
  await press(page, 'paid');
  await service.sweep();
}

/** Waits for that many mails to the customer, and for what would be too many of them. */
async function mails({ customer }: Asked, count: number): Promise<Arrived[]> {
  expect(await until(() => smtp.to(customer).length >= count)).toBe(true);
  await nothingLeft();
  expect(smtp.to(customer)).toHaveLength(count);
  return smtp.to(customer);
}

/** Waits until nothing is due and no job is left. */
async function nothingLeft(): Promise<void> {
  const left = async (): Promise<number> =>
    (await service.sql('SELECT id FROM payment_requests WHERE mail_due_at IS NOT NULL')).length +
    (await service.sql('SELECT id FROM graphile_worker.jobs')).length;
  expect(await until(async () => (await left()) === 0)).toBe(true);
}

interface Job {
  readonly key: string;
  readonly attempts: number;
  readonly max_attempts: number;
  readonly last_error: string | null;
  readonly locked_at: Date | null;
}

async function jobOf({ id }: Asked): Promise<Job | undefined> {
  return (await service.sql<Job>('SELECT * FROM graphile_worker.jobs WHERE key LIKE $1', [`%${id}`]))[0];
}

async function hasFailed(asked: Asked): Promise<boolean> {
  return ((await jobOf(asked))?.last_error ?? null) !== null;
}

/** Lets a job that failed be tried again at once, as if its time had come. */
async function again({ id }: Asked): Promise<void> {
  const keys = `SELECT array_agg(id) FROM graphile_worker.jobs WHERE key LIKE $1 AND locked_at IS NULL`;
  await service.sql(`SELECT graphile_worker.reschedule_jobs((${keys}), run_at => now())`, [`%${id}`]);
  await service.sql(`SELECT pg_notify('jobs:insert', '{"count":1}')`);
}

const failures = (words: string): string[] => service.logged.filter((line) => line.includes(words));

describe('a customer', () => {
  it('is asked for the money, and gets a receipt for it, once each', async () => {
    const owner = await anOwner(service.api, { timezone: 'Europe/Berlin' });
    const asked = await ask(owner, { amount: 124_950, reference: 'Invoice 2041' });
    const [request] = await mails(asked, 1);
    const { email } = (await owner.api.get('/v1/account')).body;
    expect(request).toMatchObject({
      subject: 'Lovelace Ltd asks you to pay $1,249.50',
      from: { name: 'Lovelace Ltd', address: 'payments@countinghouse.test' },
      to: [{ name: '', address: asked.customer }],
      replyTo: [{ name: '', address: email }],
      messageId: `<request.${asked.id}@countinghouse.test>`,
      envelope: { from: 'payments@countinghouse.test', to: [asked.customer] },
    });
    expect(headers(request!)).toMatchObject({ 'auto-submitted': 'auto-generated', 'content-language': 'en' });
    expect(request!.text).toContain(`Pay here:\n${asked.link}\n`);
    expect(request!.text).toMatch(/^For: Invoice 2041\nPay by: .*GMT\+1$/m);
    expect(request!.html).toContain(`href="${asked.link}"`);

    await pay(asked);
    await pay(asked);
    const [, receipt] = await mails(asked, 2);
    const [transaction] = (await owner.api.get('/v1/transactions')).body.data;
    expect(receipt).toMatchObject({
      subject: 'Receipt: $1,249.50 to Lovelace Ltd',
      messageId: `<receipt.${asked.id}@countinghouse.test>`,
    });
    expect(receipt!.text).toMatch(
      /^To: Lovelace Ltd\nAmount: \$1,249\.50\nFor: Invoice 2041\nPaid on: .*GMT\+1\n/m,
    );
    expect(receipt!.text).toContain(`Receipt number: ${transaction.id}`);
    expect(receipt!.raw).not.toContain('/pay/');
    const [row] = await service.sql('SELECT * FROM payment_requests WHERE id = $1', [asked.id]);
    expect(row).toMatchObject({ mail_due_at: null, request_mailed_at: expect.any(Date) });
    expect(row).toMatchObject({ receipt_mailed_at: expect.any(Date) });
  });

  it.each(Object.entries(messages))('reads it in the language of the account: %s', async (language, t) => {
    const owner = await anOwner(service.api, { language: `${language}-XX`, currency: 'EUR' });
    const asked = await ask(owner, { currency: 'EUR', reference: '<b>1 & 2</b>' });
    await mails(asked, 1);
    await pay(asked);
    const [request, receipt] = await mails(asked, 2);
    for (const [mail, own] of [
      [request!, t.mail.otherwise],
      [receipt!, t.mail.thanks],
    ] as const) {
      expect(headers(mail)).toMatchObject({ 'content-language': language });
      expect(mail.html).toContain(`lang="${language}"`);
      expect(mail.html).toContain(own);
      expect(mail.html).toContain('&lt;b&gt;1 &amp; 2&lt;/b&gt;');
      expect(mail.html).not.toContain('<b>');
      expect(mail.text).toContain(`${t.labels.reference}: <b>1 & 2</b>\n`);
      expect(mail.text).toContain(t.testMode.text);
    }
    expect(request!.text).toContain(`${t.mail.link}\n${asked.link}`);
    expect(request!.subject).toMatch(/Lovelace Ltd.*12[.,]50|12[.,]50.*Lovelace Ltd/);
  });

  it('gets no header and no recipient that the merchant made up, and no line that passes for ours', async () => {
    const owner = await anOwner(service.api);
    const evil = 'Shop\r\nBcc: victim@example.com\r\n\r\nPay here:\nhttps://evil.example\u2028\u202e';
    await owner.api.patch('/v1/account', { name: evil });
    const asked = await ask(owner, { reference: `x"; <a@b.example>, ${evil}` });
    const [mail] = await mails(asked, 1);
    expect(mail!.envelope.to).toEqual([asked.customer]);
    expect(mail!.to).toHaveLength(1);
    expect(mail!.bcc).toBeUndefined();
    expect(mail!.from).toEqual({ name: '', address: 'payments@countinghouse.test' });
    expect(mail!.subject).toBe(
      'Shop Bcc: victim@example.com Pay here: https://evil.example asks you to pay $12.50',
    );
    expect(Object.keys(headers(mail!)).toSorted()).toEqual(HEADERS);
    const lines = mail!.text!.split('\n');
    expect(lines.filter((line) => line.startsWith('Pay here:'))).toEqual(['Pay here:']);
    expect(lines.filter((line) => line.startsWith('https:'))).toEqual([asked.link]);
    expect(mail!.html).not.toMatch(/\u202e|src=|<script|<img/);
  });

  it('is not asked any more for what was canceled, paid or ran out before the mail went', async () => {
    const owner = await anOwner(service.api);
    await smtp.behave('defer');
    const soon = new Date(service.clock.now().getTime() + 60_000).toISOString();
    const [canceled, paid, expired] = [
      await ask(owner),
      await ask(owner),
      await ask(owner, { expires_at: soon }),
    ];
    for (const asked of [canceled, paid, expired]) expect(await until(() => hasFailed(asked))).toBe(true);
    await owner.api.delete(`/v1/payments/${canceled.id}`);
    await pay(paid);
    service.clock.move({ seconds: 61 });
    await smtp.behave('accept');
    for (const asked of [canceled, paid, expired]) await again(asked);
    const [only] = await mails(paid, 1);
    expect(only!.subject).toMatch(/^Receipt/);
    expect([...smtp.to(canceled.customer), ...smtp.to(expired.customer)]).toEqual([]);
  });

  it('is not asked in the name of an account that was suspended meanwhile', async () => {
    const owner = await anOwner(service.api);
    await smtp.behave('defer');
    const asked = await ask(owner);
    expect(await until(() => hasFailed(asked))).toBe(true);
    const admin = await theAdmin(service.api);
    await admin.api.patch(`/v1/accounts/${owner.accountId}`, { status: 'suspended' });
    await smtp.behave('accept');
    await again(asked);
    await nothingLeft();
    expect(smtp.to(asked.customer)).toEqual([]);
  });
});

describe('a mail server', () => {
  it('that is away or says "later" is asked again', async () => {
    const owner = await anOwner(service.api);
    await smtp.stop();
    const asked = await ask(owner);
    expect(await until(async () => (await jobOf(asked))?.last_error === 'MailFailure ECONNREFUSED')).toBe(
      true,
    );
    await smtp.restart();
    await smtp.behave('defer');
    await again(asked);
    expect(await until(async () => (await jobOf(asked))?.last_error === 'MailFailure SMTP_451')).toBe(true);
    await smtp.behave('accept');
    await again(asked);
    await mails(asked, 1);
    expect(failures(`request ${asked.id} failed, attempt 1 of 13`)).toHaveLength(1);
  });

  it('that refuses a recipient for good is believed', async () => {
    const owner = await anOwner(service.api);
    await smtp.behave('refuse');
    const asked = await ask(owner);
    expect(await until(() => smtp.tried.includes(asked.customer))).toBe(true);
    await nothingLeft();
    expect(smtp.tried.filter((address) => address === asked.customer)).toHaveLength(1);
    expect(failures(`refuses the request of ${asked.id} for good`)).toHaveLength(1);
    expect(failures('SMTP_550')).not.toEqual([]);
    const [row] = await service.sql('SELECT * FROM payment_requests WHERE id = $1', [asked.id]);
    expect(row).toMatchObject({ status: 'pending', request_mailed_at: null });
  });

  it('that does not know the service is asked again, but not for ever', async () => {
    const owner = await anOwner(service.api);
    await smtp.behave('strange');
    const asked = await ask(owner);
    const failed = (attempts: number) => async (): Promise<boolean> => {
      const job = await jobOf(asked);
      return job?.attempts === attempts && job.locked_at === null;
    };
    expect(await until(failed(1))).toBe(true);
    await service.sql('UPDATE graphile_worker._private_jobs SET attempts = 12 WHERE key LIKE $1', [
      `%${asked.id}`,
    ]);
    await again(asked);
    expect(await until(failed(13))).toBe(true);
    await again(asked);
    expect(failures(`request ${asked.id} failed, attempt 13 of 13`)).toHaveLength(1);
    await service.sweep();
    expect(await jobOf(asked)).toMatchObject({ attempts: 13, last_error: 'MailFailure SMTP_554' });
    expect(smtp.tried.filter((address) => address === asked.customer)).toHaveLength(2);
    await smtp.behave('accept');
    await service.sql(
      `SELECT graphile_worker.reschedule_jobs(ARRAY(SELECT id FROM graphile_worker.jobs WHERE attempts = max_attempts), run_at => now(), attempts => 0)`,
    );
    await mails(asked, 1);
  });

  it('that does not answer is left, and asked again', async () => {
    const owner = await anOwner(service.api);
    await smtp.behave('hold');
    const limit = jest.spyOn(AbortSignal, 'timeout');
    limit.mockImplementation(() => patience(300));
    const asked = await ask(owner);
    expect(await until(() => hasFailed(asked))).toBe(true);
    expect(limit).toHaveBeenCalledWith(20_000);
    limit.mockRestore();
    await smtp.behave('accept');
    await again(asked);
    const [first, second] = await mails(asked, 2);
    expect(second!.messageId).toBe(first!.messageId);
  });
});

describe('replicas', () => {
  it('that sweep and work at once send each mail once', async () => {
    const replicas = [service, await service.replica(), await service.replica()];
    const owners = [await anOwner(service.api), await anOwner(service.api)];
    const asked = [];
    for (let index = 0; index < 20; index += 1) asked.push(await ask(owners[index % 2]!));
    for (const each of asked) await mails(each, 1);
    await Promise.all(asked.slice(0, 10).map(({ page }) => press(page, 'paid')));
    await Promise.all(replicas.map((replica) => replica.sweep()));
    for (const [index, each] of asked.entries()) await mails(each, index < 10 ? 2 : 1);
    await Promise.all(replicas.slice(1).map((replica) => replica.stop()));
  });

  it('that stop let the mail under way go out first', async () => {
    const owner = await anOwner(service.api);
    const replica = await service.replica();
    await smtp.behave('hold');
    const asked: Asked[] = [];
    for (let index = 0; index < 8; index += 1) asked.push(await ask(owner));
    expect(await until(() => asked.filter(({ customer }) => smtp.to(customer).length > 0).length >= 5)).toBe(
      true,
    );
    const stopping = replica.stop();
    await smtp.behave('accept');
    await stopping;
    for (const each of asked) await mails(each, 1);
    expect(replica.logged.filter((line) => line.includes('"level":50'))).toEqual([]);
  });
});

describe('the log and the queue', () => {
  it('hold no link, no address, no password and no words of a mail', async () => {
    const owner = await anOwner(service.api);
    await smtp.behave('defer');
    const asked = await ask(owner, { reference: 'canary of the reference' });
    expect(await until(() => hasFailed(asked))).toBe(true);
    const kept = await service.sql('SELECT * FROM graphile_worker._private_jobs');
    const secrets = [
      SMTP_PASSWORD,
      asked.link.split('/').at(-1)!,
      asked.customer,
      'canary of the reference',
      '127.0.0.1',
    ];
    for (const text of [service.logged.join(''), JSON.stringify(kept)]) {
      for (const secret of secrets) expect(text).not.toContain(secret);
    }
    expect(JSON.stringify(kept)).toContain(asked.id);
    await smtp.behave('accept');
    await again(asked);
    await mails(asked, 1);
  });

  it('also when the server does not know the password, and quotes it', async () => {
    const url = smtp.settings.SMTP_URL.replace(SMTP_PASSWORD, `wrong-${SMTP_PASSWORD}`);
    const other = await startTestService({ ...smtp.settings, SMTP_URL: url, RUN_WORKER: 'true' });
    const owner = await anOwner(other.api);
    await created(owner.api, '/v1/payments', aPaymentRequest(owner.accountId));
    expect(await until(() => other.logged.some((line) => line.includes('SMTP_535')))).toBe(true);
    expect(other.logged.join('')).not.toContain(SMTP_PASSWORD);
    expect(JSON.stringify(await other.sql('SELECT * FROM graphile_worker._private_jobs'))).not.toContain(
      SMTP_PASSWORD,
    );
    await other.stop();
  });
});

describe('without SMTP_URL', () => {
  it('nothing is due, nothing is queued, and there is no queue', async () => {
    const other = await startTestService({ RUN_WORKER: 'true' });
    const owner = await anOwner(other.api);
    const { payment_url } = await created(owner.api, '/v1/payments', aPaymentRequest(owner.accountId));
    await press(payment_url.replace('https://pay.countinghouse.test', other.url), 'paid');
    await other.sweep();
    const rows = await other.sql<{ status: string; mail_due_at: Date | null }>(
      'SELECT status, mail_due_at FROM payment_requests',
    );
    expect(rows).toEqual([{ status: 'succeeded', mail_due_at: null }]);
    expect(await other.sql(`SELECT 1 FROM pg_namespace WHERE nspname = 'graphile_worker'`)).toEqual([]);
    await other.stop();
  });
});

describe('with the tables of accounts spread by account', () => {
  it('all this is the same', async () => {
    const template = await createPartitionedTemplate();
    const other = await startTestService({ ...smtp.settings, RUN_WORKER: 'true' }, template);
    for (let count = 0; count < 8; count += 1) {
      const owner = await anOwner(other.api);
      const customer = someEmail();
      const body = aPaymentRequest(owner.accountId, { customer_email: customer });
      const { payment_url } = await created(owner.api, '/v1/payments', body);
      await other.sweep();
      expect(await until(() => smtp.to(customer).length === 1)).toBe(true);
      await press(payment_url.replace('https://pay.countinghouse.test', other.url), 'paid');
      await other.sweep();
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

/** A signal that comes after so many milliseconds. */
function patience(ms: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error('It takes too long.')), ms);
  return controller.signal;
}

function headers(mail: Arrived): Record<string, string> {
  return Object.fromEntries(mail.headers.map(({ key, value }) => [key, value]));
}
