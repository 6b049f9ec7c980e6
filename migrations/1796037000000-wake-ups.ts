import { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Counts writes that may be due for background work of other processes. The previous release does not count: until it is
 * replaced, others find what it writes 15 seconds later at most.
 */
export class WakeUps1796037000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE SEQUENCE "wake_ups"');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP SEQUENCE "wake_ups"');
  }
}
