import { Module } from '@nestjs/common';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Database, PeriodicTasks, register, TransactionHooks, TransactionsModule } from '../../src';
import { startCountinghouse, TestService } from '../../src/testing';

const PAYMENT = { amount: 1250, currency: 'USD' };

describe('The service in a test', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startCountinghouse();
  });
  afterEach(async () => {
    expect(await service.verifyLedger()).toEqual([]);
    await service.reset();
  });
  afterAll(() => service.stop());

  const statusOf = async (email: string, path: string): Promise<unknown> =>
    (await (await service.logIn(email)).api.get(path)).body['status'];

  it('settles payments when the clock advances beyond their delay', async () => {
    const { id: account_id, email, api } = await service.account();
    const { id } = await service.create(api, '/v1/transactions', { ...PAYMENT, account_id, type: 'payment' });
    await service.clock.advance('30 seconds');
    expect(await statusOf(email, `/v1/transactions/${id}`)).toBe('pending');
    await service.clock.advance('1 minute');
    expect(await statusOf(email, `/v1/transactions/${id}`)).toBe('succeeded');
  });

  it('expires requests and bills subscriptions when the clock advances by months of the calendar', async () => {
    const { id: account_id, email, api } = await service.account();
    const request = { ...PAYMENT, account_id, customer_email: 'customer@example.com' };
    const { id } = await service.create(api, '/v1/payments', request);
    await service.create(api, '/v1/subscriptions', { ...request, interval: 'month' });
    const before = service.clock.now();
    const now = await service.clock.advance('2 months');
    expect(now.getTime() - before.getTime()).toBeGreaterThan(58 * 86_400_000);
    expect(await statusOf(email, `/v1/payments/${id}/status`)).toBe('canceled');
    const { body } = await (await service.logIn(email)).api.get<{ data: object[] }>('/v1/payments');
    expect(body.data).toHaveLength(4); // of which three are of the subscription
  });

  it('pays and fails payment requests as their metadata says, after the delay', async () => {
    const { id: account_id, email, api } = await service.account();
    const request = { ...PAYMENT, account_id, customer_email: 'customer@example.com' };
    const paid = (sandbox_outcome: string) => ({ ...request, metadata: { sandbox_outcome } });
    const create = async (body: object) => (await service.create(api, '/v1/payments', body)).id;
    const ids: string[] = [];
    for (const body of [paid('succeeded'), paid('failed'), paid('pending'), request])
      ids.push(await create(body));
    expect((await api.post('/v1/payments', paid('lost'))).status).toBe(400);
    const statuses = () => Promise.all(ids.map((id) => statusOf(email, `/v1/payments/${id}/status`)));
    await service.clock.advance('30 seconds');
    expect(await statuses()).toEqual(Array(4).fill('pending'));
    await service.clock.advance('1 minute');
    expect(await statuses()).toEqual(['succeeded', 'failed', 'pending', 'pending']);
    await service.clock.advance('31 days');
    expect(await statuses()).toEqual(['succeeded', 'failed', 'canceled', 'canceled']);
    const { body } = await (await service.logIn(email)).api.get('/v1/account/balance');
    expect(body).toMatchObject({ posted: PAYMENT.amount, pending_in: 0 });
  });

  it('pays what a subscription has billed, also when the clock passes the expiry of the request', async () => {
    const { id: account_id, email, api } = await service.account();
    const customer = { customer_email: 'customer@example.com', metadata: { sandbox_outcome: 'succeeded' } };
    await service.create(api, '/v1/subscriptions', {
      ...PAYMENT,
      account_id,
      ...customer,
      interval: 'month',
    });
    await service.clock.advance('2 months');
    const { body } = await (await service.logIn(email)).api.get<{ data: object[] }>('/v1/payments');
    expect(body.data).toMatchObject([
      { status: 'pending' },
      { status: 'succeeded' },
      { status: 'succeeded' },
    ]);
  });

  it('delivers what happens while the clock moves, also beyond the time that events are kept', async () => {
    const received: string[] = [];
    const receiver = createServer((request, response) => {
      request.on('data', (chunk: Buffer) =>
        received.push((JSON.parse(String(chunk)) as { type: string }).type),
      );
      request.on('end', () => response.end());
    }).listen(0);
    const { port } = receiver.address() as AddressInfo;
    const { id: account_id, api } = await service.account();
    await service.create(api, '/v1/webhooks', { url: `http://localhost:${port}/` });
    await service.create(api, '/v1/transactions', { ...PAYMENT, account_id, type: 'payment' });
    await service.clock.advance('2 months');
    expect(received).toEqual(['transaction.created', 'transaction.succeeded']);
    receiver.close();
  });

  it('is as after its start once it is reset, and can be used again', async () => {
    const first = await service.account();
    const money = { ...PAYMENT, account_id: first.id, type: 'credit' };
    await service.create(first.api, '/v1/transactions', money);
    const admin = await service.admin();
    await admin.api.patch(`/v1/accounts/${first.id}`, { status: 'suspended' });
    await service.clock.advance('1 year');
    await service.reset();
    expect(Math.abs(service.clock.now().getTime() - new Date().getTime())).toBeLessThan(60_000);
    expect((await first.api.get('/v1/account')).status).toBe(401);
    await expect(service.logIn(first.email)).rejects.toThrow('401');
    const { api } = await service.admin();
    const totals = async (path: string) => (await api.get<{ pagination: object }>(path)).body.pagination;
    expect(await totals('/v1/accounts')).toMatchObject({ total: 0 });
    expect(await totals('/v1/users')).toMatchObject({ total_records: 1 });
    expect(await service.sql('SELECT count(*)::int FROM journal_entries')).toEqual([{ count: 0 }]);
    const { id } = await service.account();
    expect(await service.create(api, '/v1/transactions', { ...money, account_id: id })).toMatchObject({
      status: 'succeeded',
    });
  });

  it('keeps the guards of the journal after it is reset', async () => {
    await service.reset();
    const { id: account_id, api } = await service.account();
    await service.create(api, '/v1/transactions', { ...PAYMENT, account_id, type: 'credit' });
    await expect(service.sql('DELETE FROM journal_entries')).rejects.toThrow('append-only');
  });

  it('ends payment requests and has faults as the test says', async () => {
    const { id: account_id, api } = await service.account();
    const request = { ...PAYMENT, account_id, customer_email: 'customer@example.com' };
    const { id } = await service.create(api, '/v1/payments', request);
    await service.simulatePayment(id, 'succeeded');
    expect((await api.get('/v1/account/balance')).body).toMatchObject({ posted: PAYMENT.amount });
    await expect(service.simulatePayment(id, 'failed')).rejects.toThrow('The payment request is succeeded.');
    service.faults.script({ operation: 'createPaymentRequest', fault: 'lost_response' });
    service.faults.script({ operation: 'GET /v1/payments/{payment_id}', fault: 'unavailable', times: 2 });
    await expect(api.post('/v1/payments', request)).rejects.toThrow('fetch failed');
    expect((await api.get<{ data: object[] }>('/v1/payments')).body.data).toHaveLength(2);
    expect((await api.get(`/v1/payments/${id}`)).status).toBe(503);
    expect(service.faults.list()).toMatchObject([{ fault: 'unavailable', remaining: 1 }]);
    service.faults.clear();
    expect((await api.get(`/v1/payments/${id}`)).status).toBe(200);
    expect(() => service.faults.script({ operation: 'GET /v2', fault: 'unavailable' })).toThrow(
      'no operation',
    );
    const unknown = { operation: 'GET /v1/payments', fault: 'timeout' } as never;
    expect(() => service.faults.script(unknown)).toThrow('fault must be one of: rate_limited,');
    expect(service.faults.list()).toEqual([]);
  });

  it.each(['a month', '1 fortnight', '-1 day', ''])('rejects "%s" as a period', async (period) => {
    await expect(service.clock.advance(period)).rejects.toThrow('is no period');
  });
});

describe('An extension with defects', () => {
  const wrongSql = 'SELECT no_such_column FROM transactions';

  @Module({
    imports: [TransactionsModule],
    providers: [
      register(TransactionHooks, [], () => ({
        name: 'defect',
        before: async (tx, _transition, { metadata }) => {
          if (metadata['hook'] === 'defect') await tx.read(wrongSql, []);
        },
      })),
      register(PeriodicTasks, [Database], (database) => ({
        name: 'defect',
        run: async () =>
          (await database.query('SELECT count(*) FROM accounts WHERE metadata IS NULL', [])).length > 9,
      })),
    ],
  })
  class DefectModule {}

  let service: TestService;
  let output: jest.SpiedFunction<typeof process.stderr.write>;
  const lines = () => output.mock.calls.map(([line]) => String(line)).join('');

  beforeAll(async () => {
    service = await startCountinghouse({ extensions: [{ module: DefectModule }] });
  });
  beforeEach(() => {
    output = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  });
  afterEach(() => output.mockRestore());
  afterAll(() => service.stop());

  it('reports the error of a hook to the output of the test', async () => {
    const { id: account_id, api } = await service.account();
    const credit = { ...PAYMENT, account_id, type: 'credit' };
    expect((await api.post('/v1/transactions', credit)).status).toBe(201);
    expect(lines()).toBe('');
    expect((await api.post('/v1/transactions', { ...credit, metadata: { hook: 'defect' } })).status).toBe(
      500,
    );
    expect(lines()).toContain('column \\"no_such_column\\" does not exist');
  });

  it('reports the error of a periodic task to the test that runs it', async () => {
    await expect(service.runDueTasks()).rejects.toThrow('column "metadata" does not exist');
    await expect(service.clock.advance('1 day')).rejects.toThrow('column "metadata" does not exist');
  });
});

describe('Further services', () => {
  it('have a database of their own on the same server, which is dropped at their stop', async () => {
    const [first, second] = await Promise.all([startCountinghouse(), startCountinghouse()]);
    const server = 'SELECT pg_postmaster_start_time()::text AS started, current_database() AS name';
    const [[one], [other]] = [await first.sql(server), await second.sql(server)];
    expect(one!['started']).toBe(other!['started']);
    await first.account();
    expect(await second.sql('SELECT count(*)::int AS accounts FROM accounts')).toEqual([{ accounts: 0 }]);
    await first.stop();
    const left = await second.sql('SELECT datname FROM pg_database WHERE datname = ANY ($1)', [
      [one!['name'], other!['name']],
    ]);
    expect(left).toEqual([{ datname: other!['name'] }]);
    await second.stop();
  });

  it('leave no database behind when they cannot start', async () => {
    const service = await startCountinghouse();
    const databases = (): Promise<object[]> => service.sql('SELECT datname FROM pg_database ORDER BY 1');
    const before = await databases();
    await expect(startCountinghouse({ env: { PORT: 'no number' } })).rejects.toThrow('PORT');
    expect(await databases()).toEqual(before);
    await service.stop();
  });
});
