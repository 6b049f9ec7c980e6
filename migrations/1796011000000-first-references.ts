import { MigrationInterface, QueryRunner } from 'typeorm';

/** The references with which transactions were created, where they have been changed since. */
export class FirstReferences1796011000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE transactions ADD COLUMN first_reference text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE transactions DROP COLUMN first_reference');
  }
}
