import { randomBytes } from 'node:crypto';
import { LedgerVerification } from '../../../src/modules/ledger';
import { contextOn } from '../../modules/ledger/context';
import { Reply } from '../../support/api';
import { createCitusDatabase, describeOnCitus, dropCitusDatabase, onUrl, workers } from '../../support/citus';
import { anOwner, Owner, theAdmin } from '../../support/people';
import { aTransaction } from '../../support/request-bodies';
import { startTestServiceOn, TestService } from '../../support/service';
import { LIMIT_MS, repetitions, report, until } from './support/form';
import { Moment, WorkerProxy } from './support/worker-proxy';

/**
 * SIGKILL of a server process of the coordinator, which restarts all of them like a crash of the machine, while it waits
 * for a worker at the end of a transaction. The tests must run on the coordinator's machine, as a user who may do that, and
 * the servers must connect to each other without TLS (citus.node_conninfo = 'sslmode=disable').
 */
vi.setConfig({ testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS });

const AMOUNT = 100;
const HOUR_MS = 3_600_000;

describeOnCitus('A coordinator that is killed during a commit', () => {
  let name: string;
  let url: string;
  let proxies: WorkerProxy[];
  let service: TestService;
  /** Another replica, for which what the service posts now is old enough to be rolled up. */
  let ahead: TestService;

  beforeEach(async () => {
    name = `killed_${randomBytes(6).toString('hex')}`;
    proxies = await Promise.all((await workers()).map((worker) => WorkerProxy.before(worker)));
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

  async function killAt(moment: Moment, meanwhile: () => Promise<unknown>): Promise<void> {
    const held = Promise.race(proxies.map((proxy) => proxy.holdAt(moment)));
    const request = meanwhile();
    await held;
    for (const proxy of proxies) proxy.forget();
    const [waiting] = await onUrl<{ pid: number }>(
      url,
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'countinghouse'
       AND state = 'active' AND query = 'COMMIT'`,
    );
    process.kill(waiting!.pid, 'SIGKILL');
    await request;
    await until('the coordinator is back', () =>
      onUrl(url, 'SELECT').then(
        () => true,
        () => false,
      ),
    );
  }

  const credit = ({ api, accountId }: Owner, key: string): Promise<Reply | null> =>
    api
      .post('/v1/transactions', aTransaction(accountId, { type: 'credit', amount: AMOUNT, reference: key }), {
        headers: { 'idempotency-key': key },
      })
      .catch(() => null);

  const visibleTo = ({ api }: Owner): Promise<any[]> =>
    until('the credit is visible', async () => {
      const { data } = (await api.get('/v1/transactions')).body;
      return data.length > 0 && data;
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

  /** Creates a credit with a key, kills the coordinator meanwhile, and repeats the request until it is acknowledged. */
  async function creditThroughKill(moment: Moment, key: string, owner: Owner) {
    const send = (): Promise<Reply | null> => credit(owner, key);
    await killAt(moment, send);
    return until('the repeat is acknowledged', async () => {
      const reply = await send();
      return reply?.status === 201 && reply;
    });
  }

  it.each<Moment>(['the worker has its part', 'the coordinator has committed'])(
    'when %s: a repeated Idempotency-Key books once',
    async (moment) => {
      const kills = repetitions({ short: 2, long: 10 });
      for (let kill = 1; kill <= kills; kill += 1) {
        const owner = await anOwner(service.api);
        const { body } = await creditThroughKill(moment, `key ${kill}`, owner);
        // A repeat is acknowledged as soon as the coordinator has committed, and visible when the worker has.
        const listed = await visibleTo(owner);
        expect(listed.map(({ id }: { id: string }) => id)).toEqual([body.id]);
        expect((await owner.api.get('/v1/account/balance')).body).toMatchObject({ posted: AMOUNT });
      }
      await until('no part is left prepared', async () => {
        const prepared = await onUrl<{ result: string }>(
          url,
          `SELECT result FROM run_command_on_workers(
             'SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database()')`,
        );
        return prepared.every(({ result }) => result === '0');
      });
      await ahead.runDueTasks();
      expect(await rolledUntil()).toBeGreaterThan(service.clock.now().getTime());
      expect(await faults()).toEqual([]);
      report('kill -9 of the coordinator', { moment, kills, bookedOnce: kills });
    },
  );

  it('leaves no gap in the totals, which stop before what a worker has not committed', async () => {
    const owner = await anOwner(service.api);
    const held = Promise.race(proxies.map((proxy) => proxy.holdAt('the coordinator has committed')));
    const posted = credit(owner, 'held');
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
    await killAt('the coordinator has committed', () => credit(owner, 'killed'));
    await ahead.runDueTasks();
    await visibleTo(owner);
    await ahead.runDueTasks();
    expect(await rolledUntil()).toBeGreaterThan(service.clock.now().getTime());
    expect(await faults()).toEqual([]);
  });

  it('books twice without two-phase commit, which shows that the kill is at the right moment', async () => {
    await onUrl(url, 'ALTER TABLE idempotency_records DISABLE TRIGGER citus_two_phase_commit');
    const owner = await anOwner(service.api);
    await creditThroughKill('the worker has its part', 'key', owner);
    expect((await owner.api.get('/v1/account/balance')).body).toMatchObject({ posted: 2 * AMOUNT });
  });
});
