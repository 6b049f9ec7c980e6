import { accountCounts } from '../../../../src/modules/accounts';
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { MigrationInterface } from 'typeorm';
import { distribute, DistributeOptions } from '../../../../src/platform/database/citus/distribute';
import { migrate } from '../../../../src/platform/database/migrations/migrate';
import { createClusterDatabase, describeOnCitus, dropCitusDatabase, onUrl } from '../../../support/citus';
import { schema } from '../../../support/core';
import { openTestDatabase } from '../../../support/database';
import { databaseUrl } from '../../../support/databases';
import { anOwner, created } from '../../../support/people';
import { aSubscription, aTransaction } from '../../../support/request-bodies';
import { startTestServiceOn } from '../../../support/service';

const SHARDS = 4;
/** The last migration of the release that ran on Citus first. */
const LAST_BEFORE = 1_795_401_200_010;
const LOCK_NOT_AVAILABLE = '55P03';

async function run(url: string, options: Partial<DistributeOptions> = {}) {
  const printed: string[] = [];
  const print = (line: string): void => void printed.push(line);
  const missing = await distribute(url, {
    dryRun: false,
    shards: SHARDS,
    countedLists: [accountCounts],
    print,
    ...options,
  });
  return { missing, printed };
}

describe('citus:distribute without Citus', () => {
  it('is refused', async () => {
    await expect(run(databaseUrl('postgres'))).rejects.toThrow('the database has no extension citus');
  });
});

describeOnCitus('citus:distribute', () => {
  const names: string[] = [];
  /** A migrated database that is not distributed yet. */
  const aDatabase = async (): Promise<string> => {
    const name = `distribute_${randomBytes(6).toString('hex')}`;
    names.push(name);
    const url = await createClusterDatabase(name);
    await migrate(url, schema);
    return url;
  };
  // Each database keeps a background process on each server, which has only a few.
  afterEach(async () => {
    for (const name of names.splice(0)) await dropCitusDatabase(name);
  });
  const isDistributed = async (url: string): Promise<boolean> =>
    (await onUrl(url, `SELECT FROM pg_dist_partition WHERE partmethod = 'h'`)).length > 0;

  it('moves what is there, and the service goes on with it', async () => {
    const url = await aDatabase();
    const before = await startTestServiceOn(url);
    const owners = await Promise.all(Array.from({ length: 8 }, () => anOwner(before.api)));
    for (const { api, accountId } of owners) {
      await created(api, '/v1/transactions', aTransaction(accountId, { type: 'credit', amount: 70 }));
      await created(api, '/v1/subscriptions', aSubscription(accountId));
    }
    await expect(run(url)).rejects.toThrow('the service uses the database');
    await before.stop();

    const plan = await run(url, { dryRun: true });
    expect(await isDistributed(url)).toBe(false);
    expect(plan.missing).toEqual(expect.arrayContaining(['accounts', 'journal_entries', 'sessions']));
    const { missing, printed } = await run(url, { shards: undefined });
    expect(missing).toEqual([]);
    expect(printed).toContainEqual(expect.stringMatching(/journal_entries, 16 rows in /));
    expect(await run(url)).toEqual({ missing: [], printed: [] });

    const after = await startTestServiceOn(url);
    for (const { token } of owners)
      expect((await after.api.as(token).get('/v1/account/balance')).body).toMatchObject({ posted: 70 });
    await expect(after.sql('UPDATE journal_entries SET amount = 1')).rejects.toThrow('append-only');
    await expect(after.sql('DELETE FROM journal_entries')).rejects.toThrow('append-only');
    await expect(after.sql('TRUNCATE journal_entries')).rejects.toThrow('append-only');
    await expect(after.sql('DELETE FROM audit_log')).rejects.toThrow('append-only');
    const shardsByWorker = await after.sql(
      `SELECT count(*)::integer AS shards FROM citus_shards WHERE table_name = 'transactions'::regclass GROUP BY nodeport`,
    );
    expect(shardsByWorker.length).toBeGreaterThan(1);
    expect(shardsByWorker).toEqual(shardsByWorker.map(() => ({ shards: 4 })));
    await after.stop();
  });

  it('limits the waits for locks on the workers', async () => {
    const url = await aDatabase();
    await run(url);
    const service = await startTestServiceOn(url);
    const { api, accountId } = await anOwner(service.api);
    const lock = 'SELECT id FROM accounts WHERE id = $1 FOR UPDATE';
    const other = new Client({ connectionString: url });
    await other.connect();
    await other.query('BEGIN');
    await other.query(lock, [accountId]);
    const posted = api.post('/v1/transactions', aTransaction(accountId));
    await service.sql('SET lock_timeout = 0'); // what ends the wait is the limit of the worker
    await expect(service.sql(lock, [accountId])).rejects.toMatchObject({ code: LOCK_NOT_AVAILABLE });
    expect(await posted).toMatchObject({ status: 503 });
    await other.end();
    await service.stop();
  });

  it('leaves violated constraints the errors that their writes name', async () => {
    const url = await aDatabase();
    await run(url);
    const service = await startTestServiceOn(url);
    const { accountId } = await anOwner(service.api);
    const opened = await openTestDatabase(url, 2, async () => undefined);
    const [key] = await service.sql<{ name: string }>(
      `SELECT conname AS name FROM pg_constraint WHERE conrelid = 'accounts'::regclass AND contype = 'p'`,
    );
    const copy = 'INSERT INTO accounts SELECT * FROM accounts WHERE id = $1';
    await expect(service.sql(copy, [accountId])).rejects.toThrow(new RegExp(`"${key!.name}_\\d+"`));
    const again = opened.database.transaction(async (tx) =>
      tx.enqueue(copy, [accountId], { [key!.name]: () => new Error('The account exists.') }),
    );
    await expect(again).rejects.toThrow('The account exists.');
    await opened.stop();
    await service.stop();
  });

  it('is continued after an interruption, before which the service does not start', async () => {
    const url = await aDatabase();
    let placed = 0;
    const print = (line: string): void => {
      if (/ of \d+: accounts/.test(line)) throw new Error('Interrupted.');
      placed += 1;
    };
    await expect(run(url, { print })).rejects.toThrow('Interrupted.');
    expect(placed).toBeGreaterThan(0);
    await expect(startTestServiceOn(url)).rejects.toThrow(
      /not these tables: .*transactions.*citus:distribute/,
    );
    expect((await run(url)).missing).toEqual([]);
    await (await startTestServiceOn(url)).stop();
  });

  it('is needed again for a table that is added later, before which the service does not start', async () => {
    const url = await aDatabase();
    await run(url);
    await onUrl(url, 'CREATE TABLE parcels (account_id text, id text, PRIMARY KEY (account_id, id))');
    await onUrl(url, 'CREATE TABLE carriers (id text PRIMARY KEY)');
    await expect(startTestServiceOn(url)).rejects.toThrow('not these tables: carriers, parcels.');
    expect(await run(url)).toMatchObject({
      missing: [],
      printed: expect.arrayContaining([
        'carriers (1 MB) stays on the coordinator, with two-phase commit',
        'parcels (1 MB) is distributed by account_id',
      ]),
    });
    await (await startTestServiceOn(url)).stop();
  });

  it('takes the migrations of a later release, with the rows that there are', async () => {
    const name = `distribute_${randomBytes(6).toString('hex')}`;
    names.push(name);
    const url = await createClusterDatabase(name);
    const migrations = schema.migrations as readonly (new () => MigrationInterface)[];
    const earlier = migrations.filter(({ name: migration }) => !(Number(migration.slice(-13)) > LAST_BEFORE));
    expect(earlier.length).toBeLessThan(migrations.length);
    for (const release of [earlier, migrations]) {
      await migrate(url, { ...schema, migrations: [...release] });
      expect((await run(url)).missing).toEqual([]);
    }
    const service = await startTestServiceOn(url);
    const { api, accountId } = await anOwner(service.api);
    await created(api, '/v1/transactions', aTransaction(accountId, { type: 'credit', amount: 70 }));
    expect((await api.get('/v1/account/balance')).body).toMatchObject({ posted: 70 });
    await service.stop();
  });

  it('is refused for a unique index that spans accounts', async () => {
    const url = await aDatabase();
    await onUrl(url, 'CREATE UNIQUE INDEX one_secret ON payment_requests (secret)');
    await expect(run(url)).rejects.toThrow('must contain the column of the distribution: one_secret');
    expect(await isDistributed(url)).toBe(false);
  });
});
