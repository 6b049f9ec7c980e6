import { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The admin to whose limit a transaction was added at its creation, so that its settlement by the same admin is not added
 * again. The previous release adds it twice.
 */
export class CountedTransactions1796027000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE "transactions" ADD "counted_admin_id" text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE "transactions" DROP "counted_admin_id"');
  }
}
