import { MigrationInterface, QueryRunner } from 'typeorm';

/** The users of persons who sign in through a provider, and the provider of their sessions. */
export class SingleSignOn1796044000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "identities" ("issuer" text NOT NULL, "subject" text NOT NULL, "user_id" text NOT NULL, "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "PK_28fee0f6095fbf00d6b3fe61348" PRIMARY KEY ("issuer", "subject"))`,
    );
    await queryRunner.query(`CREATE INDEX "identities_user" ON "identities" ("user_id") `);
    await queryRunner.query(`ALTER TABLE "sessions" ADD "provider" text`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "sessions" DROP COLUMN "provider"`);
    await queryRunner.query(`DROP TABLE "identities"`);
  }
}
