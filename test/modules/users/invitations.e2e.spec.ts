import { emailMessages } from '../../../src/modules/emails/messages';
import { outcome, unknownId } from '../../support/account-owned';
import {
  aMember,
  anOperator,
  anOwner,
  aUser,
  created,
  logIn,
  Owner,
  PASSWORD,
  Person,
  someEmail,
  theAdmin,
} from '../../support/people';
import { emailsTo, tokenIn, tokensIn } from '../../support/security-emails';
import { startTestService, TestService } from '../../support/service';
import { SmtpServer } from '../../support/smtp';

const PATH = '/v1/user-invitations';
const ACCOUNTS = '/v1/account-invitations';
const { heading } = emailMessages.en.security.invitation;

describe('Invitations', () => {
  let smtp: SmtpServer;
  let service: TestService;
  let admin: Person;
  let owner: Owner;

  beforeAll(async () => {
    smtp = await SmtpServer.start();
    service = await startTestService(smtp.settings);
  });
  beforeEach(async () => {
    admin = await theAdmin(service.api);
    owner = await anOwner(service.api);
  });
  afterAll(async () => {
    await service?.stop();
    await smtp?.stop();
  });

  const emails = (address: string, count = 1) => emailsTo({ smtp, service }, address, count);
  const setPassword = (token: string, password = PASSWORD) =>
    service.api.post('/v1/auth/password-reset/confirmation', { token, password });
  const invited = async (members: object = {}, { api }: Person = admin): Promise<any> => {
    const email = someEmail();
    return { ...(await created(api, PATH, { email, ...members })), email };
  };

  it('lead by an email to the first password, with which the user logs in', async () => {
    const email = someEmail();
    const { status, body } = await admin.api.post(PATH, { email, name: 'Grace Hopper', role: 'support' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^usr_/),
      email,
      name: 'Grace Hopper',
      status: 'active',
      created_at: expect.any(String),
      updated_at: body.created_at,
    });
    const [letter] = await emails(email);
    expect(letter!.subject).toBe(heading);
    expect(letter!.text).toContain(email);
    service.clock.move({ days: 6 });
    expect((await setPassword(tokenIn(letter!))).status).toBe(200);
    expect((await setPassword(tokenIn(letter!))).body.error).toBe('invalid_reset_token');
    const person = await logIn(service.api, email);
    const self = (await person.api.get(`/v1/users/${body.id}?view=full`)).body;
    expect(self).toMatchObject({ role: 'support', account_id: null });
  });

  it('end after a week, after which a forgotten password leads on', async () => {
    const { email } = await invited();
    const [letter] = await emails(email);
    service.clock.move({ days: 7, seconds: 1 });
    expect((await setPassword(tokenIn(letter!))).body.error).toBe('invalid_reset_token');
    expect((await service.api.post('/v1/auth/password-reset', { email })).status).toBe(200);
    const [, reset] = await emails(email, 2);
    expect((await setPassword(tokenIn(reset!))).status).toBe(200);
    await logIn(service.api, email);
  });

  it('of owners add members to their accounts, whose email the link verifies', async () => {
    const { id, email } = await invited({}, owner);
    const member = async () => (await owner.api.get(`/v1/users/${id}?view=full`)).body;
    expect(await member()).toMatchObject({
      account_id: owner.accountId,
      membership_role: 'member',
      status: 'active',
      invited: true,
    });
    const [letter] = await emails(email);
    await setPassword(tokenIn(letter!));
    expect(await member()).toMatchObject({ membership_role: 'member', invited: false });
    const { api } = await logIn(service.api, email);
    expect((await api.get('/v1/account')).body.id).toBe(owner.accountId);
    const { data } = (await api.get('/v1/auth/email')).body;
    expect(data).toMatchObject([{ email, verified: true }]);
    expect(smtp.verificationsTo(email)).toEqual([]);
  });

  it('of admins can name the account, and are in the audit log', async () => {
    const { id, email } = await invited({ account_id: owner.accountId });
    expect((await owner.api.get(`/v1/users/${id}`)).body.email).toBe(email);
    const { data } = (await admin.api.get(`/v1/audit-log?object_id=${id}&action=user.create`)).body;
    expect(data).toMatchObject([{ actor_id: admin.id, details: { role: 'user', invited: true } }]);
  });

  it.each<[string, () => Promise<Person>, object, string]>([
    ['a user without an account', () => aUser(service.api), {}, '403 forbidden'],
    ['a member of an account', () => aMember(service.api, owner), {}, '403 forbidden'],
    ['an owner who sets a role', async () => owner, { role: 'support' }, '401 unauthorized'],
    [
      'an owner who names an account',
      async () => owner,
      { account_id: unknownId('acc') },
      '401 unauthorized',
    ],
    ['an admin who names a malformed role', async () => admin, { role: 'king' }, '400 invalid_request'],
  ])('are denied to %s', async (_, person, members, expected) => {
    const email = someEmail();
    const { api } = await person();
    expect(outcome(await api.post(PATH, { email, ...members }))).toBe(expected);
    expect(await service.sql('SELECT FROM users WHERE email = $1', [email])).toEqual([]);
  });

  it('are sent once for repeats with a key, and not to those who are there', async () => {
    const email = someEmail();
    const headers = { 'idempotency-key': 'invite' };
    const replies = [
      await admin.api.post(PATH, { email }, { headers }),
      await admin.api.post(PATH, { email }, { headers }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([201, 201]);
    expect(replies[1]!.body).toEqual(replies[0]!.body);
    expect(outcome(await admin.api.post(PATH, { email }))).toBe('409 email_exists');
    expect(await emails(email)).toHaveLength(1);
  });

  it('are not sent to a user who was deleted or suspended meanwhile', async () => {
    const [deleted, suspended] = [await invited(), await invited()];
    expect((await admin.api.delete(`/v1/users/${deleted.id}`)).status).toBe(200);
    await admin.api.patch(`/v1/users/${suspended.id}`, { status: 'suspended' });
    expect([await emails(deleted.email, 0), await emails(suspended.email, 0)]).toEqual([[], []]);
  });

  const anInvitedAccount = async (): Promise<any> =>
    created(admin.api, ACCOUNTS, { email: someEmail(), name: 'Lovelace Ltd', type: 'business' });

  it('of accounts keep what others have set up for them meanwhile', async () => {
    const { id, email, status, settings } = await anInvitedAccount();
    expect({ status, settings }).toMatchObject({ status: 'active', settings: { currency: 'USD' } });
    const member = await invited({ account_id: id });
    const [letter] = await emails(email);
    expect((await setPassword(tokenIn(letter!))).status).toBe(200);
    const { api } = await logIn(service.api, email);
    expect((await api.get('/v1/users')).body.data).toMatchObject([{ id: member.id }]);
  });

  it('remove what a stranger may have set up, once somebody has known a password', async () => {
    const { id, email } = await anInvitedAccount();
    const member = await invited({ account_id: id });
    const [letter] = await emails(email);
    await setPassword(tokenIn(letter!));
    await service.sql('UPDATE credentials SET email_verified_at = NULL WHERE subject_id = $1', [id]);
    await service.api.post('/v1/auth/password-reset', { email });
    // Another one tells of the password, before or after it.
    const [, ...later] = await emails(email, 3);
    const reset = later.find((one) => tokensIn(one).length > 0);
    expect((await setPassword(tokenIn(reset!), 'another horse battery')).status).toBe(200);
    expect((await admin.api.get(`/v1/users/${member.id}`)).status).toBe(404);
  });

  it('are accepted by any link, so that what others have set up stays', async () => {
    const { id, email } = await anInvitedAccount();
    const member = await invited({ account_id: id });
    await emails(email);
    service.clock.move({ days: 8 });
    await service.api.post('/v1/auth/password-reset', { email });
    const [, reset] = await emails(email, 2);
    expect((await setPassword(tokenIn(reset!))).status).toBe(200);
    admin = await theAdmin(service.api);
    expect((await admin.api.get(`/v1/users/${member.id}`)).status).toBe(200);
  });

  it('go to the new address when the email is corrected', async () => {
    const { id, email } = await anInvitedAccount();
    const [letter] = await emails(email);
    const corrected = someEmail();
    expect((await admin.api.patch(`/v1/accounts/${id}`, { email: corrected })).status).toBe(200);
    const arrived = await emails(corrected);
    expect(arrived.map(({ subject }) => subject)).toEqual([heading]);
    expect((await setPassword(tokenIn(letter!))).body.error).toBe('invalid_reset_token');
    expect((await setPassword(tokenIn(arrived[0]!))).status).toBe(200);
  });

  it('are not sent to who has got a password meanwhile', async () => {
    const { id, email } = await invited();
    await admin.api.patch(`/v1/users/${id}`, { password: PASSWORD });
    const { password_changed: changed } = emailMessages.en.security;
    const arrived = await emails(email);
    expect(arrived.map(({ subject }) => subject)).toEqual([changed.heading]);
  });

  it('prove the email of people of the platform too', async () => {
    const { id, email } = await invited({ role: 'support' });
    await setPassword(tokenIn((await emails(email))[0]!));
    const [{ at }] = (await service.sql<{ at: Date | null }>(
      'SELECT email_verified_at AS at FROM credentials WHERE subject_id = $1',
      [id],
    )) as [{ at: Date | null }];
    expect(at).not.toBeNull();
  });

  it('are not used up by letters that a stranger causes', async () => {
    const [email, stranger] = [someEmail(), await aUser(service.api)];
    await stranger.api.post('/v1/auth/email', { current_password: PASSWORD, email });
    for (let letter = 0; letter < 12; letter += 1)
      await stranger.api.post('/v1/auth/email/verification', undefined);
    await emails(email, 0);
    await admin.api.delete(`/v1/users/${stranger.id}`);
    await created(admin.api, PATH, { email });
    const arrived = await emails(email);
    expect(arrived.map(({ subject }) => subject)).toContain(heading);
  });

  it('of accounts are for admins and platform systems, once for an email', async () => {
    const { email } = await anInvitedAccount();
    const body = { email, name: 'Lovelace Ltd', type: 'business' };
    const platform = await anOperator(service.api, 'platform');
    expect(outcome(await platform.api.post(ACCOUNTS, body))).toBe('409 email_exists');
    expect(outcome(await owner.api.post(ACCOUNTS, body))).toBe('403 forbidden');
  });

  it('lead to a page that does not warn of strangers', async () => {
    const { email } = await invited({}, owner);
    const token = tokenIn((await emails(email))[0]!);
    const page = await fetch(`${service.url}/password-reset/${token}`);
    expect(page.status).toBe(200);
    const html = await page.text();
    expect(html).toContain('Set a new password');
    expect(html).not.toContain('was not confirmed before');
  });

  it('let nobody in before', async () => {
    const { email } = await invited();
    const reply = await service.api.post('/v1/auth/login', { email, password: PASSWORD });
    expect(outcome(reply)).toBe('401 invalid_credentials');
  });

  it('make nobody an admin, and need a mail server', async () => {
    const strict = await service.replica({ REQUIRE_APPROVALS: 'true' });
    const silent = await service.replica({ SMTP_URL: '' });
    const [email, { token }] = [someEmail(), admin];
    const asAdmin = { email, role: 'admin' };
    expect(outcome(await strict.api.as(token).post(PATH, asAdmin))).toBe('400 invalid_request');
    expect(outcome(await silent.api.as(token).post(PATH, { email }))).toBe('400 invalid_request');
    expect(await service.sql('SELECT FROM users WHERE email = $1', [email])).toEqual([]);
    await strict.stop();
    await silent.stop();
  });
});
