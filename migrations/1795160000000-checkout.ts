import { MigrationInterface, QueryRunner } from 'typeorm';

/** What paying a request leaves behind: declined attempts, the transaction that paid it, and when it runs out. */
export class Checkout1795160000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE "payment_requests" ADD "declines" integer NOT NULL DEFAULT 0, ADD "transaction_id" text`,
    );
    await queryRunner.query(
      `CREATE INDEX "payment_requests_due" ON "payment_requests" ("expires_at", "account_id")
       WHERE status = 'pending'`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "payment_requests_due"`);
    await queryRunner.query(`ALTER TABLE "payment_requests" DROP "declines", DROP "transaction_id"`);
  }
}
