import { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * By how much the entries since a time were created before one ahead of them, at most: after the clock of a server was
 * wrong, lists of later times need not read as much as those of that time.
 */
export class AuditLogRecentLag1796017000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE "audit_log_head" ADD "recent_since" timestamptz(3), ADD "recent_lag" interval NOT NULL DEFAULT '0'`,
    );
    // The entries so far are those of before.
    await queryRunner.query('UPDATE "audit_log_head" SET "recent_since" = "latest_at"');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE "audit_log_head" DROP "recent_since", DROP "recent_lag"');
  }
}
