import { DAILY_LIMIT, DailyLimitModule } from '../../docs/examples/daily-limit.module';
import { DailyLimit1798761600000 } from '../../docs/examples/daily-limit.migration';
import { migrate } from '../../src/platform/database/migrations/migrate';
import { schema } from '../support/core';
import { aTransaction } from '../support/request-bodies';
import { anAccount, created, logIn, Owner, Person, theAdmin } from '../support/people';
import { startTestService, TestService } from '../support/service';

describe('The daily limit for refunds of docs/extending.md', () => {
  let service: TestService;
  let admin: Person;
  let owner: Owner;

  beforeAll(async () => {
    service = await startTestService({}, undefined, [{ module: DailyLimitModule }]);
    await migrate(service.databaseUrl, {
      ...schema,
      migrations: [...schema.migrations, DailyLimit1798761600000],
    });
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    admin = await theAdmin(service.api);
    owner = await anAccount(service.api);
    await created(
      owner.api,
      '/v1/transactions',
      aTransaction(owner.accountId, { type: 'credit', amount: 1_000_000 }),
    );
  });

  const refund = (amount: number, members: object = {}, headers: Record<string, string> = {}) =>
    owner.api.post(
      '/v1/transactions',
      aTransaction(owner.accountId, { type: 'refund', amount, ...members }),
      { headers },
    );
  const scripted = (sandbox_outcome: string) => ({ metadata: { sandbox_outcome } });
  const left = async () => {
    const { body } = await refund(DAILY_LIMIT + 1);
    return Number(/ (\d+) minor units are left/.exec(body.message)![1]);
  };

  it('accepts refunds up to the limit, and rejects the next one with the remaining amount', async () => {
    expect((await refund(DAILY_LIMIT - 1)).status).toBe(201);
    expect(await refund(2)).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    expect(await left()).toBe(1);
    expect((await refund(1)).status).toBe(201);
    const { body } = await owner.api.get('/v1/account/balance');
    expect(body).toMatchObject({ posted: 1_000_000 - DAILY_LIMIT, held: 0 });
  });

  it('counts pending refunds, and no longer counts canceled and failed ones', async () => {
    const { body: canceled } = await refund(10, scripted('pending'));
    const { body: failed } = await refund(20, scripted('pending'));
    const { body: settled } = await refund(30, scripted('pending'));
    expect(await left()).toBe(DAILY_LIMIT - 60);
    const settle = (id: string, outcome: string) =>
      admin.api.post(`/v1/transactions/${id}/settlement`, { outcome });
    expect((await owner.api.delete(`/v1/transactions/${canceled.id}`)).status).toBe(200);
    expect((await settle(failed.id, 'failed')).status).toBe(200);
    expect((await settle(settled.id, 'succeeded')).status).toBe(200);
    expect(await left()).toBe(DAILY_LIMIT - 30);
  });

  it('does not count refunds that fail immediately or are rejected otherwise, nor repeated requests', async () => {
    await refund(10, scripted('failed'));
    expect((await refund(5, { currency: 'EUR' })).status).toBe(400);
    const headers = { 'idempotency-key': 'once' };
    const first = await refund(7, {}, headers);
    expect((await refund(7, {}, headers)).text).toBe(first.text);
    expect(await left()).toBe(DAILY_LIMIT - 7);
  });

  it('counts each account and each day separately', async () => {
    await refund(DAILY_LIMIT);
    const before = owner;
    owner = await anAccount(service.api);
    expect(await left()).toBe(DAILY_LIMIT);
    owner = before;
    expect(await left()).toBe(0);
    service.clock.move({ days: 1 });
    owner = { ...owner, ...(await logIn(service.api, owner.email)) };
    expect((await refund(DAILY_LIMIT)).status).toBe(201);
    expect(await left()).toBe(0);
  });

  it('allows a refund from before the limit to end', async () => {
    const { body } = await refund(10, scripted('pending'));
    await service.sql('DELETE FROM daily_refunds WHERE account_id = $1', [owner.accountId]);
    expect((await owner.api.delete(`/v1/transactions/${body.id}`)).status).toBe(200);
    expect(await left()).toBe(DAILY_LIMIT);
  });

  it('is exact for concurrent refunds', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => refund(DAILY_LIMIT / 8)));
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(8);
    expect(statuses.filter((status) => status === 403)).toHaveLength(12);
    expect(await left()).toBe(0);
  });
});
