import { DataSource } from 'typeorm';
import { StandardValues1795330000000 } from '../../migrations/1795330000000-standard-values';
import { MigrationDatabase, startMigrationDatabase } from '../support/migration-database';

describe('The migration to the standard values', () => {
  let database: MigrationDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await startMigrationDatabase(StandardValues1795330000000);
    ({ dataSource } = database);
  });
  afterAll(() => database.stop());

  const rows = (query: string): Promise<object[]> => dataSource.query<object[]>(query);

  it('changes the stored values, and back', async () => {
    await dataSource.query(`INSERT INTO installation (processor_kind) VALUES ('sandbox')`);
    await dataSource.query(
      `INSERT INTO unapplied_payments
         (account_id, id, payment_id, amount, currency, reason, status, failure, attempts, round, created_at, updated_at)
       VALUES ('acc_1', 'unp_1', 'pay_1', 1250, 'USD', 'refused', 'needs_attention', 'no_answer', 10, 1, now(), now()),
              ('acc_1', 'unp_2', 'pay_2', 1250, 'USD', 'expired', 'needs_attention', 'lost_card', 1, 1, now(), now()),
              ('acc_1', 'unp_3', 'pay_3', 1250, 'USD', 'expired', 'received', NULL, 0, 1, now(), now())`,
    );
    const unapplied = 'SELECT * FROM unapplied_payments ORDER BY id';
    const before = await rows(unapplied);

    const migration = new StandardValues1795330000000();
    const queryRunner = dataSource.createQueryRunner();
    await migration.up(queryRunner);
    expect(await rows('SELECT mode FROM installation')).toEqual([{ mode: 'test' }]);
    expect(
      await rows('SELECT payment_request_id, reason, failure_reason FROM unapplied_payments ORDER BY id'),
    ).toEqual([
      { payment_request_id: 'pay_1', reason: 'rejected', failure_reason: 'no_response' },
      { payment_request_id: 'pay_2', reason: 'expired', failure_reason: 'lost_card' },
      { payment_request_id: 'pay_3', reason: 'expired', failure_reason: null },
    ]);

    await migration.down(queryRunner);
    await queryRunner.release();
    expect(await rows('SELECT processor_kind FROM installation')).toEqual([{ processor_kind: 'sandbox' }]);
    expect(await rows(unapplied)).toEqual(before);
  });
});
