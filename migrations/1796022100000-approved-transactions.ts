import { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Transactions that wait for a second admin, and the sums that admins move without one. The previous release creates none
 * that wait, and settles those that do like any other: approvals are required in full once all replicas are updated.
 */
export class ApprovedTransactions1796022100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE "transactions" ADD "approval_id" text, ADD "approved_at" timestamptz(3)`,
    );
    await queryRunner.query(`CREATE TABLE "unapproved_amounts" (
      "account_id" text NOT NULL,
      "admin_id" text NOT NULL,
      "day" date NOT NULL,
      "amount" bigint NOT NULL,
      PRIMARY KEY ("account_id", "admin_id")
    )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE "unapproved_amounts"`);
    await queryRunner.query(`ALTER TABLE "transactions" DROP "approval_id", DROP "approved_at"`);
  }
}
