import { MigrationInterface, QueryRunner } from 'typeorm';

/** The sum of an account's refunds per day. The primary key starts with the account, like in every account-owned table. */
export class DailyLimit1798761600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE "daily_refunds" (
      "account_id" text NOT NULL,
      "day" date NOT NULL,
      "amount" bigint NOT NULL CHECK (amount >= 0),
      PRIMARY KEY ("account_id", "day")
    )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE "daily_refunds"`);
  }
}
