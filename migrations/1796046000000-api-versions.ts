import { MigrationInterface, QueryRunner } from 'typeorm';

/** The version of the API before the first change, which all rows from before the upgrade get. */
const FIRST_VERSION = '2026-11-20';

const columns = {
  credentials: 'text',
  sessions: 'text',
  api_keys: 'text NOT NULL',
  webhook_endpoints: 'text NOT NULL',
  events: 'text NOT NULL',
  idempotency_records: 'text',
  account_idempotency_records: 'text',
};

/**
 * To which version of the API accounts, API keys and webhook endpoints are pinned, and in which one events and responses are
 * stored. A replica of the release before writes rows without it, and in that version.
 */
export class ApiVersions1796046000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [table, type] of Object.entries(columns))
      await queryRunner.query(
        `ALTER TABLE "${table}" ADD COLUMN "api_version" ${type} DEFAULT '${FIRST_VERSION}'`,
      );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of Object.keys(columns))
      await queryRunner.query(`ALTER TABLE "${table}" DROP COLUMN "api_version"`);
  }
}
