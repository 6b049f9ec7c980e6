import { aMember, anAccount, anOwner, aUser, logIn, Person, theAdmin } from '../../support/people';
import { startTestService, TestService } from '../../support/service';

describe('The sessions of others, for admins', () => {
  let service: TestService;
  let admin: Person;

  beforeAll(async () => {
    service = await startTestService();
    admin = await theAdmin(service.api);
  });
  afterAll(() => service.stop());

  const status = async ({ api }: Person): Promise<number> => (await api.get('/v1/auth/sessions')).status;

  it('all sessions of a user end, and the user can log in again', async () => {
    const user = await aUser(service.api);
    const again = await logIn(service.api, user.email);
    const path = `/v1/users/${user.id}/sessions`;
    const { body } = await admin.api.get(path);
    expect(body.data).toHaveLength(2);
    expect(body.data[0]).toMatchObject({ user_id: user.id, current: false });
    expect((await admin.api.delete(path)).status).toBe(200);
    expect([await status(user), await status(again)]).toEqual([401, 401]);
    expect((await admin.api.get(path)).body.data).toEqual([]);
    expect(await status(await logIn(service.api, user.email))).toBe(200);
  });

  it('one session of a user ends, and the others go on', async () => {
    const user = await aUser(service.api);
    const again = await logIn(service.api, user.email);
    const [newest] = (await admin.api.get(`/v1/users/${user.id}/sessions?limit=1`)).body.data;
    const stranger = await aUser(service.api);
    const foreign = await admin.api.delete(`/v1/users/${stranger.id}/sessions/${newest.session_id}`);
    expect([foreign.status, foreign.body.error]).toEqual([404, 'invalid_session']);
    const path = `/v1/users/${user.id}/sessions/${newest.session_id}`;
    expect((await admin.api.delete(path)).body.session_id).toBe(newest.session_id);
    expect([await status(user), await status(again)].toSorted()).toEqual([200, 401]);
    expect((await admin.api.delete(path)).body.error).toBe('invalid_session');
  });

  it('all sessions that act for an account end: of its owner and of its members', async () => {
    const owner = await anOwner(service.api);
    const member = await aMember(service.api, owner);
    const other = await anAccount(service.api);
    const path = `/v1/accounts/${owner.accountId}/sessions`;
    const { body } = await admin.api.get(path);
    expect(body.data.map(({ user_id }: { user_id: string }) => user_id).toSorted()).toEqual(
      [owner.id, member.id].toSorted(),
    );
    expect((await admin.api.delete(path)).status).toBe(200);
    expect([await status(owner), await status(member), await status(other)]).toEqual([401, 401, 200]);
  });

  it('are exported as CSV, all of them', async () => {
    const user = await aUser(service.api);
    for (let more = 0; more < 3; more += 1) await logIn(service.api, user.email);
    const path = `/v1/users/${user.id}/sessions`;
    const { body } = await admin.api.get(path);
    expect(body.data).toHaveLength(4);
    const { status, text } = await admin.api.get(`${path}?format=csv`);
    const [head, ...lines] = text.trim().split('\n');
    expect([status, head]).toEqual([
      200,
      'session_id,created_at,last_used_at,expires_at,ip,user_agent,current,user_id',
    ]);
    expect(lines.map((line) => line.split(',')[0])).toEqual(
      body.data.map(({ session_id }: { session_id: string }) => session_id),
    );
    expect((await user.api.get(`${path}?format=csv`)).status).toBe(403);
    expect((await admin.api.get(`${path}?format=csv&page=2`)).status).toBe(400);
  });

  it('are recorded in the audit log', async () => {
    const user = await aUser(service.api);
    await admin.api.delete(`/v1/users/${user.id}/sessions`);
    const { body } = await admin.api.get(`/v1/audit-log?object_id=${user.id}`);
    expect(body.data.map(({ action }: { action: string }) => action)).toContain('user.end_sessions');
  });
});
