import { DataSource } from 'typeorm';
import { PageLists1795400600000 } from '../../migrations/1795400600000-page-lists';
import { UsersOfAccounts1796014000000 } from '../../migrations/1796014000000-users-of-accounts';
import { MigrationDatabase, startMigrationDatabase } from '../support/migration-database';

describe('The migration that counts users and accounts', () => {
  const migration = new PageLists1795400600000();
  let database: MigrationDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await startMigrationDatabase();
    ({ dataSource } = database);
  });
  afterAll(() => database.stop());

  const insert = (id: number): Promise<unknown> =>
    dataSource.query(
      `INSERT INTO users (id, email, status, role, created_at, updated_at)
       VALUES ($1, $1, 'active', 'user', timestamptz '2026-01-31T23:00:00Z' + $2 * interval '1 minute', now())`,
      [`usr_${id}`, id],
    );
  const counts = (from: string): Promise<unknown[]> =>
    dataSource.query(
      `SELECT day::text, status, sum(count)::integer AS count FROM ${from} GROUP BY 1, 2 HAVING sum(count) <> 0 ORDER BY 1, 2`,
    );
  const ROWS = `(SELECT (created_at AT TIME ZONE 'UTC')::date AS day, status, 1 AS count FROM users) AS rows`;

  it('counts every row once while others write, also when it is repeated', async () => {
    const queryRunner = dataSource.createQueryRunner();
    await new UsersOfAccounts1796014000000().down(queryRunner);
    await migration.down(queryRunner);
    await expect(counts('user_counts')).rejects.toThrow('does not exist');
    let next = 0;
    for (; next < 100; next += 1) await insert(next);
    let isMigrating = true;
    const writing = (async () => {
      for (; isMigrating; next += 1) {
        await insert(next);
        await dataSource.query(`UPDATE users SET status = 'suspended' WHERE id = $1`, [`usr_${next - 50}`]);
        await dataSource.query('DELETE FROM users WHERE id = $1', [`usr_${next - 90}`]);
      }
    })();
    await migration.up(queryRunner);
    await migration.up(queryRunner);
    isMigrating = false;
    await writing;
    expect(await counts(ROWS)).not.toEqual([]);
    expect(await counts('user_counts')).toEqual(await counts(ROWS));
    await queryRunner.release();
  });
});
