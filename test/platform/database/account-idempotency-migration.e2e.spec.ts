import { DataSource } from 'typeorm';
import { IdempotencyRecordsOfAccounts1796045000000 as Migration } from '../../../migrations/1796045000000-idempotency-records-of-accounts';
import { MigrationDatabase, startMigrationDatabase } from '../../support/migration-database';

describe('The migration that stores idempotency records beside accounts', () => {
  let database: MigrationDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await startMigrationDatabase();
    ({ dataSource } = database);
  });
  afterAll(() => database.stop());

  const addSession = (id: string, userId: string, accountId: string | null, role: string): Promise<unknown> =>
    dataSource.query(
      `INSERT INTO sessions (id, user_id, account_id, role, ip, created_at, last_used_at, expires_at)
       VALUES ($1, $2, $3, $4, '', now(), now(), now())`,
      [id, userId, accountId, role],
    );
  const addKey = (id: string, accountId: string | null, role: string): Promise<unknown> =>
    dataSource.query(
      `INSERT INTO api_keys (id, hash, account_id, role, name, last_four, scopes, allowed_addresses, created_at)
       VALUES ($1, $1, $2, $3, 'Web shop', 'x7Qa', '{}', '{}', now())`,
      [id, accountId, role],
    );

  it('copies those of callers who act for one account, and can be reverted', async () => {
    const queryRunner = dataSource.createQueryRunner();
    await new Migration().down(queryRunner);
    await addSession('ses_1', 'usr_owner', 'acc_1', 'user');
    await addSession('ses_2', 'usr_owner', 'acc_1', 'user');
    await addSession('ses_3', 'usr_alone', null, 'user');
    await addSession('ses_4', 'usr_admin', 'acc_2', 'admin');
    await addKey('key_account', 'acc_3', 'user');
    await addKey('key_platform', null, 'platform');
    const principals = [
      'acc_4',
      'key_account',
      'key_platform',
      'sign-up:a',
      'usr_admin',
      'usr_alone',
      'usr_owner',
    ];
    for (const principal of principals)
      await dataSource.query(
        `INSERT INTO idempotency_records (principal, key, fingerprint, response, created_at)
         VALUES ($1, 'key', 'print', '{}', now())`,
        [principal],
      );
    await new Migration().up(queryRunner);
    const copied = 'SELECT account_id, principal FROM account_idempotency_records ORDER BY principal';
    expect(await dataSource.query(copied)).toEqual([
      { account_id: 'acc_4', principal: 'acc_4' },
      { account_id: 'acc_3', principal: 'key_account' },
      { account_id: 'acc_1', principal: 'usr_owner' },
    ]);
    await dataSource.query(
      `INSERT INTO account_idempotency_records (account_id, principal, key, fingerprint, response, created_at)
       VALUES ('acc_1', 'usr_owner', 'later', 'print', '{}', now())`,
    );
    await new Migration().down(queryRunner);
    expect(
      await dataSource.query('SELECT principal, key FROM idempotency_records ORDER BY principal, key'),
    ).toEqual([
      ...principals.map((principal) => ({ principal, key: 'key' })),
      { principal: 'usr_owner', key: 'later' },
    ]);
    await new Migration().up(queryRunner);
    await queryRunner.release();
  });
});
