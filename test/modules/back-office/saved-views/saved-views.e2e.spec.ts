import { randomUUID } from 'node:crypto';
import { anOperator, aUser, created, Person, theAdmin } from '../../../support/people';
import { startTestService, TestService } from '../../../support/service';

describe('Saved views', () => {
  let service: TestService;
  let admin: Person;
  let support: Person;
  beforeAll(async () => {
    service = await startTestService();
    admin = await theAdmin(service.api);
    support = await anOperator(service.api, 'support');
  });
  afterEach(() => service.sql('DELETE FROM saved_views'));
  afterAll(() => service.stop());

  const VIEWS = '/v1/saved-views';
  const aView = (members: object = {}) => ({
    page: 'transactions',
    name: 'Failed payments',
    query: { status: 'failed', type: 'payment' },
    ...members,
  });
  const listed = async ({ api }: Person, query = ''): Promise<any[]> => {
    const { status, body } = await api.get(`${VIEWS}${query}`);
    expect(status).toBe(200);
    return body.data;
  };
  const namesOf = (views: readonly { name: string }[]) => views.map(({ name }) => name);
  const stored = () => service.sql<{ name: string }>('SELECT name FROM saved_views');

  it('keep the filters of a list, for their owner or for all', async () => {
    const own = await created(support.api, VIEWS, aView());
    expect(own).toEqual({
      ...aView(),
      id: expect.stringMatching(/^view_/),
      shared: false,
      owner_id: support.id,
      created_at: expect.stringMatching(/Z$/),
    });
    service.clock.move({ seconds: 1 });
    const shared = await created(support.api, VIEWS, aView({ name: 'Ours', shared: true }));
    service.clock.move({ seconds: 1 });
    const platform = await anOperator(service.api, 'platform');
    const other = await created(
      platform.api,
      VIEWS,
      aView({ page: 'events', query: { type: 'user.deleted' } }),
    );
    expect(await listed(support)).toEqual([shared, own]);
    expect(await listed(admin)).toEqual([shared]);
    expect(await listed(platform)).toEqual([other, shared]);
    expect(await listed(platform, '?page=events')).toEqual([other]);
    const first = await platform.api.get(`${VIEWS}?limit=1`);
    expect(first.body).toEqual({ object: 'list', data: [other], has_more: true });
    expect(await listed(platform, `?starting_after=${other.id}`)).toEqual([shared]);
    expect(await listed(platform, `?ending_before=${shared.id}`)).toEqual([other]);
  });

  it('have a name once on each page of a user', async () => {
    await created(support.api, VIEWS, aView());
    const again = await support.api.post(VIEWS, aView({ query: { status: 'pending' }, shared: true }));
    expect([again.status, again.body.error]).toEqual([409, 'conflict']);
    await created(support.api, VIEWS, aView({ page: 'payments' }));
    await created(admin.api, VIEWS, aView());
    expect(await stored()).toHaveLength(3);
  });

  it('are saved once, also when two tabs save the same name', async () => {
    const replies = await Promise.all(Array.from({ length: 5 }, () => support.api.post(VIEWS, aView())));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409]);
    const headers = { 'idempotency-key': randomUUID() };
    const body = aView({ name: 'Once' });
    const repeated = await Promise.all([1, 2, 3].map(() => support.api.post(VIEWS, body, { headers })));
    expect(new Set(repeated.map(({ text }) => text)).size).toBe(1);
    expect(namesOf(await stored()).toSorted()).toEqual(['Failed payments', 'Once']);
  });

  it('are at most 100 of a user, also of requests at the same time', async () => {
    await service.sql(
      `INSERT INTO saved_views SELECT $1, 'view_' || lpad(n::text, 26, '0'), 'users', 'View ' || n, '{"role":"admin"}', true, now()
       FROM generate_series(1, 97) AS n`,
      [support.id],
    );
    const names = Array.from({ length: 10 }, (_, index) => `New ${index}`);
    const replies = await Promise.all(names.map((name) => support.api.post(VIEWS, aView({ name }))));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(replies.filter(({ body }) => body.error === 'conflict')).toHaveLength(7);
    await created(admin.api, VIEWS, aView());
    const [{ id }] = (await listed(support, '?page=users&limit=1')) as [{ id: string }];
    await support.api.delete(`${VIEWS}/${id}`);
    await created(support.api, VIEWS, aView({ name: 'The last one' }));
  });

  it('are deleted by their owner, those that are shared also by admins', async () => {
    const colleague = await anOperator(service.api, 'support');
    const own = await created(support.api, VIEWS, aView());
    const shared = await created(support.api, VIEWS, aView({ name: 'Ours', shared: true }));
    const attempt = async ({ api }: Person, { id }: { id: string }) => {
      const { status, body } = await api.delete(`${VIEWS}/${id}`);
      return [status, body.error ?? body.message];
    };
    expect(await attempt(colleague, own)).toEqual([404, 'not_found']);
    expect(await attempt(admin, own)).toEqual([404, 'not_found']);
    expect(await attempt(colleague, shared)).toEqual([403, 'forbidden']);
    expect(await listed(support)).toEqual([shared, own]);
    expect(await attempt(admin, shared)).toEqual([200, 'The saved view was deleted.']);
    expect(await attempt(support, own)).toEqual([200, 'The saved view was deleted.']);
    expect(await attempt(support, own)).toEqual([404, 'not_found']);
    expect(await stored()).toEqual([]);
  });

  it('are deleted with their owner unless they are shared, and lost to a user who is no operator any more', async () => {
    const leaving = await anOperator(service.api, 'support');
    await created(leaving.api, VIEWS, aView());
    const shared = await created(leaving.api, VIEWS, aView({ name: 'Ours', shared: true }));
    await admin.api.patch(`/v1/users/${leaving.id}`, { role: 'user' });
    expect((await leaving.api.get(VIEWS)).status).toBe(403);
    expect((await leaving.api.delete(`${VIEWS}/${shared.id}`)).status).toBe(403);
    await admin.api.delete(`/v1/users/${leaving.id}`);
    expect(namesOf(await stored())).toEqual(['Ours']);
    expect(namesOf(await listed(admin))).toEqual(['Ours']);
    expect((await admin.api.delete(`${VIEWS}/${shared.id}`)).status).toBe(200);
  });

  it('are recorded in the audit log, without their names and filters', async () => {
    const view = aView({ name: 'A secret name', query: { email: 'ada@example.com' }, shared: true });
    const { id } = await created(admin.api, VIEWS, view);
    await admin.api.delete(`${VIEWS}/${id}`);
    const { data } = (await admin.api.get(`/v1/audit-log?object_id=${id}`)).body;
    expect(data.map(({ action, details }: any) => [action, details])).toEqual([
      ['saved_view.delete', { page: 'transactions', shared: true }],
      ['saved_view.create', { page: 'transactions', shared: true }],
    ]);
    expect(JSON.stringify(data)).not.toMatch(/secret|ada@/);
  });

  it('are nothing for other users', async () => {
    const user = await aUser(service.api);
    expect((await user.api.post(VIEWS, aView())).status).toBe(403);
    expect((await user.api.get(VIEWS)).status).toBe(403);
    expect(await stored()).toEqual([]);
  });

  const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`f${'x'.repeat(index)}`, '1']));
  it.each<[string, object]>([
    ['an unknown page', { page: 'secrets' }],
    ['a page that every object has', { page: 'constructor' }],
    ['no name', { name: undefined }],
    ['an empty name', { name: '' }],
    ['an invisible name', { name: '\u200b ' }],
    ['a long name', { name: 'x'.repeat(61) }],
    ['a name with NUL', { name: 'a\u0000b' }],
    ['a name with half of a character', { name: 'a\ud800' }],
    ['no filters', { query: {} }],
    ['a list', { query: ['failed'] }],
    ['null', { query: null }],
    ['text', { query: 'status=failed' }],
    ['a number as a value', { query: { status: 1 } }],
    ['an object as a value', { query: { status: { in: ['failed'] } } }],
    ['an empty value', { query: { status: '' } }],
    ['a long value', { query: { status: 'x'.repeat(256) } }],
    ['a value with NUL', { query: { status: '\u0000' } }],
    ['a name in capital letters', { query: { Status: 'failed' } }],
    ['a name with characters of an address', { query: { 'status=failed&type': 'x' } }],
    ['an empty name of a filter', { query: { '': 'x' } }],
    ['a long name of a filter', { query: { ['x'.repeat(41)]: 'x' } }],
    ['the name of the prototype', { query: JSON.parse('{"__proto__":"x"}') }],
    ['too many filters', { query: many }],
    ['a text for shared', { shared: 'true' }],
    ['null for shared', { shared: null }],
    ['an owner', { owner_id: 'usr_01k9x8v2t4e6rb3m5n7p9q1s0w' }],
  ])('are not saved with %s', async (_, members) => {
    const { status, body } = await support.api.post(VIEWS, aView(members));
    expect([status, body.error]).toEqual([400, 'invalid_request']);
    expect(await stored()).toEqual([]);
  });

  it('keep any text of a filter as it is', async () => {
    const query = { constructor: '%_\\"\'<script>\u202e', name: '\u{1f4b6}'.repeat(255) };
    expect((await created(support.api, VIEWS, aView({ query }))).query).toEqual(query);
    expect((await listed(support))[0].query).toEqual(query);
  });

  it.each([
    '?page=secrets',
    '?page=',
    '?page=users&page=users',
    '?shared=true',
    '?limit=101',
    '?starting_after=x',
  ])('are not listed with %s', async (query) => {
    const { status, body } = await support.api.get(`${VIEWS}${query}`);
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });
});
