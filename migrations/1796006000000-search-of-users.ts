import { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from '../src/platform/database/migrations/index-migration';

/**
 * An index of the names and emails of users by their trigrams, for searches of a part of them. Where the
 * extension pg_trgm is not there, or the role may not create it, there is none, and searches read all users.
 */
export class SearchOfUsers1796006000000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    const usable = `SELECT FROM pg_available_extensions WHERE name = 'pg_trgm'
      AND (installed_version IS NOT NULL OR has_database_privilege(current_database(), 'CREATE'))`;
    if (((await queryRunner.query(usable)) as object[]).length === 0) return;
    await queryRunner.query('CREATE EXTENSION IF NOT EXISTS pg_trgm');
    const definition = 'USING gin ("name" gin_trgm_ops, "email" gin_trgm_ops)';
    await createIndex(queryRunner, 'users', 'users_search', definition);
  }

  /** The extension stays: others may use it too. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, 'users', 'users_search');
  }
}
