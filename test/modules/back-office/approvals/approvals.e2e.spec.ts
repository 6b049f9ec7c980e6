import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { INestApplicationContext } from '@nestjs/common';
import { Client } from 'pg';
import { LedgerVerification } from '../../../../src/modules/ledger';
import {
  anAdminWhoSignedUp,
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
} from '../../../support/people';
import { Api } from '../../../support/api';
import { untilOneWaits } from '../../../support/lock-waits';
import { startTestService, TestService } from '../../../support/service';
import { unrecordedChanges } from '../../../support/unrecorded-changes';
import { contextOn } from '../../ledger/context';
import { enrol } from '../../auth/second-factors/second-factors';

const LIMIT = 1000;

describe('An approval', () => {
  let service: TestService;
  /** Shares the database, and requires no approvals. */
  let lax: TestService;
  let app: INestApplicationContext;
  let admins: Person[];
  let owner: Owner;
  beforeAll(async () => {
    service = await startTestService();
    admins = [await theAdmin(service.api)];
    for (let number = 0; number < 3; number += 1) admins.push(await anAdminWhoSignedUp(service.api));
    const strict = await service.replica({
      REQUIRE_APPROVALS: 'true',
      ADJUSTMENT_APPROVAL_LIMIT: `${LIMIT}`,
    });
    lax = service;
    service = { ...strict, stop: () => strict.stop().then(() => lax.stop()) };
    admins = await Promise.all(admins.map(({ email }, index) => signIn(email, index)));
    app = await contextOn(service);
  });
  beforeEach(async () => {
    owner = await anOwner(service.api);
  });
  afterAll(async () => {
    await app.close();
    await service.stop();
  });

  const signIn = (email: string, index: number): Promise<Person> =>
    index === 0 ? theAdmin(service.api) : logIn(service.api, email);
  const first = () => admins[0]!;
  const second = () => admins[1]!;
  const third = () => admins[2]!;
  const adjustments = () => `/v1/accounts/${owner.accountId}/adjustments`;
  const adjust = (amount: number, direction = 'credit', by = first()): Promise<any> =>
    created(by.api, adjustments(), {
      amount,
      currency: 'USD',
      direction,
      reason: 'A fee was charged twice.',
    });
  const approve = (by: Person, id: string, body?: object) => by.api.post(`/v1/approvals/${id}/approve`, body);
  const reject = (by: Person, id: string, reason = 'Not needed.') =>
    by.api.post(`/v1/approvals/${id}/reject`, { reason });
  const ask = (type: string, object_id: string, by = first()): Promise<any> =>
    created(by.api, '/v1/approvals', { type, object_id, reason: 'As agreed.' });
  const read = async (path: string) => (await first().api.get(path)).body;
  const balance = async () => (await read(`/v1/accounts/${owner.accountId}/balance`)).posted;
  const codeOf = ({ status, body }: { status: number; body: any }) => [status, body.error];
  /** Sets the password by a link, as whoever has the mailbox. */
  const useLink = async (id: string, password: string): Promise<void> => {
    const token = randomBytes(32).toString('base64url');
    const hash = createHash('sha256').update(token).digest('base64url');
    const expiresAt = new Date(service.clock.now().getTime() + 60_000);
    await service.sql(
      'INSERT INTO password_resets (token_hash, subject_id, expires_at) VALUES ($1, $2, $3)',
      [hash, id, expiresAt],
    );
    const reply = await service.api.post('/v1/auth/password-reset/confirmation', { token, password });
    expect(reply.status).toBe(200);
  };
  /** Does something after the request to approve has been admitted, and before it has the lock. */
  const whileApproving = async (id: string, by: Person, work: () => Promise<void>) => {
    const client = new Client({ connectionString: service.databaseUrl });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT FROM approvals WHERE id = $1 FOR UPDATE', [id]);
      const approval = approve(by, id);
      await untilOneWaits(service);
      await work();
      await client.query('COMMIT');
      return await approval;
    } finally {
      await client.end();
    }
  };
  const changeEmail = async (api: Api): Promise<string> => {
    const email = someEmail();
    const { status } = await api.post('/v1/auth/email', { email, current_password: PASSWORD });
    expect(status).toBe(200);
    return email;
  };
  const faults = async () => (await app.get(LedgerVerification).run(() => undefined)).faults;

  describe('of an adjustment', () => {
    it('is needed above the limit only, and posts the adjustment', async () => {
      expect(await adjust(LIMIT)).toMatchObject({ status: 'posted', approval_id: null });
      const waiting = await adjust(LIMIT + 1);
      expect(waiting).toMatchObject({ status: 'pending', approval_id: expect.stringMatching(/^apr_/) });
      expect(await balance()).toBe(LIMIT);
      expect(await read(`/v1/approvals/${waiting.approval_id}`)).toEqual({
        id: waiting.approval_id,
        type: 'adjustment',
        status: 'pending',
        object_id: waiting.id,
        account_id: owner.accountId,
        details: { amount: LIMIT + 1, currency: 'USD', direction: 'credit' },
        reason: 'A fee was charged twice.',
        requested_by: first().id,
        decided_by: null,
        rejection_reason: null,
        created_at: waiting.created_at,
        updated_at: waiting.created_at,
        expires_at: expect.any(String),
      });
      const { status, body } = await approve(second(), waiting.approval_id);
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { status: 'approved', decided_by: second().id },
      });
      expect(await read(`/v1/adjustments/${waiting.id}`)).toMatchObject({ status: 'posted' });
      expect(await balance()).toBe(2 * LIMIT + 1);
      expect(await faults()).toEqual([]);
    });

    it('is not given by the admin who asked', async () => {
      const { approval_id } = await adjust(LIMIT + 1);
      expect(codeOf(await approve(first(), approval_id))).toEqual([403, 'forbidden']);
      expect(await balance()).toBe(0);
    });

    it('is given once by two admins at once, and again to the one who repeats it', async () => {
      for (let round = 0; round < 5; round += 1) {
        const before = await balance();
        const { approval_id } = await adjust(LIMIT + 1);
        const replies = await Promise.all(
          [second(), third(), second()].map((by) => approve(by, approval_id)),
        );
        const { decided_by } = await read(`/v1/approvals/${approval_id}`);
        const expected = [second(), third(), second()].map(({ id }) => (id === decided_by ? 200 : 409));
        expect(replies.map(({ status }) => status)).toEqual(expected);
        expect(await balance()).toBe(before + LIMIT + 1);
      }
      expect(await faults()).toEqual([]);
    });

    it('beside its rejection ends in one of the two', async () => {
      for (let round = 0; round < 5; round += 1) {
        const before = await balance();
        const { id, approval_id } = await adjust(LIMIT + 1);
        const replies = await Promise.all([approve(second(), approval_id), reject(third(), approval_id)]);
        expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409]);
        const isApproved = replies[0].status === 200;
        expect(await read(`/v1/adjustments/${id}`)).toMatchObject({
          status: isApproved ? 'posted' : 'rejected',
        });
        expect(await balance()).toBe(before + (isApproved ? LIMIT + 1 : 0));
      }
    });

    it('beside the closing of the account leaves books that add up', async () => {
      for (let round = 0; round < 4; round += 1) {
        owner = await anOwner(service.api);
        const { approval_id } = await adjust(LIMIT + 1);
        const [approval, closing] = await Promise.all([
          approve(second(), approval_id),
          owner.api.delete('/v1/account'),
        ]);
        expect(closing.status).toBe(200);
        expect([200, 403]).toContain(approval.status);
        expect(await balance()).toBe(approval.status === 200 ? LIMIT + 1 : 0);
      }
      expect(await faults()).toEqual([]);
    });

    it('stays pending when the balance is too low by then', async () => {
      await adjust(LIMIT, 'credit', second());
      await adjust(LIMIT, 'credit', third());
      const { approval_id } = await adjust(LIMIT + 1, 'debit');
      await adjust(LIMIT, 'debit');
      expect(codeOf(await approve(second(), approval_id))).toEqual([402, 'insufficient_funds']);
      expect(await read(`/v1/approvals/${approval_id}`)).toMatchObject({
        status: 'pending',
        decided_by: null,
      });
      await adjust(1, 'credit', admins[3]);
      expect((await approve(second(), approval_id)).status).toBe(200);
      expect(await balance()).toBe(0);
    });

    it('is not asked for when the balance is too low already', async () => {
      const body = { amount: LIMIT + 1, currency: 'USD', direction: 'debit', reason: 'Too much.' };
      expect(codeOf(await first().api.post(adjustments(), body))).toEqual([402, 'insufficient_funds']);
      expect((await read(`/v1/approvals?account_id=${owner.accountId}`)).data).toEqual([]);
    });

    it('is asked for once however often the request is repeated', async () => {
      const headers = { 'idempotency-key': randomUUID() };
      const body = { amount: LIMIT + 1, currency: 'USD', direction: 'credit', reason: 'Once.' };
      const replies = await Promise.all(
        Array.from({ length: 4 }, () => first().api.post(adjustments(), body, { headers })),
      );
      expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
      expect((await read(`/v1/approvals?account_id=${owner.accountId}`)).data).toHaveLength(1);
    });

    it('is nothing without its posting: when the commit fails, both are as before', async () => {
      const { id, approval_id } = await adjust(LIMIT + 1);
      await service.sql(
        `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'killed'; END $$`,
      );
      await service.sql(
        `CREATE TRIGGER fails BEFORE UPDATE ON approvals FOR EACH ROW EXECUTE FUNCTION fail()`,
      );
      try {
        expect((await approve(second(), approval_id)).status).toBe(500);
      } finally {
        await service.sql('DROP FUNCTION fail CASCADE');
      }
      expect(await read(`/v1/adjustments/${id}`)).toMatchObject({ status: 'pending' });
      expect(await balance()).toBe(0);
      expect((await approve(second(), approval_id)).status).toBe(200);
      expect(await balance()).toBe(LIMIT + 1);
      expect(await faults()).toEqual([]);
    });
  });

  describe('to make an admin', () => {
    const newAdmin = () => ({ email: someEmail(), password: PASSWORD, role: 'admin' });

    it('is the only way', async () => {
      const user = await aUser(service.api);
      const creation = await first().api.post('/v1/users', newAdmin());
      const update = await first().api.patch(`/v1/users/${user.id}`, { role: 'admin' });
      for (const reply of [creation, update]) {
        expect(codeOf(reply)).toEqual([409, 'conflict']);
        expect(reply.body.message).toContain('POST /v1/approvals');
      }
      const { id } = await ask('make_admin', user.id);
      expect((await user.api.get('/v1/audit-log')).status).toBe(403);
      expect((await approve(second(), id)).status).toBe(200);
      expect((await user.api.get('/v1/audit-log')).status).toBe(200);
      expect(
        codeOf(
          await first().api.post('/v1/approvals', {
            type: 'make_admin',
            object_id: user.id,
            reason: 'Again.',
          }),
        ),
      ).toEqual([409, 'conflict']);
    });

    it('is not needed for other roles, nor to change an admin otherwise', async () => {
      for (const role of ['platform', 'support', 'user'])
        await created(first().api, '/v1/users', { ...newAdmin(), role });
      const { status } = await first().api.patch(`/v1/users/${third().id}`, { name: 'Grace', role: 'admin' });
      expect(status).toBe(200);
    });

    it('is asked for once at a time, and not for a member of an account', async () => {
      const user = await aUser(service.api);
      const request = { type: 'make_admin', object_id: user.id, reason: 'As agreed.' };
      const replies = await Promise.all(
        [first(), second(), third()].map(({ api }) => api.post('/v1/approvals', request)),
      );
      expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
      const member = await first().api.post('/v1/approvals', { ...request, object_id: owner.id });
      expect(codeOf(member)).toEqual([400, 'invalid_request']);
    });

    it('is not passed alone: nobody sets the password of another admin or takes the second factor', async () => {
      const { api } = first();
      const user = `/v1/users/${second().id}`;
      await second().api.post('/v1/auth/otp', { password: PASSWORD });
      const password = await api.patch(user, { password: 'a new one that only I know' });
      const demoted = await api.patch(user, { password: 'a new one that only I know', role: 'user' });
      const secondFactor = await api.delete(`${user}/otp`);
      for (const reply of [password, demoted, secondFactor])
        expect(codeOf(reply)).toEqual([403, 'forbidden']);
      expect(password.body.message).toContain('POST /v1/auth/password-reset');
      expect(secondFactor.body.message).toContain('recovery code');
      expect((await second().api.get(user)).status).toBe(200); // the session lives
      expect((await logIn(service.api, second().email)).id).toBe(second().id);
      const enrolments = 'SELECT FROM second_factors WHERE subject_id = $1';
      expect(await service.sql(enrolments, [second().id])).toHaveLength(1);
    });

    it('does not take a suspended admin either, who could become active again', async () => {
      const { id } = await anOperator(lax.api, 'admin');
      const patch = (change: object) => first().api.patch(`/v1/users/${id}`, change);
      expect((await patch({ status: 'suspended' })).status).toBe(200);
      expect(codeOf(await patch({ password: PASSWORD }))).toEqual([403, 'forbidden']);
      expect(codeOf(await first().api.delete(`/v1/users/${id}/otp`))).toEqual([403, 'forbidden']);
    });

    it('leaves admins their own password, and the logins of others', async () => {
      const user = await aUser(service.api);
      expect((await first().api.patch(`/v1/users/${user.id}`, { password: PASSWORD })).status).toBe(200);
      expect((await first().api.delete(`/v1/users/${user.id}/otp`)).status).toBe(200);
      const own = await third().api.patch(`/v1/users/${third().id}`, { password: PASSWORD });
      expect(own.status).toBe(200);
    });

    it('is not needed where approvals are not required, nor are passwords of admins kept', async () => {
      const { id } = await anOperator(lax.api, 'admin');
      const { api } = await theAdmin(lax.api);
      expect((await api.patch(`/v1/users/${id}`, { password: PASSWORD })).status).toBe(200);
      expect((await api.delete(`/v1/users/${id}/otp`)).status).toBe(200);
    });

    /** Asks whether or not it can be asked for. */
    const promote = (object_id: string) =>
      first().api.post('/v1/approvals', { type: 'make_admin', object_id, reason: 'As agreed.' });
    const OWN = 'a password of my own';
    const KNOWN = 'known to the first admin';
    const patch = async (by: Person, id: string, change: object) =>
      expect((await by.api.patch(`/v1/users/${id}`, change)).status).toBe(200);

    /** The two ways to change the own password in a session, each with the current one. */
    const inSession = [
      ['PATCH of the user', ({ api, id }: Person) => api.patch(`/v1/users/${id}`, { password: OWN })],
      [
        'POST /v1/auth/password',
        ({ api }: Person) => api.post('/v1/auth/password', { current_password: KNOWN, password: OWN }),
      ],
    ] as const;

    it.each(inSession)(
      'is not for a user whose password the admin has set and then changed as the user, with %s',
      async (_, change) => {
        const user = await aUser(service.api);
        const { id } = await ask('make_admin', user.id);
        await patch(first(), user.id, { password: KNOWN });
        expect((await change(await logIn(service.api, user.email, KNOWN))).status).toBe(200);
        expect(codeOf(await approve(second(), id))).toEqual([409, 'conflict']);
        await reject(first(), id);
        expect(codeOf(await promote(user.id))).toEqual([409, 'conflict']);
        expect((await read(`/v1/users/${user.id}?view=full`)).role).toBe('user');
        const asUser = await logIn(service.api, user.email, OWN);
        expect((await asUser.api.get('/v1/audit-log')).status).toBe(403);
      },
    );

    it.each(inSession)(
      'is not for a user whom an admin has created, before the link in an email, also after %s',
      async (_, change) => {
        const email = someEmail();
        const { id: userId } = await created(first().api, '/v1/users', { email, password: KNOWN });
        expect(codeOf(await promote(userId))).toEqual([409, 'conflict']);
        expect((await change(await logIn(service.api, email, KNOWN))).status).toBe(200);
        const refused = await promote(userId);
        expect(codeOf(refused)).toEqual([409, 'conflict']);
        expect(refused.body.message).toContain('POST /v1/auth/password-reset');
        await useLink(userId, PASSWORD);
        const { id } = await ask('make_admin', userId);
        expect((await approve(second(), id)).status).toBe(200);
      },
    );

    it('shows how the user signs in, and falls when any of it has changed since, whoever changed it', async () => {
      const changes: [part: string, by: string, change: (user: Person) => Promise<unknown>][] = [
        ['password', 'self', (user) => patch(user, user.id, { password: OWN })],
        ['password', 'email_link', (user) => useLink(user.id, OWN)],
        ['email', 'self', ({ api }) => changeEmail(api)],
        ['second_factor', 'self', (user) => enrol(service, user)],
        ['second_factor', 'admin', ({ id }) => first().api.delete(`/v1/users/${id}/otp`)],
      ];
      for (const [part, by, change] of changes) {
        const user = await aUser(service.api);
        const before = await ask('make_admin', user.id);
        expect(before.details.login_changes).toEqual({});
        await change(user);
        const refused = await approve(second(), before.id);
        expect([part, by, ...codeOf(refused)]).toEqual([part, by, 409, 'conflict']);
        expect(refused.body.message).toContain(` ${part} by ${by} at 20`);
        expect((await reject(second(), before.id)).status).toBe(200);
        const after = await ask('make_admin', user.id);
        expect(after.details.login_changes).toEqual({ [part]: { at: expect.any(String), by } });
        expect((await approve(second(), after.id)).status).toBe(200);
      }
    });

    it('falls when recovery codes or the second factor are replaced, and when it is switched off', async () => {
      const user = await aUser(service.api);
      const { nextCode } = await enrol(service, user);
      for (const change of [
        () => user.api.post('/v1/auth/otp/recovery-codes', { otp: nextCode() }),
        () => user.api.delete('/v1/auth/otp', { otp: nextCode() }),
      ]) {
        const { id } = await ask('make_admin', user.id);
        expect((await change()).status).toBe(200);
        expect(codeOf(await approve(second(), id))).toEqual([409, 'conflict']);
        await reject(first(), id);
      }
    });

    it('falls also when the password changes while the approval is given, in another process', async () => {
      const user = await aUser(service.api);
      const { id } = await ask('make_admin', user.id);
      const approval = await whileApproving(id, second(), async () => {
        const { status } = await lax.api.as(user.token).patch(`/v1/users/${user.id}`, { password: OWN });
        expect(status).toBe(200);
      });
      expect(codeOf(approval)).toEqual([409, 'conflict']);
      expect((await read(`/v1/users/${user.id}?view=full`)).role).toBe('user');
    });

    it('is of the person with the email at the time of the request', async () => {
      const user = await aUser(service.api);
      const patchName = (name: string) => user.api.patch(`/v1/users/${user.id}`, { name });
      await patchName('Ada');
      const { id, details } = await ask('make_admin', user.id);
      expect(details).toEqual({ email: user.email, name: 'Ada', login_changes: {} });
      await patchName('Grace');
      const email = await changeEmail(user.api);
      expect(codeOf(await approve(second(), id))).toEqual([409, 'conflict']);
      expect((await reject(second(), id)).body).toMatchObject({ details, status: 'rejected' });
      const again = await ask('make_admin', user.id);
      expect(again.details).toMatchObject({ email, name: 'Grace' });
      expect((await approve(second(), again.id)).status).toBe(200);
    });

    it('is asked for again where a release before did not record how the user signs in', async () => {
      const { id } = await ask('make_admin', (await aUser(service.api)).id);
      await service.sql(`UPDATE approvals SET details = '{}' WHERE id = $1`, [id]);
      expect(codeOf(await approve(second(), id))).toEqual([409, 'conflict']);
    });

    it('has no effect for a user who was deleted meanwhile', async () => {
      const user = await aUser(service.api);
      const { id } = await ask('make_admin', user.id);
      await user.api.delete(`/v1/users/${user.id}`);
      expect(codeOf(await approve(second(), id))).toEqual([404, 'not_found']);
      expect((await reject(second(), id)).body).toMatchObject({ status: 'rejected' });
    });
  });

  describe('to close an account', () => {
    const close = () => first().api.delete(`/v1/accounts/${owner.accountId}`);

    it('is needed for an account with money in it', async () => {
      expect((await close()).status).toBe(200);
      owner = await anOwner(service.api);
      await adjust(5);
      const direct = await close();
      expect(codeOf(direct)).toEqual([409, 'conflict']);
      expect(direct.body.message).toContain('POST /v1/approvals');
      const { id } = await ask('close_account', owner.accountId);
      expect((await approve(third(), id)).body).toMatchObject({
        status: 'approved',
        account_id: owner.accountId,
      });
      expect(await read(`/v1/accounts/${owner.accountId}`)).toMatchObject({ status: 'closed' });
      const [closing] = (await read(`/v1/audit-log?object_id=${owner.accountId}&action=account.close`)).data;
      expect(closing).toMatchObject({ actor_id: third().id, reason: 'As agreed.' });
      expect(await balance()).toBe(5);
    });

    it('is not needed by the owner', async () => {
      await adjust(5);
      expect((await owner.api.delete('/v1/account')).status).toBe(200);
    });

    it('leaves it pending while a subscription blocks the closing', async () => {
      const { id } = await ask('close_account', owner.accountId);
      const subscription = await created(owner.api, '/v1/subscriptions', {
        account_id: owner.accountId,
        amount: 100,
        currency: 'USD',
        customer_email: 'customer@example.com',
        interval: 'month',
      });
      expect(codeOf(await approve(second(), id))).toEqual([409, 'active_subscriptions']);
      await owner.api.delete(`/v1/subscriptions/${subscription.id}`);
      expect((await approve(second(), id)).status).toBe(200);
    });
  });

  it('can be rejected with a reason, also by the admin who asked', async () => {
    const { id, approval_id } = await adjust(LIMIT + 1);
    const { body } = await reject(first(), approval_id, 'The wrong account.');
    expect(body).toMatchObject({
      status: 'rejected',
      decided_by: first().id,
      rejection_reason: 'The wrong account.',
    });
    expect((await reject(first(), approval_id)).body).toEqual(body);
    expect(codeOf(await reject(second(), approval_id))).toEqual([409, 'conflict']);
    expect(codeOf(await approve(second(), approval_id))).toEqual([409, 'conflict']);
    expect(await read(`/v1/adjustments/${id}`)).toMatchObject({ status: 'rejected' });
  });

  describe('between two admins of whom one has set the password of the other', () => {
    const KNOWN = 'known to the first admin';
    let puppet: Person;
    beforeEach(async () => {
      const { id, email } = await anAdminWhoSignedUp(lax.api);
      const set = await lax.api.as(first().token).patch(`/v1/users/${id}`, { password: KNOWN });
      expect(set.status).toBe(200);
      puppet = await logIn(service.api, email, KNOWN);
      const own = { current_password: KNOWN, password: PASSWORD };
      expect((await puppet.api.post('/v1/auth/password', own)).status).toBe(200);
    });

    it('is not given by the other, before the link in an email', async () => {
      const { approval_id } = await adjust(LIMIT + 1);
      const refused = await approve(puppet, approval_id);
      expect(codeOf(refused)).toEqual([403, 'forbidden']);
      expect(refused.body.message).toContain('POST /v1/auth/password-reset');
      expect(await balance()).toBe(0);
      await useLink(puppet.id, PASSWORD);
      expect((await approve(await logIn(service.api, puppet.email), approval_id)).status).toBe(200);
    });

    it('is not given to the other either', async () => {
      const { id } = await ask('close_account', owner.accountId, puppet);
      expect(codeOf(await approve(first(), id))).toEqual([409, 'conflict']);
      await useLink(puppet.id, PASSWORD);
      expect((await approve(first(), id)).status).toBe(200);
    });
  });

  it('is not given by an admin who is demoted meanwhile, in another process', async () => {
    const demoted = await anAdminWhoSignedUp(lax.api);
    const approver = { ...demoted, api: service.api.as(demoted.token) };
    const { approval_id } = await adjust(LIMIT + 1);
    const approval = await whileApproving(approval_id, approver, async () => {
      const { status } = await lax.api.as(first().token).patch(`/v1/users/${demoted.id}`, { role: 'user' });
      expect(status).toBe(200);
    });
    expect(codeOf(approval)).toEqual([403, 'forbidden']);
    expect(await balance()).toBe(0);
  });

  it('of two admins who approve what the other one asked for, at the same time, both take effect', async () => {
    for (let round = 0; round < 4; round += 1) {
      const one = await ask('close_account', (await anOwner(service.api)).accountId, second());
      const other = await ask('close_account', (await anOwner(service.api)).accountId, third());
      const replies = await Promise.all([
        approve(third(), one.id),
        approve({ ...second(), api: lax.api.as(second().token) }, other.id),
      ]);
      expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    }
  });

  it('is not given to an admin who was suspended since', async () => {
    const { id } = await ask('close_account', owner.accountId, admins[3]);
    await first().api.patch(`/v1/users/${admins[3]!.id}`, { status: 'suspended' });
    expect(codeOf(await approve(second(), id))).toEqual([409, 'conflict']);
    await first().api.patch(`/v1/users/${admins[3]!.id}`, { status: 'active' });
    expect((await approve(second(), id)).status).toBe(200);
  });

  it('is listed by status and type, for support people as well', async () => {
    const { approval_id } = await adjust(LIMIT + 1);
    const closing = await ask('close_account', owner.accountId);
    await reject(second(), closing.id);
    const support = await anOperator(service.api, 'support');
    const list = async (query: string): Promise<string[]> => {
      const { body } = await support.api.get(`/v1/approvals?account_id=${owner.accountId}&${query}`);
      return body.data.map(({ id }: { id: string }) => id);
    };
    expect(await list('')).toEqual([closing.id, approval_id]);
    expect(await list('status=pending')).toEqual([approval_id]);
    expect(await list('type=close_account')).toEqual([closing.id]);
    expect(await list('status=approved')).toEqual([]);
  });

  it('stands in the audit log and in events, which only operators see', async () => {
    const { approval_id } = await adjust(LIMIT + 1);
    const reply = await approve(second(), approval_id, { reason: 'As agreed on the phone' });
    expect(reply.status).toBe(200);
    const { data } = await read(`/v1/audit-log?object_id=${approval_id}`);
    expect(data.map(({ action, actor_id, reason }: any) => [action, actor_id, reason])).toEqual([
      ['approval.approve', second().id, 'As agreed on the phone'],
      ['approval.request', first().id, 'A fee was charged twice.'],
    ]);
    expect((await approve(second(), approval_id, { reason: ' ' })).status).toBe(400);
    const events = `/v1/events?object_id=${approval_id}`;
    const types = (await read(events)).data.map(({ type }: any) => type);
    expect(types).toEqual(['approval.approved', 'approval.created']);
    expect((await owner.api.get(events)).body.data).toEqual([]);
  });

  // The last test, since it moves the clock: the tokens have expired then.
  it('expires after 7 days, whether the task has run or not', async () => {
    const { id, approval_id } = await adjust(LIMIT + 1);
    const closing = await ask('close_account', owner.accountId);
    service.clock.move({ seconds: 7 * 24 * 3600 });
    admins = await Promise.all(admins.map(({ email }, index) => signIn(email, index)));
    expect(codeOf(await approve(second(), approval_id))).toEqual([409, 'conflict']);
    expect((await ask('close_account', owner.accountId)).id).not.toBe(closing.id);
    await service.runDueTasks();
    expect(await read(`/v1/approvals/${approval_id}`)).toMatchObject({ status: 'expired', decided_by: null });
    expect(await read(`/v1/adjustments/${id}`)).toMatchObject({ status: 'expired' });
    expect(codeOf(await approve(second(), approval_id))).toEqual([409, 'conflict']);
    expect(await balance()).toBe(0);
    expect(await unrecordedChanges(service)).toEqual([]);
  });
});
