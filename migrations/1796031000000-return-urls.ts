import { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['payment_requests', 'subscriptions'];
const COLUMNS = ['return_url', 'cancel_url'];

/** Where the payment page leads its customer. The previous release leaves the columns empty. */
export class ReturnUrls1796031000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES)
      for (const column of COLUMNS) await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN ${column} text`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES)
      for (const column of COLUMNS) await queryRunner.query(`ALTER TABLE ${table} DROP COLUMN ${column}`);
  }
}
