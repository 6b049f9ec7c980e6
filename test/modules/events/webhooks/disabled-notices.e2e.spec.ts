import { emailMessages } from '../../../../src/modules/emails/messages';
import { anAccount } from '../../../support/people';
import { startTestService, TestService } from '../../../support/service';
import { SmtpServer } from '../../../support/smtp';
import { until } from '../../../support/until';
import { anEndpoint, anEvent } from './deliveries';
import { Receiver } from './receiver';

describe('The owner of an account', () => {
  let smtp: SmtpServer;
  let service: TestService;
  let receiver: Receiver;

  beforeAll(async () => {
    smtp = await SmtpServer.start();
    service = await startTestService({ ...smtp.settings, RUN_WORKER: 'true' });
    receiver = await Receiver.start();
  });
  afterAll(async () => {
    await service?.stop();
    await smtp?.stop();
    await receiver?.stop();
  });

  it('is told once, in their language, that an endpoint was disabled', async () => {
    const account = await anAccount(service.api, { language: 'de' });
    receiver.respondWith(410);
    const { url } = await anEndpoint(account, receiver);
    await anEvent(account);
    expect(await until(() => smtp.to(account.email).length > 0)).toBe(true);
    await service.runDueTasks();
    const [email, ...more] = smtp.to(account.email);
    expect(more).toEqual([]);
    expect(email!.subject).toBe(emailMessages.de.endpoint.heading);
    expect(email!.text).toContain(url);
  });
});
