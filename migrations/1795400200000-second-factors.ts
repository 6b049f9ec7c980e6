import { MigrationInterface, QueryRunner } from 'typeorm';

/** Second factors of users and accounts. The previous release can run beside it. */
export class SecondFactors1795400200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE "second_factors" (
      "subject_id" text NOT NULL,
      "secret" text,
      "pending_secret" text,
      "confirmed_at" timestamp(3) with time zone,
      "last_step" integer,
      "recovery_codes" text array NOT NULL,
      "wrong_codes" integer NOT NULL,
      "wrong_codes_since" timestamp(3) with time zone,
      CONSTRAINT "PK_c66f60a1ee70c5b804c932db635" PRIMARY KEY ("subject_id")
    )`);
    await queryRunner.query(`ALTER TABLE "sessions" ADD "second_factor" boolean NOT NULL DEFAULT false`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "sessions" DROP COLUMN "second_factor"`);
    await queryRunner.query(`DROP TABLE "second_factors"`);
  }
}
