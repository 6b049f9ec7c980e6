import { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the network of a session's client, by which known clients are recognized, and an index of live sessions. */
export class SessionNetworks1795400100010 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "sessions" ADD "network" text`);
    for (const subject of ['user', 'opened_account']) {
      const create = `CREATE INDEX "sessions_${subject}`;
      await queryRunner.query(`${create}_network" ON "sessions" ("${subject}_id", "network")`);
      await queryRunner.query(
        `${create}_unended" ON "sessions" ("${subject}_id", "id") WHERE ended_at IS NULL`,
      );
      await queryRunner.query(`DROP INDEX "sessions_${subject}"`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const subject of ['user', 'opened_account']) {
      await queryRunner.query(`CREATE INDEX "sessions_${subject}" ON "sessions" ("${subject}_id")`);
      await queryRunner.query(`DROP INDEX "sessions_${subject}_network", "sessions_${subject}_unended"`);
    }
    await queryRunner.query(`ALTER TABLE "sessions" DROP COLUMN "network"`);
  }
}
