import { Refusal } from '../../../src/kernel/refusal';
import { Insertion } from '../../../src/platform/database/table';
import { Tx } from '../../../src/platform/database/tx';
import { startTestDatabase, TestDatabase } from '../../support/database';

const JAR = 'SELECT beans, pg_current_xact_id()::text AS transaction FROM jars WHERE id = $1';
const TAKE = 'UPDATE jars SET beans = beans - $2 WHERE id = $1';

let it_: TestDatabase;
const beans = async (): Promise<number[]> =>
  (await it_.pool.query<{ beans: number }>('SELECT beans FROM jars ORDER BY id')).rows.map(
    (jar) => jar.beans,
  );

/** The text that adds any number of jars. */
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

/** Locks a jar and does something with it, together with whoever else comes. @returns the transaction it was done in */
const about = (id: number, work: (tx: Tx) => unknown): Promise<string> =>
  it_.database.atomically(
    null,
    async (tx) => {
      const found = await tx.lockRow<{ transaction: string }>(JAR, [id]);
      await work(tx);
      return found!.transaction;
    },
    String(id),
  );
const take = (id: number, count: number) => about(id, (tx) => tx.write(TAKE, [id, count]));

describe('Works that come together', () => {
  it('about different things share one transaction', async () => {
    const transactions = await Promise.all([take(1, 1), take(2, 2), take(3, 3)]);
    expect(new Set(transactions).size).toBe(1);
    expect(await beans()).toEqual([9, 8, 7, 10, 10]);
  });

  it('about the same thing do not, and each finds what the one before it left', async () => {
    const seen: number[] = [];
    const takeOne = () =>
      about(1, async (tx) => {
        const [found] = await tx.read<{ beans: number }>(JAR, [1]);
        seen.push(found!.beans);
        tx.write(TAKE, [1, 1]);
      });
    const transactions = await Promise.all(Array.from({ length: 8 }, takeOne));
    expect(new Set(transactions).size).toBe(8);
    expect(seen).toEqual([10, 9, 8, 7, 6, 5, 4, 3]);
    expect(await beans()).toEqual([2, 10, 10, 10, 10]);
  });

  it('add their rows to one table in one statement', async () => {
    await it_.pool.query(`CREATE TABLE statements (added int);
      CREATE FUNCTION count_added() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO statements SELECT count(*) FROM added; RETURN NULL; END $$;
      CREATE TRIGGER counted AFTER INSERT ON jars REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION count_added()`);
    const add = (id: number) => about(id, (tx) => tx.insert(jar(id + 10, id)));
    await Promise.all([add(1), add(2), add(3)]);
    const { rows } = await it_.pool.query('SELECT added FROM statements');
    await it_.pool.query('DROP TRIGGER counted ON jars; DROP FUNCTION count_added; DROP TABLE statements');
    expect(rows).toEqual([{ added: 3 }]);
    expect(await beans()).toEqual([10, 10, 10, 10, 10, 1, 2, 3]);
  });
});

describe('In a group', () => {
  const refuse = () => {
    throw new Refusal('forbidden', 'No.');
  };

  it('a refusal is its own affair', async () => {
    const [one, refused, three] = await Promise.allSettled([take(1, 1), about(2, refuse), take(3, 3)]);
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'forbidden' } });
    expect([one, three].map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(await beans()).toEqual([9, 10, 7, 10, 10]);
  });

  it('one that had sent writes before it refused leaves none of them, and the others go on', async () => {
    const tooLate = about(2, async (tx) => {
      tx.write(TAKE, [2, 5]);
      await tx.read('SELECT 1', []);
      refuse();
    });
    const [one, refused, three] = await Promise.allSettled([take(1, 1), tooLate, take(3, 3)]);
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'forbidden' } });
    expect([one, three].map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(await beans()).toEqual([9, 10, 7, 10, 10]);
  });

  it('one whose write the database refuses is refused alone', async () => {
    const taken = () => new Refusal('email_exists', 'Taken.');
    const clash = about(2, (tx) => tx.write(addJars(1), [1, 1], { jars_id: taken }));
    const [one, refused, three] = await Promise.allSettled([take(1, 1), clash, take(3, 3)]);
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'email_exists' } });
    expect([one, three].map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(await beans()).toEqual([9, 10, 7, 10, 10]);
  });

  it('one whose read fails fails alone', async () => {
    const broken = about(2, (tx) => tx.read('SELECT 1 / (beans - beans) FROM jars WHERE id = $1', [2]));
    const readsToo = about(3, async (tx) => {
      await tx.read('SELECT 1', []);
      tx.write(TAKE, [3, 3]);
    });
    const [one, failed, three] = await Promise.allSettled([take(1, 1), broken, readsToo]);
    expect(failed).toMatchObject({ status: 'rejected', reason: { code: '22012' } });
    expect([one, three].map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(await beans()).toEqual([9, 10, 7, 10, 10]);
  });

  it('nobody waits for a lock but who needs it', async () => {
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

  it('who waits too long for others about the same thing is told so, and takes nothing from them', async () => {
    const holder = await it_.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM jars WHERE id = 2 FOR UPDATE');
    const now = jest.spyOn(performance, 'now');
    const [first, second] = [take(2, 1), take(2, 2)];
    await take(1, 1);
    now.mockReturnValue(performance.now() + 6_000);
    await take(1, 1); // whoever comes or ends has the queue looked through
    now.mockRestore();
    await expect(second).rejects.toMatchObject({ code: 'unavailable' });
    await holder.query('COMMIT');
    holder.release();
    await first;
    expect(await beans()).toEqual([8, 9, 10, 10, 10]);
  });

  it('all are told when the connection dies, and nothing is half done', async () => {
    const killed = about(2, async (tx) => {
      tx.write(TAKE, [2, 2]);
      await tx.read('SELECT pg_terminate_backend(pg_backend_pid())', []);
    });
    const results = await Promise.allSettled([take(1, 1), killed, take(3, 3)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await beans()).toEqual([10, 10, 10, 10, 10]);
  });
});
