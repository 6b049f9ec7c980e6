import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from 'pg';
import { DomainError } from '../../../src/kernel/domain-error';
import { newId } from '../../../src/kernel/ids';
import {
  destroySilentConnections,
  prepared,
  PreparingClient,
} from '../../../src/platform/database/engine/connection';
import { Tx } from '../../../src/platform/database/tx';
import { errorResponse } from '../../../src/platform/http/error.filter';
import { twoServers } from '../../support/account-servers';
import { startTestDatabase, TestDatabase } from '../../support/database';
import { until } from '../../support/until';
import { merge } from '../../../src/platform/database/engine/queued-statement';

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
  // No test may leave a connection checked out or inside a transaction. The server may still end a statement of one that
  // was closed.
  expect(await until(() => it_.isIdle())).toBe(true);
});
afterAll(() => it_.stop());

/** A point in a test that concurrent work waits for. */
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
  it('commits its writes, and returns the result of the work', async () => {
    const response = await it_.database.transaction(async (tx) => {
      tx.enqueue(ADD, [1, 5]);
      const rows = await tx.query('SELECT beans FROM jars WHERE id = $1', [1]);
      tx.enqueue(TAKE, [1, 2]);
      return rows;
    });
    expect(response).toEqual([{ beans: 5 }]); // a query sees the statements that were queued before it
    expect(await jars()).toEqual([{ id: 1, beans: 3 }]);
  });

  it('merges insertions of a group into statements of at most 100 rows: a statement has at most 65,535 parameters', () => {
    const ofRows = (count: number): string => `${count} rows`;
    const queue = Array.from({ length: 33_050 }, (_, id) => {
      const insertion = { sql: '1 row', params: [id, id + 1], rows: 1, ofRows };
      return { ...insertion, errors: {}, insertion };
    });
    const statements = merge(queue, true);
    expect(statements.map(({ sql }) => sql)).toEqual([...Array<string>(330).fill('100 rows'), '50 rows']);
    expect(statements.flatMap(({ params }) => params)).toEqual(queue.flatMap(({ params }) => params));
    expect(statements.every(({ sql, params }) => params.length === 2 * parseInt(sql, 10))).toBe(true);
  });

  it('commits writes without a query, and sends nothing when it is empty', async () => {
    await it_.database.transaction(async (tx) => tx.enqueue(ADD, [1, 5]));
    expect(await it_.database.transaction(async () => 'nothing')).toBe('nothing');
    expect(await jars()).toEqual([{ id: 1, beans: 5 }]);
  });

  it('passes the time of the clock to the work', async () => {
    it_.clock.move({ days: 1 });
    const now = await it_.database.transaction(async (_tx, now) => now);
    it_.clock.move({ days: -1 });
    expect(now.getTime() - Date.now()).toBeGreaterThan(23 * 3_600_000);
  });

  it('stores nothing when it is rejected after reads and writes', async () => {
    const work = async (tx: Tx): Promise<void> => {
      tx.enqueue(ADD, [1, 5]);
      await tx.query('SELECT 1', []);
      tx.enqueue(ADD, [2, 5]);
      throw new DomainError('forbidden', 'No.');
    };
    await expect(it_.database.transaction(work)).rejects.toMatchObject({
      code: 'forbidden',
      message: 'No.',
    });
    expect(await jars()).toEqual([]);
  });

  it('sends nothing when it is rejected before its first statement', async () => {
    const work = async (tx: Tx): Promise<void> => {
      tx.enqueue(ADD, [1, 5]);
      throw new DomainError('forbidden', 'No.');
    };
    await expect(it_.database.transaction(work)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await jars()).toEqual([]);
  });

  it('cannot be used after its end', async () => {
    let kept: Tx;
    await it_.database.transaction(async (tx) => {
      kept = tx;
      await tx.query('SELECT 1', []);
    });
    await expect(kept!.query('SELECT 1', [])).rejects.toThrow(/has ended/);
    expect(() => kept.enqueue(ADD, [1, 5])).toThrow(/has ended/);

    await it_.database
      .transaction(async (tx) => {
        kept = tx;
        throw new DomainError('forbidden', 'No.');
      })
      .catch(() => undefined);
    expect(() => kept.enqueue(ADD, [1, 5])).toThrow(/has ended/);
    expect(await jars()).toEqual([]);
  });

  it('sends what is called together in one packet, and fails with the first failure when all have ended', async () => {
    const writes = jest.spyOn(Socket.prototype, '_writev');
    const rows = it_.database.transaction((tx) =>
      tx.together(
        () => tx.query<{ one: number }>('SELECT $1::int AS one', [1]),
        () => tx.read<{ two: number }>('SELECT $1::int AS two', [2]),
      ),
    );
    await expect(rows).resolves.toEqual([[{ one: 1 }], [{ two: 2 }]]);
    expect(writes).toHaveBeenCalledTimes(1); // with BEGIN; the COMMIT is one write
    writes.mockRestore();

    let ended = false;
    const failing = it_.database.transaction(async (tx) => {
      const slow = async (): Promise<void> => {
        await tx.query('SELECT 1', []);
        await delay(50);
        ended = true;
      };
      await tx
        .together(slow, () => Promise.reject(new DomainError('forbidden', 'No.')))
        .finally(() => {
          expect(ended).toBe(true);
          tx.enqueue(ADD, [1, 5]);
        });
    });
    await expect(failing).rejects.toThrow('No.');
    expect(await jars()).toEqual([]);
  });

  it('writes nothing after its end, also when a statement was not awaited', async () => {
    let late: Promise<unknown> = Promise.resolve();
    const afterTheEnd = barrier(2);
    await it_.database.transaction(async (tx) => {
      tx.enqueue(ADD, [1, 5]);
      late = afterTheEnd().then(() => tx.enqueue(ADD, [2, 5]));
    });
    void afterTheEnd();
    await expect(late).rejects.toThrow(/has ended/);
    expect(await jars()).toEqual([{ id: 1, beans: 5 }]);
  });
});

describe('A constraint with an error', () => {
  const full = { jars_id: () => new DomainError('email_exists', 'It is there.') };

  it('is reported as that error at the commit, and nothing is stored', async () => {
    await it_.pool.query(ADD, [1, 5]);
    const work = async (tx: Tx): Promise<void> => {
      tx.enqueue(ADD, [7, 1]);
      tx.enqueue(ADD, [1, 5], full);
      tx.enqueue(ADD, [8, 1]);
    };
    await expect(it_.database.transaction(work)).rejects.toMatchObject({ code: 'email_exists' });
    expect(await jars()).toEqual([{ id: 1, beans: 5 }]);
  });

  it('is reported as that error at the next query, too', async () => {
    await it_.pool.query(ADD, [1, 5]);
    const work = async (tx: Tx): Promise<void> => {
      tx.enqueue(ADD, [1, 5], full);
      await tx.query('SELECT 1', []);
      throw new Error('The query must not have succeeded.');
    };
    await expect(it_.database.transaction(work)).rejects.toMatchObject({ code: 'email_exists' });
  });

  it('is reported as that error with the name that a shard gives to the constraint', async () => {
    await it_.pool.query(ADD, [1, 5]);
    await it_.pool.query('ALTER TABLE jars RENAME CONSTRAINT jars_id TO jars_id_102032');
    try {
      const work = it_.database.transaction(async (tx) => tx.enqueue(ADD, [1, 5], full));
      await expect(work).rejects.toMatchObject({ code: 'email_exists' });
    } finally {
      await it_.pool.query('ALTER TABLE jars RENAME CONSTRAINT jars_id_102032 TO jars_id');
    }
  });

  it('does not apply to another constraint or another write', async () => {
    const otherConstraint = it_.database.transaction(async (tx) => tx.enqueue(ADD, [1, -1], full));
    await expect(otherConstraint).rejects.toMatchObject({ code: '23514', constraint: 'jars_beans' });
    await it_.pool.query(ADD, [1, 5]);
    const otherWrite = it_.database.transaction(async (tx) => {
      tx.enqueue(ADD, [2, 5], full);
      tx.enqueue(ADD, [1, 5]);
    });
    await expect(otherWrite).rejects.toMatchObject({ code: '23505', constraint: 'jars_id' });
    expect(await jars()).toEqual([{ id: 1, beans: 5 }]);
  });

  it('is reported and not the later failure that follows from it', async () => {
    await it_.pool.query(ADD, [1, 5]);
    const work = async (tx: Tx): Promise<void> => {
      tx.enqueue(ADD, [1, 5], full);
      tx.enqueue(ADD, [2, -1], { jars_beans: () => new DomainError('insufficient_funds', 'Empty.') });
    };
    await expect(it_.database.transaction(work)).rejects.toMatchObject({ code: 'email_exists' });
  });
});

describe('A failure in the middle of a pipeline', () => {
  it.each([
    ['division by zero', 'SELECT 1 / $1::int', [0], '22012'],
    ['an unknown table', 'INSERT INTO tins VALUES ($1)', [1], '42P01'],
    ['a value of the wrong type', ADD, ['many', 1], '22P02'],
    ['a parameter too few', ADD, [1], '08P01'],
  ])('rolls everything back: %s', async (_, sql, params, code) => {
    const work = async (tx: Tx): Promise<void> => {
      await tx.query('SELECT 1', []);
      tx.enqueue(ADD, [1, 5]);
      tx.enqueue(sql, params);
      tx.enqueue(ADD, [2, 5]);
    };
    await expect(it_.database.transaction(work)).rejects.toMatchObject({ code });
    expect(await jars()).toEqual([]);
    expect(await it_.database.query('SELECT 1 AS one', [])).toEqual([{ one: 1 }]);
  });

  it('does not commit the rest when the work catches it', async () => {
    const work = async (tx: Tx): Promise<void> => {
      tx.enqueue(ADD, [1, 5]);
      await tx.query('SELECT 1 / $1::int', [0]).catch(() => undefined);
    };
    await expect(it_.database.transaction(work)).rejects.toThrow(/ended with ROLLBACK instead of COMMIT/);
    const andWrites = async (tx: Tx): Promise<void> => {
      await work(tx);
      tx.enqueue(ADD, [2, 5]);
    };
    await expect(it_.database.transaction(andWrites)).rejects.toMatchObject({ code: '25P02' });
    expect(await jars()).toEqual([]);
  });
});

describe('A deadlock', () => {
  it('is retried, so that both transactions succeed', async () => {
    await it_.pool.query(`${ADD}, (2, 100)`, [1, 100]);
    const bothHoldOne = barrier(2);
    let runs = 0;
    const take = (first: number, second: number): Promise<void> => {
      let again = false;
      return it_.database.transaction(async (tx) => {
        runs += 1;
        await tx.query(LOCK, [first]);
        if (!again) await bothHoldOne();
        again = true;
        await tx.query(LOCK, [second]);
        tx.enqueue(TAKE, [first, 1]);
        tx.enqueue(TAKE, [second, 1]);
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
    'that never ends is rejected as unavailable, after a few tries (%s)',
    async (code) => {
      let runs = 0;
      const work = async (tx: Tx): Promise<void> => {
        runs += 1;
        tx.enqueue(ADD, [runs, 1]);
        await tx.query(`DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '${code}'; END $$`, []);
      };
      await expect(it_.database.transaction(work)).rejects.toMatchObject({
        code: 'unavailable',
        retryAfterSeconds: 1,
        cause: { code },
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

  it.each(['at a read', 'at the commit'])('causes a 503 and undoes the transaction: %s', async (when) => {
    const work = async (tx: Tx): Promise<void> => {
      tx.enqueue(ADD, [1, 5]);
      const [row] = await tx.query<{ pid: number }>(OWN_PID, []);
      await kill(row!.pid);
      if (when === 'at a read') await tx.query('SELECT 1', []);
      else tx.enqueue(ADD, [2, 5]);
    };
    const error: unknown = await it_.database.transaction(work).catch((reason: unknown) => reason);
    expect(errorResponse(error)).toMatchObject(unavailable);
    expect(await jars()).toEqual([]);
  });

  it('during a statement causes a 503', async () => {
    let tell: (pid: number) => void;
    const told = new Promise<number>((resolve) => (tell = resolve));
    const running = it_.database
      .transaction(async (tx) => {
        const [row] = await tx.query<{ pid: number }>(OWN_PID, []);
        tell(row!.pid);
        await tx.query('SELECT pg_sleep($1)', [30]);
      })
      .catch((reason: unknown) => reason);
    await kill(await told);
    expect(errorResponse(await running)).toMatchObject(unavailable);
  });

  it('while it is idle affects no request', async () => {
    await it_.pool.query('SELECT 1');
    const server = new Client({ connectionString: it_.pool.options.connectionString });
    await server.connect();
    await server.query(
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    await server.end();
    // The client may not have noticed yet, so one 503 is acceptable.
    const first: unknown = await it_.database
      .query('SELECT 1 AS one', [])
      .catch((reason: unknown) => errorResponse(reason).status);
    expect([[{ one: 1 }], 503]).toContainEqual(first);
    await expect(it_.database.query('SELECT 1 AS one', [])).resolves.toEqual([{ one: 1 }]);
  });
});

describe('A pool without a free connection', () => {
  it('causes a 503 within the time limit, and recovers', async () => {
    const held = await Promise.all(Array.from({ length: 10 }, () => it_.pool.connect()));
    const start = Date.now();
    const responses = await Promise.all([
      it_.database.query('SELECT 1', []).catch(errorResponse),
      it_.database.transaction(async (tx) => tx.query('SELECT 1', [])).catch(errorResponse),
    ]);
    expect(Date.now() - start).toBeLessThan(8_000);
    for (const response of responses)
      expect(response).toMatchObject({ status: 503, body: { error: 'unavailable' } });
    for (const client of held) client.release();
    await expect(it_.database.query('SELECT 1 AS one', [])).resolves.toEqual([{ one: 1 }]);
  });
});

describe('A connection', () => {
  it('does not end the process when it fails before the pool returns it', () => {
    expect(new PreparingClient().emit('error', new Error('Connection terminated'))).toBe(true);
  });

  it('reads times like the driver, in any time zone', async () => {
    const client = await it_.pool.connect();
    const times = ['2026-02-28 23:59:59.999+00', '0099-01-01 00:00+00', '2026-07-01 12:00:00.123456+00'];
    const read: unknown[] = [];
    for (const zone of ['UTC', 'Asia/Kolkata', 'America/New_York']) {
      await client.query(`SET timezone = '${zone}'`);
      const { rows } = await client.query<{ at: Date }>('SELECT unnest($1::timestamptz[]) AS at', [times]);
      read.push(rows.map(({ at }) => at.toISOString()));
    }
    const expected = ['2026-02-28T23:59:59.999Z', '0099-01-01T00:00:00.000Z', '2026-07-01T12:00:00.123Z'];
    expect(read).toEqual([expected, expected, expected]);
    const { rows } = await client.query<{ at: unknown }>(`SELECT 'infinity'::timestamptz AS at`);
    expect(rows).toEqual([{ at: Infinity }]);
    client.release(true);
  });

  it('reports an error with a stack that leads to the caller', async () => {
    const client = await it_.pool.connect();
    const divide = async (): Promise<void> => void (await client.query('SELECT $1::int / 0', [1]));
    const stack = await divide().catch((error: Error) => error.stack);
    client.release();
    expect(stack).toMatch(/division by zero[^]*at (async )?divide /);
  });

  it('frees the name of a statement that was not prepared, for a pooler, before it prepares it again', async () => {
    const client = await it_.pool.connect();
    const parse = jest.spyOn(Connection.prototype, 'parse');
    const close = jest.spyOn(Connection.prototype, 'close');
    const statement = prepared('SELECT 2 * $1::int AS double', [1]);
    await client.query('BEGIN');
    const failing = client.query(prepared('SELECT 1 / $1::int', [0]));
    await Promise.allSettled([failing, client.query(statement), client.query('ROLLBACK')]);
    expect(close).not.toHaveBeenCalled();
    expect((await client.query<{ double: number }>(statement)).rows).toEqual([{ double: 2 }]);
    await client.query(statement);
    client.release();
    expect(close.mock.calls).toEqual([[{ type: 'S', name: statement.name }]]);
    const [, rejected, accepted, ...more] = parse.mock.invocationCallOrder as [number, number, number];
    const [closed] = close.mock.invocationCallOrder;
    expect([rejected < closed!, closed! < accepted, more]).toEqual([true, true, []]);
    jest.restoreAllMocks();
  });

  it('is destroyed when its server does not respond in time, and the work fails', async () => {
    const silent = await startTestDatabase();
    destroySilentConnections(silent.pool, 1_000);
    const asked = silent.database.transaction((tx) => tx.query('SELECT pg_sleep(5)', []));
    const response = errorResponse(await asked.catch((error: unknown) => error));
    expect([response.status, response.body.error]).toEqual([503, 'unavailable']);
    expect(await silent.database.query('SELECT 1 AS one', [])).toEqual([{ one: 1 }]);
    await silent.stop();
  });

  it('of a snapshot may take longer, and is then like any other', async () => {
    const slow = await startTestDatabase(1);
    destroySilentConnections(slow.pool, 2_000);
    await slow.pool.query('SET statement_timeout = 500');
    const [slept] = await slow.database.snapshot((snapshot) =>
      snapshot.query('SELECT 1 AS one, pg_sleep(2.5)', []),
    );
    expect(slept).toMatchObject({ one: 1 });
    await expect(slow.database.query('SELECT pg_sleep(5)', [])).rejects.toMatchObject({ code: '57014' });
    await slow.pool.query('SET statement_timeout = 10000');
    await expect(slow.database.query('SELECT pg_sleep(5)', [])).rejects.toThrow('does not respond');
    await slow.stop();
  });
});

describe('A server of accounts that hangs', () => {
  const accountIds = Array.from({ length: 21 }, () => newId('acc', new Date()));
  const [healthy, ...hanging] = accountIds as [string, ...string[]];
  const servers = twoServers((id) => (id === healthy ? 0 : 1));
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

  it('leaves connections for the accounts of others, whatever its own do', async () => {
    const database = it_.over(servers);
    const change = (accountId: string, id: number) =>
      database.runFor(accountId, () =>
        database.query('UPDATE jars SET beans = beans + 1 WHERE id = $1', [id]),
      );
    const changeAlone = (accountId: string) =>
      database.runFor(accountId, () => database.transaction((tx) => tx.query(LOCK, [1])));
    await it_.pool.query('INSERT INTO jars (id, beans) VALUES (1, 1), (2, 2)');
    const holder = new Client(it_.pool.options);
    await holder.connect();
    await holder.query(`BEGIN; ${LOCK.replace('$1', '1')}`);
    const changes = hanging.map((id, index) => (index % 2 === 0 ? change(id, 1) : changeAlone(id)));
    expect(await until(async () => (await it_.pool.query(waiting)).rowCount === 3)).toBe(true);
    await change(healthy, 2);
    expect((await it_.pool.query(waiting)).rowCount).toBe(3);
    await holder.query('ROLLBACK');
    await holder.end();
    await Promise.all(changes);
    expect(await jars()).toEqual([
      { id: 1, beans: 11 },
      { id: 2, beans: 3 },
    ]);
  });
});
