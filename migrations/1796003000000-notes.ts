import { MigrationInterface, QueryRunner } from 'typeorm';

/** Notes of the back office about accounts and users. */
export class Notes1796003000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE "notes" (
      "object_id" text NOT NULL,
      "id" text NOT NULL,
      "author_id" text NOT NULL,
      "text" text NOT NULL,
      "created_at" timestamptz(3) NOT NULL,
      PRIMARY KEY ("object_id", "id")
    )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE "notes"`);
  }
}
