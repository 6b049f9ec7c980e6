import { Client } from 'pg';
import { Refusal } from '../../../src/kernel/refusal';
import { endSilentConnections } from '../../../src/platform/database/connection';
import { PreparingClient } from '../../../src/platform/database/preparing-client';
import { Tx } from '../../../src/platform/database/tx';
import { errorAnswer } from '../../../src/platform/http/refusal.filter';
import { startTestDatabase, TestDatabase } from '../../support/database';

const ADD = 'INSERT INTO jars (id, beans) VALUES ($1, $2)';
const TAKE = 'UPDATE jars SET beans = beans - $2 WHERE id = $1';
const LOCK = 'SELECT beans FROM jars WHERE id = $1 FOR UPDATE';

let it_: TestDatabase;
const jars = async (): Promise<object[]> =>
  (await it_.pool.query('SELECT id, beans FROM jars ORDER BY id')).rows;

beforeAll(async () => {
  it_ = await startTestDatabase();
});
beforeEach(() => it_.pool.query('TRUNCATE jars'));
afterEach(async () => {
  // Whatever a test did, no connection is left inside a transaction or checked out.
  const { rows } = await it_.pool.query<{ state: string }>(
    `SELECT state FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`,
  );
  expect(rows).toEqual([]);
  expect(it_.pool.idleCount).toBe(it_.pool.totalCount);
});
afterAll(() => it_.stop());

/** A step that others wait for. */
function barrier(parties: number): () => Promise<void> {
  let waiting = 0;
  let open: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return () => {
    if (++waiting === parties) open();
    return opened;
  };
}

describe('A transaction', () => {
  it('commits what it wrote, and answers what the work answers', async () => {
    const answer = await it_.database.atomically(null, async (tx) => {
      tx.write(ADD, [1, 5]);
      const rows = await tx.read('SELECT beans FROM jars WHERE id = $1', [1]);
      tx.write(TAKE, [1, 2]);
      return rows;
    });
    expect(answer).toEqual([{ beans: 5 }]); // a read sees what was queued before it
    expect(await jars()).toEqual([{ id: 1, beans: 3 }]);
  });

  it('of writes alone commits, and one of nothing needs no statement', async () => {
    await it_.database.atomically(null, async (tx) => tx.write(ADD, [1, 5]));
    expect(await it_.database.atomically(null, async () => 'nothing')).toBe('nothing');
    expect(await jars()).toEqual([{ id: 1, beans: 5 }]);
  });

  it('stands at the time of the clock', async () => {
    it_.clock.move({ days: 1 });
    const now = await it_.database.atomically(null, async (_tx, moment) => moment);
    it_.clock.move({ days: -1 });
    expect(now.getTime() - Date.now()).toBeGreaterThan(23 * 3_600_000);
  });

  it('that refuses stores nothing, whatever it had read and written', async () => {
    const work = async (tx: Tx): Promise<void> => {
      tx.write(ADD, [1, 5]);
      await tx.read('SELECT 1', []);
      tx.write(ADD, [2, 5]);
      throw new Refusal('forbidden', 'No.');
    };
    await expect(it_.database.atomically(null, work)).rejects.toMatchObject({
      code: 'forbidden',
      message: 'No.',
    });
    expect(await jars()).toEqual([]);
  });

  it('that refuses before it began sends nothing', async () => {
    const work = async (tx: Tx): Promise<void> => {
      tx.write(ADD, [1, 5]);
      throw new Refusal('forbidden', 'No.');
    };
    await expect(it_.database.atomically(null, work)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await jars()).toEqual([]);
  });

  it('cannot be used after its end', async () => {
    let kept: Tx;
    await it_.database.atomically(null, async (tx) => {
      kept = tx;
      await tx.read('SELECT 1', []);
    });
    await expect(kept!.read('SELECT 1', [])).rejects.toThrow(/has ended/);
    expect(() => kept.write(ADD, [1, 5])).toThrow(/has ended/);
    await expect(kept!.commit()).rejects.toThrow(/has ended/);

    await it_.database
      .atomically(null, async (tx) => {
        kept = tx;
        throw new Refusal('forbidden', 'No.');
      })
      .catch(() => undefined);
    expect(() => kept.write(ADD, [1, 5])).toThrow(/has ended/);
    expect(await jars()).toEqual([]);
  });

  it('that was not awaited writes nothing after its end', async () => {
    let late: Promise<unknown> = Promise.resolve();
    const afterTheEnd = barrier(2);
    await it_.database.atomically(null, async (tx) => {
      tx.write(ADD, [1, 5]);
      late = afterTheEnd().then(() => tx.write(ADD, [2, 5]));
    });
    void afterTheEnd();
    await expect(late).rejects.toThrow(/has ended/);
    expect(await jars()).toEqual([{ id: 1, beans: 5 }]);
  });
});

describe('A constraint that a write names', () => {
  const full = { jars_id: () => new Refusal('email_exists', 'It is there.') };

  it('becomes its refusal at the commit, and nothing is stored', async () => {
    await it_.pool.query(ADD, [1, 5]);
    const work = async (tx: Tx): Promise<void> => {
      tx.write(ADD, [7, 1]);
      tx.write(ADD, [1, 5], full);
      tx.write(ADD, [8, 1]);
    };
    await expect(it_.database.atomically(null, work)).rejects.toMatchObject({ code: 'email_exists' });
    expect(await jars()).toEqual([{ id: 1, beans: 5 }]);
  });

  it('becomes its refusal at the next read, too', async () => {
    await it_.pool.query(ADD, [1, 5]);
    const work = async (tx: Tx): Promise<void> => {
      tx.write(ADD, [1, 5], full);
      await tx.read('SELECT 1', []);
      throw new Error('The read must not have answered.');
    };
    await expect(it_.database.atomically(null, work)).rejects.toMatchObject({ code: 'email_exists' });
  });

  it('does not speak for another constraint or another write', async () => {
    const otherConstraint = it_.database.atomically(null, async (tx) => tx.write(ADD, [1, -1], full));
    await expect(otherConstraint).rejects.toMatchObject({ code: '23514', constraint: 'jars_beans' });
    await it_.pool.query(ADD, [1, 5]);
    const otherWrite = it_.database.atomically(null, async (tx) => {
      tx.write(ADD, [2, 5], full);
      tx.write(ADD, [1, 5]);
    });
    await expect(otherWrite).rejects.toMatchObject({ code: '23505', constraint: 'jars_id' });
    expect(await jars()).toEqual([{ id: 1, beans: 5 }]);
  });

  it('is the first of two failures: the second is only its echo', async () => {
    await it_.pool.query(ADD, [1, 5]);
    const work = async (tx: Tx): Promise<void> => {
      tx.write(ADD, [1, 5], full);
      tx.write(ADD, [2, -1], { jars_beans: () => new Refusal('insufficient_funds', 'Empty.') });
    };
    await expect(it_.database.atomically(null, work)).rejects.toMatchObject({ code: 'email_exists' });
  });
});

describe('A failure in the middle of a burst', () => {
  it.each([
    ['division by zero', 'SELECT 1 / $1::int', [0], '22012'],
    ['an unknown table', 'INSERT INTO tins VALUES ($1)', [1], '42P01'],
    ['a value of the wrong type', ADD, ['many', 1], '22P02'],
    ['a parameter too few', ADD, [1], '08P01'],
  ])('rolls everything back: %s', async (_, sql, params, code) => {
    const work = async (tx: Tx): Promise<void> => {
      await tx.read('SELECT 1', []);
      tx.write(ADD, [1, 5]);
      tx.write(sql, params);
      tx.write(ADD, [2, 5]);
    };
    await expect(it_.database.atomically(null, work)).rejects.toMatchObject({ code });
    expect(await jars()).toEqual([]);
    expect(await it_.database.read('SELECT 1 AS one', [])).toEqual([{ one: 1 }]);
  });

  it('that the work swallows does not commit the rest', async () => {
    const work = async (tx: Tx): Promise<void> => {
      tx.write(ADD, [1, 5]);
      await tx.read('SELECT 1 / $1::int', [0]).catch(() => undefined);
    };
    await expect(it_.database.atomically(null, work)).rejects.toThrow(
      /ended with ROLLBACK instead of COMMIT/,
    );
    const andWrites = async (tx: Tx): Promise<void> => {
      await work(tx);
      tx.write(ADD, [2, 5]);
    };
    await expect(it_.database.atomically(null, andWrites)).rejects.toMatchObject({ code: '25P02' });
    expect(await jars()).toEqual([]);
  });
});

describe('A deadlock', () => {
  it('is run again, so that both get through', async () => {
    await it_.pool.query(`${ADD}, (2, 100)`, [1, 100]);
    const bothHoldOne = barrier(2);
    let runs = 0;
    const take = (first: number, second: number): Promise<void> => {
      let again = false;
      return it_.database.atomically(null, async (tx) => {
        runs += 1;
        await tx.read(LOCK, [first]);
        if (!again) await bothHoldOne();
        again = true;
        await tx.read(LOCK, [second]);
        tx.write(TAKE, [first, 1]);
        tx.write(TAKE, [second, 1]);
      });
    };
    await Promise.all([take(1, 2), take(2, 1)]);
    expect(runs).toBeGreaterThan(2);
    expect(await jars()).toEqual([
      { id: 1, beans: 98 },
      { id: 2, beans: 98 },
    ]);
  });

  it.each(['40P01', '40001'])(
    'that never ends is refused as unavailable, after a few tries (%s)',
    async (code) => {
      let runs = 0;
      const work = async (tx: Tx): Promise<void> => {
        runs += 1;
        tx.write(ADD, [runs, 1]);
        await tx.read(`DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '${code}'; END $$`, []);
      };
      await expect(it_.database.atomically(null, work)).rejects.toMatchObject({
        code: 'unavailable',
        retryAfterSeconds: 1,
      });
      expect(runs).toBeGreaterThan(2);
      expect(await jars()).toEqual([]);
    },
  );
});

describe('A connection that the server ends', () => {
  const kill = (pid: number) => it_.pool.query('SELECT pg_terminate_backend($1)', [pid]);
  const OWN_PID = 'SELECT pg_backend_pid() AS pid';
  const unavailable = { status: 503, body: { error: 'unavailable' } };

  it.each(['at a read', 'at the commit'])(
    'in a transaction is answered 503, %s, and undoes it',
    async (when) => {
      const work = async (tx: Tx): Promise<void> => {
        tx.write(ADD, [1, 5]);
        const [row] = await tx.read<{ pid: number }>(OWN_PID, []);
        await kill(row!.pid);
        if (when === 'at a read') await tx.read('SELECT 1', []);
        else tx.write(ADD, [2, 5]);
      };
      const error: unknown = await it_.database.atomically(null, work).catch((reason: unknown) => reason);
      expect(errorAnswer(error)).toMatchObject(unavailable);
      expect(await jars()).toEqual([]);
    },
  );

  it('while a statement runs is answered 503', async () => {
    let tell: (pid: number) => void;
    const told = new Promise<number>((resolve) => (tell = resolve));
    const running = it_.database
      .atomically(null, async (tx) => {
        const [row] = await tx.read<{ pid: number }>(OWN_PID, []);
        tell(row!.pid);
        await tx.read('SELECT pg_sleep($1)', [30]);
      })
      .catch((reason: unknown) => reason);
    await kill(await told);
    expect(errorAnswer(await running)).toMatchObject(unavailable);
  });

  it('while it is idle costs nobody anything', async () => {
    await it_.pool.query('SELECT 1');
    const server = new Client({ connectionString: it_.pool.options.connectionString });
    await server.connect();
    await server.query(
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    await server.end();
    // The news may still be on its way: one answer of 503 is the worst.
    const first: unknown = await it_.database
      .read('SELECT 1 AS one', [])
      .catch((reason: unknown) => errorAnswer(reason).status);
    expect([[{ one: 1 }], 503]).toContainEqual(first);
    await expect(it_.database.read('SELECT 1 AS one', [])).resolves.toEqual([{ one: 1 }]);
  });
});

describe('A pool without a free connection', () => {
  it('is answered 503 within its bound, and recovers', async () => {
    const held = await Promise.all(Array.from({ length: 10 }, () => it_.pool.connect()));
    const start = Date.now();
    const answers = await Promise.all([
      it_.database.read('SELECT 1', []).catch(errorAnswer),
      it_.database.atomically(null, async (tx) => tx.read('SELECT 1', [])).catch(errorAnswer),
    ]);
    expect(Date.now() - start).toBeLessThan(8_000);
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 503, body: { error: 'unavailable' } });
    for (const client of held) client.release();
    await expect(it_.database.read('SELECT 1 AS one', [])).resolves.toEqual([{ one: 1 }]);
  });
});

describe('A connection', () => {
  it("that dies before anybody has it in hand is nobody's end", () => {
    expect(new PreparingClient().emit('error', new Error('Connection terminated'))).toBe(true);
  });

  it('whose server says nothing for too long is ended, and the work is told', async () => {
    const silent = await startTestDatabase();
    endSilentConnections(silent.pool, 200);
    const asked = silent.database.atomically(null, (tx) => tx.read('SELECT pg_sleep(5)', []));
    const answer = errorAnswer(await asked.catch((error: unknown) => error));
    expect([answer.status, answer.body.error]).toEqual([503, 'unavailable']);
    expect(await silent.database.read('SELECT 1 AS one', [])).toEqual([{ one: 1 }]);
    await silent.stop();
  });
});
