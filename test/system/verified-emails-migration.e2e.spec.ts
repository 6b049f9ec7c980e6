import { Invitations1796041000000 } from '../../migrations/1796041000000-invitations';
import { VerifiedEmails1796023000000 } from '../../migrations/1796023000000-verified-emails';
import { MigrationDatabase, startMigrationDatabase } from '../support/migration-database';

describe('The migration for verified emails', () => {
  const migration = new VerifiedEmails1796023000000();
  const later = new Invitations1796041000000();
  let database: MigrationDatabase;

  beforeAll(async () => {
    database = await startMigrationDatabase();
  });
  afterAll(() => database.stop());

  /** As the previous release does, which does not know the new columns. */
  const insert = (id: string): Promise<unknown> =>
    database.dataSource.query(
      `INSERT INTO credentials (subject_id, kind, email_key, password_hash, role, disabled)
       VALUES ($1, 'account', $1, '', 'user', false)`,
      [id],
    );

  it('counts what exists as verified, and no later sign-up of the previous release', async () => {
    const runner = database.dataSource.createQueryRunner();
    try {
      await later.down(runner);
      await migration.down(runner);
      await insert('before');
      await migration.up(runner);
      await insert('after');
      await later.up(runner);
    } finally {
      await runner.release();
    }
    const sql = `SELECT subject_id AS id, email_verified_at IS NOT NULL AS "isVerified" FROM credentials ORDER BY 1`;
    expect(await database.dataSource.query(sql)).toEqual([
      { id: 'after', isVerified: false },
      { id: 'before', isVerified: true },
    ]);
  });

  it('lets the previous release store links for new passwords', async () => {
    await database.dataSource.query(
      `INSERT INTO password_resets (token_hash, subject_id, expires_at) VALUES ('hash', 'before', now())`,
    );
    const rows = await database.dataSource.query('SELECT purpose FROM password_resets');
    expect(rows).toEqual([{ purpose: 'password_reset' }]);
  });
});
