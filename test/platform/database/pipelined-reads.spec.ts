import { Database } from '../../../src/platform/database/database';
import { PipelinedReads } from '../../../src/platform/database/engine/pipelined-reads';
import { twoServers } from '../../support/account-servers';
import { startTestDatabase, TestDatabase } from '../../support/database';
import { until } from '../../support/until';

const ADD = 'INSERT INTO jars (id, beans) VALUES ($1, $2)';
const READ = 'SELECT id, beans, pg_backend_pid() AS connection FROM jars WHERE id = $1';
const FAIL = 'SELECT 1 / (SELECT beans - beans FROM jars WHERE id = $1)';
const END_CONNECTION = 'SELECT pg_terminate_backend(pg_backend_pid()) FROM jars WHERE id = $1';

describe('Short reads', () => {
  let started: TestDatabase;
  let database: Database;
  const read = (id: number): Promise<{ id: number; connection: number }[]> => database.read(READ, [id], null);

  beforeAll(async () => {
    started = await startTestDatabase();
    database = started.database;
    for (let id = 1; id <= 20; id += 1) await database.query(ADD, [id, id]);
  });
  afterEach(async () => expect(await until(() => started.isIdle())).toBe(true));
  afterAll(() => started.stop());

  it('share a connection with others of the same moment, eight at a time', async () => {
    const rows = (await Promise.all(Array.from({ length: 20 }, (_, index) => read(index + 1)))).flat();
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    const connections = rows.map(({ connection }) => connection);
    const sharedBy = (first: number, last: number) => new Set(connections.slice(first, last)).size;
    expect([sharedBy(0, 8), sharedBy(8, 16), sharedBy(16, 20), sharedBy(0, 20)]).toEqual([1, 1, 1, 3]);
  });

  it('fail alone', async () => {
    const results = await Promise.allSettled([read(1), database.read(FAIL, [2], null), read(3)]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: { code: '22012' } });
  });

  it('fail for the reason of the first, where it could not be prepared for them', async () => {
    const missing = (): Promise<unknown> =>
      database.read('SELECT no_column FROM jars WHERE id = $1', [1], null);
    const results = await Promise.allSettled([missing(), read(2), missing(), missing()]);
    const codes = results.map((result) => (result.status === 'rejected' ? result.reason.code : 'fulfilled'));
    expect(codes).toEqual(['42703', 'fulfilled', '42703', '42703']);
  });

  it('share a connection only with those of the same server, where there are several', async () => {
    const reads = new PipelinedReads(started.pool, twoServers(Number));
    const of = ['0', '1', null, '0', '1', null];
    const results = await Promise.all(of.map((id) => reads.read({ sql: READ, params: [1] }, id)));
    const connections = results.map(([row]) => row!['connection'] as number);
    expect(connections.slice(3)).toEqual(connections.slice(0, 3));
    expect(new Set(connections).size).toBe(3);
  });

  it('see what was committed before them', async () => {
    await read(1);
    await database.query('UPDATE jars SET beans = 100 WHERE id = $1', [1]);
    expect(await read(1)).toMatchObject([{ beans: 100 }]);
  });

  it('fail together when their connection is lost, and the next ones use another', async () => {
    const results = await Promise.allSettled([database.read(END_CONNECTION, [1], null), read(2)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await read(2)).toMatchObject([{ id: 2 }]);
  });

  it('use at most half of the pool', async () => {
    const { pool } = started;
    const used: number[] = [];
    const count = (): unknown => used.push(pool.totalCount - pool.idleCount);
    pool.on('acquire', count);
    await Promise.all(Array.from({ length: 80 }, () => database.read('SELECT pg_sleep($1)', [0.01], null)));
    pool.off('acquire', count);
    expect(Math.max(...used)).toBe(5);
  });
});
