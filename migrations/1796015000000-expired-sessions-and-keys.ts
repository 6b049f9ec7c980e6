import { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from '../src/platform/database/migrations/index-migration';

/**
 * The index of the live API keys of an account, whose lists read the expired ones too, and that of the sessions that have
 * expired and not ended.
 */
export class ExpiredSessionsAndKeys1796015000000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await createIndex(
      queryRunner,
      'api_keys',
      'api_keys_account_expiry',
      `("account_id", COALESCE("expires_at", 'infinity')) WHERE "revoked_at" IS NULL`,
    );
    await dropIndex(queryRunner, 'api_keys', 'api_keys_account_unrevoked');
    await createIndex(
      queryRunner,
      'sessions',
      'sessions_expiry_unended',
      '("expires_at") WHERE "ended_at" IS NULL',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, 'sessions', 'sessions_expiry_unended');
    await createIndex(
      queryRunner,
      'api_keys',
      'api_keys_account_unrevoked',
      '("account_id", "id") WHERE "revoked_at" IS NULL',
    );
    await dropIndex(queryRunner, 'api_keys', 'api_keys_account_expiry');
  }
}
