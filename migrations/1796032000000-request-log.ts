import { MigrationInterface, QueryRunner } from 'typeorm';

/** The requests of accounts to the API. The previous release writes none. */
export class RequestLog1796032000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE "request_log" (
      "account_id" text NOT NULL,
      "id" text NOT NULL,
      "request_id" text NOT NULL,
      "caller_id" text NOT NULL,
      "method" text NOT NULL,
      "path" text NOT NULL,
      "http_status" smallint NOT NULL,
      "error" text,
      "duration_ms" integer NOT NULL,
      "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
      PRIMARY KEY ("account_id", "id")
    )`);
    await queryRunner.query('CREATE INDEX "request_log_newest" ON "request_log" ("id" NULLS FIRST)');
    await queryRunner.query(
      'CREATE INDEX "request_log_account_error" ON "request_log" ("account_id", "error", "id") WHERE error IS NOT NULL',
    );
    await queryRunner.query(
      'CREATE INDEX "request_log_error" ON "request_log" ("error" NULLS FIRST, "id") WHERE error IS NOT NULL',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE "request_log"');
  }
}
