import { Api } from '../../support/api';
import { anOwner, aUserWithAccount, created, logIn, Owner, theAdmin } from '../../support/people';
import { aTransaction } from '../../support/request-bodies';
import { startTestService, TestService } from '../../support/service';

describe('The request log', () => {
  let service: TestService;
  let owner: Owner;

  beforeAll(async () => {
    service = await startTestService();
  });
  beforeEach(async () => {
    owner = await anOwner(service.api);
  });
  afterAll(() => service.stop());

  const list = async (by: Api = owner.api, query = ''): Promise<any[]> =>
    (await by.get(`/v1/requests?limit=100${query}`)).body.data;
  const inShort = (requests: any[]) =>
    requests.map(({ method, path, status }) => `${method} ${path} ${status}`);

  it('has the requests of an account, newest first, with ids and without queries and other text', async () => {
    const { id } = await created(owner.api, '/v1/transactions', aTransaction(owner.accountId));
    await owner.api.patch(`/v1/transactions/${id}?secret=text`, { reference: 'mine' });
    await owner.api.delete('/v1/transactions/a%20password%20pasted');
    const requests = await list();
    expect(inShort(requests)).toEqual([
      'DELETE /v1/transactions/{transaction_id} 404',
      `PATCH /v1/transactions/${id} 400`,
      'POST /v1/transactions 201',
    ]);
    expect(requests[2]).toEqual({
      id: expect.stringMatching(/^req_/),
      account_id: owner.accountId,
      request_id: expect.any(String),
      caller_id: expect.stringMatching(/^usr_/),
      method: 'POST',
      path: '/v1/transactions',
      status: 201,
      error: null,
      duration_ms: expect.any(Number),
      created_at: expect.any(String),
    });
    expect(JSON.stringify(requests)).not.toMatch(/secret|password|mine/);
  });

  it('names the API key and the request id, and is filtered by an error', async () => {
    const { id, key } = await created(owner.api, '/v1/api-keys', { name: 'Shop' });
    const api = service.api.as(key);
    const refund = aTransaction(owner.accountId, { type: 'refund' });
    const headers = { 'X-Request-Id': 'order-7' };
    expect((await api.post('/v1/transactions', refund, { headers })).status).toBe(402);
    await api.post('/v1/transactions', aTransaction(owner.accountId));
    expect(await list(api, '&error=insufficient_funds')).toMatchObject([
      { caller_id: id, request_id: 'order-7', status: 402, error: 'insufficient_funds' },
    ]);
    expect(await list(api, '&error=conflict')).toEqual([]);
  });

  it('keeps one of many successful reads, and all errors and changes up to a bound', async () => {
    const now = jest.spyOn(performance, 'now').mockReturnValue(performance.now()); // all in one second
    await Promise.all(Array.from({ length: 10 }, () => owner.api.get('/v1/account')));
    await Promise.all(Array.from({ length: 10 }, () => owner.api.get('/v1/transactions/none')));
    now.mockRestore();
    const kept = inShort(await list());
    expect(kept.filter((line) => line.startsWith('GET /v1/account '))).toHaveLength(1);
    expect(kept.filter((line) => line.endsWith(' 404'))).toHaveLength(10);
    const other = await anOwner(service.api);
    await Promise.all(Array.from({ length: 150 }, () => other.api.delete('/v1/transactions/none')));
    const count = (await list(other.api)).length;
    expect([
      count >= 99,
      (await service.sql(`SELECT FROM request_log WHERE account_id = $1`, [other.accountId])).length <= 150,
    ]).toEqual([true, true]);
  });

  it('is that of the account alone; operators read those of all', async () => {
    const other = await anOwner(service.api);
    await created(other.api, '/v1/transactions', aTransaction(other.accountId));
    expect(await list()).toEqual([]);
    expect(await list(owner.api, `&account_id=${other.accountId}`)).toEqual([]);
    const { api: admin } = await theAdmin(service.api);
    expect(inShort(await list(admin, `&account_id=${other.accountId}`))).toContain(
      'POST /v1/transactions 201',
    );
    const { key } = await created(owner.api, '/v1/api-keys', { name: 'Shop', scopes: ['payments:write'] });
    expect((await service.api.as(key).get('/v1/requests')).status).toBe(403);
  });

  it('has no requests of a person of the back office who has an account', async () => {
    const { id, email, api } = await aUserWithAccount(service.api);
    const { id: accountId } = (await api.get('/v1/account')).body;
    const { api: admin } = await theAdmin(service.api);
    await admin.patch(`/v1/users/${id}`, { role: 'support' });
    const support = (await logIn(service.api, email)).api;
    expect((await support.get('/v1/account')).body.id).toBe(accountId);
    await created(support, `/v1/users/${owner.id}/notes`, { text: 'They called.' });
    expect(inShort(await list(admin, `&account_id=${accountId}`))).not.toContainEqual(
      expect.stringContaining('/notes'),
    );
  });

  it('is written without being read, and deleted after 7 days', async () => {
    const rows = () => service.sql('SELECT path FROM request_log WHERE account_id = $1', [owner.accountId]);
    await created(owner.api, '/v1/transactions', aTransaction(owner.accountId));
    await list();
    service.clock.move({ days: 6 });
    await service.runDueTasks();
    expect(await rows()).not.toEqual([]);
    service.clock.move({ days: 2 });
    await service.runDueTasks();
    expect(await rows()).toEqual([]);
  });

  it('never delays or fails a request when it cannot be written', async () => {
    await service.sql('ALTER TABLE request_log RENAME TO hidden_log');
    try {
      expect((await owner.api.post('/v1/transactions', aTransaction(owner.accountId))).status).toBe(201);
      expect((await owner.api.get('/v1/requests')).status).toBe(500);
    } finally {
      await service.sql('ALTER TABLE hidden_log RENAME TO request_log');
    }
    await created(owner.api, '/v1/transactions', aTransaction(owner.accountId));
    expect(inShort(await list())).toContain('POST /v1/transactions 201');
  });
});
