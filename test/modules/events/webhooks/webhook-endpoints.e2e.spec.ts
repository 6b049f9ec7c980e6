import { AUDIT_ENTRIES } from '../../../support/audit-entries';
import { anAccount, anOwner, aUser, created, logIn, Owner, theAdmin } from '../../../support/people';
import { startTestService, TestService } from '../../../support/service';
import { until } from '../../../support/until';
import { anEndpoint, anEvent, receivedBy, verified } from './deliveries';
import { Receiver } from './receiver';

describe('Webhook endpoints', () => {
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

  it('are created with a secret that is shown once and stored encrypted', async () => {
    const { secret, ...endpoint } = await anEndpoint(owner, receiver);
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(endpoint).toMatchObject({ account_id: owner.accountId, event_types: null, status: 'enabled' });
    const { body } = await owner.api.get(`/v1/webhooks/${endpoint.id}`);
    expect(body).toEqual(endpoint);
    const rows = JSON.stringify(await service.sql('SELECT * FROM webhook_endpoints'));
    expect(rows).not.toContain(secret.slice('whsec_'.length));
    expect(service.logged.join()).not.toContain(secret);
  });

  it('are created once with an Idempotency-Key, and a repeat does not show the secret', async () => {
    const headers = { 'idempotency-key': 'once' };
    const body = { url: 'https://example.com/hooks' };
    const first = await owner.api.post('/v1/webhooks', body, { headers });
    const repeat = await owner.api.post('/v1/webhooks', body, { headers });
    expect([first.status, repeat.status, repeat.body.error]).toEqual([201, 409, 'conflict']);
    expect(repeat.body.message).toContain(first.body.id);
    expect((await owner.api.get('/v1/webhooks')).body.data).toHaveLength(1);
    expect(JSON.stringify(await service.sql('SELECT * FROM account_idempotency_records'))).not.toContain(
      'whsec_',
    );
  });

  it.each([
    ['a URL with a password', { url: 'https://user:password@example.com/' }],
    ['another scheme', { url: 'ftp://example.com/' }],
    ['an unknown event type', { url: 'https://example.com/', event_types: ['transaction.exploded'] }],
    ['no event type', { url: 'https://example.com/', event_types: [] }],
    [
      'an event type twice',
      { url: 'https://example.com/', event_types: Array(2).fill('transaction.created') },
    ],
  ])('are not created with %s', async (_, body) => {
    const reply = await owner.api.post('/v1/webhooks', body);
    expect([reply.status, reply.body.error]).toEqual([400, 'invalid_request']);
  });

  it('are never at an address of the link, also after a change', async () => {
    const url = 'http://169.254.169.254/latest/meta-data';
    const { id } = await anEndpoint(owner, receiver);
    for (const reply of [
      await owner.api.post('/v1/webhooks', { url }),
      await owner.api.patch(`/v1/webhooks/${id}`, { url: 'http://[::ffff:a9fe:a9fe]/' }),
    ])
      expect([reply.status, reply.body.error]).toEqual([400, 'invalid_request']);
    expect((await owner.api.patch(`/v1/webhooks/${id}`, { url: 'http://127.0.0.1:4000/' })).status).toBe(200);
  });

  it('require https and public addresses in production', async () => {
    const production = await startTestService({
      NODE_ENV: 'production',
      ALLOW_INSECURE_HTTP: 'true',
      REQUIRE_ADMIN_OTP: 'false',
      REQUIRE_VERIFIED_EMAIL: 'false',
    });
    const account = await anAccount(production.api);
    const status = async (url: string) => (await account.api.post('/v1/webhooks', { url })).status;
    expect([await status('http://example.com/'), await status('https://example.com/')]).toEqual([400, 201]);
    for (const host of [
      '127.0.0.1',
      '2130706433',
      '10.1',
      '[::ffff:127.0.0.1]',
      '[fd12::1]',
      '169.254.169.254',
    ])
      expect([host, await status(`https://${host}/`)]).toEqual([host, 400]);
    // An endpoint from the time when the service allowed it.
    const canary = await created(account.api, '/v1/webhooks', { url: 'https://example.com/' });
    const url = `https://127.0.0.1:${receiver.port}/`;
    await production.sql('UPDATE webhook_endpoints SET url = $1 WHERE id = $2', [url, canary.id]);
    const connections = receiver.connections;
    const { body } = await account.api.post(`/v1/webhooks/${canary.id}/test`, {});
    expect(body).toMatchObject({ delivered: false, error: 'address_refused' });
    expect(receiver.connections).toBe(connections);
    await production.stop();
  });

  it('are at most 20 of an account, also when they are created at the same time', async () => {
    const create = () => owner.api.post('/v1/webhooks', { url: 'https://example.com/' });
    const replies = await Promise.all(Array.from({ length: 23 }, create));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(3);
  });

  it('are updated, disabled, enabled and deleted', async () => {
    const { id, updated_at } = await anEndpoint(owner, receiver);
    const path = `/v1/webhooks/${id}`;
    expect((await owner.api.patch(path, {})).body.updated_at).toBe(updated_at);
    const change = { url: `${receiver.url}/next`, event_types: ['transaction.created'], status: 'disabled' };
    const { body } = await owner.api.patch(path, change);
    expect(body).toMatchObject({ ...change, disabled_reason: 'requested' });
    expect(body.updated_at > updated_at).toBe(true);
    expect((await owner.api.patch(path, { event_types: null, status: 'enabled' })).body).toMatchObject({
      event_types: null,
      status: 'enabled',
      disabled_reason: null,
    });
    expect((await owner.api.delete(path)).status).toBe(200);
    expect((await owner.api.get(path)).status).toBe(404);
  });

  it('are listed by status, without those of closed accounts among the disabled ones', async () => {
    const closing = await anOwner(service.api);
    const [enabled, failing, disabled] = await Promise.all(
      ['a', 'b', 'c'].map((path) =>
        created(owner.api, '/v1/webhooks', { url: `https://hooks.example.com/${path}` }),
      ),
    );
    const ofClosed = await created(closing.api, '/v1/webhooks', { url: 'https://hooks.example.com/' });
    await service.sql(
      'UPDATE webhook_endpoints SET failing_since = now(), failures = 1 WHERE id = ANY ($1)',
      [[failing.id, disabled.id]],
    );
    await owner.api.patch(`/v1/webhooks/${disabled.id}`, { status: 'disabled' });
    await closing.api.delete('/v1/account');
    const { api } = await theAdmin(service.api);
    const listed = async (status: string): Promise<string[]> => {
      const { body } = await api.get(`/v1/webhooks?status=${status}&limit=100`);
      const own = [enabled, failing, disabled, ofClosed].map(({ id }) => id);
      return body.data.map(({ id }: any) => id).filter((id: string) => own.includes(id));
    };
    expect((await listed('enabled')).toSorted()).toEqual([enabled.id, failing.id].toSorted());
    expect(await listed('failing')).toEqual([failing.id]);
    expect(await listed('disabled')).toEqual([disabled.id]);
    expect((await api.get('/v1/webhooks?status=closed')).body.error).toBe('invalid_request');
    const { webhook_endpoints: counted } = (await api.get('/v1/totals')).body;
    for (const state of ['failing', 'disabled']) {
      const { data } = (await api.get(`/v1/webhooks?status=${state}&limit=100`)).body;
      expect(counted[state]).toEqual({ count: data.length, has_more: false, since: expect.any(String) });
    }
  });

  it('make the events of their account deliverable, until the last one is deleted', async () => {
    const outbox = async () => {
      await anEvent(owner);
      return (await service.sql('SELECT FROM event_outbox WHERE account_id = $1', [owner.accountId])).length;
    };
    const ids = [(await anEndpoint(owner, receiver)).id, (await anEndpoint(owner, receiver)).id];
    await owner.api.delete(`/v1/webhooks/${ids[0]}`);
    expect(await outbox()).toBeGreaterThan(0);
    await service.runDueTasks();
    await owner.api.delete(`/v1/webhooks/${ids[1]}`);
    expect(await outbox()).toBe(0);
  });

  it('sign with the old and the new secret after a rotation', async () => {
    const { id, secret } = await anEndpoint(owner, receiver);
    const rotation = await owner.api.post(`/v1/webhooks/${id}/secret`, {});
    expect(rotation.status).toBe(200);
    await anEvent(owner);
    await service.runDueTasks();
    const [received] = receivedBy(receiver, owner);
    expect(verified(secret, received!)).toEqual(verified(rotation.body.secret, received!));
    expect(() => verified('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=', received!)).toThrow();
  });

  it('sign for another day with a secret that an admin lets expire, until the account rotates it', async () => {
    const { id, secret } = await anEndpoint(owner, receiver);
    const { api } = await theAdmin(service.api);
    const expired = await api.post(`/v1/webhooks/${id}/secret/expiration`, { reason: 'Seen in a log' });
    expect(expired.status).toBe(200);
    expect(expired.text).not.toContain('whsec_');
    const tomorrow = service.clock.now().getTime() + 24 * 3_600_000;
    expect(Date.parse(expired.body.secret_expires_at)).toBeCloseTo(tomorrow, -4);
    await anEvent(owner);
    await service.runDueTasks();
    verified(secret, receivedBy(receiver, owner)[0]!);
    const entry = (await api.get(`/v1/audit-log?object_id=${id}&action=webhook_endpoint.expire_secret`)).body;
    expect(entry.data).toEqual([expect.objectContaining({ reason: 'Seen in a log' })]);

    const rotation = await owner.api.post(`/v1/webhooks/${id}/secret`, {});
    expect(rotation.body.secret_expires_at).toBeNull();
  });

  it('are tested with a signed ping, also while they are disabled', async () => {
    const { id, secret } = await anEndpoint(owner, receiver, { event_types: ['transaction.created'] });
    await owner.api.patch(`/v1/webhooks/${id}`, { status: 'disabled' });
    const { body } = await owner.api.post(`/v1/webhooks/${id}/test`, {});
    expect(body).toMatchObject({
      delivered: true,
      error: null,
      response_status: 200,
      response_body: 'thank you',
    });
    const [received] = receivedBy(receiver, owner);
    expect(verified(secret, received!)).toMatchObject({
      type: 'webhook_endpoint.ping',
      account_id: owner.accountId,
      data: { object: { id } },
    });
    receiver.respondWith(500);
    expect((await owner.api.post(`/v1/webhooks/${id}/test`, {})).body).toMatchObject({
      delivered: false,
      error: 'bad_status',
      response_status: 500,
    });
  });

  it('are tested twice at once for one account, however slow they are, and then in turn', async () => {
    const { id } = await anEndpoint(owner, receiver);
    const held: (() => void)[] = [];
    receiver.respond = (response) => held.push(() => response.end());
    const test = () => owner.api.post(`/v1/webhooks/${id}/test`, {});
    const tests = Array.from({ length: 4 }, test);
    for (let ended = 0; ended < tests.length; ended += 2) {
      expect(await until(() => held.length === ended + 2)).toBe(true);
      for (const release of held.slice(ended)) release();
    }
    for (const accepted of await Promise.all(tests)) expect(accepted.body.delivered).toBe(true);
    receiver.accept();
  });

  it('are tested at most 20 times a minute', async () => {
    const { id } = await anEndpoint(owner, receiver);
    const statuses = [];
    for (let count = 0; count < 21; count += 1)
      statuses.push((await owner.api.post(`/v1/webhooks/${id}/test`, {})).status);
    expect(statuses).toEqual([...Array(20).fill(200), 429]);
  });

  it('are tested only by operators while their account is suspended', async () => {
    const { key } = await created(owner.api, '/v1/api-keys', { name: 'Shop' });
    const { id } = await anEndpoint({ ...owner, api: service.api.as(key) }, receiver);
    const { api: admin } = await theAdmin(service.api);
    await admin.patch(`/v1/accounts/${owner.accountId}`, { status: 'suspended' });
    const suspended = await logIn(service.api, owner.email);
    for (const api of [suspended.api, service.api.as(key)])
      expect((await api.post(`/v1/webhooks/${id}/test`, {})).body.error).toBe('forbidden');
    expect(receivedBy(receiver, owner)).toEqual([]);
    expect((await admin.post(`/v1/webhooks/${id}/test`, {})).body.delivered).toBe(true);
  });

  it('are disabled when their account is closed', async () => {
    const account = await anAccount(service.api);
    const { id } = await anEndpoint(account, receiver);
    await anEvent(account);
    expect((await account.api.delete('/v1/account')).status).toBe(200);
    await service.runDueTasks();
    expect(receivedBy(receiver, account)).toEqual([]);
    const { body } = await (await theAdmin(service.api)).api.get(`/v1/webhooks/${id}`);
    expect(body).toMatchObject({ status: 'disabled', disabled_reason: 'account_closed' });
  });

  it('are recorded in the audit log, without the secret', async () => {
    const { id } = await anEndpoint(owner, receiver);
    await owner.api.patch(`/v1/webhooks/${id}`, { event_types: null });
    await owner.api.post(`/v1/webhooks/${id}/secret`, {});
    await owner.api.delete(`/v1/webhooks/${id}`);
    const entries = await service.sql<{ action: string }>(
      `SELECT * FROM ${AUDIT_ENTRIES} WHERE object_id = $1 ORDER BY id`,
      [id],
    );
    expect(entries.map(({ action }) => action)).toEqual([
      'webhook_endpoint.create',
      'webhook_endpoint.update',
      'webhook_endpoint.rotate_secret',
      'webhook_endpoint.delete',
    ]);
    expect(JSON.stringify(entries)).not.toContain('whsec_');
  });

  it('keep their secrets after a rotation of the secrets of the service', async () => {
    const { id, secret } = await anEndpoint(owner, receiver);
    const next = 'the next test secret that is only used in tests';
    const both = `${next},a test secret that is only used in tests`;
    const rotating = await service.replica({ JWT_SECRETS: both });
    await rotating.runDueTasks();
    await rotating.stop();
    const after = await service.replica({ JWT_SECRETS: next });
    await anEvent(owner);
    await after.runDueTasks();
    await after.stop();
    const [received] = receivedBy(receiver, owner);
    expect(verified(secret, received!)).toMatchObject({ type: expect.any(String) });
    expect(id).toMatch(/^whk_/);
  });

  it('belong to accounts, so a user without one has none', async () => {
    const user = await aUser(service.api);
    expect((await user.api.get('/v1/webhooks')).body.data).toEqual([]);
    expect((await user.api.post('/v1/webhooks', { url: 'https://example.com/' })).status).toBe(403);
  });

  it('get requests that the OpenAPI document describes, one for each type of event', async () => {
    const document: any = await (await fetch(`${service.url}/openapi.json`)).json();
    expect(Object.keys(document.webhooks)).toEqual(
      expect.arrayContaining(['transaction.created', 'payment_request.succeeded', 'webhook_endpoint.ping']),
    );
    const { schemas } = document.components;
    const referred = ({ $ref }: { $ref: string }): any => schemas[$ref.split('/').at(-1)!];
    for (const [type, { post }] of Object.entries<any>(document.webhooks)) {
      const { schema } = post.requestBody.content['application/json'];
      const { properties } = referred(schema);
      expect(properties.type.enum).toEqual([type]);
      expect(referred(properties.data.properties.object)).toHaveProperty('properties.id');
      expect(schemas.EventResponse.oneOf).toContainEqual(schema);
      expect(schemas.EventResponse.discriminator.mapping[type]).toBe(schema.$ref);
    }
  });
});
