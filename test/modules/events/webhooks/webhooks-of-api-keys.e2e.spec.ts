import { Api } from '../../../support/api';
import { anOwner, created, Owner, theAdmin } from '../../../support/people';
import { aPaymentRequest } from '../../../support/request-bodies';
import { startTestService, TestService } from '../../../support/service';
import { anEndpoint, anEvent, later, receivedBy } from './deliveries';
import { Receiver } from './receiver';

const URL = 'https://hooks.example.com/';
const OTHER_URL = 'https://thief.example.com/';

interface Key {
  readonly id: string;
  readonly api: Api;
}

let service: TestService;
let receiver: Receiver;
let owner: Owner;

beforeAll(async () => {
  service = await startTestService();
  receiver = await Receiver.start();
});
afterAll(async () => {
  await service?.stop();
  await receiver?.stop();
});
beforeEach(async () => {
  owner = await anOwner(service.api);
});

async function aKey(scopes: readonly string[] | undefined, members: object = {}): Promise<Key> {
  const { id, key } = await created(owner.api, '/v1/api-keys', { name: 'Web shop', scopes, ...members });
  return { id, api: service.api.as(key) };
}

const aPayment = (): Promise<any> =>
  created(
    owner.api,
    '/v1/payments',
    aPaymentRequest(owner.accountId, { customer_email: 'secret@example.com' }),
  );

describe('An API key and the types of events', () => {
  it.each([
    ['webhooks', 'payment_request.created', 'payment_requests:read'],
    ['webhooks', 'transaction.created', 'transactions:read'],
    ['webhooks', 'account.updated', 'transactions:read'],
    ['webhooks transactions:read payments:write', 'subscription.created', 'subscriptions:read'],
    ['webhooks transactions:read payments:read', 'api_key.created', 'API keys cannot'],
  ])('with the scopes %s, %s is forbidden in an endpoint: it names %s', async (scopes, type, named) => {
    const key = await aKey(scopes.split(' '));
    const denied = [
      await key.api.post('/v1/webhooks', { url: URL, event_types: [type] }),
      await key.api.get(`/v1/events?type=${type}`),
    ];
    const { id } = await created(key.api, '/v1/webhooks', { url: URL });
    denied.push(await key.api.patch(`/v1/webhooks/${id}`, { event_types: [type] }));
    for (const { status, body } of denied)
      expect([status, body]).toEqual([403, { error: 'forbidden', message: expect.stringContaining(named) }]);
    expect((await owner.api.get('/v1/webhooks')).body.data).toHaveLength(1);
  });

  it('are those that it may read where it names none, now and after a change', async () => {
    const key = await aKey(['webhooks', 'payments:read']);
    const endpoint = await created(key.api, '/v1/webhooks', { url: URL });
    expect(endpoint.event_types).toContain('payment_request.created');
    const isOther = (type: string): boolean =>
      /^(transaction|account|adjustment|api_key|approval|user)\./.test(type);
    expect(endpoint.event_types.filter(isOther)).toEqual([]);
    await key.api.patch(`/v1/webhooks/${endpoint.id}`, { event_types: ['payment_request.created'] });
    const { body } = await key.api.patch(`/v1/webhooks/${endpoint.id}`, { event_types: null });
    expect(body.event_types).toEqual(endpoint.event_types);
  });

  it('are all but those about users, keys and approvals for a key with every scope', async () => {
    const { event_types: types } = await created((await aKey(undefined)).api, '/v1/webhooks', { url: URL });
    const { webhooks }: any = await (await fetch(`${service.url}/openapi.json`)).json();
    const closed = /^(user|api_key|approval)\./;
    expect(types).toEqual(Object.keys(webhooks).filter((type) => !closed.test(type)));
  });

  it('are all without a key, and for a member', async () => {
    expect((await created(owner.api, '/v1/webhooks', { url: URL })).event_types).toBeNull();
    const { status } = await owner.api.post('/v1/webhooks', { url: URL, event_types: ['api_key.created'] });
    expect(status).toBe(201);
  });

  it('bound what it is sent', async () => {
    const key = await aKey(['webhooks', 'transactions:read']);
    await created(key.api, '/v1/webhooks', { url: `${receiver.url}/${owner.accountId}` });
    await aPayment();
    const { id } = await anEvent(owner);
    await later(service, 1);
    const received = receivedBy(receiver, owner).map(({ body }) => JSON.parse(body));
    expect(received.map(({ type, object_id }) => [type, object_id])).toEqual([['transaction.created', id]]);
  });

  it('bound the events that it lists, retrieves and finds, of an account and as a platform key', async () => {
    const { id: paymentId } = await aPayment();
    const { id: transactionId } = await anEvent(owner);
    const { body } = await owner.api.get('/v1/events');
    const [ofTransaction, ofPayment] = [transactionId, paymentId].map(
      (id) => body.data.find(({ object_id }: { object_id: string }) => object_id === id).id as string,
    );
    const platform = await created((await theAdmin(service.api)).api, '/v1/api-keys', {
      name: 'Rails',
      role: 'platform',
      scopes: ['webhooks', 'transactions:read'],
    });
    const key = await aKey(['webhooks', 'transactions:read']);
    for (const api of [key.api, service.api.as(platform.key)]) {
      const query = `account_id=${owner.accountId}&limit=100`;
      const listed = (await api.get(`/v1/events?${query}`)).body.data.map(
        ({ type }: { type: string }) => type,
      );
      expect(listed).toEqual(['transaction.created', 'account.created']);
      const about = async (id: string) => (await api.get(`/v1/events?object_id=${id}`)).body.data.length;
      expect([await about(paymentId), await about(transactionId)]).toEqual([0, 1]);
      expect((await api.get(`/v1/events/${ofTransaction}`)).status).toBe(200);
      expect((await api.get(`/v1/events/${ofPayment}`)).body.error).toBe('forbidden');
      const found = async (id?: string) => (await api.get(`/v1/search?q=${id}`)).body.data.length;
      expect([await found(ofPayment), await found(ofTransaction)]).toEqual([0, 1]);
      const csv = await api.get(`/v1/events?account_id=${owner.accountId}&format=csv`);
      expect([csv.status, csv.text.includes('secret@example.com')]).toEqual([200, false]);
    }
  });

  it('leave the pages of a list whole, forwards and back', async () => {
    for (let count = 0; count < 3; count += 1) {
      await anEvent(owner);
      await aPayment();
    }
    const key = await aKey(['webhooks', 'transactions:read']);
    const page = async (query: string) => (await key.api.get(`/v1/events?limit=2&${query}`)).body;
    const first = await page('');
    const second = await page(`starting_after=${first.data[1].id}`);
    const types = [...first.data, ...second.data].map(({ type }: { type: string }) => type);
    expect(types).toEqual([...Array<string>(3).fill('transaction.created'), 'account.created']);
    expect([first.has_more, second.has_more]).toEqual([true, false]);
    expect((await page(`ending_before=${second.data[0].id}`)).data).toEqual(first.data);
  });
});

describe('An endpoint that an API key did not create', () => {
  it('is not seen, tested or changed by the key, and its deliveries are neither seen nor repeated', async () => {
    const all = await aKey(undefined);
    const other = await aKey(undefined);
    for (const { api } of [owner, other]) {
      const { id } = await anEndpoint({ ...owner, api }, receiver);
      await anEvent(owner);
      await later(service, 1);
      const path = `/v1/webhooks/${id}`;
      const [delivery] = (await owner.api.get(`${path}/deliveries`)).body.data;
      expect(delivery).toMatchObject({ status: 'succeeded', response_body: 'thank you' });
      const { body: before } = await owner.api.get(path);
      const count = receivedBy(receiver, owner).length;
      const denied = [
        await all.api.get(path),
        await all.api.get(`${path}/deliveries`),
        await all.api.get(`${path}/deliveries?format=csv`),
        await all.api.post(`${path}/test`, {}),
        await all.api.post(`${path}/deliveries/${delivery.id}/redelivery`, {}),
        await all.api.post(`${path}/redeliveries`, {}),
        await all.api.patch(path, {}),
        await all.api.patch(path, { url: OTHER_URL }),
        await all.api.patch(path, { status: 'disabled' }),
        await all.api.patch(path, { event_types: ['transaction.created'] }),
        await all.api.post(`${path}/secret`, {}),
        await all.api.delete(path),
      ];
      for (const { status, text, body } of denied) {
        expect([status, body.error]).toEqual([403, 'forbidden']);
        expect(text).not.toMatch(/whsec_|thank you|127\.0\.0\.1/);
      }
      await later(service, 1);
      expect(receivedBy(receiver, owner)).toHaveLength(count);
      expect((await owner.api.get(path)).body).toEqual(before);
    }
  });

  it('is not listed or found by the key, which lists and finds its own', async () => {
    const [one, other] = [
      await aKey(['webhooks', 'transactions:read']),
      await aKey(['webhooks', 'transactions:read']),
    ];
    await created(owner.api, '/v1/webhooks', { url: URL });
    const ids: string[] = [];
    for (const { api } of [one, other, one, one])
      ids.push((await created(api, '/v1/webhooks', { url: URL })).id);
    const listed = async (api: Api, query = '') => (await api.get(`/v1/webhooks?${query}`)).body;
    const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);
    expect(idsOf(await listed(one.api))).toEqual([ids[3], ids[2], ids[0]]);
    expect(idsOf(await listed(other.api))).toEqual([ids[1]]);
    const page = await listed(one.api, 'limit=2');
    expect([idsOf(page), page.has_more]).toEqual([[ids[3], ids[2]], true]);
    const last = await listed(one.api, `limit=2&starting_after=${ids[2]}`);
    expect([idsOf(last), last.has_more]).toEqual([[ids[0]], false]);
    expect((await one.api.get('/v1/webhooks?format=csv')).text).not.toContain(ids[1]);
    const found = async (id = '') => (await one.api.get(`/v1/search?q=${id}`)).body.data;
    expect([await found(ids[1]), idsOf({ data: await found(ids[0]) })]).toEqual([[], [ids[0]]]);
    expect(idsOf(await listed(owner.api))).toHaveLength(5);
  });

  it('is not seen or changed by a platform key, but by a platform system that has logged in', async () => {
    const admin = await theAdmin(service.api);
    const { key } = await created(admin.api, '/v1/api-keys', { name: 'Rails', role: 'platform' });
    const { id } = await created(owner.api, '/v1/webhooks', { url: URL });
    const path = `/v1/webhooks/${id}`;
    const platform = service.api.as(key);
    expect((await platform.get(`/v1/webhooks?account_id=${owner.accountId}`)).body.data).toEqual([]);
    expect((await platform.get(`/v1/search?q=${id}`)).body.data).toEqual([]);
    expect((await platform.get(`${path}/deliveries`)).status).toBe(403);
    expect((await platform.patch(path, { url: OTHER_URL })).status).toBe(403);
    expect((await platform.delete(path)).status).toBe(403);
    expect((await admin.api.patch(path, { status: 'disabled' })).status).toBe(200);
  });
});

describe('An endpoint that an API key created', () => {
  it('is seen, tested, changed and deleted by the key, and names it', async () => {
    const { id: keyId, api } = await aKey(['webhooks', 'transactions:read']);
    const { id, api_key_id } = await created(api, '/v1/webhooks', { url: URL });
    expect(api_key_id).toBe(keyId);
    const path = `/v1/webhooks/${id}`;
    expect((await api.patch(path, { url: OTHER_URL })).body).toMatchObject({ url: OTHER_URL, api_key_id });
    expect((await api.post(`${path}/secret`, {})).body.secret).toMatch(/^whsec_/);
    expect((await api.get(`${path}/deliveries`)).body.data).toEqual([]);
    expect((await api.post(`${path}/redeliveries`, {})).body).toEqual({ count: 0, has_more: false });
    await api.patch(path, { url: `${receiver.url}/${owner.accountId}` });
    expect((await api.post(`${path}/test`, {})).body.delivered).toBe(true);
    expect((await api.delete(path)).status).toBe(200);
  });

  it('gets nothing more once the key is revoked, and the audit log says who ended it', async () => {
    const key = await aKey(['webhooks', 'transactions:read']);
    const { id } = await anEndpoint({ ...owner, api: key.api }, receiver);
    const { id: kept } = await created(owner.api, '/v1/webhooks', { url: URL });
    await anEvent(owner);
    await owner.api.delete(`/v1/api-keys/${key.id}`);
    await later(service, 1);
    expect(receivedBy(receiver, owner)).toEqual([]);
    const ended = { status: 'disabled', disabled_reason: 'api_key_ended', api_key_id: key.id };
    expect((await owner.api.get(`/v1/webhooks/${id}`)).body).toMatchObject(ended);
    expect((await owner.api.get(`/v1/webhooks/${kept}`)).body).toMatchObject({
      status: 'enabled',
      api_key_id: null,
    });
    const [entry] = await service.sql(
      `SELECT actor_id, details FROM audit_log WHERE action = 'webhook_endpoint.disable' AND object_id = $1`,
      [id],
    );
    expect(entry).toMatchObject({ actor_id: owner.id, details: { reason: 'api_key_ended' } });
  });

  it('gets nothing more once the key has expired', async () => {
    const expiresAt = new Date(service.clock.now().getTime() + 600_000).toISOString();
    const key = await aKey(['webhooks', 'transactions:read'], { expires_at: expiresAt });
    const { id } = await anEndpoint({ ...owner, api: key.api }, receiver);
    await later(service, 300);
    expect((await owner.api.get(`/v1/webhooks/${id}`)).body.status).toBe('enabled');
    await later(service, 301);
    expect((await owner.api.get(`/v1/webhooks/${id}`)).body).toMatchObject({
      status: 'disabled',
      disabled_reason: 'api_key_ended',
    });
    await anEvent(owner);
    await later(service, 1);
    expect(receivedBy(receiver, owner)).toEqual([]);
    const [entry] = await service.sql(
      `SELECT actor_id FROM audit_log WHERE action = 'webhook_endpoint.disable' AND object_id = $1`,
      [id],
    );
    expect(entry).toEqual({ actor_id: 'system' });
  });

  it.each([
    ['before', false],
    ['after', true],
  ])(
    'is kept by a person who enables it, %s the key is revoked, and is no longer changed by a key',
    async (_, after) => {
      const key = await aKey(['webhooks', 'transactions:read']);
      const { id } = await anEndpoint({ ...owner, api: key.api }, receiver);
      const enable = () => owner.api.patch(`/v1/webhooks/${id}`, { status: 'enabled' });
      if (!after) {
        await enable();
        expect((await key.api.patch(`/v1/webhooks/${id}`, { url: OTHER_URL })).status).toBe(403);
        expect((await key.api.get('/v1/webhooks')).body.data).toEqual([]);
      }
      await owner.api.delete(`/v1/api-keys/${key.id}`);
      if (after) await enable();
      expect((await owner.api.get(`/v1/webhooks/${id}`)).body).toMatchObject({
        status: 'enabled',
        api_key_id: null,
      });
      await anEvent(owner);
      await later(service, 1);
      expect(receivedBy(receiver, owner)).toHaveLength(1);
    },
  );

  it('does not outlive a key that is revoked at the same time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const key = await aKey(['webhooks']);
      const [{ status, body }] = await Promise.all([
        key.api.post('/v1/webhooks', { url: URL }),
        owner.api.delete(`/v1/api-keys/${key.id}`),
      ]);
      if (status !== 201) expect([status, body.error]).toEqual([401, 'unauthorized']);
    }
    const { body } = await owner.api.get('/v1/webhooks');
    for (const { status } of body.data) expect(status).toBe('disabled');
  });
});
