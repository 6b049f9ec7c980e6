import { MigrationInterface, QueryRunner } from 'typeorm';

/** Filters of lists under a name, of one user or shared. */
export class SavedViews1796043000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE "saved_views" (
      "owner_id" text NOT NULL,
      "id" text NOT NULL,
      "page" text NOT NULL,
      "name" text NOT NULL,
      "query" jsonb NOT NULL,
      "is_shared" boolean NOT NULL,
      "created_at" timestamptz(3) NOT NULL,
      CONSTRAINT "saved_views_name" UNIQUE ("owner_id", "page", "name"),
      PRIMARY KEY ("owner_id", "id")
    )`);
    await queryRunner.query(`CREATE INDEX "saved_views_shared" ON "saved_views" ("id") WHERE is_shared`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE "saved_views"`);
  }
}
