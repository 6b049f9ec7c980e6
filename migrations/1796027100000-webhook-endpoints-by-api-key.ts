import { MigrationInterface, QueryRunner } from 'typeorm';

/** An API key lists the webhook endpoints that it has created. */
export class WebhookEndpointsByApiKey1796027100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE INDEX "webhook_endpoints_api_key" ON "webhook_endpoints" ("api_key_id") WHERE api_key_id IS NOT NULL`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "webhook_endpoints_api_key"`);
  }
}
