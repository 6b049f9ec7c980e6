import { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * By what deliveries of webhooks take turns: the network from which an account was signed up, and the pace of its
 * endpoints. The previous release writes neither, which stands for "unknown".
 */
export class DeliveryTurns1796020000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "accounts" ADD "sign_up_network" text`);
    await queryRunner.query(`ALTER TABLE "webhook_endpoints" ADD "sign_up_network" text`);
    await queryRunner.query(`ALTER TABLE "webhook_endpoints" ADD "fast_from" timestamptz(3)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "webhook_endpoints" DROP COLUMN "fast_from"`);
    await queryRunner.query(`ALTER TABLE "webhook_endpoints" DROP COLUMN "sign_up_network"`);
    await queryRunner.query(`ALTER TABLE "accounts" DROP COLUMN "sign_up_network"`);
  }
}
