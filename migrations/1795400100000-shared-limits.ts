import { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the counts of limits that all replicas share. */
export class SharedLimits1795400100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE "shared_limits" (
      "key" varchar(255) PRIMARY KEY,
      "points" integer NOT NULL DEFAULT 0,
      "expire" bigint
    )`);
    await queryRunner.query(`CREATE INDEX "shared_limits_expire" ON "shared_limits" ("expire")`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE "shared_limits"');
  }
}
