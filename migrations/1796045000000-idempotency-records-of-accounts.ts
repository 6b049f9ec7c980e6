import { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Records of those who act for one account are stored beside it, so that they commit with it on one server. Those of before
 * are copied, so that repeats find them. The copied ones expire after a week like all others.
 */
export class IdempotencyRecordsOfAccounts1796045000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE "account_idempotency_records" (
      "account_id" text NOT NULL,
      "principal" text NOT NULL,
      "key" text NOT NULL,
      "fingerprint" text NOT NULL,
      "response" text NOT NULL,
      "created_at" timestamptz(3) NOT NULL,
      CONSTRAINT "account_idempotency_records_key" PRIMARY KEY ("account_id", "principal", "key")
    )`);
    await queryRunner.query(
      `INSERT INTO "account_idempotency_records" ("account_id", "principal", "key", "fingerprint", "response", "created_at")
       SELECT owner."account_id", "principal", "key", "fingerprint", "response", record."created_at"
       FROM "idempotency_records" AS record JOIN (
         SELECT "user_id" AS "id", "account_id" FROM "sessions" WHERE "role" = 'user'
         UNION SELECT "id", "account_id" FROM "api_keys"
         UNION SELECT "principal", "principal" FROM "idempotency_records" WHERE "principal" LIKE 'acc\\_%'
       ) AS owner ON owner."id" = "principal"
       WHERE owner."account_id" IS NOT NULL`,
    );
    await queryRunner.query(
      `CREATE INDEX "account_idempotency_records_age" ON "account_idempotency_records" ("created_at")`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `INSERT INTO "idempotency_records" ("principal", "key", "fingerprint", "response", "created_at")
       SELECT "principal", "key", "fingerprint", "response", "created_at" FROM "account_idempotency_records"
       ON CONFLICT ("principal", "key") DO UPDATE SET "fingerprint" = EXCLUDED."fingerprint",
         "response" = EXCLUDED."response", "created_at" = EXCLUDED."created_at"
       WHERE "idempotency_records"."created_at" < EXCLUDED."created_at"`,
    );
    await queryRunner.query('DROP TABLE "account_idempotency_records"');
  }
}
