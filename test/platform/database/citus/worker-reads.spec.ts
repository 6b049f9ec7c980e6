import { Pool } from 'pg';
import { WorkerReads } from '../../../../src/platform/database/citus/worker-reads';
import { describeOnOneServer } from '../../../support/citus';
import { startTestDatabase, TestDatabase } from '../../../support/database';

/** What the service reads of the catalog of Citus. Both workers are this server; a connection knows which it is. */
const CATALOG = `
  CREATE TABLE pg_dist_partition (logicalrelid regclass, partmethod "char");
  CREATE TABLE pg_dist_shard (logicalrelid regclass, shardid bigint);
  CREATE TABLE pg_dist_placement (shardid bigint, groupid int);
  CREATE TABLE pg_dist_node (groupid int, nodename text, nodeport int, noderole text);
  CREATE VIEW pg_dist_local_group AS SELECT current_setting('test.groupid')::int AS groupid;
  CREATE FUNCTION shard_name(regclass, bigint) RETURNS text LANGUAGE sql AS $$ SELECT $1 || '_' || $2 $$;
  INSERT INTO pg_dist_partition VALUES ('jars', 'h');
  INSERT INTO pg_dist_node VALUES (1, 'one', 1, 'primary'), (2, 'two', 2, 'primary'), (3, 'empty', 3, 'primary');`;

const MAX_READ = 3;

describeOnOneServer('Reads across accounts straight from the workers', 'it has the catalog itself', () => {
  let started: TestDatabase;
  let pools: Map<string, Pool>;
  let connect: jest.Mock<Pool, [string, number]>;
  let reads: WorkerReads;

  const shardOf = (id: number): string => `jars_${id}`;
  const read = (server: number | null = null): Promise<{ id: number; groupid: number }[] | null> =>
    reads.read(
      'jars',
      (tables) => ({
        sql: tables
          .map((table) => `SELECT id, (SELECT groupid FROM pg_dist_local_group) FROM ${table} WHERE id <= $1`)
          .join(' UNION ALL '),
        params: [MAX_READ],
      }),
      server,
    );
  const sorted = async () => (await read())?.toSorted((one, other) => one.id - other.id);

  beforeAll(async () => {
    started = await startTestDatabase();
    await started.pool.query(CATALOG);
  });
  beforeEach(async () => {
    for (const id of [1, 2, 3, 4])
      await started.pool.query(
        `CREATE TABLE ${shardOf(id)} (LIKE jars); INSERT INTO ${shardOf(id)} VALUES (${id}, 0);
         INSERT INTO pg_dist_shard VALUES ('jars', ${id});
         INSERT INTO pg_dist_placement VALUES (${id}, ${id === 1 ? 1 : 2})`,
      );
    pools = new Map();
    connect = jest.fn((host: string, groupid: number) => {
      const { connectionString } = started.pool.options;
      const pool = pools.get(host) ?? new Pool({ connectionString, options: `-c test.groupid=${groupid}` });
      pools.set(host, pool);
      return pool;
    });
    reads = new WorkerReads(async (sql) => (await started.pool.query(sql)).rows, connect);
  });
  afterEach(async () => {
    await Promise.all([...pools.values()].map((pool) => pool.end()));
    await started.pool.query(
      'TRUNCATE pg_dist_shard, pg_dist_placement; DROP TABLE jars_1, jars_2, jars_3, jars_4',
    );
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
    expect(pools.get('two')!.totalCount).toBe(0);
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
      `ALTER TABLE jars_3 RENAME TO jars_30; UPDATE pg_dist_shard SET shardid = 30 WHERE shardid = 3;
       UPDATE pg_dist_placement SET shardid = 30 WHERE shardid = 3`,
    );
    expect((await sorted())?.map(({ id }) => id)).toEqual([1, 2, 3]);
    await started.pool.query('ALTER TABLE jars_30 RENAME TO jars_3');
  });

  it('are left to the coordinator for a minute when a worker cannot be reached', async () => {
    const now = jest.spyOn(performance, 'now');
    connect.mockImplementation((host) => {
      const pool = new Pool({ host: '127.0.0.1', port: 1 });
      pools.set(host, pool);
      return pool;
    });
    expect(await read()).toBeNull();
    const { length } = connect.mock.calls;
    expect(await read()).toBeNull();
    expect(connect).toHaveBeenCalledTimes(length);
    now.mockReturnValue(performance.now() + 60_001);
    expect(await read()).toBeNull();
    expect(connect.mock.calls.length).toBeGreaterThan(length);
    now.mockRestore();
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
