import { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['payment_emails', 'security_emails'];

/** The trace of the request that an email follows from. The previous release leaves the columns empty. */
export class EmailTraces1795401200010 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) await queryRunner.query(`ALTER TABLE "${table}" ADD "traceparent" text`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) await queryRunner.query(`ALTER TABLE "${table}" DROP "traceparent"`);
  }
}
