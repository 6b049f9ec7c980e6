import { DataSource } from 'typeorm';
import { PaymentModules1795320000000 } from '../../migrations/1795320000000-payment-modules';
import { MigrationDatabase, startMigrationDatabase } from '../support/migration-database';

const T1 = new Date('2026-01-31T12:00:00.000Z');
const T2 = new Date('2026-01-31T13:00:00.000Z');

describe('The migration of payment requests to separate tables', () => {
  let database: MigrationDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await startMigrationDatabase(PaymentModules1795320000000);
    ({ dataSource } = database);
  });
  afterAll(() => database.stop());

  /** Inserts a payment request as the previous release stores it. */
  async function insert(id: string, status: string, members: Record<string, unknown>): Promise<void> {
    const row = {
      account_id: 'acc_1',
      id,
      amount: 1250,
      currency: 'USD',
      customer_email: 'customer@example.com',
      secret: id,
      status,
      expires_at: T2,
      created_at: T1,
      updated_at: T2,
      ...members,
    };
    const columns = Object.keys(row);
    await dataSource.query(
      `INSERT INTO payment_requests (${columns.join()}) VALUES (${columns.map((_, index) => `$${index + 1}`).join()})`,
      Object.values(row),
    );
  }

  const checkout = (attempt: number, id: string | null, state: string): object => ({
    attempt,
    id,
    state,
    title: 'Lovelace Ltd',
    expiresAt: T2.toISOString(),
  });

  it('moves checkouts and emails, and back', async () => {
    await insert('pay_1', 'pending', { mail_due_at: T1 });
    await insert('pay_2', 'pending', {
      request_mailed_at: T1,
      checkout: checkout(2, 'cs_2', 'processing'),
      checkout_due_at: T2,
    });
    await insert('pay_3', 'succeeded', {
      request_mailed_at: T1,
      mail_due_at: T2,
      checkout: checkout(1, 'cs_3', 'over'),
    });
    await insert('pay_4', 'canceled', { mail_due_at: T1, checkout: checkout(1, null, 'open') });
    const before = await dataSource.query<object[]>(
      `SELECT id, checkout, checkout_due_at, request_mailed_at FROM payment_requests ORDER BY id`,
    );

    const migration = new PaymentModules1795320000000();
    const queryRunner = dataSource.createQueryRunner();
    await migration.up(queryRunner);
    expect(
      await dataSource.query(
        `SELECT payment_request_id, attempt, processor_reference, status, title, expires_at, due_at
         FROM hosted_checkouts ORDER BY payment_request_id`,
      ),
    ).toEqual(
      [
        ['pay_2', 2, 'cs_2', 'processing', T2],
        ['pay_3', 1, 'cs_3', 'ended', null],
        ['pay_4', 1, null, 'open', null],
      ].map(([payment_request_id, attempt, processor_reference, status, due_at]) => ({
        payment_request_id,
        attempt,
        processor_reference,
        status,
        title: 'Lovelace Ltd',
        expires_at: T2,
        due_at,
      })),
    );
    expect(
      await dataSource.query(
        'SELECT payment_request_id, kind, due_at, sent_at FROM payment_emails ORDER BY payment_request_id, kind',
      ),
    ).toEqual(
      [
        ['pay_1', 'request', T1, null],
        ['pay_2', 'request', null, T1],
        ['pay_3', 'receipt', T2, null],
        ['pay_3', 'request', null, T1],
      ].map(([payment_request_id, kind, due_at, sent_at]) => ({ payment_request_id, kind, due_at, sent_at })),
    );
    expect(
      await dataSource.query(
        'SELECT id, processing_since FROM payment_requests WHERE processing_since IS NOT NULL',
      ),
    ).toEqual([{ id: 'pay_2', processing_since: T2 }]);

    await migration.down(queryRunner);
    await queryRunner.release();
    const after = await dataSource.query<{ checkout: { expiresAt: string } | null }[]>(
      `SELECT id, checkout, checkout_due_at, request_mailed_at FROM payment_requests ORDER BY id`,
    );
    const withSameDates = after.map((row) => ({
      ...row,
      checkout: row.checkout && {
        ...row.checkout,
        expiresAt: new Date(row.checkout.expiresAt).toISOString(),
      },
    }));
    expect(withSameDates).toEqual(before);
  });
});
