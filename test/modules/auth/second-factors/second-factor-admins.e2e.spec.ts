import { AUDIT_ENTRIES } from '../../../support/audit-entries';
import { codeAt } from '../../../support/authenticator';
import { documentedOperations, pathOf } from '../../../support/operations';
import { anAccount, aUser, logIn, PASSWORD, Person, theAdmin } from '../../../support/people';
import { ADMIN, startTestService, TestService } from '../../../support/service';
import { enrol, outcome } from './second-factors';

/** What an admin without a second factor may call, besides operations without a token. */
const DURING_ENROLMENT = [
  'confirmSecondFactor',
  'endSession',
  'enrolSecondFactor',
  'getSecondFactor',
  'listSessions',
];

describe('REQUIRE_ADMIN_OTP', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({ REQUIRE_ADMIN_OTP: 'true' });
  });
  afterAll(() => service.stop());

  const mayList = async ({ api }: Person): Promise<boolean> => {
    const reply = await api.get('/v1/users');
    if (reply.status === 403) expect(reply.body.message).toContain('POST /v1/auth/otp');
    return reply.status === 200;
  };

  it('restricts an admin without a second factor to the enrolment, in every operation', async () => {
    const admin = await theAdmin(service.api);
    const allowed: string[] = [];
    for (const operation of await documentedOperations(service.url)) {
      const caller = operation.id === 'endSession' ? await theAdmin(service.api) : admin;
      const body = operation.body === null ? undefined : JSON.stringify(operation.sample);
      const reply = await caller.api.call(operation.method, pathOf(operation, 'x'), body);
      const isRestricted = reply.status === 403 && /second factor first/.test(reply.body.message);
      if (operation.protected && !isRestricted) allowed.push(operation.id);
    }
    expect(allowed.toSorted()).toEqual(DURING_ENROLMENT);
    const signUp = await admin.api.post('/v1/users', { email: 'new@example.com', password: PASSWORD });
    expect(outcome(signUp)).toEqual([403, 'forbidden']);
  });

  it('allows a refresh during the enrolment, and everything after the confirmation', async () => {
    const admin = await theAdmin(service.api);
    const { body } = await service.api.post('/v1/auth/refresh', { refresh_token: admin.refreshToken });
    const refreshed = { ...admin, api: service.api.as(body.access_token) };
    expect(await mayList(refreshed)).toBe(false);
    const { nextCode } = await enrol(service, refreshed, ADMIN.password);
    expect([await mayList(refreshed), await mayList(admin)]).toEqual([true, true]);
    const again = await service.api.post('/v1/auth/login', { ...ADMIN, otp: nextCode() });
    const renewed = await service.api.post('/v1/auth/refresh', { refresh_token: again.body.refresh_token });
    expect(await mayList({ ...admin, api: service.api.as(renewed.body.access_token) })).toBe(true);
    const off = await refreshed.api.delete('/v1/auth/otp', { otp: nextCode() });
    expect([off.status, await mayList(refreshed)]).toEqual([200, false]);
  });

  it('leaves a trace of the changes that such an admin asks for', async () => {
    const admin = await theAdmin(service.api);
    const { id } = await aUser(service.api);
    expect(outcome(await admin.api.delete(`/v1/users/${id}`))).toEqual([403, 'forbidden']);
    const trace = `SELECT actor_id, details FROM ${AUDIT_ENTRIES} WHERE object_id = $1 AND outcome = 'refused'`;
    expect(await service.sql(trace, [id])).toEqual([
      { actor_id: admin.id, details: { operation: 'deleteUser', error: 'forbidden' } },
    ]);
  });

  it('restricts the live sessions of a user who becomes an admin, until the user is one no more', async () => {
    const { person: admin } = await enrol(service, await theAdmin(service.api), ADMIN.password);
    const [without, withFactor] = [await aUser(service.api), await aUser(service.api)];
    await enrol(service, withFactor);
    const setRole = async (role: string) => {
      for (const { id } of [without, withFactor])
        expect((await admin.api.patch(`/v1/users/${id}`, { role })).status).toBe(200);
    };
    const seesItself = async (person: Person) =>
      (await person.api.get(`/v1/users/${person.id}`)).status === 200;
    await setRole('admin');
    expect([await seesItself(without), await seesItself(withFactor)]).toEqual([false, true]);
    await setRole('user');
    expect([await seesItself(without), await seesItself(withFactor)]).toEqual([true, true]);
  });

  it('is off by default outside production', async () => {
    const other = await startTestService();
    try {
      expect(await mayList(await theAdmin(other.api))).toBe(true);
    } finally {
      await other.stop();
    }
  });

  it('is on by default in production', async () => {
    const production = await startTestService({ NODE_ENV: 'production' });
    try {
      expect(await mayList(await theAdmin(production.api))).toBe(false);
    } finally {
      await production.stop();
    }
  });
});

describe('Second factors in the back office', () => {
  const OLD = 'the old secret of 32 characters or more';
  const NEW = 'the new secret of 32 characters or more';
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({ JWT_SECRETS: OLD });
  });
  afterAll(() => service.stop());

  it('are reset by an admin, which ends the sessions', async () => {
    const admin = await theAdmin(service.api);
    const user = (await enrol(service, await aUser(service.api))).person;
    const account = (await enrol(service, await anAccount(service.api))).person;
    const paths = [`/v1/users/${user.id}/otp`, `/v1/accounts/${account.id}/otp`];
    for (const [index, person] of [user, account].entries()) {
      expect(outcome(await person.api.delete(paths[index]!))).toEqual([403, 'forbidden']);
      expect(outcome(await admin.api.delete(paths[index]!))).toEqual([200]);
      expect((await person.api.get('/v1/auth/otp')).status).toBe(401);
      expect((await logIn(service.api, person.email)).id).toBe(person.id);
    }
  });

  it('are not reset by the admin who owns it', async () => {
    const { person, nextCode } = await enrol(service, await theAdmin(service.api), ADMIN.password);
    expect(outcome(await person.api.delete(`/v1/users/${person.id}/otp`))).toEqual([403, 'forbidden']);
    await person.api.delete('/v1/auth/otp', { otp: nextCode() });
  });

  it('appear neither in the log nor in the database in the clear', async () => {
    const enrolled = await enrol(service, await aUser(service.api));
    const { person, secret, recoveryCodes } = enrolled;
    const code = enrolled.nextCode();
    await service.api.post('/v1/auth/login', { email: person.email, password: PASSWORD, otp: code });
    const used = recoveryCodes[0]!;
    await service.api.post('/v1/auth/login', { email: person.email, password: PASSWORD, otp: used });
    const { body } = await person.api.post(
      '/v1/auth/otp',
      { password: PASSWORD, otp: recoveryCodes[1] },
      { headers: { 'idempotency-key': 'one' } },
    );
    const tables = await service.sql<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    const texts = [service.logged.join('\n')];
    for (const { name } of tables)
      texts.push(JSON.stringify(await service.sql(`SELECT t::text AS row FROM "${name}" t`)));
    const secrets = [secret, body.secret, ...recoveryCodes].flatMap((text) => [
      text,
      text.replaceAll('-', ''),
      Buffer.from(text).toString('hex'),
    ]);
    expect(texts.join('\n')).toContain(person.id);
    for (const text of secrets) expect(texts.join('\n')).not.toContain(text);
    expect(service.logged.join('\n')).not.toContain(`"${code}"`);
  });

  it('are recorded in the audit log', async () => {
    const { person, nextCode, recoveryCodes } = await enrol(service, await aUser(service.api));
    const logInWith = (otp?: string) =>
      service.api.post('/v1/auth/login', { email: person.email, password: PASSWORD, otp });
    await logInWith();
    await logInWith('no code');
    await logInWith(recoveryCodes[0]);
    await person.api.delete('/v1/auth/otp', { otp: nextCode() });
    const rows = await service.sql<{ text: string }>(
      `SELECT action || ' ' || outcome || coalesce(' ' || (details ->> 'cause'), '') AS text
       FROM ${AUDIT_ENTRIES} WHERE object_id = $1 ORDER BY id`,
      [person.id],
    );
    const expected = [
      'second_factor.enrol succeeded',
      'second_factor.confirm succeeded',
      'login failed otp_required',
      'login failed wrong_code',
      'second_factor.use_recovery_code succeeded',
      'login succeeded',
      'second_factor.disable succeeded',
    ];
    expect(rows.map(({ text }) => text).filter((text) => expected.includes(text))).toEqual(
      expect.arrayContaining(expected),
    );
  });

  it('stay valid while JWT_SECRETS are rotated, and are encrypted anew', async () => {
    const { person, secret, recoveryCodes } = await enrol(service, await aUser(service.api));
    const loginAt = async (replica: TestService, otp = codeAt(secret, replica.clock.now())) =>
      outcome(await replica.api.post('/v1/auth/login', { email: person.email, password: PASSWORD, otp }));
    const rotating = await service.replica({ JWT_SECRETS: `${NEW},${OLD}` });
    const only = await service.replica({ JWT_SECRETS: NEW });
    try {
      rotating.clock.move({ minutes: 30 });
      only.clock.move({ minutes: 40 });
      expect(await loginAt(rotating)).toEqual([200]);
      expect(await loginAt(only)).toEqual([503, 'unavailable']);
      expect(await loginAt(only, recoveryCodes[0])).toEqual([200]);
      await rotating.runDueTasks();
      expect(await loginAt(only)).toEqual([200]);
    } finally {
      await rotating.stop();
      await only.stop();
    }
  });
});
