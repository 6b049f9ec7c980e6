import { Socket } from 'node:net';
import { inspect } from 'node:util';
import { Mail } from '../../../src/platform/mail/mailer';
import { SmtpMailer } from '../../../src/platform/mail/smtp-mailer';
import { HOSTILE_SMTP, HOSTILE_TLS, HostileServer } from '../../support/hostile-server';
import { eventually, until } from '../../support/until';

const DEADLINE_MS = 1_000;
const LIMIT_MS = 5_000;
const PASSWORD = 'canary-of-smtp';

const mail: Mail = {
  event: 'test',
  to: 'ada@example.com',
  sender: 'Shop',
  language: 'en',
  subject: 'Subject',
  text: 'Text',
  html: '<p>Text</p>',
};

async function assertEnds(call: Promise<unknown>): Promise<void> {
  const started = performance.now();
  const error = await call.catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: 'MailFailure', permanent: false });
  expect(inspect(error, { depth: 5 })).not.toContain(PASSWORD);
  expect(performance.now() - started).toBeLessThan(LIMIT_MS);
}

async function assertBothEnd(
  scheme: string,
  behave: (socket: Socket) => void,
  when: 'connect' | 'data',
): Promise<void> {
  const server = await HostileServer.start(behave, when);
  const smtpUrl = `${scheme}://user:${PASSWORD}@127.0.0.1:${server.port}?tls.rejectUnauthorized=false`;
  const mailer = new SmtpMailer({ smtpUrl, from: 'billing@example.com' }, DEADLINE_MS);
  try {
    const never = new AbortController().signal;
    await Promise.all([assertEnds(mailer.send(mail, never)), assertEnds(mailer.verify())]);
    await eventually(() => server.accepted).toBe(2);
    expect(await until(() => server.open === 0)).toBe(true);
  } finally {
    await server.stop();
  }
}

describe('An email and a check of the login end by their deadline, and so do the connections, when the server', () => {
  it.concurrent.each(Object.entries(HOSTILE_SMTP))('%s', (_, behave) =>
    assertBothEnd('smtp', behave, 'connect'),
  );

  it.concurrent.each(Object.entries(HOSTILE_TLS))('%s', (_, behave) =>
    assertBothEnd('smtps', behave, 'data'),
  );
});
