import { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from '../src/platform/database/migrations/index-migration';

/**
 * How often each email has been attempted, which the job queue of the previous release counted. That release leaves the
 * columns at 0, and goes on to hand what is due to its queue, from which the service takes it back (see QueuedEmails).
 */
export class EmailAttempts1796028000000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [table, column] of COLUMNS)
      await queryRunner.query(
        `ALTER TABLE "${table}" ADD COLUMN IF NOT EXISTS "${column}" integer NOT NULL DEFAULT 0`,
      );
    for (const [table, name, definition] of INDEXES) await createIndex(queryRunner, table, name, definition);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const [table, name] of INDEXES) await dropIndex(queryRunner, table, name);
    for (const [table, column] of COLUMNS)
      await queryRunner.query(`ALTER TABLE "${table}" DROP COLUMN IF EXISTS "${column}"`);
  }
}

const COLUMNS = [
  ['payment_emails', 'attempts'],
  ['security_emails', 'attempts'],
  ['webhook_endpoints', 'notice_attempts'],
] as const;

/** Those that are given up, which the metrics count. */
const INDEXES = [
  ['payment_emails', 'payment_emails_failed', '("payment_request_id") WHERE due_at IS NULL AND attempts > 0'],
  [
    'webhook_endpoints',
    'webhook_endpoints_failed_notices',
    '("id") WHERE notice_due_at IS NULL AND notice_attempts > 0',
  ],
] as const;
