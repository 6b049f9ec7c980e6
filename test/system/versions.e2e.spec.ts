import { randomUUID } from 'node:crypto';
import { coreModules } from '../../src/app.module';
import { exampleOf, Schemas } from '../../src/platform/http/openapi/openapi-examples';
import { FIRST_VERSION, listMembers } from '../../src/platform/versions/api-versions';
import { anEndpoint, receivedBy, verified } from '../modules/events/webhooks/deliveries';
import { Receiver } from '../modules/events/webhooks/receiver';
import { aMember, anOperator, anOwner, created, logIn, Owner, Person, theAdmin } from '../support/people';
import { aTransaction } from '../support/request-bodies';
import { SentStatements } from '../support/sent-statements';
import { startTestService, TestService } from '../support/service';

const NEWEST = '2026-11-26';
const HEADER = 'countinghouse-version';

interface Reply {
  readonly status: number;
  readonly body: any;
  readonly text: string;
  readonly version: string | null;
  readonly replayed: string | null;
}

describe('Versions of the API', () => {
  let service: TestService;
  let receiver: Receiver;
  let owner: Owner;
  let other: Owner;

  beforeAll(async () => {
    service = await startTestService();
    receiver = await Receiver.start();
    receiver.accept();
  });
  beforeEach(async () => {
    owner = await anOwner(service.api);
    other = await anOwner(service.api);
    const money = aTransaction(owner.accountId, { type: 'credit', amount: 1_000 });
    await created(owner.api, '/v1/transactions', money);
  });
  afterAll(async () => {
    await service?.stop();
    await receiver?.stop();
  });

  /** Sends a request whose response may have the shape of any version, which the OpenAPI document does not describe. */
  async function send(
    token: string | null,
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return {
      status: response.status,
      text,
      body: isJson ? JSON.parse(text) : text,
      version: response.headers.get(HEADER),
      replayed: response.headers.get('idempotency-replayed'),
    };
  }
  const read = (path: string, version?: string, token = owner.token) =>
    send(token, 'GET', path, undefined, version === undefined ? {} : { [HEADER]: version });
  const pin = async ({ token }: Person, version: string) => {
    const { status } = await send(token, 'PATCH', '/v1/account/version', { version });
    expect(status).toBe(200);
  };
  const terms = (members: object = {}) => ({
    ...{ from_account_id: owner.accountId, to_account_id: other.accountId, amount: 10, currency: 'USD' },
    ...members,
  });
  const transfer = (headers: Record<string, string> = {}, token = owner.token) =>
    send(token, 'POST', '/v1/transfers', terms(), headers);

  const nameOf = async ({ api }: Owner): Promise<string> => (await api.get('/v1/account')).body.name;
  /** What a transfer has since the version of 26 November, and what it had before. */
  const current = async () => ({ to: [{ account_id: other.accountId, account_name: await nameOf(other) }] });
  const former = async () => ({ to: [{ account_id: other.accountId, name: await nameOf(other) }] });

  describe('of a request', () => {
    it('are the newest by default, and any that the header names', async () => {
      const newest = await transfer();
      expect(newest).toMatchObject({ status: 201, version: NEWEST, body: await current() });
      const [{ account_name: name, ...part }] = newest.body.to;
      const older = { ...newest.body, to: [{ ...part, name }] };
      const path = `/v1/transfers/${newest.body.id}`;
      expect(await read(path, FIRST_VERSION)).toMatchObject({ version: FIRST_VERSION });
      expect((await read(path, FIRST_VERSION)).body).toEqual(older);
      expect((await read(path, NEWEST)).body).toEqual(newest.body);
    });

    it('change every response that has the resource', async () => {
      const { id } = (await transfer()).body;
      const old = { [HEADER]: FIRST_VERSION };
      const flat = await former();
      const dryRun = await send(owner.token, 'POST', '/v1/transfers', terms({ dry_run: true }), old);
      expect(dryRun).toMatchObject({ status: 200, version: FIRST_VERSION, body: { ...flat, dry_run: true } });
      const batch = { transfers: [terms(), terms({ amount: 999_999 })], mode: 'independent' };
      const batched = await send(owner.token, 'POST', '/v1/transfers/batch', batch, old);
      expect(batched.body.data).toMatchObject([
        { status: 201, transfer: flat },
        { status: 402, error: 'insufficient_funds' },
      ]);
      const reversal = await send(other.token, 'POST', `/v1/transfers/${id}/reversal`, {}, old);
      expect(reversal.body).toMatchObject({ reversal_of: id, to: [{ name: await nameOf(owner) }] });
      const list = (await read('/v1/transfers', FIRST_VERSION)).body.data;
      expect(list).toHaveLength(3);
      const events = (await read(`/v1/events?object_id=${id}`, FIRST_VERSION)).body.data;
      expect(events).toMatchObject([{ data: { object: flat } }, { data: { object: flat } }]);
      const [event] = events;
      expect((await read(`/v1/events/${event.id}`, FIRST_VERSION)).body).toEqual(event);
      const found = [id, event.id].map((one) => read(`/v1/search?q=${one}`, FIRST_VERSION));
      const [resource, eventOfIt] = (await Promise.all(found)).map(({ body }) => body.data[0].object);
      expect([resource, eventOfIt]).toEqual([list.at(-1), event]);
      for (const body of [dryRun, batched, reversal, list, events])
        expect(JSON.stringify(body)).not.toContain('"account_name":');
    });

    it('are those of an export, too', async () => {
      await transfer();
      const items = async (version: string) => (await read('/v1/transfers?format=csv', version)).text;
      expect(await items(NEWEST)).toContain(`""account_name"":""${await nameOf(other)}""`);
      expect(await items(FIRST_VERSION)).toContain(`""name"":""${await nameOf(other)}""`);
    });

    it.each(['2026-11-25', '2027-13-01', '', 'newest', '2026-11-26, 2026-11-26'])(
      'are rejected if the header names none: "%s"',
      async (version) => {
        const message = `Countinghouse-Version must be one of: ${NEWEST}, ${FIRST_VERSION}.`;
        for (const reply of [await read('/v1/account', version), await transfer({ [HEADER]: version })])
          expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_request', message } });
      },
    );

    it('are said by responses to anyone, also errors', async () => {
      expect(await send(null, 'GET', '/health/live')).toMatchObject({ status: 200, version: NEWEST });
      const missing = await read('/v1/transfers/trf_missing', FIRST_VERSION);
      expect(missing).toMatchObject({ status: 404, version: FIRST_VERSION, body: { error: 'not_found' } });
    });

    it('cost no statement', async () => {
      const countOnce = async (headers: Record<string, string>): Promise<number> => {
        const sent = new SentStatements();
        await transfer({ ...headers, 'idempotency-key': randomUUID() });
        sent.stop();
        return sent.timesSent('');
      };
      // Background work can only add statements: the least of a few is that of the request alone.
      const count = async (headers: Record<string, string>): Promise<number> => {
        const counts: number[] = [];
        while (counts.length < 5) counts.push(await countOnce(headers));
        return Math.min(...counts);
      };
      const ofPin = await count({});
      expect(ofPin).toBeGreaterThan(0);
      for (const version of [FIRST_VERSION, NEWEST]) expect(await count({ [HEADER]: version })).toBe(ofPin);
    });
  });

  describe('of a stored response', () => {
    it('are those of the first request, byte for byte, whatever a repeat asks for', async () => {
      const first = await transfer({ [HEADER]: FIRST_VERSION, 'idempotency-key': 'first' });
      expect(first).toMatchObject({ status: 201, version: FIRST_VERSION, body: await former() });
      for (const version of [FIRST_VERSION, NEWEST]) {
        const repeat = await transfer({ [HEADER]: version, 'idempotency-key': 'first' });
        expect(repeat).toEqual({ ...first, replayed: 'true' });
      }
      const second = await transfer({ 'idempotency-key': 'second' });
      const repeat = await transfer({ [HEADER]: FIRST_VERSION, 'idempotency-key': 'second' });
      expect(repeat).toEqual({ ...second, replayed: 'true' });
      expect(second.version).toBe(NEWEST);
    });

    it('are those of each item of a batch, which a single request repeats', async () => {
      const item = { ...terms(), idempotency_key: 'of an item' };
      const batch = { transfers: [item] };
      const old = { [HEADER]: FIRST_VERSION };
      const { body } = await send(owner.token, 'POST', '/v1/transfers/batch', batch, old);
      const repeat = await transfer({ 'idempotency-key': 'of an item' });
      expect(repeat).toMatchObject({ version: FIRST_VERSION, body: body.data[0].transfer });
    });
  });

  describe('of an account', () => {
    it('are that of the request that creates it', async () => {
      expect((await owner.api.get('/v1/account/version')).body.version).toBe(NEWEST);
      const email = `${owner.id}@old.example.com`;
      const account = { email, password: 'correct horse battery', name: 'Old Ltd', type: 'business' };
      await send(null, 'POST', '/v1/accounts', account, { [HEADER]: FIRST_VERSION });
      const { api } = await logIn(service.api, email);
      expect((await api.get('/v1/account/version')).body).toMatchObject({
        version: FIRST_VERSION,
        newest: NEWEST,
        versions: [{ version: NEWEST }, { version: FIRST_VERSION, changes: [] }],
      });
    });

    it('apply to all of its sessions at once, and to later ones, when its owner changes it', async () => {
      const member = await aMember(service.api, owner);
      await pin(owner, FIRST_VERSION);
      const later = await logIn(service.api, member.email);
      for (const { token } of [owner, member, later]) {
        expect(await transfer({}, token)).toMatchObject({
          version: FIRST_VERSION,
          body: await former(),
        });
        expect(await transfer({ [HEADER]: NEWEST }, token)).toMatchObject({ version: NEWEST });
      }
      await pin(owner, NEWEST);
      for (const { token } of [owner, member, later])
        expect(await transfer({}, token)).toMatchObject({ version: NEWEST, body: await current() });
    });

    it('are changed by nobody else, to none that there is not, and recorded', async () => {
      const member = await aMember(service.api, owner);
      const admin = await theAdmin(service.api);
      const path = '/v1/account/version';
      for (const [{ token }, version, status] of [
        [member, NEWEST, 403],
        [admin, NEWEST, 403],
        [owner, '2026-01-01', 400],
      ] as const)
        expect(await send(token, 'PATCH', path, { version })).toMatchObject({ status });
      for (const version of [NEWEST, FIRST_VERSION, FIRST_VERSION]) await pin(owner, version);
      const { body } = await admin.api.get(
        `/v1/audit-log?action=account.set_version&account_id=${owner.accountId}`,
      );
      expect(body.data).toMatchObject([
        { actor_id: owner.id, changes: [{ member: 'version', from: NEWEST, to: FIRST_VERSION }] },
      ]);
    });

    it('are the newest for those who act for no account', async () => {
      const platform = await anOperator(service.api, 'platform');
      await pin(owner, FIRST_VERSION);
      const { id } = (await transfer()).body;
      for (const { token } of [platform, await theAdmin(service.api)])
        expect(await read(`/v1/transfers/${id}`, undefined, token)).toMatchObject({
          version: NEWEST,
          body: await current(),
        });
    });

    it('are the first one for accounts, keys and endpoints from before the versions', async () => {
      const { key } = await created(owner.api, '/v1/api-keys', { name: 'from before' });
      const { id } = await anEndpoint(owner, receiver);
      // What the migration leaves behind, which gives the columns of the existing rows this value.
      for (const table of ['credentials', 'sessions', 'api_keys', 'webhook_endpoints'])
        await service.sql(`UPDATE ${table} SET api_version = '${FIRST_VERSION}'`);
      for (const token of [owner.token, key])
        expect(await read('/v1/transfers', undefined, token)).toMatchObject({ version: FIRST_VERSION });
      expect((await read(`/v1/webhooks/${id}`)).body.version).toBe(FIRST_VERSION);
      const { token } = await theAdmin(service.api);
      expect(await read('/v1/transfers', undefined, token)).toMatchObject({ version: NEWEST });
    });
  });

  describe('of an API key', () => {
    it('are that of the account, or the one that its creation names, and stay', async () => {
      await pin(owner, FIRST_VERSION);
      const inherits = await created(owner.api, '/v1/api-keys', { name: 'inherits' });
      const names = await created(owner.api, '/v1/api-keys', { name: 'names', version: NEWEST });
      expect([inherits.version, names.version]).toEqual([FIRST_VERSION, NEWEST]);
      await pin(owner, NEWEST);
      expect(await transfer({}, inherits.key)).toMatchObject({ version: FIRST_VERSION });
      expect(await transfer({}, names.key)).toMatchObject({ version: NEWEST });
      expect(await transfer({ [HEADER]: NEWEST }, inherits.key)).toMatchObject({ version: NEWEST });
      const own = await read('/v1/account/version', undefined, inherits.key);
      expect(own.body.version).toBe(FIRST_VERSION);
      const unknown = await owner.api.post('/v1/api-keys', { name: 'unknown', version: '2026-01-01' });
      expect([unknown.status, unknown.body.error]).toEqual([400, 'invalid_request']);
    });

    it('are the newest for the platform, unless its creation names one', async () => {
      const { api } = await theAdmin(service.api);
      const platform = { name: 'rails', role: 'platform' };
      expect((await created(api, '/v1/api-keys', platform)).version).toBe(NEWEST);
      const pinned = await created(api, '/v1/api-keys', { ...platform, version: FIRST_VERSION });
      expect(await read('/v1/transfers', undefined, pinned.key)).toMatchObject({ version: FIRST_VERSION });
    });
  });

  describe('of a webhook endpoint', () => {
    const types = { event_types: ['transfer.succeeded'] };

    it('are that of the caller or a named one, in deliveries, redeliveries and tests', async () => {
      await pin(owner, FIRST_VERSION);
      const older = await anEndpoint(owner, receiver, types);
      const newest = await anEndpoint(owner, receiver, { ...types, version: NEWEST });
      expect([older.version, newest.version]).toEqual([FIRST_VERSION, NEWEST]);
      await transfer();
      await service.runDueTasks();
      const flat = await former();
      const objectOf = ({ secret }: { secret: string }, from = 0) =>
        receivedBy(receiver, owner)
          .slice(from)
          .flatMap((one) => {
            try {
              return [verified(secret, one).data.object];
            } catch {
              return []; // it is signed for the other endpoint
            }
          });
      expect(objectOf(older)).toMatchObject([flat]);
      expect(objectOf(newest)).toMatchObject([await current()]);
      const [first] = receivedBy(receiver, owner).filter(({ body }) => !body.includes('"account_name"'));
      const event = JSON.parse(first!.body);
      expect(first!.body).toBe((await read(`/v1/events/${event.id}`)).text);

      const { data } = (await read(`/v1/webhooks/${older.id}/deliveries`)).body;
      await send(owner.token, 'POST', `/v1/webhooks/${older.id}/deliveries/${data[0].id}/redelivery`);
      await service.runDueTasks();
      expect(objectOf(older, 2)).toMatchObject([flat]);

      await send(owner.token, 'PATCH', `/v1/webhooks/${older.id}`, { version: NEWEST });
      await transfer();
      await service.runDueTasks();
      expect(objectOf(older).at(-1)).toMatchObject(await current());
      const unknown = await send(owner.token, 'PATCH', `/v1/webhooks/${older.id}`, { version: 'x' });
      expect(unknown).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    });
  });

  describe('of a stored event', () => {
    it('are not older than the event: what was recorded before a change stays as it was', async () => {
      const { id } = (await transfer()).body;
      await service.sql(
        `UPDATE events SET api_version = $2, object = json_build_object('id', $1::text, 'to', '[]'::json)
         WHERE object_id = $1`,
        [id, FIRST_VERSION],
      );
      const path = `/v1/events?object_id=${id}`;
      for (const version of [FIRST_VERSION, NEWEST])
        expect((await read(path, version)).body.data[0].data.object).toEqual({
          id,
          to: [],
        });
    });
  });

  describe('that modules declare', () => {
    const changes = coreModules.flatMap(({ apiChanges = [] }) => apiChanges);
    const responses = changes.flatMap((change) =>
      change.responses.map((one) => [one.older.name, one] as const),
    );

    it('are described, in the document too', async () => {
      const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as any;
      expect(document.info.version).toBe(NEWEST);
      expect(changes.length).toBeGreaterThan(0);
      for (const { version, description } of changes) {
        expect(version > FIRST_VERSION && version <= NEWEST).toBe(true);
        expect(description).toMatch(/\.$/);
      }
    });

    it.each(responses)('lead to %s with exactly the members that it declares', async (_, change) => {
      const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as any;
      const schemas = document.components.schemas as Schemas;
      const name = change.newer.name;
      expect(Object.keys(schemas)).toContain(name); // operations have it, so that the change is reached
      const newest = exampleOf({ $ref: `#/components/schemas/${name}` }, schemas, () => true) as object;
      const before = JSON.stringify(newest);
      const older = change.toOlder(newest);
      expect(Object.keys(older).toSorted()).toEqual(listMembers(change.older).toSorted());
      expect(JSON.stringify(newest)).toBe(before);
    });
  });
});
