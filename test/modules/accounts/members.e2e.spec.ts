import { anOwner, Owner, PASSWORD, someEmail, theAdmin } from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { countUsers, haveMembers } from './members';
import { AUDIT_ENTRIES } from '../../support/audit-entries';

const MAX_USERS = 1_000;
const MEMBERS = 500;

let service: TestService;
let owner: Owner;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  owner = await anOwner(service.api);
});

describe('The users of one account', () => {
  const aNewMember = (): Promise<{ status: number; body: { error?: string; message?: string } }> =>
    owner.api.post('/v1/users', { email: someEmail(), password: PASSWORD });

  it('are at most 1,000, also when several are added at the same time, and for an admin', async () => {
    await haveMembers(service, owner, MAX_USERS - 4);
    const replies = await Promise.all(Array.from({ length: 8 }, aNewMember));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(3);
    for (const { status, body } of replies.filter((reply) => reply.status !== 201))
      expect([status, body]).toEqual([
        409,
        { error: 'conflict', message: expect.stringMatching(/1000 users.*Delete one/) },
      ]);
    const admin = await theAdmin(service.api);
    const byAdmin = { email: someEmail(), password: PASSWORD, account_id: owner.accountId };
    expect((await admin.api.post('/v1/users', byAdmin)).status).toBe(409);
    expect(await countUsers(service, owner)).toBe(MAX_USERS);
  });

  it('stay where an account has more from before, and make room when they are deleted', async () => {
    const member = await haveMembers(service, owner, MAX_USERS);
    expect((await aNewMember()).status).toBe(409);
    expect((await member.api.get('/v1/account')).status).toBe(200);
    const { body } = await owner.api.get('/v1/users?limit=2');
    for (const { id } of body.data) expect((await owner.api.delete(`/v1/users/${id}`)).status).toBe(200);
    expect((await aNewMember()).status).toBe(201);
  });
});

describe('Closing an account with many members', () => {
  it('deletes them all, with their sessions, and frees their emails', async () => {
    const member = await haveMembers(service, owner, MEMBERS);
    const { status, body } = await owner.api.delete('/v1/account');
    expect([status, body.status]).toEqual([200, 'closed']);
    expect(await countUsers(service, owner)).toBe(0);
    for (const { api } of [owner, member]) expect((await api.get('/v1/account')).status).toBe(401);
    const left = await service.sql('SELECT FROM credentials WHERE account_id = $1 AND kind = $2', [
      owner.accountId,
      'user',
    ]);
    expect(left).toEqual([]);
    const audited = await service.sql(
      `SELECT FROM ${AUDIT_ENTRIES} WHERE account_id = $1 AND action = 'user.delete'`,
      [owner.accountId],
    );
    expect(audited).toHaveLength(MEMBERS + 1);
    const { status: again } = await service.api.post('/v1/users', {
      email: member.email,
      password: PASSWORD,
    });
    expect(again).toBe(201);
  });

  it('deletes none while there is an active subscription', async () => {
    await haveMembers(service, owner, MEMBERS);
    const subscription = {
      account_id: owner.accountId,
      amount: 500,
      currency: 'USD',
      customer_email: someEmail(),
      interval: 'month',
    };
    expect((await owner.api.post('/v1/subscriptions', subscription)).status).toBe(201);
    const { body } = await owner.api.delete('/v1/account');
    expect(body.error).toBe('active_subscriptions');
    expect(await countUsers(service, owner)).toBe(MEMBERS + 1);
  });

  it('is completed by a repeat of the owner after an interruption', async () => {
    await haveMembers(service, owner, MEMBERS);
    await service.sql(`CREATE FUNCTION interrupt() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF (SELECT count(*) FROM users WHERE account_id = OLD.account_id) < ${MEMBERS / 2}
        THEN RAISE EXCEPTION 'interrupted' USING ERRCODE = '57P01'; END IF;
      RETURN OLD; END $$`);
    await service.sql(
      'CREATE TRIGGER interrupt BEFORE DELETE ON users FOR EACH ROW EXECUTE FUNCTION interrupt()',
    );
    expect((await owner.api.delete('/v1/account')).status).toBe(503);
    await service.sql('DROP FUNCTION interrupt CASCADE');
    const left = await countUsers(service, owner);
    expect(left).toBeGreaterThan(MEMBERS / 2);
    expect(left).toBeLessThan(MEMBERS);
    expect((await owner.api.get('/v1/account')).body.status).toBe('active');
    expect((await owner.api.delete('/v1/account')).status).toBe(200);
    expect(await countUsers(service, owner)).toBe(0);
  });
});
