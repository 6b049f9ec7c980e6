import { DomainError } from '../../../src/kernel/domain-error';
import { Database, IdempotentOperation } from '../../../src/platform/database/database';
import { Insertion, RowKey, RowUpdate, Tx } from '../../../src/platform/database/tx';
import { SESSION_TIMEOUTS_MS } from '../../../src/platform/database/engine/data-source';
import { startTestDatabase, TestDatabase } from '../../support/database';
import { SentStatements } from '../../support/sent-statements';
import { eventually, until } from '../../support/until';

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
  expect(await until(() => it_.isIdle())).toBe(true);
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

  it('with the same key share one too, and each sees the result of the one before it', async () => {
    const seen: number[] = [];
    const takeOne = () =>
      about(1, async (tx) => {
        const [found] = await tx.read<{ beans: number }>(JAR, [1]);
        seen.push(found!.beans);
        tx.enqueue(TAKE, [1, 1]);
      });
    const transactions = await Promise.all(Array.from({ length: 8 }, takeOne));
    expect(new Set(transactions).size).toBe(1);
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
});

const reject = () => {
  throw new DomainError('forbidden', 'No.');
};

describe('In a group', () => {
  it('a rejected task does not affect the others', async () => {
    const [one, rejected, three] = await Promise.allSettled([take(1, 1), about(2, reject), take(3, 3)]);
    expect(rejected).toMatchObject({ status: 'rejected', reason: { code: 'forbidden' } });
    expect([one, three].map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(await beans()).toEqual([9, 10, 7, 10, 10]);
  });

  it('leaves no write when it fails after sending some, and the others succeed', async () => {
    const tooLate = about(2, async (tx) => {
      tx.enqueue(TAKE, [2, 5]);
      await tx.read('SELECT 1', []);
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
    const broken = about(2, (tx) => tx.read('SELECT 1 / (beans - beans) FROM jars WHERE id = $1', [2]));
    const readsToo = about(3, async (tx) => {
      await tx.read('SELECT 1', []);
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

  it('leaves out the rows of its key that are locked elsewhere, if it needs only free ones', async () => {
    await it_.pool.query(`CREATE TABLE labels (account_id text, id text);
      INSERT INTO labels VALUES ('1', 'a'), ('3', 'b'), ('3', 'c'), ('3', 'd')`);
    const holder = await it_.pool.connect();
    await holder.query('BEGIN');
    await holder.query(`SELECT 1 FROM labels WHERE id = 'c' FOR UPDATE`);
    const found = new Map<number, unknown>();
    const lockLabels = (key: number, ...ids: string[]) =>
      about(key, async (tx) => {
        found.set(key, await tx.lockFreeRows('SELECT account_id, id FROM labels', String(key), ids));
      });
    const tasks = [take(2, 1), lockLabels(1, 'a', 'b'), lockLabels(3, 'd', 'c', 'b')];
    expect(new Set(await Promise.all(tasks)).size).toBe(1);
    expect(found.get(1)).toEqual([{ account_id: '1', id: 'a' }]);
    expect(found.get(3)).toEqual([
      { account_id: '3', id: 'd' },
      { account_id: '3', id: 'b' },
    ]);
    await holder.query('ROLLBACK');
    holder.release();
    await it_.pool.query('DROP TABLE labels');
  });

  it('a request does not wait for background work on other rows', async () => {
    let finish!: () => void;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const background = [];
    for (const key of [2, 3, 4]) {
      background.push(about(key, () => finished));
      await new Promise(setImmediate); // a group of its own
    }
    await it_.database.runFor('a client', () => take(1, 1));
    finish();
    await Promise.all(background);
    expect(await beans()).toEqual([9, 10, 10, 10, 10]);
  });

  it('background work takes turns with the requests on its row, however many there are', async () => {
    let requests = 0;
    let ended = false;
    const keepRequesting = async (): Promise<void> => {
      while (!ended) {
        await it_.database.runFor('a client', () => take(2, 0));
        requests += 1;
      }
    };
    const clients = Array.from({ length: 8 }, keepRequesting);
    while (requests < 20) await new Promise(setImmediate);
    const before = requests;
    await take(2, 1);
    ended = true;
    expect(requests - before).toBeLessThanOrEqual(3 * clients.length);
    await Promise.all(clients);
    expect(await beans()).toEqual([10, 9, 10, 10, 10]);
  });

  it('is unavailable when it waits too long for others with its key, which succeed', async () => {
    const holder = await it_.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM jars WHERE id = 2 FOR UPDATE');
    const first = it_.database.runFor('a client', () => take(2, 1));
    await it_.database.runFor('a client', () => take(1, 1)); // the first has left its group and waits
    const second = it_.database.runFor('a client', () => take(2, 2));
    await expect(second).rejects.toMatchObject({ code: 'unavailable' });
    await holder.query('COMMIT');
    holder.release();
    await first;
    expect(await beans()).toEqual([9, 9, 10, 10, 10]);
  });

  it('background work waits for a second, and fails with the timeout of the lock', async () => {
    const holder = await it_.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM jars WHERE id = 2 FOR UPDATE');
    const begun = performance.now();
    const results = await Promise.allSettled([take(2, 1), take(2, 2), take(1, 1)]);
    expect(performance.now() - begun).toBeLessThan(SESSION_TIMEOUTS_MS.lock_timeout / 2);
    await holder.query('COMMIT');
    holder.release();
    expect(statusesOf(results)).toEqual(['55P03', '55P03', 'done']);
    expect(await beans()).toEqual([9, 10, 10, 10, 10]);
  });

  it('fails with all others when the connection is lost, and nothing is partially written', async () => {
    const killed = about(2, async (tx) => {
      tx.enqueue(TAKE, [2, 2]);
      await tx.read('SELECT pg_terminate_backend(pg_backend_pid())', []);
    });
    const results = await Promise.allSettled([take(1, 1), killed, take(3, 3)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await beans()).toEqual([10, 10, 10, 10, 10]);
  });
});

/** Reads and writes several jars with one statement. */
const ofJars = {
  sql: 'SELECT id, beans, pg_current_xact_id()::text AS transaction FROM jars WHERE id = ANY ($1::int[])',
  columns: ['id'],
};
const UPDATE_JAR = 'UPDATE jars SET beans = $2 WHERE id = $1';
const UPDATE_JARS = `UPDATE jars SET beans = changed.beans FROM unnest($1::int[], $2::int[]) AS changed (id, beans)
  WHERE jars.id = changed.id`;

interface Jar {
  readonly id: number;
  readonly beans: number;
  readonly transaction: string;
}
const JAR_WITH_ID = 'SELECT id, beans, pg_current_xact_id()::text AS transaction FROM jars WHERE id = $1';
const keyOfJar = (id: number): RowKey => ({ ...ofJars, row: `jars ${id}`, key: String(id) });

/** Takes beans of a jar that it saves as a whole. @returns how many beans it has found */
const takeSaved = (id: number, count: number, work: (tx: Tx) => unknown = () => undefined): Promise<number> =>
  it_.database.transaction((tx) => takeIn(tx, id, count, work), String(id));

async function takeIn(tx: Tx, id: number, count: number, work: (tx: Tx) => unknown): Promise<number> {
  const key = keyOfJar(id);
  const jar = (await tx.lockRow<{ beans: number }>(JAR, [id], key))!;
  const left = jar.beans - count;
  await work(tx);
  if (left < 0) throw new DomainError('insufficient_funds', `${jar.beans} are left.`);
  const update: RowUpdate = {
    sql: UPDATE_JAR,
    params: [id, left],
    row: key.row,
    mergedSql: UPDATE_JARS,
    values: { ...jar, beans: left },
  };
  tx.enqueueUpdate(update);
  return jar.beans;
}

const statusesOf = (results: PromiseSettledResult<unknown>[]): string[] =>
  results.map((result) => (result.status === 'fulfilled' ? 'done' : (result.reason as DomainError).code));

describe('Tasks of one key in a group', () => {
  it('lock and write the row once, and decide one after another in between', async () => {
    const sent = new SentStatements();
    const found = await Promise.all([5, 4, 1].map((count) => takeSaved(1, count))).finally(() => sent.stop());
    expect(found).toEqual([10, 5, 1]);
    expect(sent.timesSent('FOR UPDATE')).toBe(1);
    expect(sent.timesSent('UPDATE jars')).toBe(1);
    expect(await beans()).toEqual([0, 10, 10, 10, 10]);
  });

  it('lock and write their rows with one statement for all keys', async () => {
    const sent = new SentStatements();
    const takes = [1, 2, 3, 1].map((id) => takeSaved(id, id));
    expect(await Promise.all(takes).finally(() => sent.stop())).toEqual([10, 10, 10, 9]);
    expect(sent.timesSent('FOR UPDATE')).toBe(1);
    expect(sent.timesSent('UPDATE jars')).toBe(1);
    expect(await beans()).toEqual([8, 8, 7, 10, 10]);
  });

  it('have a group of their own when they are many', async () => {
    const [other, ...many] = await Promise.all([take(2, 1), ...Array.from({ length: 9 }, () => take(1, 1))]);
    expect(new Set(many).size).toBe(1);
    expect(many).not.toContain(other);
    expect(await beans()).toEqual([1, 9, 10, 10, 10]);
  });

  it('see nothing of one that was rejected', async () => {
    const takes = [4, 7, 6, 1].map((count) => takeSaved(1, count, (tx) => tx.enqueue(TAKE, [2, count])));
    const results = await Promise.allSettled(takes);
    expect(statusesOf(results)).toEqual(['done', 'insufficient_funds', 'done', 'insufficient_funds']);
    expect(await beans()).toEqual([0, 0, 10, 10, 10]);
  });

  it('read from the database what the ones before have written', async () => {
    const read: unknown[] = [];
    const look = async (tx: Tx) => {
      read.push(await tx.read('SELECT id, beans FROM jars WHERE id IN (1, 12) ORDER BY id', []));
    };
    await Promise.all([
      takeSaved(1, 3, (tx) => tx.enqueueInsert(jar(12, 7))),
      takeSaved(1, 3, look),
      takeSaved(1, 3),
    ]);
    expect(read).toEqual([
      [
        { id: 1, beans: 7 },
        { id: 12, beans: 7 },
      ],
    ]);
    expect(await beans()).toEqual([1, 10, 10, 10, 10, 7]);
  });

  it('read the row again after one that has written without saving it as a whole', async () => {
    const takes = [takeSaved(1, 2), take(1, 3), takeSaved(1, 4)];
    expect(await Promise.all(takes)).toEqual([10, expect.any(String), 5]);
    expect(await beans()).toEqual([1, 10, 10, 10, 10]);
  });

  it('run again one by one when the group fails, also those that were rejected', async () => {
    let runs = 0;
    const onlyInTheGroup = takeSaved(1, 10, () => {
      runs += 1;
      if (runs > 1) throw new DomainError('forbidden', 'Not any more.');
    });
    const rejectedInTheGroup = takeSaved(1, 1);
    const clash = about(2, (tx) => tx.enqueue(addJars(1), [1, 1]));
    const results = await Promise.allSettled([onlyInTheGroup, rejectedInTheGroup, clash]);
    expect(statusesOf(results)).toEqual(['forbidden', 'done', '23505']);
    expect(await beans()).toEqual([9, 10, 10, 10, 10]);
  });

  it('wait together for a lock that another connection holds, and others do not', async () => {
    const holder = await it_.pool.connect();
    await holder.query('BEGIN');
    await holder.query('UPDATE jars SET beans = 5 WHERE id = 2');
    const sent = new SentStatements();
    const waiting = Promise.all([takeSaved(2, 1), takeSaved(2, 2)]);
    await takeSaved(1, 1);
    expect(await beans()).toEqual([9, 10, 10, 10, 10]);
    await holder.query('COMMIT');
    holder.release();
    expect(await waiting.finally(() => sent.stop())).toEqual([5, 4]);
    expect(sent.timesSent(UPDATE_JAR)).toBe(2); // one for each jar
    expect(await beans()).toEqual([9, 2, 10, 10, 10]);
  });

  it('do not share a group when they are repeats of each other: the second returns the stored response', async () => {
    const runs: number[] = [];
    const operation: IdempotentOperation<number> = {
      principal: 'somebody',
      accountId: null,
      key: 'once',
      request: 'take one',
      render: (found) => ({ found }),
    };
    const repeat = (key: string): ReturnType<Database['idempotent']> =>
      it_.database.idempotent({ ...operation, key }, (tx) => takeIn(tx, 1, 1, () => runs.push(1)), '1');
    const responses = await Promise.all([repeat('once'), repeat('once'), repeat('twice'), repeat('once')]);
    expect(responses.map(({ body, replayed }) => [body, replayed])).toEqual([
      ['{"found":10}', false],
      ['{"found":10}', true],
      ['{"found":9}', false],
      ['{"found":10}', true],
    ]);
    expect(runs).toHaveLength(2);
    expect(await beans()).toEqual([8, 10, 10, 10, 10]);
  });

  it.each([null, '1'])(
    'commit together when one reuses a key that has expired, of the account %s',
    async (accountId) => {
      const create = (id: number, key: string) =>
        it_.database.idempotent(
          {
            principal: 'a reuser',
            accountId,
            key,
            request: 'take',
            render: (transaction) => ({ transaction }),
          },
          async (tx) => (await tx.lockRow<{ transaction: string }>(JAR, [id]))!.transaction,
          String(id),
        );
      const expired = await create(1, 'expired');
      it_.clock.move({ days: 8 });
      const responses = await Promise.all([create(1, 'expired'), create(2, 'first'), create(3, 'second')]);
      it_.clock.move({ days: -8 });
      expect(new Set(responses.map(({ body }) => body)).size).toBe(1);
      expect(responses[0].body).not.toBe(expired.body);
    },
  );
});

describe('Tasks that lock several rows', () => {
  /** Moves beans from one jar to another. @returns the database transaction in which the jars were read */
  const pour = (from: number, to: number, count: number): Promise<string> =>
    it_.database.transaction(
      async (tx) => {
        const jars = [];
        for (const id of [from, to].toSorted())
          jars.push((await tx.lockRow<Jar>(JAR_WITH_ID, [id], keyOfJar(id)))!);
        for (const { id, beans: found, ...rest } of jars) {
          const left = found + (id === from ? -count : count);
          if (left < 0) throw new DomainError('insufficient_funds', `${found} are left.`);
          const values = { id, beans: left, ...rest };
          const { row } = keyOfJar(id);
          tx.enqueueUpdate({ sql: UPDATE_JAR, params: [id, left], row, mergedSql: UPDATE_JARS, values });
        }
        return jars[0]!.transaction;
      },
      [keyOfJar(from), keyOfJar(to)],
    );

  it('lock them with one statement and share one database transaction, in which each sees those before it', async () => {
    const sent = new SentStatements();
    const poured = [pour(1, 2, 10), pour(2, 3, 20), pour(3, 1, 30), pour(4, 5, 1)];
    const transactions = await Promise.all(poured).finally(() => sent.stop());
    expect(new Set(transactions).size).toBe(1);
    expect(sent.timesSent('FOR UPDATE')).toBe(1);
    expect(sent.timesSent('UPDATE jars')).toBe(1);
    expect(await beans()).toEqual([30, 0, 0, 9, 11]);
  });

  it('see nothing of one that was rejected', async () => {
    const results = await Promise.allSettled([pour(1, 2, 8), pour(1, 3, 3), pour(2, 4, 18)]);
    expect(statusesOf(results)).toEqual(['done', 'insufficient_funds', 'done']);
    expect(await beans()).toEqual([2, 0, 10, 28, 10]);
  });

  it('undo what one has written at once before it was rejected', async () => {
    const rejected = it_.database.transaction(
      async (tx) => {
        await tx.lockRow<Jar>(JAR_WITH_ID, [1], keyOfJar(1));
        await tx.query('UPDATE jars SET beans = beans + 100 WHERE id = 5', []);
        throw new DomainError('forbidden', 'After all, no.');
      },
      [keyOfJar(1), keyOfJar(2)],
    );
    const results = await Promise.allSettled([rejected, pour(3, 4, 1)]);
    expect(statusesOf(results)).toEqual(['forbidden', 'done']);
    expect(await beans()).toEqual([10, 10, 9, 11, 10]);
  });

  it('wait for a row that stays locked elsewhere with one connection, and then share groups; others do not wait', async () => {
    const holder = await it_.pool.connect();
    await holder.query('BEGIN; SELECT FROM jars WHERE id = 1 FOR UPDATE');
    const all = await it_.database.runFor('a client', async () => {
      const blocked = [pour(1, 2, 1), pour(3, 1, 2), pour(4, 1, 3)];
      const free = [pour(3, 4, 1), pour(2, 5, 1)];
      expect(new Set(await Promise.all(free)).size).toBe(1);
      const waiting = `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      const statements = async (): Promise<unknown[]> => (await it_.pool.query(waiting)).rows;
      await eventually(statements).toHaveLength(1);
      const sent = new SentStatements();
      blocked.push(pour(5, 1, 4));
      await pour(4, 3, 1);
      sent.stop();
      expect(sent.timesSent('SKIP LOCKED')).toBe(0); // no group waits for the row again
      expect(await beans()).toEqual([10, 9, 10, 10, 11]);
      expect(await statements()).toHaveLength(1);
      await take(2, 1); // nor does anything wait that has the row of another jar
      await holder.query('COMMIT');
      holder.release();
      return Promise.all(blocked);
    });
    expect(new Set(all).size).toBe(1);
    expect(await beans()).toEqual([18, 9, 8, 7, 7]);
  });

  it('are unavailable when a row stays locked elsewhere for too long', async () => {
    const holder = await it_.pool.connect();
    await holder.query('BEGIN; SELECT FROM jars WHERE id = 1 FOR UPDATE');
    const blocked = it_.database.runFor('a client', () => pour(2, 1, 1));
    await expect(blocked).rejects.toMatchObject({ code: 'unavailable' });
    await holder.query('COMMIT');
    holder.release();
    expect(await beans()).toEqual([10, 10, 10, 10, 10]);
  });
});

describe('A task that takes a lock of its own', () => {
  it('runs without other keys, so that the lock excludes them', async () => {
    // Each adds the beans of its jar to jar 5, which it locks.
    const add = (id: number) =>
      about(id, async (tx) => {
        const [sum] = await tx.query<{ beans: number }>('SELECT beans FROM jars WHERE id = 5 FOR UPDATE', []);
        tx.enqueue('UPDATE jars SET beans = $1 WHERE id = 5', [sum!.beans + id]);
      });
    const transactions = await Promise.all([add(1), add(2), add(3), take(4, 4)]);
    expect(new Set(transactions).size).toBe(4);
    expect(await beans()).toEqual([10, 10, 10, 6, 16]);
  });

  it('runs without other keys also if it catches the error with which it leaves them', async () => {
    const add = (id: number) =>
      about(id, async (tx) => {
        const locked = await tx
          .query<{ beans: number }>('SELECT beans FROM jars WHERE id = 5 FOR UPDATE', [])
          .catch(() => null);
        const sum =
          locked ??
          (await tx
            .read<{ beans: number }>('SELECT beans FROM jars WHERE id = 5', [])
            .catch(() => [{ beans: 0 }]));
        tx.enqueue('UPDATE jars SET beans = $1 WHERE id = 5', [sum[0]!.beans + id]);
      });
    const rejecting = about(4, async (tx) => {
      await tx.query('SELECT 1', []).catch(() => reject());
    });
    await Promise.all([add(1), add(2), add(3), rejecting]);
    expect(await beans()).toEqual([10, 10, 10, 10, 16]);
  });

  it('locks no row of another key in the group of that key', async () => {
    const takeOfBoth = takeSaved(1, 1, (tx) => takeIn(tx, 2, 1, () => undefined));
    await Promise.all([takeOfBoth, takeSaved(2, 1), takeSaved(2, 1)]);
    expect(await beans()).toEqual([9, 7, 10, 10, 10]);
  });
});
