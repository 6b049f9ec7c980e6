import { Pool } from 'pg';
import { CitusShard, groupByServer } from '../../../../src/platform/database/citus/shard';
import { WorkerReads } from '../../../../src/platform/database/citus/worker-reads';
import { Way } from '../../../../src/platform/database/citus/worker-connections';
import { PipelinedReads } from '../../../../src/platform/database/engine/pipelined-reads';
import { describeOnOneServer } from '../../../support/citus';
import { startTestDatabase, TestDatabase } from '../../../support/database';

/** What a worker knows of the placement. Both workers are this server; a connection knows which it is. */
const CATALOG = `
  CREATE TABLE pg_dist_placement (shardid bigint, groupid int);
  CREATE VIEW pg_dist_local_group AS SELECT current_setting('test.groupid')::int AS groupid;`;

const MAX_READ = 3;

describeOnOneServer('Reads across accounts straight from the workers', 'it has the catalog itself', () => {
  let started: TestDatabase;
  let shards: Map<number, CitusShard[]>;
  let pools: Map<number, Pool>;
  let readsOn: jest.Mock<PipelinedReads | null, [number]>;
  let ways: Map<number, Way>;
  let reads: WorkerReads;

  const shardOf = (id: number): string => `jars_${id}`;
  const statementOf = (tables: readonly string[]) => ({
    sql: tables
      .map((table) => `SELECT id, (SELECT groupid FROM pg_dist_local_group) FROM ${table} WHERE id <= $1`)
      .join(' UNION ALL '),
    params: [MAX_READ],
  });
  const read = (server: number | null = null) =>
    reads.read<{ id: number; groupid: number }>('jars', statementOf, server);
  const swept = async () => (await reads.sweep('jars', statementOf))?.map(({ id }) => id).toSorted();
  /** A server that refuses connections. */
  const refuse = (refusing: number): void => {
    const others = readsOn.getMockImplementation()!;
    readsOn.mockImplementation((server) => {
      if (server !== refusing) return others(server);
      const pool = new Pool({ host: '127.0.0.1', port: 1 });
      pools.set(-server, pool);
      return new PipelinedReads(pool);
    });
  };
  const sorted = async () => (await read())?.toSorted((one, other) => one.id - other.id);

  async function reread(): Promise<void> {
    const { rows } = await started.pool.query<{ id: string; server: number }>(
      'SELECT shardid::text AS id, groupid AS server FROM pg_dist_placement',
    );
    const all = rows.map(
      (row) => new CitusShard({ from: 0, to: 0, tables: { jars: `jars_${row.id}` }, ...row }, /^$/),
    );
    shards = groupByServer(all);
  }

  beforeAll(async () => {
    started = await startTestDatabase();
    await started.pool.query(CATALOG);
  });
  beforeEach(async () => {
    for (const id of [1, 2, 3, 4])
      await started.pool.query(
        `CREATE TABLE ${shardOf(id)} (LIKE jars); INSERT INTO ${shardOf(id)} VALUES (${id}, 0);
         INSERT INTO pg_dist_placement VALUES (${id}, ${id === 1 ? 1 : 2})`,
      );
    await reread();
    pools = new Map();
    readsOn = jest.fn((server: number) => {
      const { connectionString } = started.pool.options;
      const pool = pools.get(server) ?? new Pool({ connectionString, options: `-c test.groupid=${server}` });
      pools.set(server, pool);
      return new PipelinedReads(pool);
    });
    ways = new Map([1, 2].map((server) => [server, 'straight']));
    reads = new WorkerReads({
      shardsByServer: () => shards,
      reread,
      wayTo: (server) => ways.get(server)!,
      readsOn,
      doubt: (server) => ways.set(server, 'unknown'),
    });
  });
  afterEach(async () => {
    await Promise.all([...pools.values()].map((pool) => pool.end()));
    await started.pool.query('TRUNCATE pg_dist_placement; DROP TABLE jars_1, jars_2, jars_3, jars_4');
  });
  afterAll(() => started.stop());

  it('return the rows of every worker', async () => {
    expect(await sorted()).toMatchObject([
      { id: 1, groupid: 1 },
      { id: 2, groupid: 2 },
      { id: 3, groupid: 2 },
    ]);
  });

  it('return the rows of one worker, and ask no other', async () => {
    expect(await read(1)).toMatchObject([{ id: 1, groupid: 1 }]);
    expect(pools.has(2)).toBe(false);
  });

  it('return nothing where no row matches', async () => {
    await started.pool.query('TRUNCATE jars_1, jars_2, jars_3');
    expect(await read()).toEqual([]);
  });

  it('read each row once, where it is, after a shard has moved', async () => {
    await read();
    await started.pool.query('UPDATE pg_dist_placement SET groupid = 1 WHERE shardid = 2');
    expect(await sorted()).toMatchObject([
      { id: 1, groupid: 1 },
      { id: 2, groupid: 1 },
      { id: 3, groupid: 2 },
    ]);
  });

  it('find a shard that was split, whose table is gone', async () => {
    await read();
    await started.pool.query(
      `ALTER TABLE jars_3 RENAME TO jars_30;
       UPDATE pg_dist_placement SET shardid = 30 WHERE shardid = 3`,
    );
    expect((await sorted())?.map(({ id }) => id)).toEqual([1, 2, 3]);
    await started.pool.query('ALTER TABLE jars_30 RENAME TO jars_3');
  });

  it('are left to the coordinator when a worker cannot be reached, which is then doubted', async () => {
    refuse(2);
    expect(await read()).toBeNull();
    expect(ways).toEqual(
      new Map([
        [1, 'straight'],
        [2, 'unknown'],
      ]),
    );
    expect(await read(1)).toHaveLength(1);
  });

  it('are rejected at once while nothing reaches a worker that they need', async () => {
    ways.set(2, 'none');
    for (const server of [null, 2]) await expect(read(server)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await read(1)).toHaveLength(1);
  });

  it('of background work return the rows of the workers that respond', async () => {
    expect(await swept()).toEqual([1, 2, 3]);
    refuse(2);
    expect(await swept()).toEqual([1]);
    readsOn.mockClear();
    for (const way of ['unknown', 'none'] as const) {
      ways.set(2, way);
      expect(await swept()).toEqual([1]);
    }
    expect(readsOn).not.toHaveBeenCalledWith(2);
  });

  it('of background work are left to the coordinator where none responds, or it is the way', async () => {
    ways = new Map([1, 2].map((server) => [server, 'none']));
    expect(await swept()).toBeUndefined();
    ways = new Map([1, 2].map((server) => [server, 'straight']));
    readsOn.mockReturnValueOnce(null);
    expect(await swept()).toBeUndefined();
  });

  it('of a table that is not distributed are left to the coordinator', async () => {
    expect(await reads.sweep('users', statementOf)).toBeNull();
    expect(await reads.read('users', statementOf, 1)).toBeNull();
  });

  it('are left to the coordinator while there is no way to a worker, and no longer', async () => {
    readsOn.mockReturnValueOnce(null);
    expect(await read()).toBeNull();
    expect(await sorted()).toHaveLength(MAX_READ);
  });

  it('are left to the coordinator while shards move all the time', async () => {
    await started.pool.query('CREATE SEQUENCE moves; ALTER VIEW pg_dist_local_group RENAME TO stays');
    await started.pool.query(
      "CREATE VIEW pg_dist_local_group AS SELECT nextval('moves')::int + 9 AS groupid",
    );
    expect(await read()).toBeNull();
    await started.pool.query('DROP VIEW pg_dist_local_group; ALTER VIEW stays RENAME TO pg_dist_local_group');
  });
});
