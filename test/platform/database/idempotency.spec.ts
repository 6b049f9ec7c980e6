import { DomainError } from '../../../src/kernel/domain-error';
import { Database, IdempotentOperation, StoredResponse } from '../../../src/platform/database/database';
import { startTestDatabase, TestDatabase } from '../../support/database';

const ADD = 'INSERT INTO jars (id, beans) VALUES ($1, 0)';

let it_: TestDatabase;

beforeAll(async () => {
  it_ = await startTestDatabase();
});
afterAll(() => it_.stop());

function onceBy(
  key: string | null,
  members: Partial<IdempotentOperation<number>> = {},
): IdempotentOperation<number> {
  const request = 'POST /jars\n{}';
  return { principal: 'usr_1', accountId: null, key, request, render: (id) => ({ id }), ...members };
}

let lastId = 0;

/** Adds a jar: with a query before the write, or with writes alone, whose look-up is in the pipeline of the COMMIT. */
function addJar(
  request: IdempotentOperation<number>,
  how: 'reading' | 'writing',
  database: Database = it_.database,
): Promise<StoredResponse> {
  return database.idempotent(request, async (tx) => {
    const id = (lastId += 1);
    if (how === 'reading') await tx.query('SELECT 1', []);
    tx.enqueue(ADD, [id]);
    return id;
  });
}

const count = async (): Promise<number> =>
  Number((await it_.pool.query('SELECT count(*) FROM jars')).rows[0].count);
const records = async (key: string): Promise<object[]> =>
  (
    await it_.pool.query(
      `SELECT account_id, response FROM account_idempotency_records WHERE key = $1
       UNION ALL SELECT NULL, response FROM idempotency_records WHERE key = $1`,
      [key],
    )
  ).rows;

describe.each([
  ['reading', null],
  ['writing', null],
  ['reading', 'acc_1'],
  ['writing', 'acc_1'],
] as const)('A creation with a key, %s, for the account %s', (how, accountId) => {
  const key = (name: string): string => `${name} ${how} ${accountId}`;
  const once: typeof onceBy = (ofKey, members) => onceBy(ofKey, { accountId, ...members });

  it('returns the stored response and does not run the work again', async () => {
    const first = await addJar(once(key('repeat')), how);
    const before = await count();
    const second = await addJar(once(key('repeat')), how);
    expect(first.replayed).toBe(false);
    expect(second).toEqual(new StoredResponse(first.body, true));
    expect(await count()).toBe(before);
  });

  it('returns the stored response and not the error of the constraint that a repeat violates', async () => {
    const work = (request: IdempotentOperation<number>): Promise<StoredResponse> =>
      it_.database.idempotent(request, async (tx) => {
        if (how === 'reading') await tx.query('SELECT 1', []);
        tx.enqueue('INSERT INTO jars (id, beans, lid) VALUES ($1, 0, $2)', [(lastId += 1), key('lid')], {
          jars_lid: () => new DomainError('email_exists', 'It is in use.'),
        });
        return 1;
      });
    const first = await work(once(key('constraint')));
    expect(await work(once(key('constraint')))).toEqual(new StoredResponse(first.body, true));
    await expect(work(once(key('another')))).rejects.toMatchObject({ code: 'email_exists' });
  });

  it('is rejected for another request, and creates nothing', async () => {
    await addJar(once(key('other')), how);
    const before = await count();
    const other = addJar(once(key('other'), { request: 'POST /jars\n{"a":1}' }), how);
    await expect(other).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await count()).toBe(before);
  });

  it('is separate for each principal', async () => {
    const first = await addJar(once(key('principals')), how);
    const second = await addJar(once(key('principals'), { principal: 'usr_2' }), how);
    expect(second.replayed).toBe(false);
    expect(second.body).not.toBe(first.body);
  });

  it('can be used again after exactly 7 days', async () => {
    const first = await addJar(once(key('age')), how);
    it_.clock.move({ days: 7, seconds: -5 });
    expect(await addJar(once(key('age')), how)).toEqual(new StoredResponse(first.body, true));
    it_.clock.move({ seconds: 10 });
    const renewed = await addJar(once(key('age')), how);
    expect(renewed.replayed).toBe(false);
    expect(renewed.body).not.toBe(first.body);
    expect(await addJar(once(key('age')), how)).toEqual(new StoredResponse(renewed.body, true));
    expect(await records(key('age'))).toMatchObject([{ account_id: accountId }]);
    it_.clock.move({ days: -7, seconds: -5 });
  });

  it('can be used for another request after 7 days', async () => {
    await addJar(once(key('age other')), how);
    it_.clock.move({ days: 8 });
    const renewed = await addJar(once(key('age other'), { request: 'POST /jars\n{"a":1}' }), how);
    it_.clock.move({ days: -8 });
    expect(renewed.replayed).toBe(false);
  });

  it('stores nothing when the request is rejected', async () => {
    const rejected = it_.database.idempotent(once(key('rejected')), async (tx) => {
      if (how === 'reading') await tx.query('SELECT 1', []);
      throw new DomainError('forbidden', 'No.');
    });
    await expect(rejected).rejects.toMatchObject({ code: 'forbidden' });
    expect(await records(key('rejected'))).toEqual([]);
    expect((await addJar(once(key('rejected')), how)).replayed).toBe(false);
  });

  it('whose response shows a secret stores the id alone, and rejects a repeat with it', async () => {
    const withSecret = once(key('secret'), {
      render: (id) => ({ id, secret: 'canary-of-a-secret' }),
      showsSecretOf: (id) => `jar_${id}`,
    });
    const first = await addJar(withSecret, how);
    expect(JSON.parse(first.body)).toEqual({ id: lastId, secret: 'canary-of-a-secret' });
    const id = lastId;
    const before = await count();
    const repeats = await Promise.allSettled(Array.from({ length: 5 }, () => addJar(withSecret, how)));
    for (const repeat of repeats) {
      expect(repeat).toMatchObject({
        reason: { code: 'conflict', message: expect.stringContaining(`created jar_${id}.`) },
      });
    }
    expect(await count()).toBe(before);
    expect(JSON.stringify(await records(key('secret')))).not.toContain('canary-of-a-secret');
  });

  it('creates one row for concurrent requests', async () => {
    const before = await count();
    const responses = await Promise.all(Array.from({ length: 50 }, () => addJar(once(key('at once')), how)));
    expect(await count()).toBe(before + 1);
    expect(new Set(responses.map(({ body }) => body)).size).toBe(1);
    expect(responses.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  it('returns the stored response and not an error that the first of two concurrent requests has caused', async () => {
    await it_.pool.query('INSERT INTO jars (id, beans) VALUES ($1, 1)', [(lastId += 1)]);
    const jar = lastId;
    const take = (): Promise<StoredResponse> =>
      it_.database.idempotent(once(key('used up')), async (tx) => {
        const empty = { jars_beans: () => new DomainError('insufficient_funds', 'It is empty.') };
        tx.enqueue('UPDATE jars SET beans = beans - 1 WHERE id = $1', [jar], empty);
        if (how === 'reading') await tx.query('SELECT 1', []);
        return jar;
      });
    const responses = await Promise.all(Array.from({ length: 10 }, take));
    expect(new Set(responses.map(({ body }) => body)).size).toBe(1);
    expect(responses.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  it('creates one row for concurrent requests after 7 days', async () => {
    await addJar(once(key('old at once')), how);
    const before = await count();
    it_.clock.move({ days: 8 });
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => addJar(once(key('old at once')), how)),
    );
    it_.clock.move({ days: -8 });
    expect(await count()).toBe(before + 1);
    expect(new Set(responses.map(({ body }) => body)).size).toBe(1);
  });
});

describe('A creation that links its principal to an account', () => {
  it('is found by a repeat before and after, and once by concurrent ones', async () => {
    const linking = onceBy('linking', { linksTo: () => 'acc_linked' });
    const before = await count();
    const responses = await Promise.all(Array.from({ length: 10 }, () => addJar(linking, 'writing')));
    responses.push(await addJar({ ...linking, accountId: 'acc_linked' }, 'writing'));
    expect(new Set(responses.map(({ body }) => body)).size).toBe(1);
    expect(responses.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await count()).toBe(before + 1);
    const other = { accountId: 'acc_linked', request: 'POST /lids\n{}' };
    await expect(addJar(onceBy('linking', other), 'writing')).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});

describe('A creation without a key', () => {
  it('runs for every request, and stores no record', async () => {
    const responses = [await addJar(onceBy(null), 'writing'), await addJar(onceBy(null), 'reading')];
    expect(responses.map(({ replayed }) => replayed)).toEqual([false, false]);
    expect((await it_.pool.query('SELECT 1 FROM idempotency_records WHERE key IS NULL')).rowCount).toBe(0);
  });
});

describe('The fingerprint of a request', () => {
  const request = 'POST /v1/users\n{"password":"canary-of-a-password"}';

  it('does not contain the request', async () => {
    await addJar(onceBy('canary', { request }), 'writing');
    const { rows } = await it_.pool.query('SELECT * FROM idempotency_records WHERE key = $1', ['canary']);
    expect(JSON.stringify(rows)).not.toContain('canary-of-a-password');
  });

  it('depends on the secret, and stays valid during its rotation', async () => {
    const old = it_.withSecrets('an old secret');
    const rotated = it_.withSecrets('a new secret', 'an old secret');
    const later = it_.withSecrets('a new secret');
    const first = await addJar(onceBy('rotation', { request }), 'reading', old);
    expect(await addJar(onceBy('rotation', { request }), 'reading', rotated)).toEqual(
      new StoredResponse(first.body, true),
    );
    await expect(addJar(onceBy('rotation', { request }), 'reading', later)).rejects.toMatchObject({
      code: 'invalid_request',
    });

    const second = await addJar(onceBy('rotated', { request }), 'reading', rotated);
    expect(await addJar(onceBy('rotated', { request }), 'reading', later)).toEqual(
      new StoredResponse(second.body, true),
    );
    await expect(addJar(onceBy('rotated', { request }), 'reading', old)).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});
