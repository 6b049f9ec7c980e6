import { documentedOperations, Operation, pathOf } from '../../support/operations';
import { theAdmin } from '../../support/people';
import { startTestService, TestService } from '../../support/service';

const ABSENT_ID = 'txn_01k9x8v2t4e6rb3m5n7p9q1s0w';

describe('Query parameters', () => {
  let service: TestService;
  let operations: Operation[];

  beforeAll(async () => {
    service = await startTestService();
    operations = await documentedOperations(service.url);
  });
  afterAll(() => service.stop());

  async function call(operation: Operation, query: string) {
    const { api } = await theAdmin(service.api);
    const body = operation.body ? JSON.stringify(operation.sample) : undefined;
    const reply = await api.call(operation.method, `${pathOf(operation, ABSENT_ID)}?${query}`, body);
    return { operation: operation.id, status: reply.status, ...reply.body };
  }

  const rejected = (operation: Operation, message: unknown) => ({
    operation: operation.id,
    status: 400,
    error: 'invalid_request',
    message,
  });

  it('are rejected when the operation does not document them', async () => {
    for (const operation of operations) {
      expect(await call(operation, 'foo=1')).toEqual(rejected(operation, 'Unknown query parameter "foo".'));
    }
  });

  it('name an empty range when it ends before it begins: the list is empty', async () => {
    const { api } = await theAdmin(service.api);
    const dates = 'date_from=2026-02-02&date_to=2026-02-01';
    for (const query of [
      ...['transactions', 'payments', 'subscriptions', 'events', 'audit-log'].map(
        (list) => `${list}?${dates}`,
      ),
      ...['transactions', 'payments'].map((list) => `${list}?amount_min=2&amount_max=1`),
      'accounts?created_after=2026-02-02&created_before=2026-02-01',
    ])
      expect([query, await api.get(`/v1/${query}`)]).toMatchObject([
        query,
        { status: 200, body: { data: [] } },
      ]);
  });

  it('are rejected when they are repeated', async () => {
    for (const operation of operations) {
      for (const name of operation.queryParameters) {
        expect(await call(operation, `${name}=1&${name}=1`)).toEqual(rejected(operation, expect.any(String)));
      }
    }
  });

  it('are checked after the token', async () => {
    for (const operation of operations.filter((one) => one.protected)) {
      const reply = await service.api.call(operation.method, `${pathOf(operation, ABSENT_ID)}?foo=1`);
      expect([operation.id, reply.status]).toEqual([operation.id, 401]);
    }
  });

  it('prevent every effect when they are rejected', async () => {
    const { api } = await theAdmin(service.api);
    const countUsers = async () => (await service.sql('SELECT id FROM users', [])).length;
    const before = await countUsers();
    const user = { email: 'rejected@example.com', password: 'correct horse battery staple' };
    expect((await api.post('/v1/users?foo=1', user)).status).toBe(400);
    expect(await countUsers()).toBe(before);
  });
});
