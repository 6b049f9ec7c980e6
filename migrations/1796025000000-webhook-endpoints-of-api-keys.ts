import { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The API key that created a webhook endpoint, with which it ends. The previous release creates endpoints without one.
 * Those that keys which work have created, and nobody else has changed, are found in the audit log; others stay as they
 * are.
 */
export class WebhookEndpointsOfApiKeys1796025000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE "webhook_endpoints" ADD "api_key_id" text, ADD "api_key_expires_at" timestamptz(3)`,
    );
    await queryRunner.query(
      `ALTER TABLE "webhook_endpoints" DROP CONSTRAINT "CHK_a68b9d51c7d281a922aa1527a7"`,
    );
    await queryRunner.query(
      `ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "CHK_d419e1fee3aea9cfc4548c09e4"
        CHECK (disabled_reason IN ('requested', 'gone', 'failing', 'account_closed', 'api_key_ended'))`,
    );
    await queryRunner.query(
      `CREATE INDEX "webhook_endpoints_expired_keys" ON "webhook_endpoints" ("api_key_expires_at")
        WHERE disabled_at IS NULL AND api_key_expires_at IS NOT NULL`,
    );
    for (const { account_id, object_id, key_id, expires_at } of await createdByKeys(queryRunner))
      await queryRunner.query(
        `UPDATE "webhook_endpoints" SET "api_key_id" = $3, "api_key_expires_at" = $4
         WHERE "account_id" = $1 AND "id" = $2`,
        [account_id, object_id, key_id, expires_at],
      );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "webhook_endpoints_expired_keys"`);
    await queryRunner.query(
      `ALTER TABLE "webhook_endpoints" DROP CONSTRAINT "CHK_d419e1fee3aea9cfc4548c09e4"`,
    );
    await queryRunner.query(
      `UPDATE "webhook_endpoints" SET "disabled_reason" = 'requested' WHERE "disabled_reason" = 'api_key_ended'`,
    );
    await queryRunner.query(
      `ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "CHK_a68b9d51c7d281a922aa1527a7"
        CHECK (disabled_reason IN ('requested', 'gone', 'failing', 'account_closed'))`,
    );
    await queryRunner.query(`ALTER TABLE "webhook_endpoints" DROP "api_key_id", DROP "api_key_expires_at"`);
  }
}

interface CreatedByKey {
  readonly account_id: string;
  readonly object_id: string;
  readonly key_id: string;
  readonly expires_at: Date | null;
}

function createdByKeys(queryRunner: QueryRunner): Promise<CreatedByKey[]> {
  return queryRunner.query(
    `SELECT l.account_id, l.object_id, k.id AS key_id, k.expires_at
     FROM audit_log AS l JOIN api_keys AS k ON k.id = l.actor_id
     WHERE l.action = 'webhook_endpoint.create' AND l.outcome = 'succeeded' AND k.revoked_at IS NULL
       AND NOT EXISTS (
         SELECT FROM audit_log AS later WHERE later.object_id = l.object_id
           AND later.action = 'webhook_endpoint.update' AND later.actor_id IS DISTINCT FROM l.actor_id)`,
  ) as Promise<CreatedByKey[]>;
}
