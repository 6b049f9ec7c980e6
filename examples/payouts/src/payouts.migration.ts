import { MigrationInterface, QueryRunner } from 'typeorm';

export class Payouts1798761600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE "payouts" (
      "account_id" text NOT NULL,
      "id" text NOT NULL,
      "amount" bigint NOT NULL,
      "currency" text NOT NULL,
      "reference" text,
      "status" text NOT NULL CHECK (status IN ('pending', 'paid', 'failed', 'canceled')),
      "created_at" timestamptz(3) NOT NULL,
      "updated_at" timestamptz(3) NOT NULL,
      PRIMARY KEY ("account_id", "id")
    )`);
    await queryRunner.query(`CREATE INDEX "payouts_id" ON "payouts" ("id")`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE "payouts"`);
  }
}
