import { Client } from 'pg';
import { aTransaction } from '../../support/request-bodies';
import { isOnCitus } from '../../support/citus';
import { untilOneWaits } from '../../support/lock-waits';
import { anOwner, created, Owner } from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { LIMIT_MS, report, repetitions, until } from './support/form';

/** After a deadlock (40P01) or a serialization failure (40001) the service repeats the transaction. */
jest.setTimeout(LIMIT_MS);

let service: TestService;
let owner: Owner;

beforeEach(async () => {
  service = await startTestService();
  owner = await anOwner(service.api);
});
afterEach(() => service.stop());

const credit = (amount: number) => aTransaction(owner.accountId, { type: 'credit', amount });

async function posted(): Promise<number> {
  return (await owner.api.get('/v1/account/balance')).body.posted;
}

/** A second session. On Citus, the settings of its transactions are those of its sessions on the workers as well. */
async function otherSession(): Promise<Client> {
  const client = new Client({ connectionString: service.databaseUrl });
  await client.connect();
  await client.query("SET citus.propagate_set_commands = 'local'");
  return client;
}

/** Runs SQL on the servers that have the rows of accounts. @returns the sum of the numbers that it returns there */
async function sumWhereRowsAre(sql: string): Promise<number> {
  const rows = isOnCitus
    ? await service.sql<object>('SELECT result FROM run_command_on_workers($1)', [sql])
    : await service.sql<object>(sql);
  return rows.reduce((sum, row) => sum + Number(Object.values(row)[0]), 0);
}

async function deadlocks(): Promise<number> {
  const [row] = await service.sql<{ deadlocks: string }>(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(row!.deadlocks);
}

it('A creation that is aborted by a deadlock is repeated and returns 201', async () => {
  const times = repetitions({ short: 3, long: 200 });
  const payment = await created(
    owner.api,
    '/v1/transactions',
    aTransaction(owner.accountId, { amount: times }),
  );
  service.clock.move({ seconds: 61 });
  await service.runDueTasks();
  const other = await otherSession();
  for (let round = 0; round < times; round += 1) {
    await other.query('BEGIN');
    // It is longer than that of the service, whose transaction PostgreSQL therefore aborts.
    await other.query(`SET LOCAL deadlock_timeout = '1min'`);
    await other.query('SELECT FROM transactions WHERE account_id = $1 AND id = $2 FOR UPDATE', [
      owner.accountId,
      payment.id,
    ]);
    // The service locks the account, then the refunded payment; the other session locks them in reverse order.
    const refund = owner.api.post(
      '/v1/transactions',
      aTransaction(owner.accountId, { type: 'refund', amount: 1, source_transaction_id: payment.id }),
    );
    await untilOneWaits(service); // for the payment
    await other.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [owner.accountId]);
    await other.query('COMMIT');
    expect((await refund).status).toBe(201);
  }
  await other.end();
  expect(await posted()).toBe(0);
  // Citus ends deadlocks by a detection of its own, which does not count them.
  const seen = isOnCitus
    ? 'not counted'
    : await until('the server has counted', async () => {
        const count = await deadlocks();
        return count >= times && count;
      });
  report('deadlocks that the service lost', { times, deadlocks: seen, responsesOf5xx: 0 });
});

const TWO_OF_THREE = 'number % 3 <> 0';

/** Makes inserts fail with an SQLSTATE. A sequence numbers them, because it is not rolled back. */
async function failInserts(sqlState: string, condition: string): Promise<void> {
  await sumWhereRowsAre('CREATE SEQUENCE inserts');
  await service.sql(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE number bigint := nextval('inserts'); BEGIN
    IF ${condition} THEN RAISE EXCEPTION 'planted' USING ERRCODE = '${sqlState}'; END IF;
    RETURN NEW; END $$`);
  await service.sql('CREATE TRIGGER fail BEFORE INSERT ON transactions FOR EACH ROW EXECUTE FUNCTION fail()');
}

it.each(['40001', '40P01'])('Creations that fail with %s are repeated and stored once', async (sqlState) => {
  const times = repetitions({ short: 20, long: 400 });
  await failInserts(sqlState, TWO_OF_THREE);
  for (let round = 0; round < times; round += 1) {
    expect((await owner.api.post('/v1/transactions', credit(1))).status).toBe(201);
  }
  expect(await posted()).toBe(times);
  expect(await sumWhereRowsAre('SELECT last_value FROM inserts WHERE is_called')).toBe(3 * times);
  report(`failures with ${sqlState}`, { creates: times, failures: 2 * times, responsesOf5xx: 0 });
});

it.each(['40001', '40P01'])(
  'Concurrent creations on one account that share a failure with %s are repeated and stored once',
  async (sqlState) => {
    const times = repetitions({ short: 3, long: 60 });
    const atOnce = 20;
    // Every fifth insert fails, and with it all creations that share its database transaction.
    await failInserts(sqlState, 'number % 5 = 0');
    for (let round = 0; round < times; round += 1) {
      const requests = Array.from({ length: atOnce }, () => owner.api.post('/v1/transactions', credit(1)));
      const statuses = (await Promise.all(requests)).map(({ status }) => status);
      expect(statuses).toEqual(Array(atOnce).fill(201));
    }
    expect(await posted()).toBe(times * atOnce);
    const [entries] = await service.sql<{ count: string; last: string }>(
      'SELECT count(*), max(number) AS last FROM journal_entries WHERE account_id = $1',
      [owner.accountId],
    );
    expect([entries!.count, entries!.last].map(Number)).toEqual([2, 2].map((legs) => legs * times * atOnce));
  },
);

it('Any other database error returns 500 without a detail, which the tests above would detect', async () => {
  await failInserts('22012', TWO_OF_THREE);
  const { status, body } = await owner.api.post('/v1/transactions', credit(1));
  expect(status).toBe(500);
  expect(body).toEqual({
    error: 'internal_error',
    message: 'An internal error occurred. It is logged under the X-Request-Id of this response.',
  });
  expect(await posted()).toBe(0);
});
