import { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from '../src/platform/database/migrations/index-migration';

/** The index of the endpoints of all accounts in the order of their list, which read and sorted all of them. */
export class WebhookEndpointOrder1796013100000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, TABLE, NAME);
    await createIndex(queryRunner, TABLE, NAME, '("id" NULLS FIRST)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, TABLE, NAME);
    await createIndex(queryRunner, TABLE, NAME, '("id")');
  }
}

const TABLE = 'webhook_endpoints';
const NAME = 'webhook_endpoints_newest';
