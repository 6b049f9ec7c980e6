import { randomBytes } from 'node:crypto';
import { LedgerVerification } from '../../../../src/modules/ledger';
import { Api } from '../../../support/api';
import { contextOn } from '../../../modules/ledger/context';
import {
  createCitusDatabase,
  describeOnCitus,
  dropCitusDatabase,
  onUrl,
  workers,
} from '../../../support/citus';
import { anOwner, Owner, theAdmin } from '../../../support/people';
import { aTransaction } from '../../../support/request-bodies';
import { startTestServiceOn, TestService } from '../../../support/service';
import { LIMIT_MS, report } from '../../../system/faults/support/form';

/** Moves of shards without blocking writes need wal_level = logical on every server. */
jest.setTimeout(LIMIT_MS);

describeOnCitus('Shards that move to the other worker under load', () => {
  let name: string;
  let url: string;
  let service: TestService;

  beforeAll(async () => {
    name = `moved_${randomBytes(6).toString('hex')}`;
    url = await createCitusDatabase(name);
    service = await startTestServiceOn(url);
  });
  afterAll(async () => {
    await service.stop();
    await dropCitusDatabase(name);
  });

  /** Moves each part of the accounts, and with it all that they own. @returns how many were moved */
  async function moveAll(): Promise<number> {
    const [one, other] = await workers();
    const shards = await onUrl<{ id: string; port: number }>(
      url,
      `SELECT shardid AS id, nodeport AS port FROM citus_shards WHERE table_name = 'accounts'::regclass`,
    );
    for (const { id, port } of shards) {
      const [from, to] = port === one!.port ? [one!, other!] : [other!, one!];
      const nodes = [from, to].map((node) => `'${node.host}', ${node.port}`).join(', ');
      await onUrl(url, 'SET lock_timeout = 0', `SELECT citus_move_shard_placement(${id}, ${nodes})`);
    }
    return shards.length;
  }

  /**
   * Creates credits, every other one with a key, until `stopped`, and reads each at once by its id, in the list and in the
   * balance.
   * @returns how long each creation took, in milliseconds
   */
  async function createCredits({ api, accountId }: Owner, stopped: AbortSignal): Promise<number[]> {
    const times: number[] = [];
    while (!stopped.aborted) {
      const hasKey = times.length % 2 === 1;
      const begun = performance.now();
      const { status, body } = await api.post(
        '/v1/transactions',
        aTransaction(accountId, { type: 'credit', amount: 1 }),
        hasKey ? { headers: { 'idempotency-key': `key ${times.length}` } } : {},
      );
      times.push(performance.now() - begun);
      expect(status).toBe(201);
      const id = body.id as string;
      expect(await api.get(`/v1/transactions/${id}`)).toMatchObject({ status: 200, body: { id } });
      expect((await api.get('/v1/transactions?limit=1')).body).toMatchObject({ data: [{ id }] });
      expect((await api.get('/v1/account/balance')).body).toMatchObject({ posted: times.length });
    }
    return times;
  }

  /** Creates credits, which an admin reads at once by id and in the list of all accounts. @returns how many */
  async function readAsAdmin({ api, accountId }: Owner, admin: Api, stopped: AbortSignal): Promise<number> {
    let created = 0;
    for (; !stopped.aborted; created += 1) {
      const body = aTransaction(accountId, { type: 'credit', amount: 1 });
      const { id } = (await api.post('/v1/transactions', body)).body;
      expect(await admin.get(`/v1/transactions/${id}`)).toMatchObject({ status: 200, body: { id } });
      const list = await admin.get('/v1/transactions?limit=100');
      const ids = (list.body.data as { id: string }[]).map((item) => item.id);
      expect(ids).toContain(id);
      expect(ids).toEqual([...new Set(ids)].toSorted().toReversed());
    }
    return created;
  }

  it('are read by admins without a gap, and nothing twice', async () => {
    const [owner, { api: admin }] = await Promise.all([anOwner(service.api), theAdmin(service.api)]);
    const stop = new AbortController();
    const reading = readAsAdmin(owner, admin, stop.signal);
    await moveAll().finally(() => stop.abort());
    expect(await reading).toBeGreaterThan(10);
  });

  it('lose no creation, fail none, and leave the journal as it was', async () => {
    const owners = await Promise.all(Array.from({ length: 12 }, () => anOwner(service.api)));
    const stop = new AbortController();
    const created = Promise.all(owners.map((owner) => createCredits(owner, stop.signal)));
    const moved = await moveAll().finally(() => stop.abort());
    const times = await created;
    expect(moved).toBeGreaterThan(1);
    for (const [index, { api }] of owners.entries())
      expect((await api.get('/v1/account/balance')).body).toMatchObject({ posted: times[index]!.length });
    const app = await contextOn(service);
    const { faults } = await app
      .get(LedgerVerification)
      .run(() => undefined)
      .finally(() => app.close());
    expect(faults).toEqual([]);
    report('moved shards', { moved, creations: times.flat().length, longestMs: Math.max(...times.flat()) });
  });
});
