import { DomainError } from '../../../src/kernel/domain-error';
import { Insertion, Tx } from '../../../src/platform/database/tx';
import { startTestDatabase, TestDatabase } from '../../support/database';

const JAR = 'SELECT beans, pg_current_xact_id()::text AS transaction FROM jars WHERE id = $1';
const TAKE = 'UPDATE jars SET beans = beans - $2 WHERE id = $1';

let it_: TestDatabase;
const beans = async (): Promise<number[]> =>
  (await it_.pool.query<{ beans: number }>('SELECT beans FROM jars ORDER BY id')).rows.map(
    (jar) => jar.beans,
  );

/** The statement that inserts any number of jars. */
const addJars = (count: number): string =>
  `INSERT INTO jars (id, beans) VALUES ${Array.from({ length: count }, (_, row) => `($${row * 2 + 1}, $${row * 2 + 2})`).join(', ')}`;
const jar = (id: number, count: number): Insertion => ({
  sql: addJars(1),
  params: [id, count],
  rows: 1,
  ofRows: addJars,
});

beforeAll(async () => {
  it_ = await startTestDatabase();
});
beforeEach(async () => {
  await it_.pool.query('TRUNCATE jars');
  await it_.pool.query('INSERT INTO jars (id, beans) SELECT id, 10 FROM generate_series(1, 5) AS id');
});
afterEach(async () => {
  const { rows } = await it_.pool.query(
    `SELECT state FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`,
  );
  expect(rows).toEqual([]);
  expect(it_.pool.idleCount).toBe(it_.pool.totalCount);
});
afterAll(() => it_.stop());

/** Locks a jar and changes it, grouped with concurrent tasks. @returns the id of the database transaction */
const about = (id: number, work: (tx: Tx) => unknown): Promise<string> =>
  it_.database.transaction(async (tx) => {
    const found = await tx.lockRow<{ transaction: string }>(JAR, [id]);
    await work(tx);
    return found!.transaction;
  }, String(id));
const take = (id: number, count: number) => about(id, (tx) => tx.enqueue(TAKE, [id, count]));

describe('Concurrent tasks', () => {
  it('with different keys share one database transaction', async () => {
    const transactions = await Promise.all([take(1, 1), take(2, 2), take(3, 3)]);
    expect(new Set(transactions).size).toBe(1);
    expect(await beans()).toEqual([9, 8, 7, 10, 10]);
  });

  it('with the same key do not, and each sees the result of the one before it', async () => {
    const seen: number[] = [];
    const takeOne = () =>
      about(1, async (tx) => {
        const [found] = await tx.query<{ beans: number }>(JAR, [1]);
        seen.push(found!.beans);
        tx.enqueue(TAKE, [1, 1]);
      });
    const transactions = await Promise.all(Array.from({ length: 8 }, takeOne));
    expect(new Set(transactions).size).toBe(8);
    expect(seen).toEqual([10, 9, 8, 7, 6, 5, 4, 3]);
    expect(await beans()).toEqual([2, 10, 10, 10, 10]);
  });

  it('insert their rows into a table with one statement', async () => {
    await it_.pool.query(`CREATE TABLE statements (added int);
      CREATE FUNCTION count_added() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO statements SELECT count(*) FROM added; RETURN NULL; END $$;
      CREATE TRIGGER counted AFTER INSERT ON jars REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION count_added()`);
    const add = (id: number) => about(id, (tx) => tx.enqueueInsert(jar(id + 10, id)));
    await Promise.all([add(1), add(2), add(3)]);
    const { rows } = await it_.pool.query('SELECT added FROM statements');
    await it_.pool.query('DROP TRIGGER counted ON jars; DROP FUNCTION count_added; DROP TABLE statements');
    expect(rows).toEqual([{ added: 3 }]);
    expect(await beans()).toEqual([10, 10, 10, 10, 10, 1, 2, 3]);
  });

  it('insert rows under a lock with one statement, after all other statements', async () => {
    const lock = 'SELECT beans FROM jars WHERE id = 5 FOR UPDATE';
    const ofRows = (count: number): string =>
      `WITH jar (id) AS (VALUES ${Array.from({ length: count }, (_, row) => `($${row + 1}::int)`).join(', ')})
       INSERT INTO jars (id, beans) SELECT id, (SELECT sum(beans) FROM jars WHERE jars.id <= 3) FROM jar`;
    const add = (id: number) =>
      about(id, (tx) => {
        tx.enqueueInsert({ lock, sql: ofRows(1), params: [id + 10], rows: 1, ofRows });
        tx.enqueue(TAKE, [id, id]);
      });
    await Promise.all([add(1), add(2), add(3)]);
    expect(await beans()).toEqual([9, 8, 7, 10, 10, 24, 24, 24]);
  });
});

describe('In a group', () => {
  const reject = () => {
    throw new DomainError('forbidden', 'No.');
  };

  it('a rejected task does not affect the others', async () => {
    const [one, rejected, three] = await Promise.allSettled([take(1, 1), about(2, reject), take(3, 3)]);
    expect(rejected).toMatchObject({ status: 'rejected', reason: { code: 'forbidden' } });
    expect([one, three].map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(await beans()).toEqual([9, 10, 7, 10, 10]);
  });

  it('leaves no write when it fails after sending some, and the others succeed', async () => {
    const tooLate = about(2, async (tx) => {
      tx.enqueue(TAKE, [2, 5]);
      await tx.query('SELECT 1', []);
      reject();
    });
    const [one, rejected, three] = await Promise.allSettled([take(1, 1), tooLate, take(3, 3)]);
    expect(rejected).toMatchObject({ status: 'rejected', reason: { code: 'forbidden' } });
    expect([one, three].map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(await beans()).toEqual([9, 10, 7, 10, 10]);
  });

  it('a task whose write violates a constraint fails alone', async () => {
    const taken = () => new DomainError('email_exists', 'Taken.');
    const clash = about(2, (tx) => tx.enqueue(addJars(1), [1, 1], { jars_id: taken }));
    const [one, rejected, three] = await Promise.allSettled([take(1, 1), clash, take(3, 3)]);
    expect(rejected).toMatchObject({ status: 'rejected', reason: { code: 'email_exists' } });
    expect([one, three].map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(await beans()).toEqual([9, 10, 7, 10, 10]);
  });

  it('fails alone when its query fails', async () => {
    const broken = about(2, (tx) => tx.query('SELECT 1 / (beans - beans) FROM jars WHERE id = $1', [2]));
    const readsToo = about(3, async (tx) => {
      await tx.query('SELECT 1', []);
      tx.enqueue(TAKE, [3, 3]);
    });
    const [one, failed, three] = await Promise.allSettled([take(1, 1), broken, readsToo]);
    expect(failed).toMatchObject({ status: 'rejected', reason: { code: '22012' } });
    expect([one, three].map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(await beans()).toEqual([9, 10, 7, 10, 10]);
  });

  it('waits alone for a lock that only it needs', async () => {
    const holder = await it_.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM jars WHERE id = 2 FOR UPDATE');
    let held = true;
    const waiting = take(2, 2).finally(() => expect(held).toBe(false));
    await Promise.all([take(1, 1), take(3, 3)]);
    expect(await beans()).toEqual([9, 10, 7, 10, 10]);
    held = false;
    await holder.query('COMMIT');
    await waiting;
    holder.release();
    expect(await beans()).toEqual([9, 8, 7, 10, 10]);
  });

  it('is unavailable when it waits too long for others with its key, which succeed', async () => {
    const holder = await it_.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM jars WHERE id = 2 FOR UPDATE');
    const now = vi.spyOn(performance, 'now');
    const [first, second] = [take(2, 1), take(2, 2)];
    await take(1, 1);
    now.mockReturnValue(performance.now() + 6_000);
    await take(1, 1); // each arrival and each end checks the queue
    now.mockRestore();
    await expect(second).rejects.toMatchObject({ code: 'unavailable' });
    await holder.query('COMMIT');
    holder.release();
    await first;
    expect(await beans()).toEqual([8, 9, 10, 10, 10]);
  });

  it('fails with all others when the connection is lost, and nothing is partially written', async () => {
    const killed = about(2, async (tx) => {
      tx.enqueue(TAKE, [2, 2]);
      await tx.query('SELECT pg_terminate_backend(pg_backend_pid())', []);
    });
    const results = await Promise.allSettled([take(1, 1), killed, take(3, 3)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await beans()).toEqual([10, 10, 10, 10, 10]);
  });
});
