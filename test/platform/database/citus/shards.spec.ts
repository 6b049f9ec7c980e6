import { Pool } from 'pg';
import { newId, nextId } from '../../../../src/kernel/ids';
import { hashOfText } from '../../../../src/kernel/hash-of-text';
import { CitusWorkers } from '../../../../src/platform/database/citus/citus-workers';
import { CitusShard, holdShards } from '../../../../src/platform/database/citus/shard';
import { Database } from '../../../../src/platform/database/database';
import { similarPool } from '../../../../src/platform/database/engine/data-source';
import { Tx } from '../../../../src/platform/database/tx';
import { twoServers } from '../../../support/account-servers';
import { describeOnOneServer } from '../../../support/citus';
import { startTestDatabase, TestDatabase } from '../../../support/database';
import { until } from '../../../support/until';

const LOCAL = /\b(users)\b/;
const shards = [
  new CitusShard({ id: '1', from: -(2 ** 31), to: -1, server: 0, tables: { purses: 'purses_1' } }, LOCAL),
  new CitusShard({ id: '2', from: 0, to: 2 ** 31 - 1, server: 0, tables: { purses: 'purses_2' } }, LOCAL),
] as const;

/** Returns the id of an account of a shard. */
function anAccountIn(shard: CitusShard): string {
  for (;;) {
    const id = newId('acc', new Date());
    if (shard.has(id)) return id;
  }
}

const LOCK = 'SELECT account_id, coins FROM purses WHERE account_id = $1';
const ADD = 'UPDATE purses SET coins = coins + 1 WHERE account_id = $1';
const READ = 'SELECT coins FROM purses WHERE account_id = $1';

describe('The workers of Citus', () => {
  /** What their catalog says of that many shards, on three workers. */
  function catalog(count: number): Database['query'] {
    const size = 2 ** 32 / count;
    const rows = Array.from({ length: count }, (_, index) => {
      const from = -(2 ** 31) + index * size;
      return { id: `${index}`, from, to: from + size - 1, server: 1 + (index % 3), tables: {} };
    });
    const answers: [part: string, rows: object[]][] = [
      ['pg_dist_placement', rows],
      ['c.oid::regclass', []], // all tables are placed
      ['relname AS name', [{ name: 'users' }]],
    ];
    return async <Row extends object>(sql: string) =>
      (answers.find(([part]) => sql.includes(part))?.[1] ?? [{}]) as Row[];
  }

  it.each([4, 8, 64])('know by an id which of %d shards has its account', async (count) => {
    const workers = new CitusWorkers();
    await workers.start({ query: catalog(count) } as Database);
    expect(workers.count).toBe(3);
    const now = new Date();
    for (let account = newId('acc', now), tries = 0; tries < 200; account = newId('acc', now), tries += 1) {
      const server = workers.serverOf(account);
      expect(workers.serverOfId(nextId('txn', account, null, now).id)).toBe(server);
      expect(workers.serverOfId(newId('whk', now, account))).toBe(server);
    }
  });
});

describe('A shard', () => {
  const [one, other] = shards;

  it('has the accounts of a range of hashes', () => {
    const id = anAccountIn(one);
    expect(hashOfText(id)).toBeLessThan(0);
    expect([one.has(id), other.has(id)]).toEqual([true, false]);
  });

  it.each([
    ['SELECT * FROM purses WHERE id = $1', 'SELECT * FROM purses_1 WHERE id = $1'],
    ['UPDATE "purses" SET a = 1 WHERE purses.id = $1', 'UPDATE "purses_1" SET a = 1 WHERE purses_1.id = $1'],
    ["SELECT 'purses' FROM purses", "SELECT 'purses' FROM purses_1"],
    ['SELECT 1 AS purses FROM purses', 'SELECT 1 AS purses FROM purses_1'],
    [
      'SELECT my_purses, purses_id, constructor FROM purses',
      'SELECT my_purses, purses_id, constructor FROM purses_1',
    ],
  ])('names its tables in %s', (sql, named) => {
    expect(one.named(sql)).toBe(named);
  });

  it('runs what names its accounts only', () => {
    const [here, elsewhere] = [anAccountIn(one), anAccountIn(other)];
    expect(one.runs(LOCK, [here])).toBe(true);
    expect(one.runs(LOCK, ['a note', [here, here], null, 7])).toBe(true);
    expect(one.runs(LOCK, [elsewhere])).toBe(false);
    expect(one.runs(LOCK, [[here, elsewhere]])).toBe(false);
    expect(one.runs(LOCK, [here, elsewhere])).toBe(false);
  });

  it('runs nothing that may reach accounts that it does not name, or other tables', () => {
    expect(one.runs('SELECT count(*) FROM purses', [])).toBe(false);
    expect(one.runs('SELECT id FROM users WHERE account_id = $1', [anAccountIn(one)])).toBe(false);
    expect(one.runs('SELECT total FROM made_after_the_start WHERE account_id = $1', [anAccountIn(one)])).toBe(
      false,
    );
  });
});

/** What the service reads and calls of Citus. Each connection knows which server it is to. */
const CATALOG = `
  CREATE TABLE pg_dist_placement (shardid bigint, groupid int);
  CREATE VIEW pg_dist_local_group AS SELECT current_setting('test.groupid')::int AS groupid;
  CREATE FUNCTION lock_shard_metadata(mode int, ids bigint[]) RETURNS void LANGUAGE sql AS $$
    SELECT pg_advisory_xact_lock_shared(id) FROM unnest(ids) AS id $$;
  CREATE TABLE purses (account_id text PRIMARY KEY, coins int NOT NULL);
  CREATE TABLE purses_1 (LIKE purses INCLUDING ALL);
  CREATE TABLE purses_2 (LIKE purses INCLUDING ALL);`;

describeOnOneServer('By the shards of a worker', 'it has the catalog itself', () => {
  let started: TestDatabase;
  let worker: Pool;
  let database: Database;
  let accounts: string[];
  let moves: number;

  const shardOf = (id: string): CitusShard => shards.find((shard) => shard.has(id))!;
  const add = (id: string, also?: (tx: Tx) => unknown): Promise<unknown> =>
    database.runFor(id, () =>
      database.transaction(async (tx) => {
        await tx.lockRow(LOCK, [id]);
        tx.enqueue(ADD, [id]);
        await also?.(tx);
      }, id),
    );
  const sums = async (): Promise<number[]> => {
    const ofTable = (table: string) => `(SELECT coalesce(sum(coins), 0)::int FROM ${table})`;
    const { rows } = await started.pool.query<{ sums: number[] }>(
      `SELECT ARRAY[${['purses', 'purses_1', 'purses_2'].map(ofTable).join(', ')}] AS sums`,
    );
    return rows[0]!.sums;
  };
  /** Moves the first shard to another server: what was there stays. Elsewhere, Citus finds it as `purses`. */
  const MOVE = `INSERT INTO purses SELECT * FROM purses_1; UPDATE pg_dist_placement SET groupid = 2 WHERE shardid = 1`;

  beforeAll(async () => {
    started = await startTestDatabase();
    await started.pool.query(CATALOG);
    worker = similarPool(started.pool, 4, { options: '-c test.groupid=1' });
    const servers = twoServers(() => 0, {
      connect: (server) => (server < 0 ? null : worker.connect()),
      shardOf,
      hold: holdShards,
      noticeMove: () => (moves += 1),
    });
    database = started.over(servers);
  });
  beforeEach(async () => {
    moves = 0;
    accounts = [shards[0], shards[0], shards[1], shards[1]].map(anAccountIn);
    await started.pool.query('INSERT INTO pg_dist_placement VALUES (1, 1), (2, 1)');
    for (const id of accounts)
      await started.pool.query(`INSERT INTO purses_${shardOf(id).id} VALUES ($1, 0)`, [id]);
  });
  afterEach(() => started.pool.query('TRUNCATE pg_dist_placement, purses, purses_1, purses_2'));
  afterAll(async () => {
    await worker.end();
    await started.stop();
  });

  it('no column has the name of a table, which would be taken for it', async () => {
    const { rows } = await started.pool.query(
      `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'
       AND column_name IN (SELECT table_name FROM information_schema.tables WHERE table_schema = 'public')`,
    );
    expect(rows).toEqual([]);
  });

  it('transactions write each row to the shard of its account', async () => {
    await Promise.all(accounts.flatMap((id) => [add(id), add(id)]));
    expect(await sums()).toEqual([0, 4, 4]);
  });

  it('a statement about an account of another shard runs through Citus', async () => {
    const [here, , elsewhere] = accounts as [string, string, string];
    await started.pool.query('INSERT INTO purses VALUES ($1, 0), ($2, 0)', [here, elsewhere]);
    await add(here, (tx) => tx.enqueue(ADD, [elsewhere]));
    expect(await sums()).toEqual([2, 0, 0]);
  });

  it('a group writes nothing to a shard that has moved, and none of its tasks fails', async () => {
    await started.pool.query(MOVE);
    await started.pool.query(`INSERT INTO purses SELECT * FROM purses_2`);
    await Promise.all(accounts.map((id) => add(id)));
    expect(await sums()).toEqual([4, 0, 0]);
  });

  it('a group that waits for the end of a move sees it', async () => {
    const move = await started.pool.connect();
    await move.query('BEGIN; SELECT pg_advisory_xact_lock(1)');
    const added = add(accounts[0]!);
    await until(async () => (await waiting()) === 1);
    await move.query(MOVE);
    await move.query('COMMIT');
    move.release();
    await added;
    expect(await sums()).toEqual([1, 0, 0]);
  });

  it('a move waits for the end of a group', async () => {
    const move = await started.pool.connect();
    await move.query('BEGIN');
    let locked!: Promise<unknown>;
    await add(accounts[0]!, async (tx) => {
      await tx.read(READ, [accounts[0]]);
      locked = move.query('SELECT pg_advisory_xact_lock(1)');
      await until(async () => (await waiting()) === 1);
    });
    await locked;
    await move.query(MOVE);
    await move.query('COMMIT');
    move.release();
    expect(await sums()).toEqual([1, 1, 0]);
  });

  it('reads find the rows, in their order, or none', async () => {
    const [one, other] = accounts as [string, string];
    await add(one);
    const sql = 'SELECT account_id FROM purses WHERE account_id = ANY ($1) ORDER BY coins DESC';
    expect(await database.read(sql, [[other, one]], one)).toMatchObject([
      { account_id: one },
      { account_id: other },
    ]);
    expect(await database.read(READ, [anAccountIn(shards[0])], one)).toEqual([]);
    expect(moves).toBe(0);
  });

  it('reads of a shard that has moved are repeated where it is now', async () => {
    const [moved, , stayed] = accounts as [string, string, string];
    await started.pool.query(MOVE);
    await started.pool.query('UPDATE purses SET coins = 5');
    const read = (id: string): Promise<unknown[]> => database.read(READ, [id], id);
    expect(await Promise.all([read(moved), read(stayed), read(moved)])).toMatchObject([
      [{ coins: 5 }],
      [{ coins: 0 }],
      [{ coins: 5 }],
    ]);
    expect(moves).toBe(1);
  });

  it('reads of a shard whose tables are gone are repeated, too', async () => {
    await started.pool.query(`${MOVE}; ALTER TABLE purses_1 RENAME TO purses_gone`);
    expect(await database.read(READ, [accounts[0]], accounts[0]!)).toMatchObject([{ coins: 0 }]);
    await started.pool.query('ALTER TABLE purses_gone RENAME TO purses_1');
  });

  async function waiting(): Promise<number> {
    const { rows } = await started.pool.query<{ count: number }>(
      `SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`,
    );
    return rows[0]!.count;
  }
});
