import { DataSource } from 'typeorm';
import { UsersOfAccounts1796014000000 } from '../../migrations/1796014000000-users-of-accounts';
import { foldListCounts } from '../../src/platform/database/lists/list-counts';
import { Database } from '../../src/platform/database/database';
import { MigrationDatabase, startMigrationDatabase } from '../support/migration-database';

describe('The migration that counts the users of each account', () => {
  const migration = new UsersOfAccounts1796014000000();
  let database: MigrationDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await startMigrationDatabase();
    ({ dataSource } = database);
  });
  afterAll(() => database.stop());

  const insert = (id: number): Promise<unknown> =>
    dataSource.query(
      `INSERT INTO users (id, email, status, role, account_id, created_at, updated_at)
       VALUES ($1, $1, 'active', 'user', $3, timestamptz '2026-01-31T23:00:00Z' + $2 * interval '1 minute', now())`,
      [`usr_${id}`, id, id % 3 === 0 ? null : `acc_${id % 3}`],
    );
  const counts = (from: string, columns = 'account_id, day::text, status, role'): Promise<unknown[]> =>
    dataSource.query(
      `SELECT ${columns}, sum(count)::integer AS count FROM ${from} GROUP BY ${columns} HAVING sum(count) <> 0 ORDER BY ${columns}`,
    );
  const ROWS = `(SELECT account_id, (created_at AT TIME ZONE 'UTC')::date AS day, status, role, 1 AS count FROM users) AS rows`;
  const OF_ACCOUNTS = `${ROWS} WHERE account_id IS NOT NULL`;
  const OF_ALL = 'day::text, status, role';
  /** As a replica does. */
  const fold = (): Promise<boolean> =>
    foldListCounts({ query: (sql: string) => dataSource.query(sql) } as unknown as Database);

  /** Changes rows and counts as replicas of the previous release do, while `work` runs. */
  async function whileWriting(first: number, work: () => Promise<void>): Promise<void> {
    let isWorking = true;
    const writing = (async () => {
      for (let next = first; isWorking; next += 1) {
        await insert(next);
        const change = (assignment: string, back: number): Promise<unknown> =>
          dataSource.query(`UPDATE users SET ${assignment} WHERE id = $1`, [`usr_${next - back}`]);
        await change(`status = 'suspended'`, 50);
        await change(`account_id = 'acc_1'`, 60);
        await change(`account_id = NULL, role = 'support'`, 70);
        await dataSource.query('DELETE FROM users WHERE id = $1', [`usr_${next - 90}`]);
        if (next % 5 === 0) await fold();
      }
    })();
    await work();
    isWorking = false;
    await writing;
  }

  it('counts every row once while others write, also when it is repeated and reverted', async () => {
    const queryRunner = dataSource.createQueryRunner();
    for (let next = 0; next < 100; next += 1) await insert(next);
    await whileWriting(100, () => migration.down(queryRunner));
    await expect(counts('account_user_counts')).rejects.toThrow('does not exist');
    await fold();
    expect(await counts('user_counts', OF_ALL)).toEqual(await counts(ROWS, OF_ALL));
    const lists = 'SELECT DISTINCT list FROM list_counts WHERE count <> 0';
    expect(await dataSource.query(lists)).toEqual([{ list: 'users' }]);

    await whileWriting(10_000, async () => {
      await migration.up(queryRunner);
      await migration.up(queryRunner);
    });
    expect(await counts(OF_ACCOUNTS)).not.toEqual([]);
    for (let round = 0; round < 2; round += 1) {
      expect(await counts('account_user_counts')).toEqual(await counts(OF_ACCOUNTS));
      expect(await counts('user_counts', OF_ALL)).toEqual(await counts(ROWS, OF_ALL));
      await fold();
    }
    await queryRunner.release();
  });
});
