import { emailMessages } from '../../../src/modules/emails/messages';
import { Api } from '../../support/api';
import { anAccount, aUser, PASSWORD, someEmail, theAdmin } from '../../support/people';
import { emailsTo } from '../../support/security-emails';
import { startTestService, TestService } from '../../support/service';
import { SmtpServer } from '../../support/smtp';

const NEXT = 'another horse battery';
const MAX_NOTICES = 10;

let smtp: SmtpServer;
let service: TestService;
let api: Api;

beforeAll(async () => {
  smtp = await SmtpServer.start();
  service = await startTestService({ ...smtp.settings, RUN_WORKER: 'true' });
  ({ api } = service);
});
afterAll(async () => {
  await service?.stop();
  await smtp?.stop();
});

const emails = (address: string, count: number) => emailsTo({ smtp, service }, address, count);

describe('A notice', () => {
  const subjectsTo = async (email: string, count: number) =>
    (await emails(email, count)).map(({ subject }) => subject);
  const { password_changed: password, email_changed: email } = emailMessages.en.security;

  it('tells that the password was changed, whoever changed it', async () => {
    const person = await aUser(api);
    await person.api.post('/v1/auth/password', { current_password: PASSWORD, password: NEXT });
    await (await theAdmin(api)).api.patch(`/v1/users/${person.id}`, { password: PASSWORD });
    expect(await subjectsTo(person.email, 2)).toEqual([password.heading, password.heading]);
  });

  it('goes to the old address when the email was changed', async () => {
    const [person, account] = [await aUser(api), await anAccount(api)];
    const next = [someEmail(), someEmail()];
    await person.api.post('/v1/auth/email', { current_password: PASSWORD, email: next[0] });
    await account.api.patch('/v1/account', { email: next[1] });
    expect(await subjectsTo(person.email, 1)).toEqual([email.heading]);
    expect(await subjectsTo(account.email, 1)).toEqual([email.heading]);
    expect([smtp.to(next[0]!), smtp.to(next[1]!)]).toEqual([[], []]);
  });

  it('is one of few to an address, also when strangers sign up with it, who do not use up those of its owner', async () => {
    const [owner, stranger] = [await aUser(api), await anAccount(api)];
    for (let change = 0; change < 2 * (MAX_NOTICES + 2); change += 1) {
      const next = change % 2 === 0 ? owner.email : someEmail();
      expect((await stranger.api.patch('/v1/account', { email: next })).status).toBe(200);
    }
    expect(await subjectsTo(owner.email, MAX_NOTICES)).toEqual(Array(MAX_NOTICES).fill(email.heading));
    await owner.api.post('/v1/auth/password', { current_password: PASSWORD, password: NEXT });
    expect((await subjectsTo(owner.email, MAX_NOTICES + 1)).slice(MAX_NOTICES)).toEqual([password.heading]);
  });

  it('is not sent when the change failed', async () => {
    const [person, taken] = [await aUser(api), await aUser(api)];
    await person.api.post('/v1/auth/email', { current_password: PASSWORD, email: taken.email });
    await person.api.post('/v1/auth/password', { current_password: 'wrong', password: NEXT });
    expect(await emails(person.email, 0)).toEqual([]);
  });
});
