import { Api } from '../../../support/api';
import { anAccount, aUser, created, logIn, PASSWORD, someEmail } from '../../../support/people';
import { startTestService, TestService } from '../../../support/service';
import { enrol, outcome } from './second-factors';

const OTP_REQUIRED = [401, 'otp_required'];

describe('The second factor of a user and an account with the same email and password', () => {
  let service: TestService;
  let api: Api;

  beforeAll(async () => {
    service = await startTestService();
    ({ api } = service);
  });
  afterAll(() => service.stop());

  const attempt = (email: string, otp?: string) =>
    api.post('/v1/auth/login', { email, password: PASSWORD, otp });
  const anAccountOf = (email: string, password = PASSWORD) =>
    created(api, '/v1/accounts', { email, password, name: 'Lovelace Ltd', type: 'business' });

  it('is required when the user has one', async () => {
    const { person, nextCode } = await enrol(service, await aUser(api));
    await anAccountOf(person.email);
    expect(outcome(await attempt(person.email))).toEqual(OTP_REQUIRED);
    const { body } = await attempt(person.email, nextCode());
    expect(body.user.id).toBe(person.id);
    expect(outcome(await api.as(body.access_token).get('/v1/account'))).toEqual([200]);
  });

  it('is required when the account has one', async () => {
    const { person, nextCode } = await enrol(service, await anAccount(api));
    const user = await created(api, '/v1/users', { email: person.email, password: PASSWORD });
    expect(outcome(await attempt(person.email))).toEqual(OTP_REQUIRED);
    expect((await attempt(person.email, nextCode())).body.user.id).toBe(user.id);
  });

  it('opens only the one whose code it is when both have one', async () => {
    const email = someEmail();
    await created(api, '/v1/users', { email, password: PASSWORD });
    const ofUser = await enrol(service, await logIn(api, email));
    await anAccountOf(email, 'another horse battery');
    const ofAccount = await enrol(
      service,
      await logIn(api, email, 'another horse battery'),
      'another horse battery',
    );
    const changed = await ofAccount.person.api.post('/v1/auth/password', {
      current_password: 'another horse battery',
      password: PASSWORD,
    });
    expect(changed.status).toBe(200);
    const asUser = await attempt(email, ofUser.nextCode());
    const asAccount = await attempt(email, ofAccount.nextCode());
    expect([asUser.body.user.id, asAccount.body.user.id]).toEqual([ofUser.person.id, ofAccount.person.id]);
    const accountOf = (reply: typeof asUser) => api.as(reply.body.access_token).get('/v1/account');
    expect([(await accountOf(asUser)).status, (await accountOf(asAccount)).status]).toEqual([403, 200]);
  });
});
