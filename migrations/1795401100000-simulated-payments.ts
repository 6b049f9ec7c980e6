import { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from '../src/platform/database/migrations/index-migration';

/** When and how the sandbox ends a payment request by itself. The previous release creates none that it ends. */
export class SimulatedPayments1795401100000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE "payment_requests" ADD COLUMN IF NOT EXISTS "settles_at" timestamptz(3), ADD COLUMN IF NOT EXISTS "due_outcome" text`,
    );
    await createIndex(
      queryRunner,
      'payment_requests',
      'payment_requests_settling',
      `("settles_at", "account_id") WHERE status = 'pending' AND settles_at IS NOT NULL`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, 'payment_requests', 'payment_requests_settling');
    await queryRunner.query(
      'ALTER TABLE "payment_requests" DROP COLUMN "settles_at", DROP COLUMN "due_outcome"',
    );
  }
}
