import { MigrationInterface, QueryRunner } from 'typeorm';

/** API keys of accounts and of platform systems. */
export class ApiKeys1795400700000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE "api_keys" (
      "id" text NOT NULL,
      "hash" text NOT NULL,
      "account_id" text,
      "role" text NOT NULL,
      "name" text NOT NULL,
      "last_four" text NOT NULL,
      "scopes" text array NOT NULL,
      "allowed_addresses" text array NOT NULL,
      "created_at" timestamptz(3) NOT NULL,
      "last_used_at" timestamptz(3),
      "expires_at" timestamptz(3),
      "revoked_at" timestamptz(3),
      CONSTRAINT "CHK_eb70390b40c86c5521c825a065" CHECK (role IN ('user', 'platform') AND (role = 'platform') = (account_id IS NULL)),
      PRIMARY KEY ("id")
    )`);
    await queryRunner.query(`CREATE UNIQUE INDEX "api_keys_hash" ON "api_keys" ("hash")`);
    await queryRunner.query(
      `CREATE INDEX "api_keys_account_unrevoked" ON "api_keys" ("account_id", "id") WHERE revoked_at IS NULL`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE "api_keys"`);
  }
}
