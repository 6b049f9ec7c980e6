import { QueryConfig } from 'pg';
import { DomainError } from '../../../src/kernel/domain-error';
import { PreparingClient } from '../../../src/platform/database/engine/connection';
import { enqueueWrite } from '../../../src/platform/database/repositories';
import { Tx } from '../../../src/platform/database/tx';
import { Jar, jarSchema, startTestDatabase, TestDatabase } from '../../support/database';
import { until } from '../../support/until';

const ADD = 'INSERT INTO jars (id, beans) VALUES ($1, $2)';

let it_: TestDatabase;
const jars = async (): Promise<object[]> =>
  (await it_.pool.query('SELECT id, beans FROM jars ORDER BY id')).rows;

beforeAll(async () => {
  it_ = await startTestDatabase();
});
beforeEach(() => it_.pool.query('TRUNCATE jars'));
afterEach(async () => {
  jest.restoreAllMocks();
  expect(await until(() => it_.isIdle())).toBe(true); // no test leaves a connection checked out
});
afterAll(() => it_.stop());

/** Records each statement when it is sent, and when its result is there. */
function recordStatements(): string[] {
  const log: string[] = [];
  const { query } = PreparingClient.prototype as unknown as {
    readonly query: (...args: unknown[]) => Promise<unknown>;
  };
  const recording = function (this: PreparingClient, ...args: unknown[]): unknown {
    const [config] = args as [string | QueryConfig];
    const name = (typeof config === 'string' ? config : config.text).split(' ')[0]!;
    log.push(name);
    const result = query.apply(this, args);
    result?.then?.(
      () => log.push(`${name} done`),
      () => log.push(`${name} failed`),
    );
    return result;
  };
  jest.spyOn(PreparingClient.prototype, 'query').mockImplementation(recording as never);
  return log;
}

describe('A repository in a transaction', () => {
  it('stores an entity together with what is queued', async () => {
    await it_.database.transaction(async (tx) => {
      tx.enqueue(ADD, [1, 5]);
      await tx.repository(jarSchema).save(Jar.of(2, 6));
      tx.enqueue(ADD, [3, 7]);
    });
    expect(await jars()).toEqual([
      { id: 1, beans: 5 },
      { id: 2, beans: 6 },
      { id: 3, beans: 7 },
    ]);
  });

  it('queues what a query builder describes', async () => {
    const repository = it_.database.repository(jarSchema);
    const log = recordStatements();
    await it_.database.transaction(async (tx) => {
      enqueueWrite(
        tx,
        repository
          .createQueryBuilder()
          .insert()
          .values([Jar.of(1, 5), Jar.of(2, 5)]),
      );
      enqueueWrite(tx, repository.createQueryBuilder().update().set({ beans: 6 }).where({ id: 1 }));
      enqueueWrite(tx, repository.createQueryBuilder().delete().where({ id: 2 }));
    });
    const sent = log.filter((line) => !line.endsWith(' done'));
    expect(sent).toEqual(['BEGIN', 'INSERT', 'UPDATE', 'DELETE', 'COMMIT']);
    expect(log[sent.length]).toBe('BEGIN done'); // all are sent before the first one has a result
    expect(await jars()).toEqual([{ id: 1, beans: 6 }]);

    const errors = { jars_id: () => new DomainError('conflict', 'Taken.') };
    const insert = repository.createQueryBuilder().insert().values(Jar.of(1, 5));
    const work = async (tx: Tx): Promise<void> => enqueueWrite(tx, insert, errors);
    await expect(it_.database.transaction(work)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('stores nothing when what is queued after it fails', async () => {
    const work = async (tx: Tx): Promise<void> => {
      await tx.repository(jarSchema).insert(Jar.of(1, 5));
      tx.enqueue(ADD, [1, 6], { jars_id: () => new DomainError('conflict', 'Taken.') });
    };
    await expect(it_.database.transaction(work)).rejects.toMatchObject({ code: 'conflict' });
    expect(await jars()).toEqual([]);
  });

  it('returns entities without running their constructor, and sees what was queued', async () => {
    const found = await it_.database.transaction(async (tx) => {
      tx.enqueue(ADD, [1, 5]);
      return tx.repository(jarSchema).findOneBy({ id: 1 });
    });
    expect(found).toBeInstanceOf(Jar);
    expect(found).toEqual(Jar.of(1, 5));
  });

  it('counts the rows that it has changed', async () => {
    await it_.pool.query(ADD, [1, 5]);
    const counts = await it_.database.transaction(async (tx) => {
      const repository = tx.repository(jarSchema);
      const { affected: updated } = await repository.update({ id: 1 }, { beans: 6 });
      const { affected: deleted } = await repository.delete({ id: 2 });
      return { updated, deleted };
    });
    expect(counts).toEqual({ updated: 1, deleted: 0 });
    expect(await jars()).toEqual([{ id: 1, beans: 6 }]);
  });

  it('sends its statements one after another, in the order of the calls, and begins and ends nothing itself', async () => {
    await it_.pool.query(ADD, [1, 5]);
    const log = recordStatements();
    await it_.database.transaction(async (tx) => {
      const [one, other] = [tx.repository(jarSchema), tx.repository(jarSchema)];
      await Promise.all([one.update({ id: 1 }, { beans: 6 }), other.delete({ id: 1 })]);
      await one.save(Jar.of(2, 5));
    });
    expect(log.filter((line) => !line.startsWith('BEGIN'))).toEqual([
      ...['UPDATE', 'UPDATE done', 'DELETE', 'DELETE done'],
      ...['SELECT', 'SELECT done', 'INSERT', 'INSERT done', 'COMMIT', 'COMMIT done'],
    ]);
    expect(log.filter((line) => line === 'BEGIN')).toHaveLength(1);
    expect(await jars()).toEqual([{ id: 2, beans: 5 }]);
  });

  it('opens no transaction on request', async () => {
    await it_.database.transaction(async (tx) => {
      const { manager } = tx.repository(jarSchema);
      await expect(manager.transaction(async () => undefined)).rejects.toThrow(/Only/);
    });
  });

  it('throws after the end of the transaction', async () => {
    const kept = await it_.database.transaction(async (tx) => {
      const repository = tx.repository(jarSchema);
      await repository.insert(Jar.of(1, 5));
      return repository;
    });
    await expect(kept.insert(Jar.of(2, 5))).rejects.toThrow(/has ended/);
    await expect(kept.find()).rejects.toThrow(/has ended/);

    let late: Promise<unknown> | undefined;
    const work = async (tx: Tx): Promise<void> => {
      const repository = tx.repository(jarSchema);
      late = Promise.allSettled([repository.insert(Jar.of(2, 5)), repository.insert(Jar.of(3, 5))]);
      throw new DomainError('forbidden', 'No.');
    };
    await expect(it_.database.transaction(work)).rejects.toMatchObject({ code: 'forbidden' });
    await late;
    expect(await jars()).toEqual([{ id: 1, beans: 5 }]);
  });

  it('turns a violated constraint into a domain error, after which nothing is sent or stored', async () => {
    await it_.pool.query(ADD, [1, 5]);
    const errors = { jars_id: () => new DomainError('conflict', 'Taken.') };
    const log = recordStatements();
    const work = async (tx: Tx): Promise<void> => {
      await tx.repository(jarSchema).insert(Jar.of(2, 5));
      const taken = { code: 'conflict', message: 'Taken.' };
      await expect(tx.repository(jarSchema, errors).insert(Jar.of(1, 5))).rejects.toMatchObject(taken);
      await expect(tx.repository(jarSchema).find()).rejects.toMatchObject(taken);
    };
    await expect(it_.database.transaction(work)).rejects.toThrow(/ROLLBACK instead of COMMIT/);
    expect(log.filter((line) => line === 'SELECT')).toEqual([]);
    expect(await jars()).toEqual([{ id: 1, beans: 5 }]);
  });

  it('keeps the parameters out of an error that nobody expects', async () => {
    const work = (tx: Tx): Promise<unknown> => tx.repository(jarSchema).insert(Jar.of(1, -5));
    const error: unknown = await it_.database.transaction(work).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ constraint: 'jars_beans' });
    expect(error).not.toHaveProperty('parameters');
  });

  it('is part of the transaction that runs again after a deadlock', async () => {
    await it_.pool.query(ADD, [1, 5]);
    await it_.pool.query(ADD, [2, 5]);
    let locked = 0;
    let bothHave: () => void;
    const bothLocked = new Promise<void>((resolve) => (bothHave = resolve));
    const work =
      (first: number, second: number) =>
      async (tx: Tx): Promise<void> => {
        const repository = tx.repository(jarSchema);
        await repository.increment({ id: first }, 'beans', 1);
        if (++locked === 2) bothHave();
        await bothLocked;
        await repository.increment({ id: second }, 'beans', 1);
      };
    await Promise.all([it_.database.transaction(work(1, 2)), it_.database.transaction(work(2, 1))]);
    expect(locked).toBeGreaterThan(2);
    expect(await jars()).toEqual([
      { id: 1, beans: 7 },
      { id: 2, beans: 7 },
    ]);
  });

  it('writes and locks beside concurrent tasks that may share a database transaction', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => index + 1);
    await it_.pool.query('INSERT INTO jars SELECT id, 5 FROM unnest($1::integer[]) AS id', [ids]);
    const work =
      (id: number) =>
      async (tx: Tx): Promise<void> => {
        await tx.lockRow('SELECT id FROM jars WHERE id = $1', [id]);
        const repository = tx.repository(jarSchema);
        expect(await repository.findOneBy({ id })).toEqual(Jar.of(id, 5));
        tx.enqueue('UPDATE jars SET beans = beans + 1 WHERE id = $1', [id]);
        if (id % 3 === 0) await repository.increment({ id }, 'beans', 1);
        if (id % 3 === 1) await repository.findOne({ where: { id }, lock: { mode: 'pessimistic_write' } });
      };
    await Promise.all(ids.map((id) => it_.database.transaction(work(id), String(id))));
    expect(await jars()).toEqual(ids.map((id) => ({ id, beans: id % 3 === 0 ? 7 : 6 })));
  });
});

describe('A repository outside of a transaction', () => {
  it('runs each statement on its own', async () => {
    const repository = it_.database.repository(jarSchema);
    await repository.insert(Jar.of(1, 5));
    expect(await repository.find()).toEqual([Jar.of(1, 5)]);
    expect((await repository.delete({ id: 1 })).affected).toBe(1);
  });

  it('opens no transaction, and locks nothing', async () => {
    const repository = it_.database.repository(jarSchema);
    await expect(repository.save(Jar.of(1, 5))).rejects.toThrow(/Only/);
    const locking = repository.findOne({ where: { id: 1 }, lock: { mode: 'pessimistic_write' } });
    await expect(locking).rejects.toThrow(/transaction/);
    expect(await jars()).toEqual([]);
  });
});
