import { emailKey } from '../../src/kernel/text';
import { EmailKeys1796047000000 } from '../../migrations/1796047000000-email-keys';
import { MigrationDatabase, startMigrationDatabase } from '../support/migration-database';

describe('The migration for the keys of emails', () => {
  let database: MigrationDatabase;

  beforeAll(async () => {
    database = await startMigrationDatabase();
  });
  afterAll(() => database.stop());

  it('makes them those of the service, except where several have become the same', async () => {
    const before = {
      usr_1: 'ada@example.com',
      usr_2: 'ας@example.com',
      usr_3: 'ǰ@example.com'.normalize('NFD'),
      usr_4: 'ος@example.com',
      usr_5: 'οσ@example.com',
      usr_6: 'σςσ@example.com',
      usr_7: 'ςσσ@example.com',
    };
    const runner = database.dataSource.createQueryRunner();
    const sql = `INSERT INTO credentials (subject_id, kind, email_key, password_hash, role, disabled)
                 VALUES ($1, 'user', $2, '', 'user', false)`;
    for (const row of Object.entries(before)) await runner.query(sql, row);
    await new EmailKeys1796047000000().up(runner);
    const rows = await runner.query(
      'SELECT subject_id AS id, email_key AS key FROM credentials ORDER BY subject_id',
    );
    await runner.release();
    const after = Object.fromEntries(Object.entries(before).map(([id, email]) => [id, emailKey(email)]));
    const expected = { ...after, usr_4: before.usr_4, usr_7: before.usr_7 };
    expect(rows).toEqual(Object.entries(expected).map(([id, key]) => ({ id, key })));
  });
});
