import { MigrationInterface, QueryRunner } from 'typeorm';

/** Names the payment request that a payment paid, also for existing payments. */
export class PaymentRequestOfTransactions1795300200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "transactions" ADD "payment_request_id" text`);
    await queryRunner.query(
      `UPDATE "transactions" t SET "payment_request_id" = p."id" FROM "payment_requests" p
       WHERE p."account_id" = t."account_id" AND p."transaction_id" = t."id"`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "transactions" DROP COLUMN "payment_request_id"`);
  }
}
