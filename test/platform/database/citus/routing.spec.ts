import { Pool } from 'pg';
import { newId } from '../../../../src/kernel/ids';
import { allTables } from '../../../../src/platform/database/citus/shard';
import { WorkerConnections } from '../../../../src/platform/database/citus/worker-connections';
import { Database } from '../../../../src/platform/database/database';
import { Pools, similarPool } from '../../../../src/platform/database/engine/data-source';
import { RowKey, Tx } from '../../../../src/platform/database/tx';
import { twoServers } from '../../../support/account-servers';
import { startTestDatabase, TestDatabase } from '../../../support/database';
import { SentStatements } from '../../../support/sent-statements';

const WAY = `SELECT current_setting('application_name') AS way`;
const LOCK = 'SELECT id FROM jars WHERE id = $1';
const ADD = 'UPDATE jars SET beans = beans + 1 WHERE id = $1';
const ACCOUNTS = [newId('acc', new Date()), newId('acc', new Date())] as const;

/** Routing by a double of the placement: what goes straight to a server says so in the name of its session. */
describe('On several servers', () => {
  let started: TestDatabase;
  let straight: Pool;
  let database: Database;
  /** Whether the servers can be reached straight. */
  let isReachable = true;
  let connected: [server: number, isBackground: boolean][] = [];

  beforeAll(async () => {
    started = await startTestDatabase();
    straight = similarPool(started.pool, 4, { application_name: 'straight' });
    const withoutUsers = { ...allTables(() => true), runs: (sql: string) => !/users/.test(sql) };
    const servers = twoServers((id) => Math.max(0, ACCOUNTS.indexOf(id)), {
      connect: (server, isBackground) => {
        if (server < 0 || !isReachable) return null;
        connected.push([server, isBackground]);
        return straight.connect();
      },
      shardOf: () => withoutUsers,
    });
    database = started.over(servers);
    await started.pool.query('INSERT INTO jars (id, beans) VALUES (0, 0), (1, 0)');
  });
  beforeEach(() => {
    isReachable = true;
    connected = [];
  });
  afterAll(async () => {
    await straight.end();
    await started.stop();
  });

  /** Locks the jar of an account, adds a bean to it, and returns the way on which this was. */
  const addIn = async (tx: Tx, at: 0 | 1, also?: (tx: Tx) => unknown): Promise<string> => {
    await tx.lockRow(LOCK, [at]);
    tx.enqueue(ADD, [at]);
    await also?.(tx);
    const [row] = await tx.read<{ way: string }>(WAY, []);
    return row!.way;
  };
  const add = (at: 0 | 1, also?: (tx: Tx) => unknown): Promise<string> =>
    database.transaction((tx) => addIn(tx, at, also), ACCOUNTS[at]);
  const as = <T>(holder: string, work: () => Promise<T>): Promise<T> => database.runFor(holder, work);
  const beans = async (): Promise<number[]> =>
    (await started.pool.query('SELECT beans FROM jars ORDER BY id')).rows.map((row) => row.beans);

  it('transactions of an account go straight to its server', async () => {
    const before = await beans();
    expect(await Promise.all(ACCOUNTS.map((id, at) => as(id, () => add(at as 0 | 1))))).toEqual([
      'straight',
      'straight',
    ]);
    expect(connected.toSorted()).toEqual([
      [0, false],
      [1, false],
    ]);
    expect(await beans()).toEqual(before.map((count) => count + 1));
  });

  it('transactions of background work go straight, on connections of its own', async () => {
    expect(await add(0)).toBe('straight');
    expect(connected).toEqual([[0, true]]);
  });

  it('so do those of the operators, which are about one account', async () => {
    expect(await as('usr_admin', () => add(0))).toBe('straight');
    expect(connected).toEqual([[0, false]]);
  });

  it.each([
    ['an operator goes through the coordinator, where the key is', null, 'countinghouse'],
    ['an account goes straight to its server', ACCOUNTS[0], 'straight'],
  ])('a creation with a key of %s', async (_, accountId, way) => {
    const operation = { principal: 'them', accountId, key: newId('txn', new Date()), request: '' };
    const render = (taken: string): object => ({ taken });
    const work = (tx: Tx): Promise<string> => addIn(tx, 0);
    const { body } = await as('them', () => database.idempotent({ ...operation, render }, work, ACCOUNTS[0]));
    expect(JSON.parse(body)).toEqual({ taken: way });
  });

  it('a transaction that names what only the coordinator has runs there, once, and others go straight', async () => {
    const before = await beans();
    const naming: ((tx: Tx) => unknown)[] = [
      (tx) => tx.enqueue('DELETE FROM users WHERE false', []),
      (tx) => tx.read('SELECT id FROM users LIMIT 1', []),
      (tx) => tx.query('SELECT id FROM users LIMIT 1 FOR UPDATE', []),
    ];
    for (const also of naming) {
      const [local, other] = await Promise.all([
        as(ACCOUNTS[0], () => add(0, also)),
        as(ACCOUNTS[0], () => add(0)),
      ]);
      expect([local, other]).toEqual(['countinghouse', 'straight']);
    }
    expect(await beans()).toEqual([before[0]! + 2 * naming.length, before[1]]);
  });

  it('transactions that lock several accounts share one, through the coordinator, with a statement for each row', async () => {
    const before = await beans();
    const keyOf = (id: number): RowKey => ({
      sql: 'SELECT id FROM jars WHERE id = ANY ($1::int[])',
      columns: ['id'],
      row: `jars ${id}`,
      key: String(id),
    });
    const addToBoth = (ids: readonly number[]) =>
      database.transaction(async (tx) => {
        for (const id of ids) {
          const { row } = keyOf(id);
          const values = (await tx.lockRow<{ id: number }>(LOCK, [id], keyOf(id)))!;
          tx.enqueueUpdate({ sql: ADD, params: [id], row, mergedSql: null, values });
        }
        const sql = `${WAY}, pg_current_xact_id()::text AS transaction`;
        return (await tx.read<{ way: string; transaction: string }>(sql, []))[0]!;
      }, ids.map(keyOf));
    const sent = new SentStatements();
    const [one, other] = await Promise.all([
      as(ACCOUNTS[0], () => addToBoth([0, 1])),
      as(ACCOUNTS[1], () => addToBoth([1, 0])),
    ]).finally(() => sent.stop());
    expect(one).toEqual({ way: 'countinghouse', transaction: other.transaction });
    expect(sent.timesSent('FOR UPDATE')).toBe(2);
    expect(connected).toEqual([]);
    expect(await beans()).toEqual(before.map((count) => count + 2));
  });

  it('all goes through the coordinator while a server cannot be reached', async () => {
    isReachable = false;
    expect(await as(ACCOUNTS[0], () => add(0))).toBe('countinghouse');
    expect(await database.read(WAY, [], ACCOUNTS[1])).toEqual([{ way: 'countinghouse' }]);
  });

  it('reads of an account go straight to its server, others through the coordinator', async () => {
    const ways = await Promise.all([
      database.read(WAY, [], ACCOUNTS[0]),
      database.read(WAY, [], null),
      database.read(`${WAY} FROM (SELECT count(*) FROM users) AS counted`, [], ACCOUNTS[0]),
    ]);
    expect(ways.flat()).toEqual([{ way: 'straight' }, { way: 'countinghouse' }, { way: 'countinghouse' }]);
    expect(connected).toEqual([[0, false]]);
  });
});

describe('Connections straight to a worker', () => {
  let started: TestDatabase;
  let pools: Pools;
  let connections: WorkerConnections;
  let address: { server: number; host: string; port: number };
  const prepared: Pool[] = [];

  beforeAll(async () => {
    started = await startTestDatabase();
    const client = await started.pool.connect();
    address = { server: 1, host: client.host, port: client.port };
    client.release();
    pools = new Pools({ driver: { master: started.pool } } as never, (pool) => prepared.push(pool));
    connections = new WorkerConnections(pools);
  });
  afterAll(async () => {
    await connections.close();
    await pools.end();
    await started.stop();
  });

  /** What the coordinator reports of the server under an address: the truth, or of another one. */
  const coordinator = (identity?: string) => async (): Promise<any[]> => [
    {
      id:
        identity ??
        (await started.pool.query('SELECT system_identifier AS id FROM pg_control_system()')).rows[0].id,
    },
  ];

  it('are not used to a server that the coordinator knows as another one', async () => {
    await connections.update([address], coordinator('7300000000000000000'));
    expect(await connections.connect(1, false)).toBeNull();
  });

  it('have the role, the database and the settings of those to the coordinator, and generic plans', async () => {
    await connections.update([address], coordinator());
    const client = (await connections.connect(1, false))!;
    const { rows } = await client.query(
      `SELECT current_user AS role, current_database() AS database, current_setting('statement_timeout') AS timeout,
         current_setting('random_page_cost') AS cost, current_setting('plan_cache_mode') AS plans`,
    );
    client.release();
    const own = await started.pool.query('SELECT current_user AS role, current_database() AS database');
    expect(rows).toEqual([{ ...own.rows[0], timeout: '15s', cost: '1', plans: 'force_generic_plan' }]);
    expect(prepared).toHaveLength(5);
    expect(await connections.connect(2, false)).toBeNull();
  });

  it('are replaced when the worker has another address, and not used until it can be reached', async () => {
    await connections.update([{ ...address, port: 1 }], coordinator());
    expect(await connections.connect(1, false)).toBeNull();
    await connections.update([address], coordinator());
    const client = await connections.connect(1, true);
    expect(client).not.toBeNull();
    client!.release();
    await connections.update([], coordinator());
    expect(await connections.connect(1, true)).toBeNull();
  });

  it('are left after a failure until the worker is checked again', async () => {
    await connections.update([address], coordinator());
    const pool = prepared.at(-2)!; // that of requests
    const failed = jest.spyOn(pool, 'connect');
    failed.mockRejectedValueOnce(new Error('Refused.') as never);
    expect(await connections.connect(1, false)).toBeNull();
    failed.mockRestore();
    expect(await connections.connect(1, false)).toBeNull();
    await connections.update([address], coordinator());
    const client = await connections.connect(1, false);
    expect(client).not.toBeNull();
    client!.release();
  });

  it('are rejected while neither this process nor the coordinator reaches the worker', async () => {
    const unreachable = { ...address, server: 3, port: 1 };
    const failing = (failure: Error) =>
      connections.update([address, unreachable], async (_, [, port]) => {
        if (port === 1) throw failure;
        return coordinator()();
      });
    // It says nothing about the worker that no connection to the coordinator is free.
    await failing(new Error('timeout exceeded when trying to connect'));
    expect(await connections.connect(3, false)).toBeNull();
    await failing(
      Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' }),
    );
    await expect(connections.connect(3, false)).rejects.toMatchObject({ code: 'unavailable' });
    expect([3, 1].map((server) => connections.wayTo(server))).toEqual(['none', 'straight']);
    // The coordinator reaches it again.
    await connections.update([address, unreachable], coordinator());
    expect(await connections.connect(3, false)).toBeNull();
  });
});
