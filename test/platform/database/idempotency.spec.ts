import { Refusal } from '../../../src/kernel/refusal';
import { Database } from '../../../src/platform/database/database';
import { Answer, Once } from '../../../src/platform/database/idempotency';
import { startTestDatabase, TestDatabase } from '../../support/database';

const ADD = 'INSERT INTO jars (id, beans) VALUES ($1, 0)';

let it_: TestDatabase;

beforeAll(async () => {
  it_ = await startTestDatabase();
});
afterAll(() => it_.stop());

function once(key: string | null, members: Partial<Once<number>> = {}): Once<number> {
  return { principal: 'usr_1', key, request: 'POST /jars\n{}', render: (id) => ({ id }), ...members };
}

let lastId = 0;

/** Adds a jar: with a read before the write, or with writes alone, when the look-up rides in the burst of the COMMIT. */
function addJar(
  request: Once<number>,
  how: 'reading' | 'writing',
  database: Database = it_.database,
): Promise<Answer> {
  return database.atomically(request, async (tx) => {
    const id = (lastId += 1);
    if (how === 'reading') await tx.read('SELECT 1', []);
    tx.write(ADD, [id]);
    return id;
  });
}

const count = async (): Promise<number> =>
  Number((await it_.pool.query('SELECT count(*) FROM jars')).rows[0].count);
const records = async (key: string): Promise<number> =>
  (await it_.pool.query('SELECT 1 FROM idempotency_records WHERE key = $1', [key])).rowCount!;

describe.each(['reading', 'writing'] as const)('A creation with a key, %s', (how) => {
  const key = (name: string): string => `${name} ${how}`;

  it('is answered once more from the store, and the work does not happen again', async () => {
    const first = await addJar(once(key('repeat')), how);
    const before = await count();
    const second = await addJar(once(key('repeat')), how);
    expect(first.replayed).toBe(false);
    expect(second).toEqual(new Answer(first.body, true));
    expect(await count()).toBe(before);
  });

  it('is answered from the store, not by the constraint that a repeat of its work violates', async () => {
    const work = (request: Once<number>): Promise<Answer> =>
      it_.database.atomically(request, async (tx) => {
        if (how === 'reading') await tx.read('SELECT 1', []);
        tx.write('INSERT INTO jars (id, beans, lid) VALUES ($1, 0, $2)', [(lastId += 1), key('lid')], {
          jars_lid: () => new Refusal('email_exists', 'It is in use.'),
        });
        return 1;
      });
    const first = await work(once(key('constraint')));
    expect(await work(once(key('constraint')))).toEqual(new Answer(first.body, true));
    await expect(work(once(key('another')))).rejects.toMatchObject({ code: 'email_exists' });
  });

  it('is refused for another request, and creates nothing', async () => {
    await addJar(once(key('other')), how);
    const before = await count();
    const other = addJar(once(key('other'), { request: 'POST /jars\n{"a":1}' }), how);
    await expect(other).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await count()).toBe(before);
  });

  it("is another principal's own", async () => {
    const first = await addJar(once(key('principals')), how);
    const second = await addJar(once(key('principals'), { principal: 'usr_2' }), how);
    expect(second.replayed).toBe(false);
    expect(second.body).not.toBe(first.body);
  });

  it('is new again when its 7 days are over, not a moment earlier', async () => {
    const first = await addJar(once(key('age')), how);
    it_.clock.move({ days: 7, seconds: -5 });
    expect(await addJar(once(key('age')), how)).toEqual(new Answer(first.body, true));
    it_.clock.move({ seconds: 10 });
    const renewed = await addJar(once(key('age')), how);
    expect(renewed.replayed).toBe(false);
    expect(renewed.body).not.toBe(first.body);
    expect(await addJar(once(key('age')), how)).toEqual(new Answer(renewed.body, true));
    expect(await records(key('age'))).toBe(1);
    it_.clock.move({ days: -7, seconds: -5 });
  });

  it('is new again for another request, too, when its 7 days are over', async () => {
    await addJar(once(key('age other')), how);
    it_.clock.move({ days: 8 });
    const renewed = await addJar(once(key('age other'), { request: 'POST /jars\n{"a":1}' }), how);
    it_.clock.move({ days: -8 });
    expect(renewed.replayed).toBe(false);
  });

  it('stores nothing when it is refused', async () => {
    const refused = it_.database.atomically(once(key('refused')), async (tx) => {
      if (how === 'reading') await tx.read('SELECT 1', []);
      throw new Refusal('forbidden', 'No.');
    });
    await expect(refused).rejects.toMatchObject({ code: 'forbidden' });
    expect(await records(key('refused'))).toBe(0);
    expect((await addJar(once(key('refused')), how)).replayed).toBe(false);
  });

  it('makes one row however many come at once', async () => {
    const before = await count();
    const answers = await Promise.all(Array.from({ length: 50 }, () => addJar(once(key('at once')), how)));
    expect(await count()).toBe(before + 1);
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  it('is answered from the store, not by what the first of two at once has used up', async () => {
    await it_.pool.query('INSERT INTO jars (id, beans) VALUES ($1, 1)', [(lastId += 1)]);
    const jar = lastId;
    const take = (): Promise<Answer> =>
      it_.database.atomically(once(key('used up')), async (tx) => {
        const empty = { jars_beans: () => new Refusal('insufficient_funds', 'It is empty.') };
        tx.write('UPDATE jars SET beans = beans - 1 WHERE id = $1', [jar], empty);
        if (how === 'reading') await tx.read('SELECT 1', []);
        return jar;
      });
    const answers = await Promise.all(Array.from({ length: 10 }, take));
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  it('after its 7 days makes one row however many come at once', async () => {
    await addJar(once(key('old at once')), how);
    const before = await count();
    it_.clock.move({ days: 8 });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => addJar(once(key('old at once')), how)),
    );
    it_.clock.move({ days: -8 });
    expect(await count()).toBe(before + 1);
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
  });
});

describe('A creation without a key', () => {
  it('is done as often as it is sent, and nothing is kept of it', async () => {
    const answers = [await addJar(once(null), 'writing'), await addJar(once(null), 'reading')];
    expect(answers.map(({ replayed }) => replayed)).toEqual([false, false]);
    expect((await it_.pool.query('SELECT 1 FROM idempotency_records WHERE key IS NULL')).rowCount).toBe(0);
  });
});

describe('What is kept of a request', () => {
  const request = 'POST /v1/users\n{"password":"canary-of-a-password"}';

  it('does not show it', async () => {
    await addJar(once('canary', { request }), 'writing');
    const { rows } = await it_.pool.query('SELECT * FROM idempotency_records WHERE key = $1', ['canary']);
    expect(JSON.stringify(rows)).not.toContain('canary-of-a-password');
  });

  it('depends on the secret, and outlives its rotation while both are configured', async () => {
    const old = it_.withSecrets('an old secret');
    const rotated = it_.withSecrets('a new secret', 'an old secret');
    const later = it_.withSecrets('a new secret');
    const first = await addJar(once('rotation', { request }), 'reading', old);
    expect(await addJar(once('rotation', { request }), 'reading', rotated)).toEqual(
      new Answer(first.body, true),
    );
    await expect(addJar(once('rotation', { request }), 'reading', later)).rejects.toMatchObject({
      code: 'invalid_request',
    });

    const second = await addJar(once('rotated', { request }), 'reading', rotated);
    expect(await addJar(once('rotated', { request }), 'reading', later)).toEqual(
      new Answer(second.body, true),
    );
    await expect(addJar(once('rotated', { request }), 'reading', old)).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});
