import { randomUUID } from 'node:crypto';
import { INestApplicationContext } from '@nestjs/common';
import { LedgerVerification } from '../../../src/modules/ledger';
import { anAdminWhoSignedUp, anOperator, anOwner, created, logIn, Owner, Person } from '../../support/people';
import { aPaymentRequest } from '../../support/request-bodies';
import { startTestService, TestService } from '../../support/service';
import { unrecordedChanges } from '../../support/unrecorded-changes';
import { contextOn } from '../ledger/context';

const LIMIT = 1000;
const ABOVE = LIMIT + 1;
const FUNDS = 5000;

describe('Where approvals are required, money that an admin moves', () => {
  let service: TestService;
  /** Another process on the same database, with the same settings. */
  let other: TestService;
  /** Shares the database, and requires no approvals. */
  let lax: TestService;
  let app: INestApplicationContext;
  let admins: Person[];
  let platform: Person;
  let owner: Owner;

  beforeAll(async () => {
    lax = await startTestService();
    const created = [];
    for (let number = 0; number < 3; number += 1) created.push(await anAdminWhoSignedUp(lax.api));
    const required = { REQUIRE_APPROVALS: 'true', ADJUSTMENT_APPROVAL_LIMIT: `${LIMIT}` };
    [service, other] = [await lax.replica(required), await lax.replica(required)];
    admins = created.map((admin) => ({ ...admin, api: service.api.as(admin.token) }));
    platform = await anOperator(service.api, 'platform');
    app = await contextOn(service);
  });
  beforeEach(async () => {
    owner = await anOwner(service.api);
    await created(platform.api, '/v1/transactions', terms('credit', FUNDS));
  });
  afterAll(async () => {
    await app.close();
    for (const one of [other, service, lax]) await one.stop();
  });

  const first = () => admins[0]!;
  const second = () => admins[1]!;
  const third = () => admins[2]!;
  const terms = (type: string, amount: number, more: object = {}) => ({
    account_id: owner.accountId,
    amount,
    currency: 'USD',
    type,
    ...more,
  });
  /** In the sandbox, with an outcome that somebody reports. */
  const reported = { metadata: { sandbox_outcome: 'pending' } };
  const create = (by: Person, ...args: Parameters<typeof terms>): Promise<any> =>
    created(by.api, '/v1/transactions', terms(...args));
  const read = async (path: string) => (await first().api.get(path)).body;
  const transaction = (id: string) => read(`/v1/transactions/${id}`);
  const balance = () => read(`/v1/accounts/${owner.accountId}/balance`);
  const approve = (by: Person, id: string) => by.api.post(`/v1/approvals/${id}/approve`, undefined);
  const reject = (by: Person, id: string) => by.api.post(`/v1/approvals/${id}/reject`, { reason: 'No.' });
  const settle = (by: Person, id: string, outcome = 'succeeded') =>
    by.api.post(`/v1/transactions/${id}/settlement`, { outcome });
  const ask = (type: string, object_id: string, by = first()) =>
    by.api.post('/v1/approvals', { type, object_id, reason: 'The money has arrived.' });
  const codeOf = ({ status, body }: { status: number; body: any }) => [status, body.error];
  const faults = async () => (await app.get(LedgerVerification).run(() => undefined)).faults;

  it('is a pending transaction above the limit, until a second admin approves it', async () => {
    const waiting = await create(first(), 'credit', ABOVE);
    expect(waiting).toMatchObject({ status: 'pending', type: 'credit', amount: ABOVE });
    const { approval_id } = waiting;
    expect(await balance()).toMatchObject({ posted: FUNDS, pending_in: ABOVE });
    expect(await read(`/v1/approvals/${approval_id}`)).toMatchObject({
      type: 'transaction',
      status: 'pending',
      object_id: waiting.id,
      account_id: owner.accountId,
      details: { amount: ABOVE, currency: 'USD', type: 'credit' },
      requested_by: first().id,
    });
    for (const by of [first(), second(), platform])
      expect(codeOf(await settle(by, waiting.id))).toEqual([409, 'conflict']);
    expect(codeOf(await ask('settle_transaction', waiting.id))).toEqual([409, 'conflict']);
    expect(codeOf(await approve(first(), approval_id))).toEqual([403, 'forbidden']);
    expect((await approve(second(), approval_id)).status).toBe(200);
    expect(await transaction(waiting.id)).toMatchObject({ status: 'succeeded', approval_id });
    expect(await balance()).toMatchObject({ posted: FUNDS + ABOVE, pending_in: 0 });
    expect(await faults()).toEqual([]);
  });

  it('holds a refund meanwhile, and releases it when it is rejected', async () => {
    const refund = await create(first(), 'refund', FUNDS);
    const { approval_id } = await transaction(refund.id);
    expect(await balance()).toMatchObject({ posted: FUNDS, held: FUNDS, available: 0 });
    expect((await reject(second(), approval_id)).status).toBe(200);
    expect(await transaction(refund.id)).toMatchObject({ status: 'canceled', approval_id });
    expect(await balance()).toMatchObject({ posted: FUNDS, held: 0, available: FUNDS });
    const tooMuch = await first().api.post('/v1/transactions', terms('refund', FUNDS + 1));
    expect(codeOf(tooMuch)).toEqual([402, 'insufficient_funds']);
    expect(await faults()).toEqual([]);
  });

  it('goes the way of the processor with the approval: what it ends later ends later', async () => {
    const payment = await create(first(), 'payment', ABOVE);
    const { approval_id } = await transaction(payment.id);
    service.clock.move({ minutes: 2 });
    await service.runDueTasks();
    expect(await transaction(payment.id)).toMatchObject({ status: 'pending' });
    expect((await approve(second(), approval_id)).status).toBe(200);
    expect(await transaction(payment.id)).toMatchObject({ status: 'pending' });
    service.clock.move({ minutes: 2 });
    await service.runDueTasks();
    expect(await transaction(payment.id)).toMatchObject({ status: 'succeeded' });
    const failing = await create(first(), 'credit', ABOVE, { metadata: { sandbox_outcome: 'failed' } });
    await approve(second(), (await transaction(failing.id)).approval_id);
    expect(await transaction(failing.id)).toMatchObject({ status: 'failed' });
    expect(await unrecordedChanges(service)).toEqual([]);
  });

  it('needs no second approval when its outcome is reported', async () => {
    const payment = await create(first(), 'payment', ABOVE, reported);
    await approve(second(), (await transaction(payment.id)).approval_id);
    expect((await settle(first(), payment.id)).body).toMatchObject({ status: 'succeeded' });
  });

  it('needs none up to the limit, nor when a platform system or the account moves it', async () => {
    expect(await create(first(), 'credit', LIMIT)).toMatchObject({ status: 'succeeded' });
    expect(await create(platform, 'credit', ABOVE)).toMatchObject({ status: 'succeeded' });
    expect(await create(owner, 'refund', ABOVE)).toMatchObject({ status: 'succeeded' });
    const admin = { ...first(), api: lax.api.as(first().token) };
    const direct = await create(admin, 'credit', ABOVE);
    expect(direct).toMatchObject({ status: 'succeeded' });
    expect(await transaction(direct.id)).not.toHaveProperty('approval_id');
  });

  it('cannot be split: what one admin moves alone counts for the account and the day', async () => {
    const statuses = async (by: Person, ...amounts: number[]): Promise<string[]> => {
      const seen = [];
      for (const amount of amounts) seen.push((await create(by, 'credit', amount)).status);
      return seen;
    };
    expect(await statuses(first(), 600, 400, 1)).toEqual(['succeeded', 'succeeded', 'pending']);
    expect((await create(first(), 'refund', 1)).status).toBe('pending');
    const adjustment = { amount: 1, currency: 'USD', direction: 'credit', reason: 'One more.' };
    expect(
      await created(first().api, `/v1/accounts/${owner.accountId}/adjustments`, adjustment),
    ).toMatchObject({ status: 'pending' });
    expect(await statuses(second(), LIMIT)).toEqual(['succeeded']);
    owner = await anOwner(service.api);
    expect(await statuses(first(), LIMIT)).toEqual(['succeeded']);
  });

  it('cannot be split by two processes at once either', async () => {
    const by = [first(), { ...first(), api: other.api.as(first().token) }];
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) => create(by[index % 2]!, 'credit', LIMIT / 4)),
    );
    const succeeded = replies.filter(({ status }) => status === 'succeeded');
    expect(succeeded).toHaveLength(4);
    expect((await balance()).posted).toBe(FUNDS + LIMIT);
  });

  it('is one transaction and one approval, however often the request is repeated', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const replies = await Promise.all(
      [service, other, service, other].map(({ api }) =>
        api.as(first().token).post('/v1/transactions', terms('credit', ABOVE), { headers }),
      ),
    );
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect((await read(`/v1/approvals?account_id=${owner.accountId}`)).data).toHaveLength(1);
  });

  it('is moved once by two admins who approve at once in two processes', async () => {
    for (let round = 0; round < 4; round += 1) {
      const before = (await balance()).posted;
      const { approval_id } = await transaction((await create(first(), 'credit', ABOVE)).id);
      const elsewhere = { ...third(), api: other.api.as(third().token) };
      const replies = await Promise.all([approve(second(), approval_id), approve(elsewhere, approval_id)]);
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      expect((await balance()).posted).toBe(before + ABOVE);
    }
  });

  it('is not moved after the account has canceled it or was closed: the approval can only be rejected', async () => {
    const canceled = await create(first(), 'refund', ABOVE);
    expect((await owner.api.delete(`/v1/transactions/${canceled.id}`)).status).toBe(200);
    const pending = await create(first(), 'credit', ABOVE);
    expect((await owner.api.delete('/v1/account')).status).toBe(200);
    for (const { id } of [canceled, pending]) {
      const { status, approval_id } = await transaction(id);
      expect(status).toBe('canceled');
      expect(codeOf(await approve(second(), approval_id))).toEqual([409, 'conflict']);
      expect((await reject(second(), approval_id)).status).toBe(200);
    }
    expect(await balance()).toMatchObject({ posted: FUNDS, held: 0, pending_in: 0 });
  });

  describe('by reporting that a payment has arrived', () => {
    it('needs an approval above the limit', async () => {
      const { id } = await create(owner, 'payment', ABOVE, reported);
      const direct = await settle(first(), id);
      expect(codeOf(direct)).toEqual([409, 'conflict']);
      expect(direct.body.message).toContain('POST /v1/approvals');
      const asked = await ask('settle_transaction', id);
      expect(asked.body).toMatchObject({
        account_id: owner.accountId,
        details: { amount: ABOVE, currency: 'USD', type: 'payment' },
      });
      expect(codeOf(await approve(first(), asked.body.id))).toEqual([403, 'forbidden']);
      expect((await approve(second(), asked.body.id)).status).toBe(200);
      expect(await transaction(id)).toMatchObject({ status: 'succeeded' });
      expect((await balance()).posted).toBe(FUNDS + ABOVE);
      expect(codeOf(await ask('settle_transaction', id))).toEqual([409, 'conflict']);
    });

    it('counts once with its creation by the same admin', async () => {
      const { id } = await create(first(), 'payment', 600, reported);
      expect((await settle(first(), id)).body).toMatchObject({ status: 'succeeded' });
      expect((await create(first(), 'credit', LIMIT - 600)).status).toBe('succeeded');
      expect((await create(first(), 'credit', 1)).status).toBe('pending');
    });

    it('counts for the admin who reports what another one created', async () => {
      const { id } = await create(first(), 'payment', 600, reported);
      const { id: another } = await create(second(), 'payment', 600, reported);
      expect(codeOf(await settle(first(), another))).toEqual([409, 'conflict']);
      expect((await settle(third(), id)).body).toMatchObject({ status: 'succeeded' });
      expect(codeOf(await settle(third(), another))).toEqual([409, 'conflict']);
    });

    it('needs an approval of a payment request too', async () => {
      const { id } = await created(
        owner.api,
        '/v1/payments',
        aPaymentRequest(owner.accountId, { amount: ABOVE }),
      );
      const report = { outcome: 'succeeded', amount: ABOVE };
      const direct = await first().api.post(`/v1/payments/${id}/settlement`, report);
      expect(codeOf(direct)).toEqual([409, 'conflict']);
      const asked = await ask('settle_payment_request', id);
      expect(asked.body).toMatchObject({ details: { amount: ABOVE, currency: 'USD' } });
      expect(codeOf(await ask('settle_payment_request', id, third()))).toEqual([409, 'conflict']);
      expect((await approve(second(), asked.body.id)).status).toBe(200);
      expect((await read(`/v1/payments/${id}`)).status).toBe('succeeded');
      expect((await balance()).posted).toBe(FUNDS + ABOVE);
      expect(codeOf(await ask('settle_payment_request', id))).toEqual([409, 'conflict']);
      expect(await faults()).toEqual([]);
    });

    it('leaves a request that has ended meanwhile as it is', async () => {
      const { id } = await created(
        owner.api,
        '/v1/payments',
        aPaymentRequest(owner.accountId, { amount: ABOVE }),
      );
      const asked = await ask('settle_payment_request', id);
      expect((await owner.api.delete(`/v1/payments/${id}`)).status).toBe(200);
      expect(codeOf(await approve(second(), asked.body.id))).toEqual([409, 'conflict']);
      expect((await balance()).posted).toBe(FUNDS);
    });

    it('needs none of a platform system, nor for a failure or a refund of the account', async () => {
      const [one, two] = [
        await create(owner, 'payment', ABOVE, reported),
        await create(owner, 'payment', ABOVE, reported),
      ];
      expect((await settle(platform, one.id)).status).toBe(200);
      expect((await settle(first(), two.id, 'failed')).status).toBe(200);
      const refund = await create(owner, 'refund', ABOVE, reported);
      expect((await settle(first(), refund.id)).status).toBe(200);
    });
  });

  // The last test, since it moves the clock by days: the tokens have expired then.
  it('counts again the next day, and is canceled when nobody approves it', async () => {
    await create(first(), 'credit', LIMIT);
    const waiting = await create(first(), 'credit', 1);
    service.clock.move({ days: 1 });
    const admin = await logIn(service.api, first().email);
    expect((await create(admin, 'credit', LIMIT)).status).toBe('succeeded');
    expect((await create(admin, 'credit', 1)).status).toBe('pending');
    service.clock.move({ days: 6, minutes: 1 });
    await service.runDueTasks();
    admins[0] = await logIn(service.api, first().email);
    expect(await transaction(waiting.id)).toMatchObject({ status: 'canceled' });
    expect(await unrecordedChanges(service)).toEqual([]);
    expect(await faults()).toEqual([]);
  });
});
