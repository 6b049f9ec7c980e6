import { Client } from 'pg';
import type { EmbeddedPostgres } from '../../../src/embedded-postgres/embedded-postgres';
import { startTemporaryPostgres } from '../../../src/embedded-postgres/temporary-postgres';
import { IdempotentOperation, StoredResponse } from '../../../src/platform/database/database';
import { migrate } from '../../../src/platform/database/migrations/migrate';
import { errorResponse } from '../../../src/platform/http/error.filter';
import { schema } from '../../support/core';
import { openTestDatabase, startTestDatabase, TestDatabase } from '../../support/database';
import { onServer } from '../../support/databases';
import { until } from '../../support/until';

const ADD = 'INSERT INTO jars (id, beans) VALUES ($1, 0)';
const unavailable = { status: 503, body: { error: 'unavailable' } };

const responseTo = async (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => 'success',
    (error: unknown) => errorResponse(error),
  );

describe('A server that only serves reads', () => {
  let it_: TestDatabase;
  let name: string;

  beforeAll(async () => {
    it_ = await startTestDatabase(2);
    name = (await it_.pool.query<{ name: string }>('SELECT current_database() AS name')).rows[0]!.name;
  });
  afterAll(() => it_.stop());

  const add = (id: number): Promise<void> =>
    it_.database.transaction(async (tx) => {
      await tx.query('SELECT 1', []);
      tx.enqueue(ADD, [id]);
    });

  it('loses its connection at the first write, which is tried again on another one', async () => {
    const client = await it_.pool.connect();
    await client.query('SET default_transaction_read_only = on');
    client.release();
    await add(1);
    const { rows } = await it_.pool.query('SHOW default_transaction_read_only');
    expect(rows).toEqual([{ default_transaction_read_only: 'off' }]);
    expect((await it_.pool.query('SELECT id FROM jars')).rows).toEqual([{ id: 1 }]);
    expect(it_.pool.totalCount).toBe(1);
  });

  it('loses its connection at the first write outside a transaction, which causes a 503', async () => {
    const client = await it_.pool.connect();
    await client.query('SET default_transaction_read_only = on');
    client.release();
    expect(await responseTo(it_.database.query(ADD, [2]))).toMatchObject(unavailable);
    expect(await it_.database.query(ADD, [2])).toEqual([]);
  });

  it('gets no new connection, not even for reads, until it accepts writes', async () => {
    await onServer(
      `ALTER DATABASE ${name} SET default_transaction_read_only = on`,
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'`,
    );
    expect(await until(async () => it_.pool.totalCount === 0)).toBe(true);
    expect(await responseTo(it_.database.query('SELECT 1', []))).toMatchObject(unavailable);
    expect(await responseTo(add(3))).toMatchObject(unavailable);
    await onServer(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await add(3);
  });
});

describe('A leader whose synchronous standby is gone', () => {
  let postgres: EmbeddedPostgres;
  let it_: TestDatabase;
  let server: Client;

  beforeAll(async () => {
    postgres = await startTemporaryPostgres();
    server = new Client({ connectionString: postgres.url });
    await server.connect();
    await server.query('ALTER ROLE CURRENT_USER SET synchronous_commit = on'); // a temporary server has it off
    await server.query('SET synchronous_commit = local');
    await migrate(postgres.url, schema);
    it_ = await openTestDatabase(postgres.url, 4, () => postgres.stop());
  });
  afterAll(async () => {
    await server.end();
    await it_.stop();
  });

  const setStandbys = async (names: string): Promise<void> => {
    await server.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await server.query('SELECT pg_reload_conf()');
    const loaded = await until(async () => {
      const { rows } = await server.query<{ value: string }>(
        `SELECT current_setting('synchronous_standby_names') AS value`,
      );
      return rows[0]!.value === names;
    });
    expect(loaded).toBe(true);
    // Commits wait only once another process of the server has loaded the setting, too.
    expect(await until(async () => (await aCommitWaits()) === (names !== ''))).toBe(true);
  };

  /** Makes a commit, and cancels its wait if there is one. */
  const aCommitWaits = async (): Promise<boolean> => {
    let ended = false;
    let waited = false;
    const commit = it_.pool
      .query(`SELECT pg_logical_emit_message(true, 'probe', 'x')`)
      .catch(() => undefined)
      .finally(() => (ended = true));
    while (!ended) waited = (await cancelWaits()) > 0 || waited;
    await commit;
    return waited;
  };

  const cancelWaits = async (): Promise<number> => {
    const sql = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
    return (await server.query(sql)).rowCount!;
  };

  /** Ends the wait of a COMMIT as the statement timeout does: the server then reports success, with a warning. */
  const cancelWait = (): Promise<boolean> => until(async () => (await cancelWaits()) === 1);

  const creation: IdempotentOperation<number> = {
    principal: 'usr_1',
    accountId: null,
    key: 'once',
    request: 'POST /jars\n{}',
    render: (id) => ({ id }),
  };
  const create = (): Promise<StoredResponse> =>
    it_.database.idempotent(creation, async (tx) => {
      tx.enqueue(ADD, [1]);
      return 1;
    });

  it('acknowledges neither a creation nor its repeat until a standby has it', async () => {
    await setStandbys('gone');
    for (const attempt of ['first', 'repeat']) {
      const [response, canceled] = await Promise.all([responseTo(create()), cancelWait()]);
      expect([attempt, response, canceled]).toMatchObject([attempt, unavailable, true]);
    }
    // What the first attempt has written is visible here, but it would be lost with this server.
    expect((await server.query('SELECT id FROM jars')).rows).toEqual([{ id: 1 }]);
    await setStandbys('');
    expect(await create()).toEqual(new StoredResponse('{"id":1}', true));
  });
});
