import { MigrationInterface, QueryRunner } from 'typeorm';

/** Which mail to the customer is due, and which has gone out. */
export class Mail1795180000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE "payment_requests" ADD "mail_due_at" TIMESTAMP(3) WITH TIME ZONE,
       ADD "request_mailed_at" TIMESTAMP(3) WITH TIME ZONE, ADD "receipt_mailed_at" TIMESTAMP(3) WITH TIME ZONE`,
    );
    await queryRunner.query(
      `CREATE INDEX "payment_requests_mail_due" ON "payment_requests" ("mail_due_at", "account_id")
       WHERE mail_due_at IS NOT NULL`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "payment_requests_mail_due"`);
    await queryRunner.query(
      `ALTER TABLE "payment_requests" DROP "mail_due_at", DROP "request_mailed_at", DROP "receipt_mailed_at"`,
    );
  }
}
