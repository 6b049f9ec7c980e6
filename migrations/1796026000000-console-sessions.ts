import { MigrationInterface, QueryRunner } from 'typeorm';

/** Tells the sessions of the console from those of the API. The previous release opened them alike. */
export class ConsoleSessions1796026000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE "sessions" ADD "console" boolean NOT NULL DEFAULT false');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE "sessions" DROP COLUMN "console"');
  }
}
