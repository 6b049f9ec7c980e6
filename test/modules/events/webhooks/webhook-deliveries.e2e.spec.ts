import { ServerResponse } from 'node:http';
import { DAY_MS, SECOND_MS } from '../../../../src/kernel/clock';
import { anOwner, created, logIn, Owner, PASSWORD, someEmail, theAdmin } from '../../../support/people';
import { startTestService, TestService } from '../../../support/service';
import { until } from '../../../support/until';
import { anEndpoint, anEvent, deliveriesOf, later, receivedBy, verified } from './deliveries';
import { HostileReceiver } from './hostile-receiver';
import { Receiver } from './receiver';

describe('Webhook deliveries', () => {
  let service: TestService;
  let receiver: Receiver;
  let owner: Owner;

  beforeAll(async () => {
    service = await startTestService();
    receiver = await Receiver.start();
  });
  beforeEach(async () => {
    owner = await anOwner(service.api);
    receiver.accept();
  });
  afterAll(async () => {
    await service?.stop();
    await receiver?.stop();
  });

  /** Moves the clock, after which tokens have expired, and delivers what is due. */
  const muchLater = async (seconds: number): Promise<void> => {
    await later(service, seconds);
    owner = { ...owner, ...(await logIn(service.api, owner.email)) };
  };
  const ids = (): unknown[] => receivedBy(receiver, owner).map(({ headers }) => headers['webhook-id']);

  it('send each event as the API shows it, signed, under its id', async () => {
    const { id, secret } = await anEndpoint(owner, receiver, { event_types: ['transaction.created'] });
    const transaction = await anEvent(owner);
    await service.runDueTasks();
    const [received, ...more] = receivedBy(receiver, owner);
    expect(more).toEqual([]);
    const event = verified(secret, received!);
    expect(event).toMatchObject({ type: 'transaction.created', object_id: transaction.id });
    expect(received!.body).toBe((await owner.api.get(`/v1/events/${event.id}`)).text);
    expect(received!.headers).toMatchObject({ 'webhook-id': event.id, 'content-type': 'application/json' });
    expect(await deliveriesOf(owner, id)).toEqual([
      {
        id: expect.stringMatching(/^whd_/),
        account_id: owner.accountId,
        webhook_id: id,
        event_id: event.id,
        event_type: 'transaction.created',
        status: 'succeeded',
        attempts: 1,
        error: null,
        response_status: 200,
        response_body: 'thank you',
        duration_ms: expect.any(Number),
        last_attempt_at: expect.any(String),
        next_attempt_at: null,
        created_at: expect.any(String),
      },
    ]);
  });

  it('need no more than one connection', async () => {
    await anEndpoint(owner, receiver, { event_types: ['transaction.created'] });
    await anEvent(owner);
    const small = await service.replica({ DATABASE_POOL_SIZE: '1' });
    await small.runDueTasks().finally(() => small.stop());
    expect(receivedBy(receiver, owner)).toHaveLength(1);
  });

  it('end with a receiver that switches protocols, also the tests of its endpoint', async () => {
    const hostile = await HostileReceiver.start();
    const terms = { url: hostile.urlOf('switches protocols'), event_types: ['transaction.created'] };
    const { id } = await created(owner.api, '/v1/webhooks', terms);
    const { status, body } = await owner.api.post(`/v1/webhooks/${id}/test`, {});
    expect([status, body]).toMatchObject([200, { error: 'bad_status', response_status: 101 }]);
    await anEvent(owner);
    await service.runDueTasks();
    expect(await deliveriesOf(owner, id)).toMatchObject([
      { status: 'pending', attempts: 1, error: 'bad_status', response_status: 101 },
    ]);
    expect(hostile.requests).toBe(2);
    await hostile.stop();
  });

  it('take turns by the network from which the account was signed up, unless an operator created it', async () => {
    await anEndpoint(owner, receiver);
    const { api: admin } = await theAdmin(service.api);
    const email = someEmail();
    const account = { email, name: 'Lovelace Ltd', type: 'business', password: PASSWORD };
    const { id } = await created(admin, '/v1/accounts', account);
    await anEndpoint({ ...(await logIn(service.api, email)), accountId: id }, receiver);
    const networkOf = async (accountId: string): Promise<object[]> =>
      service.sql('SELECT sign_up_network FROM webhook_endpoints WHERE account_id = $1', [accountId]);
    expect(await networkOf(owner.accountId)).toEqual([
      { sign_up_network: expect.stringMatching(/^(127\.0\.0\.0\/24|::\/48)$/) },
    ]);
    expect(await networkOf(id)).toEqual([{ sign_up_network: null }]);
  });

  it('are made one at a time to an endpoint that was slow, and ten at a time to a fast one', async () => {
    const { id } = await anEndpoint(owner, receiver, { event_types: ['transaction.created'] });
    await anEvent(owner);
    await service.runDueTasks();
    let [running, most, limit] = [0, 0, 10];
    // Each response lets one more run: those that are on their way are waited for.
    let expected = 1;
    const held: ServerResponse[] = [];
    receiver.respond = (response) => {
      most = Math.max(most, (running += 1));
      held.push(response);
      if (running < Math.min(expected, limit) && most < limit) return;
      expected *= 2;
      const ended = held.splice(0);
      setTimeout(() => {
        running -= ended.length;
        for (const one of ended) one.end();
      }, 30);
    };
    for (let count = 0; count < 40; count += 1) await anEvent(owner);
    await service.runDueTasks();
    expect(most).toBe(10);
    await service.sql('UPDATE webhook_endpoints SET fast_from = $3 WHERE account_id = $1 AND id = $2', [
      owner.accountId,
      id,
      new Date(service.clock.now().getTime() + 60 * SECOND_MS),
    ]);
    [most, limit] = [0, 1];
    for (let count = 0; count < 10; count += 1) await anEvent(owner);
    await service.runDueTasks();
    expect(most).toBe(1);
    expect(ids()).toHaveLength(51);
  });

  it('are made to each endpoint of the account that takes the type, and to no other account', async () => {
    await anEndpoint(owner, receiver, { event_types: ['transaction.created', 'transaction.canceled'] });
    await anEndpoint(owner, receiver, { event_types: ['transaction.canceled'] });
    await anEndpoint(await anOwner(service.api), receiver);
    const before = receiver.received.length;
    const { id } = await anEvent(owner);
    await service.runDueTasks();
    expect(ids()).toHaveLength(1);
    await owner.api.delete(`/v1/transactions/${id}`);
    await service.runDueTasks();
    expect(ids()).toHaveLength(3);
    expect(receiver.received.length - before).toBe(3);
  });

  it('are not made for a change that is rolled back', async () => {
    await anEndpoint(owner, receiver);
    const reply = await owner.api.post('/v1/transactions', {
      account_id: owner.accountId,
      amount: 1,
      currency: 'USD',
      type: 'refund',
    });
    expect(reply.status).toBe(402);
    await service.runDueTasks();
    expect(ids()).toEqual([]);
  });

  it('are attempted ten times within about three days, always under the id of the event', async () => {
    const { id } = await anEndpoint(owner, receiver, { event_types: ['transaction.created'] });
    receiver.respondWith(500);
    await anEvent(owner);
    const startedAt = service.clock.now().getTime();
    await service.runDueTasks();
    for (let attempts = 1; attempts < 10; attempts += 1) {
      expect(ids()).toHaveLength(attempts);
      const sql = 'SELECT next_attempt_at AS at FROM webhook_deliveries WHERE endpoint_id = $1';
      const [due] = await service.sql<{ at: Date }>(sql, [id]);
      // The pause of the endpoint may be longer by its jitter.
      await later(service, (due!.at.getTime() - service.clock.now().getTime()) / SECOND_MS + 2);
    }
    expect(ids()).toHaveLength(10);
    expect(new Set(ids()).size).toBe(1);
    expect((service.clock.now().getTime() - startedAt) / DAY_MS).toBeGreaterThan(3);
    await muchLater((30 * DAY_MS) / SECOND_MS - 4 * (DAY_MS / SECOND_MS));
    expect(ids()).toHaveLength(10);
    expect(await deliveriesOf(owner, id)).toMatchObject([
      { status: 'failed', attempts: 10, error: 'bad_status', response_status: 500, next_attempt_at: null },
    ]);
  });

  it('wait while their endpoint fails, and follow once it works', async () => {
    const { id } = await anEndpoint(owner, receiver, { event_types: ['transaction.created'] });
    receiver.respondWith(503);
    await anEvent(owner);
    await service.runDueTasks();
    for (let count = 0; count < 30; count += 1) await anEvent(owner);
    await later(service, 6);
    // One after each pause; a slow machine has more of them.
    expect(ids().length).toBeGreaterThan(1);
    expect(ids().length).toBeLessThan(10);
    expect((await owner.api.get(`/v1/webhooks/${id}`)).body.failing_since).not.toBeNull();
    receiver.accept();
    await muchLater(3_700);
    expect(await deliveriesOf(owner, id, '?limit=100&status=succeeded')).toHaveLength(31);
    expect((await owner.api.get(`/v1/webhooks/${id}`)).body.failing_since).toBeNull();
  });

  it('of a new event do not wait for the retry of an earlier one', async () => {
    const { id } = await anEndpoint(owner, receiver, { event_types: ['transaction.created'] });
    receiver.respondWith(500);
    await anEvent(owner);
    // After the third attempt the retry is due in half an hour, and the pause ends within half a minute.
    for (const seconds of [0, 6, 331]) await later(service, seconds);
    expect(ids()).toHaveLength(3);
    receiver.accept();
    await anEvent(owner);
    await later(service, 30);
    expect(await deliveriesOf(owner, id)).toMatchObject([
      { status: 'succeeded', attempts: 1 },
      { status: 'pending', attempts: 3 },
    ]);
  });

  it('of other endpoints do not wait for one that does not respond', async () => {
    const other = await anOwner(service.api);
    await anEndpoint(owner, receiver);
    await anEndpoint(other, receiver);
    const held: (() => void)[] = [];
    receiver.respond = (response, { path }) => {
      if (path === `/${owner.accountId}`) held.push(() => response.end());
      else response.end();
    };
    await anEvent(owner);
    const run = service.runDueTasks();
    expect(await until(() => held.length > 0)).toBe(true);
    await anEvent(other);
    // Of the two tasks, the one that takes events off the feed belongs to another process here.
    const replica = await service.replica();
    const second = replica.runDueTasks();
    expect(await until(() => receivedBy(receiver, other).length > 0)).toBe(true);
    for (const release of held) release();
    receiver.accept();
    await Promise.all([run, second]);
    await replica.stop();
  });

  it('are made again under the same id when the process ends before it has recorded them', async () => {
    const { id } = await anEndpoint(owner, receiver, { event_types: ['transaction.created'] });
    receiver.respond = (response) => {
      // As after the death of a process: what it would have recorded is not in the database.
      const lost = 'UPDATE webhook_endpoints SET leased_until = $3 WHERE account_id = $1 AND id = $2';
      const values = [owner.accountId, id, new Date(service.clock.now().getTime() + 59 * SECOND_MS)];
      void service.sql(lost, values).then(() => response.end());
    };
    await anEvent(owner);
    await service.runDueTasks();
    expect(await deliveriesOf(owner, id)).toMatchObject([{ status: 'pending', attempts: 0 }]);
    receiver.accept();
    await service.runDueTasks();
    expect(ids()).toHaveLength(1);
    await later(service, 61);
    expect(ids()).toHaveLength(2);
    expect(new Set(ids()).size).toBe(1);
    expect(await deliveriesOf(owner, id)).toMatchObject([{ status: 'succeeded', attempts: 1 }]);
  });

  it('end with 410, which disables the endpoint, and can be made again after it was enabled', async () => {
    const { id } = await anEndpoint(owner, receiver, { event_types: ['transaction.created'] });
    receiver.respondWith(410);
    await anEvent(owner);
    await service.runDueTasks();
    expect((await owner.api.get(`/v1/webhooks/${id}`)).body).toMatchObject({
      status: 'disabled',
      disabled_reason: 'gone',
    });
    await anEvent(owner);
    await service.runDueTasks();
    expect(ids()).toHaveLength(1);
    const [delivery, ...more] = await deliveriesOf(owner, id);
    expect([delivery, more]).toMatchObject([{ status: 'failed', error: 'endpoint_disabled' }, []]);
    const redelivery = `/v1/webhooks/${id}/deliveries/${delivery.id}/redelivery`;
    expect((await owner.api.post(redelivery, {})).body.error).toBe('conflict');
    receiver.accept();
    await owner.api.patch(`/v1/webhooks/${id}`, { status: 'enabled' });
    expect((await owner.api.post(redelivery, {})).body).toMatchObject({ status: 'pending', attempts: 0 });
    await service.runDueTasks();
    expect(await deliveriesOf(owner, id)).toMatchObject([{ status: 'succeeded', attempts: 1 }]);
    expect(new Set(ids()).size).toBe(1);
  });

  it('that failed since a moment are made again together', async () => {
    const { id } = await anEndpoint(owner, receiver, { event_types: ['transaction.created'] });
    const path = `/v1/webhooks/${id}`;
    receiver.respondWith(500);
    await anEvent(owner);
    await service.runDueTasks();
    const since = new Date(service.clock.now().getTime() + SECOND_MS).toISOString();
    service.clock.move({ seconds: 2 });
    await anEvent(owner);
    await anEvent(owner);
    await owner.api.patch(path, { status: 'disabled' });
    await service.runDueTasks();
    await owner.api.patch(path, { status: 'enabled' });
    const failed = await deliveriesOf(owner, id, '?status=failed');
    expect(failed).toHaveLength(1);
    receiver.accept();
    for (const later of [since, failed[0].created_at.replace('Z', '9Z')])
      expect((await owner.api.post(`${path}/redeliveries`, { since: later })).body).toEqual({
        count: 0,
        has_more: false,
      });
    expect((await owner.api.post(`${path}/redeliveries`, {})).body).toEqual({ count: 1, has_more: false });
    await service.runDueTasks();
    expect(await deliveriesOf(owner, id, '?status=succeeded')).toHaveLength(1);
  });

  it('are listed page by page, for their endpoint only', async () => {
    const { id } = await anEndpoint(owner, receiver, { event_types: ['transaction.created'] });
    const { id: otherId } = await anEndpoint(owner, receiver, { event_types: ['transaction.created'] });
    for (let count = 0; count < 5; count += 1) await anEvent(owner);
    await service.runDueTasks();
    const all = await deliveriesOf(owner, id);
    expect(all).toHaveLength(5);
    const page = await owner.api.get(`/v1/webhooks/${id}/deliveries?limit=2&starting_after=${all[1].id}`);
    expect(page.body).toMatchObject({ data: all.slice(2, 4), has_more: true });
    const [foreign] = await deliveriesOf(owner, otherId);
    const before = await owner.api.get(`/v1/webhooks/${id}/deliveries?starting_after=${foreign.id}`);
    const after = await owner.api.get(`/v1/webhooks/${id}/deliveries?ending_before=${foreign.id}`);
    expect([...after.body.data, ...before.body.data]).toEqual(all);
  });

  describe('to all endpoints', () => {
    const list = async (query: string) =>
      (await (await theAdmin(service.api)).api.get(`/v1/webhook-deliveries${query}`)).body;
    const redeliver = async (body: object) =>
      (await (await theAdmin(service.api)).api.post('/v1/webhook-deliveries/redeliveries', body)).body;
    /** Endpoints of two accounts with deliveries that failed, the second of them disabled. */
    const failing = async (count: number): Promise<{ since: string; enabled: string; disabled: string }> => {
      const since = service.clock.now().toISOString();
      const [enabled, disabled] = [owner, await anOwner(service.api)];
      const ids: string[] = [];
      for (const one of [enabled, disabled]) {
        const { id } = await anEndpoint(one, receiver, { event_types: ['transaction.created'] });
        for (let made = 0; made < count; made += 1) await anEvent(one);
        await service.runDueTasks();
        await service.sql(
          `UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL WHERE endpoint_id = $1`,
          [id],
        );
        ids.push(id);
      }
      await disabled.api.patch(`/v1/webhooks/${ids[1]}`, { status: 'disabled' });
      return { since, enabled: ids[0]!, disabled: ids[1]! };
    };

    it('are listed by status and date', async () => {
      const { since, enabled, disabled } = await failing(2);
      const shown = async (filter: string) =>
        (await list(`?date_from=${since}${filter}`)).data.map(({ webhook_id }: any) => webhook_id);
      const all = [disabled, disabled, enabled, enabled];
      expect(await shown('')).toEqual(all);
      expect(await shown('&status=failed')).toEqual(all);
      expect(await shown('&status=pending')).toEqual([]);
      const first = await list(`?date_from=${since}&limit=3`);
      expect(first).toMatchObject({ has_more: true });
      expect((await list(`?date_from=${since}&starting_after=${first.data[2].id}`)).data).toHaveLength(1);
      expect((await list('?account_id=acc_1')).error).toBe('invalid_request');
    });

    it('are made again in batches, which may be repeated, but not to disabled endpoints', async () => {
      const { since, enabled } = await failing(60);
      const first = await redeliver({ since });
      expect(first).toEqual({ count: 40, skipped: 60, last_id: expect.any(String) });
      // Sent twice at the same time, it does nothing twice.
      const body = { since, starting_after: first.last_id };
      const twice = await Promise.all([redeliver(body), redeliver(body)]);
      expect(twice.map(({ last_id }) => last_id)).toEqual([null, null]);
      expect(twice.reduce((sum, { count }) => sum + count, 0)).toBe(20);
      await service.runDueTasks();
      expect(await deliveriesOf(owner, enabled, '?status=succeeded&limit=100')).toHaveLength(60);
      expect(await redeliver({ since })).toEqual({ count: 0, skipped: 60, last_id: null });
      const [event] = await service.sql<{ count: number }>(
        `SELECT sum((details ->> 'count')::integer)::integer AS count FROM audit_log
         WHERE action = 'webhook_endpoint.redeliver_failed' AND object_id = $1`,
        [enabled],
      );
      expect(event!.count).toBe(60);
    });

    it('are made again to one endpoint', async () => {
      const { enabled, disabled } = await failing(1);
      expect(await redeliver({ webhook_id: disabled })).toEqual({ count: 0, skipped: 1, last_id: null });
      expect(await redeliver({ webhook_id: enabled })).toEqual({ count: 1, skipped: 0, last_id: null });
      const unknown = enabled.replace(/.{4}$/, '0000');
      expect(await redeliver({ webhook_id: unknown })).toMatchObject({ error: 'not_found' });
    });

    it('are made again by a platform key, which does not see the endpoints', async () => {
      const { enabled, since } = await failing(2);
      const { api } = await theAdmin(service.api);
      const terms = { name: 'Rails', role: 'platform', scopes: ['webhooks'] };
      const platform = service.api.as((await created(api, '/v1/api-keys', terms)).key);
      const post = async (body: object) =>
        (await platform.post('/v1/webhook-deliveries/redeliveries', body)).body;
      const [{ id }] = await deliveriesOf(owner, enabled);
      const path = `/v1/webhooks/${enabled}`;
      await owner.api.post(`${path}/deliveries/${id}/redelivery`, {});
      expect(await post({ webhook_id: enabled })).toEqual({ count: 1, skipped: 0, last_id: null });
      expect(await post({ since })).toEqual({ count: 0, skipped: 2, last_id: null });
      for (const denied of [await platform.get(path), await platform.post(`${path}/redeliveries`, {})])
        expect([denied.status, denied.text.includes(receiver.url)]).toEqual([403, false]);
    });
  });

  it('are deleted after 30 days', async () => {
    const { id } = await anEndpoint(owner, receiver, { event_types: ['transaction.created'] });
    await anEvent(owner);
    await service.runDueTasks();
    await muchLater((29 * DAY_MS) / SECOND_MS);
    expect(await deliveriesOf(owner, id)).not.toEqual([]);
    await muchLater((2 * DAY_MS) / SECOND_MS);
    expect(await deliveriesOf(owner, id)).toEqual([]);
  });
});
