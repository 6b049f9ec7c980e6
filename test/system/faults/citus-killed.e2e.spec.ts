import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { LedgerVerification } from '../../../src/modules/ledger';
import { contextOn } from '../../modules/ledger/context';
import { Api, Reply } from '../../support/api';
import {
  createCitusDatabase,
  describeOnCitus,
  dropCitusDatabase,
  Node,
  onNode,
  onUrl,
  workers,
} from '../../support/citus';
import { anOwner, Owner, theAdmin } from '../../support/people';
import { aTransaction } from '../../support/request-bodies';
import { startTestServiceOn, TestService } from '../../support/service';
import { LIMIT_MS, repetitions, report, until } from './support/form';
import { Moment, WorkerProxy } from './support/worker-proxy';

/**
 * SIGKILL of a server process of the coordinator or of a worker, which restarts all of them like a crash of the machine,
 * at the end of a transaction. The tests must run on the machine of these servers, as a user who may do that, and they must
 * connect to each other without TLS (citus.node_conninfo = 'sslmode=disable').
 */
jest.setTimeout(LIMIT_MS);

const AMOUNT = 100;
const HOUR_MS = 3_600_000;
/** Longer than all timeouts. */
const SILENCE_MS = 60_000;

type Server = 'coordinator' | 'worker';

/** @throws Error when `work` takes longer */
const within = <T>(ms: number, work: Promise<T>): Promise<T> =>
  Promise.race([work, delay(ms).then(() => Promise.reject(new Error(`It took more than ${ms} ms.`)))]);

describeOnCitus('On Citus', () => {
  let name: string;
  let url: string;
  let nodes: Node[];
  let proxies: WorkerProxy[];
  let service: TestService;
  /** Another replica, for which what the service posts now is old enough to be rolled up. */
  let ahead: TestService;

  beforeEach(async () => {
    name = `killed_${randomBytes(6).toString('hex')}`;
    nodes = await workers();
    proxies = await Promise.all(nodes.map((worker) => WorkerProxy.before(worker)));
    url = await createCitusDatabase(
      name,
      proxies.map(({ address }) => address),
    );
    service = await startTestServiceOn(url);
    ahead = await service.replica();
    ahead.clock.move({ days: 1 });
  });
  afterEach(async () => {
    await ahead.stop();
    await service.stop();
    for (const proxy of proxies) await proxy.close();
    await dropCitusDatabase(name);
  });

  /** The server process to kill: one that waits for the COMMIT on the coordinator, any other one of the worker. */
  async function victimOf(server: Server, worker: Node): Promise<number> {
    const [process] =
      server === 'coordinator'
        ? await onUrl<{ pid: number }>(
            url,
            `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'countinghouse'
             AND state = 'active' AND query = 'COMMIT'`,
          )
        : await onNode<{ pid: number }>(
            worker,
            name,
            'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
          );
    return process!.pid;
  }

  /** @returns what `meanwhile` has returned, when the server is back */
  async function killAt<T>(server: Server, moment: Moment, meanwhile: () => Promise<T>): Promise<T> {
    const held = Promise.race(proxies.map((proxy, index) => proxy.holdAt(moment).then(() => nodes[index]!)));
    const request = meanwhile();
    const worker = await held;
    for (const proxy of proxies) proxy.forget();
    process.kill(await victimOf(server, worker), 'SIGKILL');
    const result = await request;
    // A coordinator that starts completes the commits of before. Beside a worker that starts, it does so once a minute.
    const sql = server === 'worker' ? 'SELECT recover_prepared_transactions()' : 'SELECT';
    const useBoth = async (): Promise<true> => {
      await onNode(worker, name, 'SELECT');
      await onUrl(url, sql);
      return true;
    };
    await until(`the ${server} is back`, () => useBoth().catch(() => false));
    return result;
  }

  const credit = ({ api, accountId }: Owner, key?: string, by: Api = api): Promise<Reply | null> =>
    by
      .post('/v1/transactions', aTransaction(accountId, { type: 'credit', amount: AMOUNT }), {
        headers: key === undefined ? {} : { 'idempotency-key': key },
      })
      .catch(() => null);

  /** The keys of admins are on the coordinator, so that it commits there too, in two phases. */
  const creditByAdmin = async (owner: Owner, key: string): Promise<() => Promise<Reply | null>> => {
    const { api } = await theAdmin(service.api);
    return () => credit(owner, key, api);
  };

  const visibleTo = ({ api }: Owner, path = '/v1/transactions'): Promise<any[]> =>
    until('what was created is visible', async () => {
      const { data } = (await api.get(path)).body;
      return data.length > 0 && data;
    });

  /** The port of the worker that has an account, as the coordinator knows it. */
  const workerOf = async ({ accountId }: Owner): Promise<number> => {
    const [shard] = await onUrl<{ port: number }>(
      url,
      `SELECT nodeport AS port FROM citus_shards
       WHERE table_name = 'accounts'::regclass AND shardid = get_shard_id_for_distribution_column('accounts', '${accountId}')`,
    );
    return shard!.port;
  };

  /** Two owners whose accounts are on different workers. */
  async function aPairApart(): Promise<[Owner, Owner]> {
    const one = await anOwner(service.api);
    const worker = await workerOf(one);
    const other = await until('an account on another worker is there', async () => {
      const owner = await anOwner(service.api);
      return (await workerOf(owner)) !== worker && owner;
    });
    return [one, other];
  }

  const untilAllCommitted = (): Promise<true> =>
    until('no part is left prepared', async () => {
      const prepared = await onUrl<{ result: string }>(
        url,
        `SELECT result FROM run_command_on_workers(
           'SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database()')`,
      );
      return prepared.every(({ result }) => result === '0');
    });

  const rolledUntil = async (): Promise<number> =>
    (await onUrl<{ at: Date }>(url, 'SELECT rolled_until AS at FROM daily_totals_head'))[0]!.at.getTime();

  async function faults(): Promise<readonly string[]> {
    const app = await contextOn(service);
    return (
      await app
        .get(LedgerVerification)
        .run(() => undefined)
        .finally(() => app.close())
    ).faults;
  }

  /** Creates something with a key, kills a server meanwhile, and repeats the request until it is acknowledged. */
  async function createThroughKill(server: Server, moment: Moment, send: () => Promise<Reply | null>) {
    const first = await killAt(server, moment, send);
    const acknowledged = await until('the repeat is acknowledged', async () => {
      const reply = await send();
      return reply?.status === 201 && reply;
    });
    return { first, acknowledged };
  }

  it.each<[Server, Moment, number]>([
    ['coordinator', 'the worker has its part', 503],
    ['coordinator', 'the coordinator has committed', 503],
    ['worker', 'the worker lacks its part', 503],
    ['worker', 'the worker has its part', 503],
    ['worker', 'the coordinator has committed', 201],
  ])(
    'with a %s that is killed when %s: a repeated Idempotency-Key of an admin books once, the first response is %i',
    async (server, moment, status) => {
      const kills = repetitions({ short: 2, long: 10 });
      for (let kill = 1; kill <= kills; kill += 1) {
        const owner = await anOwner(service.api);
        const send = await creditByAdmin(owner, `key ${kill}`);
        const { first, acknowledged } = await createThroughKill(server, moment, send);
        expect(first).toMatchObject({ status });
        // A repeat is acknowledged as soon as the coordinator has committed, and visible when the worker has.
        const listed = await visibleTo(owner);
        expect(listed.map(({ id }: { id: string }) => id)).toEqual([acknowledged.body.id]);
        expect((await owner.api.get('/v1/account/balance')).body).toMatchObject({ posted: AMOUNT });
      }
      await untilAllCommitted();
      await ahead.runDueTasks();
      expect(await rolledUntil()).toBeGreaterThan(service.clock.now().getTime());
      expect(await faults()).toEqual([]);
      report(`kill -9 of the ${server}`, { moment, kills, bookedOnce: kills });
    },
  );

  it.each<[Server, Moment, number]>([
    ['coordinator', 'the worker has its part', 503],
    ['coordinator', 'the coordinator has committed', 503],
    ['worker', 'the worker lacks its part', 503],
    ['worker', 'the worker has its part', 503],
    ['worker', 'the coordinator has committed', 201],
  ])(
    'with a %s that is killed when %s: a transfer between two workers moves once, the first response is %i',
    async (server, moment, status) => {
      const kills = repetitions({ short: 2, long: 10 });
      for (let kill = 1; kill <= kills; kill += 1) {
        const [giver, receiver] = await aPairApart();
        await credit(giver);
        const terms = { from_account_id: giver.accountId, to_account_id: receiver.accountId };
        const { first, acknowledged } = await createThroughKill(server, moment, () =>
          giver.api
            .post(
              '/v1/transfers',
              { ...terms, amount: AMOUNT - kill, currency: 'USD' },
              { headers: { 'idempotency-key': `transfer ${kill}` } },
            )
            .catch(() => null),
        );
        expect(first).toMatchObject({ status });
        for (const side of [giver, receiver]) {
          const listed = await visibleTo(side, '/v1/transfers');
          expect(listed.map(({ id }: { id: string }) => id)).toEqual([acknowledged.body.id]);
        }
        await untilAllCommitted();
        expect((await giver.api.get('/v1/account/balance')).body).toMatchObject({ posted: kill });
        expect((await receiver.api.get('/v1/account/balance')).body).toMatchObject({ posted: AMOUNT - kill });
      }
      expect(await faults()).toEqual([]);
      report(`kill -9 of the ${server} under transfers`, { moment, kills, movedOnce: kills });
    },
  );

  it.each<Moment>(['the worker lacks its part', 'the worker has its part'])(
    'with a worker that is killed when %s: a repeated Idempotency-Key of an owner books once',
    async (moment) => {
      const owner = await anOwner(service.api);
      const { first, acknowledged } = await createThroughKill('worker', moment, () => credit(owner, 'key'));
      expect(first).toMatchObject({ status: 503 });
      const listed = await visibleTo(owner);
      expect(listed.map(({ id }: { id: string }) => id)).toEqual([acknowledged.body.id]);
      expect((await owner.api.get('/v1/account/balance')).body).toMatchObject({ posted: AMOUNT });
      expect(await faults()).toEqual([]);
    },
  );

  it.each<[Moment, number]>([
    ['the worker lacks its part', 0],
    ['the worker has its part', 1],
  ])(
    'with a worker that is killed when %s: what commits there alone is not acknowledged, and booked %i times',
    async (moment, count) => {
      const owner = await anOwner(service.api);
      expect(await killAt('worker', moment, () => credit(owner))).toMatchObject({
        status: 503,
        body: { error: 'unavailable' },
      });
      expect((await owner.api.get('/v1/transactions')).body.data).toHaveLength(count);
      expect((await owner.api.get('/v1/account/balance')).body).toMatchObject({ posted: count * AMOUNT });
      expect(await faults()).toEqual([]);
    },
  );

  it.each([
    { loss: 'cut', then: [503] },
    // What is still queued when the worker responds again succeeds.
    { loss: 'silence', then: [200, 201, 503] },
  ] as const)(
    'with a worker that is lost by $loss: only the accounts there wait or fail',
    async ({ loss, then }) => {
      const owners = await Promise.all(Array.from({ length: 12 }, () => anOwner(service.api)));
      const requests: ((owner: Owner) => Promise<Reply | null>)[] = [
        (owner) => credit(owner),
        ({ api }) => api.get('/v1/account'),
        ({ api }) => api.get('/v1/account/balance'),
        ({ api }) => api.get('/v1/account/entries'),
        ({ api }) => api.get('/v1/transactions'),
        ({ api }) => api.get('/v1/transactions?status=succeeded'),
      ];
      const sendAll = (of: readonly Owner[]) =>
        Promise.all(of.flatMap((owner) => requests.map(async (send) => (await send(owner))?.status)));
      const worker = await workerOf(owners[0]!);
      const ports = await Promise.all(owners.map(workerOf));
      const [there, elsewhere] = [true, false].map((isThere) =>
        owners.filter((_, index) => (ports[index] === worker) === isThere),
      ) as [Owner[], Owner[]];
      expect(elsewhere.length).toBeGreaterThan(0);
      const proxy = proxies.find(({ address }) => address.port === worker)!;
      proxy[loss]();
      const lost = sendAll(there);
      const responses = await within(10_000, sendAll(elsewhere));
      expect(new Set(responses)).toEqual(new Set([200, 201]));
      proxy.reconnect();
      expect(then).toEqual(expect.arrayContaining(await lost));
      expect(new Set(await sendAll(owners))).toEqual(new Set([200, 201]));
      expect(await faults()).toEqual([]);
    },
  );

  it('with a worker that hangs, also at the start of a replica, serves, settles and measures what is elsewhere', async () => {
    const [there, elsewhere] = await aPairApart();
    const worker = await workerOf(there);
    const { token } = await theAdmin(service.api);
    const settings = { RUN_WORKER: 'true', SETTLEMENT_DELAY_SECONDS: '0', METRICS_PORT: '0' };
    const replica = await service.replica({ ...settings, DATABASE_POOL_SIZE: '10' });
    const [ofOwner, ofAdmin] = [elsewhere.token, token].map((one) => replica.api.as(one)) as [Api, Api];
    const proxy = proxies.find(({ address }) => address.port === worker)!;
    proxy.silence();
    let isSilent = true;
    const knocking = Array.from({ length: 6 }, async () => {
      while (isSilent) await credit(there, undefined, replica.api.as(there.token));
    });
    const isSettled = async (id: string): Promise<boolean> =>
      (await ofAdmin.get(`/v1/transactions/${id}`)).body.status === 'succeeded';
    const serve = async (): Promise<string> => {
      const created = await ofOwner.post('/v1/transactions', aTransaction(elsewhere.accountId));
      const { id } = created.body;
      const others = await Promise.all([
        ofAdmin.get(`/v1/transactions/${id}`),
        replica.api.get('/health/ready'),
        fetch(replica.metricsUrl!),
      ]);
      expect([created, ...others].map(({ status }) => status)).toEqual([201, 200, 200, 200]);
      return id;
    };
    const end = performance.now() + SILENCE_MS;
    const ids: string[] = [];
    while (performance.now() < end) {
      ids.push(await within(5_000, serve()));
      await delay(500);
    }
    for (const id of ids) await until('a payment elsewhere is settled', () => isSettled(id));
    isSilent = false;
    proxy.reconnect();
    await Promise.all(knocking);
    await until('the worker is used again', async () => (await credit(there))?.status === 201);
    await replica.stop();
    expect(await faults()).toEqual([]);
  });

  it('leaves no gap in the totals, which stop before what a worker has not committed', async () => {
    const owner = await anOwner(service.api);
    const post = await creditByAdmin(owner, 'held');
    const held = Promise.race(proxies.map((proxy) => proxy.holdAt('the coordinator has committed')));
    const posted = post();
    await held;
    await ahead.runDueTasks();
    expect(await rolledUntil()).toBeLessThan(service.clock.now().getTime() - HOUR_MS);
    for (const proxy of proxies) proxy.release();
    expect(await posted).toMatchObject({ status: 201 });
    await ahead.runDueTasks();
    expect(await rolledUntil()).toBeGreaterThan(service.clock.now().getTime());
    expect(await faults()).toEqual([]);
    const { api } = await theAdmin(service.api);
    expect((await api.get('/v1/totals')).body.currencies).toMatchObject([
      { posted: AMOUNT, days: [{ total_in: AMOUNT }] },
    ]);
  });

  it('leaves no gap in the totals that are rolled up before its commit is completed', async () => {
    const owner = await anOwner(service.api);
    const post = await creditByAdmin(owner, 'killed');
    await killAt('coordinator', 'the coordinator has committed', post);
    await ahead.runDueTasks();
    await visibleTo(owner);
    await ahead.runDueTasks();
    expect(await rolledUntil()).toBeGreaterThan(service.clock.now().getTime());
    expect(await faults()).toEqual([]);
  });

  it('books twice without two-phase commit, which shows that the kill is at the right moment', async () => {
    await onUrl(url, 'ALTER TABLE idempotency_records DISABLE TRIGGER citus_two_phase_commit');
    const owner = await anOwner(service.api);
    const send = await creditByAdmin(owner, 'key');
    await createThroughKill('coordinator', 'the worker has its part', send);
    expect((await owner.api.get('/v1/account/balance')).body).toMatchObject({ posted: 2 * AMOUNT });
  });
});
