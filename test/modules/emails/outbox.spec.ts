import { setTimeout as delay } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { Letters, Outbox } from '../../../src/modules/emails/outbox.task';
import { DueItem } from '../../../src/platform/jobs/due-items';
import { Mail, Mailer, MailFailure } from '../../../src/platform/mail/mailer';
import { Log } from '../../../src/platform/telemetry/log';
import { TestClock } from '../../support/clock';

const ITEM: DueItem = { accountId: 'acc_1', id: 'receipt pay_1' };
const MAIL: Mail = {
  event: 'receipt.pay_1',
  to: 'ada@example.com',
  sender: '',
  language: 'en',
  subject: 'Receipt',
  text: 'Receipt',
  html: '<p>Receipt</p>',
};

/** One email in memory. */
class Row {
  dueAt: Date | null = new Date(0);
  attempts = 0;
  sentAt: Date | null = null;
}

let row: Row;
let clock: TestClock;
let registry: Registry;
let logged: string[];
let sent: number;
let failure: Error | null;

beforeEach(() => {
  row = new Row();
  clock = new TestClock();
  registry = new Registry();
  logged = [];
  sent = 0;
  failure = null;
});

class TestMailer extends Mailer {
  readonly configured = true;

  async send(): Promise<void> {
    if (failure !== null) throw failure;
    sent += 1;
  }
}

const letters: Letters<Row> = {
  name: 'payment emails',
  job: 'payment-mail',
  idPrefix: '',
  table: 'payment_emails',
  describe: () => 'receipt email for pay_1',
  compose: async () => MAIL,
  withinQuota: (_row, _mail, send) => send(),
  rows: {
    findDue: async (now) => (row.dueAt !== null && row.dueAt <= now ? [ITEM] : []),
    claim: async (_item, now, until) => {
      if (row.dueAt === null || row.dueAt > now) return null;
      row = Object.assign(new Row(), { attempts: row.attempts + 1, dueAt: until });
      return row;
    },
    release: async (_row, _until, dueAt) => void (row.dueAt = dueAt),
    complete: async (_row, _until, sentAt) => void Object.assign(row, { dueAt: null, attempts: 0, sentAt }),
    count: async () => ({
      waiting: row.dueAt === null ? 0 : 1,
      failed: row.dueAt === null && row.attempts > 0 ? 1 : 0,
    }),
  },
};

/** Sends the email if it is due. */
function send(only: Partial<Letters<Row>> = {}): Promise<void> {
  registry.clear();
  const log = new Log('info', { write: (line: string) => void logged.push(line) });
  const outbox = new Outbox(new TestMailer(), clock, log, registry);
  return outbox.taskFor({ ...letters, ...only })!.process(ITEM.accountId, [ITEM.id]);
}

const jobs = async (): Promise<string[]> =>
  (await registry.metrics()).split('\n').filter((line) => /^countinghouse_job.*payment-mail/.test(line));

it('An email that is not accepted is tried again later and later, 13 times within about a day, and then given up', async () => {
  failure = new MailFailure('SMTP_451', false);
  const delays: number[] = [];
  while (row.dueAt !== null) {
    await send();
    const dueAt = row.dueAt as Date | null;
    if (dueAt === null) break;
    delays.push(Math.round((dueAt.getTime() - clock.now().getTime()) / 1000));
    clock.move({ seconds: delays.at(-1)! + 1 });
  }
  expect(delays).toEqual([3, 7, 20, 55, 148, 403, 1097, 2981, 8103, 22026, 22026, 22026]);
  expect(row).toMatchObject({ dueAt: null, attempts: 13, sentAt: null });
  expect(logged).toHaveLength(13);
  expect(JSON.parse(logged.at(-1)!)).toMatchObject({
    level: 50,
    msg: 'The job payment-mail receipt pay_1 failed, attempt 13 of 13',
    error: { code: 'SMTP_451' },
  });
  expect(await jobs()).toEqual([
    'countinghouse_job_runs_total{job="payment-mail",outcome="failed"} 1',
    'countinghouse_jobs{job="payment-mail",state="waiting"} 0',
    'countinghouse_jobs{job="payment-mail",state="failed"} 1',
  ]);
});

it('An email is sent and marked once', async () => {
  await send();
  expect(await jobs()).toContain('countinghouse_job_runs_total{job="payment-mail",outcome="succeeded"} 1');
  await send();
  expect(sent).toBe(1);
  expect(row).toMatchObject({ dueAt: null, attempts: 0, sentAt: expect.any(Date) });
});

it.each([
  ['its reason is gone', { compose: async () => null }, null, 0],
  ['the server rejects it permanently', {}, new MailFailure('SMTP_550', true), 1],
])('An email is done without being sent when %s', async (_, only, rejection, lines) => {
  failure = rejection;
  await send(only);
  expect([sent, logged.length]).toEqual([0, lines]);
  expect(row).toMatchObject({ dueAt: null, attempts: 0, sentAt: null });
});

it('An email whose process died in the last attempt is given up', async () => {
  row.attempts = 13;
  await send();
  expect(sent).toBe(0);
  expect(row).toMatchObject({ dueAt: null, sentAt: null });
  expect(logged.join()).toContain('The job payment-mail receipt pay_1 is given up');
});

it('An email that is sent while the database does not respond is marked when it does', async () => {
  const unavailable = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const marks = jest
    .fn((...args: Parameters<typeof letters.rows.complete>) => letters.rows.complete(...args))
    .mockRejectedValueOnce(unavailable);
  await send({ rows: { ...letters.rows, complete: marks } });
  expect([sent, marks.mock.calls.length, row.dueAt]).toEqual([1, 2, null]);
});

it('An attempt ends after its time, and the email is tried again', async () => {
  const timeout = jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('The time is over.')), 20);
    return controller.signal;
  });
  await send({ compose: () => delay(60_000, null, { ref: false }) });
  expect(timeout).toHaveBeenCalledWith(20_000);
  timeout.mockRestore();
  expect(row).toMatchObject({ dueAt: expect.any(Date), attempts: 1, sentAt: null });
});
