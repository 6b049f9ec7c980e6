import { MigrationInterface, QueryRunner } from 'typeorm';

/** The attempts to pay a payment request. The previous release records none. */
export class PaymentAttempts1796033000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE payment_requests ADD COLUMN attempts jsonb NOT NULL DEFAULT '[]'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE payment_requests DROP COLUMN attempts');
  }
}
