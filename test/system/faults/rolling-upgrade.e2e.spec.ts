import { Module } from '@nestjs/common';
import { EntitySchema, MigrationInterface, QueryRunner } from 'typeorm';
import { LedgerVerification } from '../../../src/modules/ledger';
import { ServiceModule } from '../../../src/platform/service-module';
import { contextOn } from '../../modules/ledger/context';
import { describeOnOneServer } from '../../support/citus';
import { createDatabase, dropDatabase } from '../../support/databases';
import { startTestServiceOn, TestService } from '../../support/service';
import { LIMIT_MS, until } from './support/form';
import { History } from './support/history';
import { Creates, prepareClient, Sender } from './support/load';
import { LoadBalancer } from './support/load-balancer';

/**
 * Two replicas behind a load balancer are replaced by those of a next release, one after another, whose migration adds a
 * table, a column and an index to what the old replicas use.
 */
jest.setTimeout(LIMIT_MS);

class Label {
  readonly id: string;
}

const labelSchema = new EntitySchema<Label>({
  name: 'Label',
  target: Label,
  tableName: 'labels',
  columns: { id: { type: 'text', primary: true } },
});

class NextRelease1999000000000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE TABLE labels (id text PRIMARY KEY)');
    await queryRunner.query(`ALTER TABLE transactions ADD COLUMN label text NOT NULL DEFAULT ''`);
    await queryRunner.query(
      'CREATE INDEX CONCURRENTLY transactions_label ON transactions (account_id, label)',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE transactions DROP COLUMN label');
    await queryRunner.query('DROP TABLE labels');
  }
}

@Module({})
class LabelsModule {}

const labels: ServiceModule = {
  module: LabelsModule,
  entities: [labelSchema],
  migrations: [NextRelease1999000000000],
};

describeOnOneServer('An upgrade of two replicas under load', 'there all replicas stop for it', () => {
  const env = { SHUTDOWN_DELAY_SECONDS: '3', METRICS_PORT: '0' };
  let balancer: LoadBalancer;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  const running: TestService[] = [];

  beforeAll(async () => {
    balancer = await LoadBalancer.start();
    database = await createDatabase();
    await start([]);
    await start([]);
  });
  afterAll(async () => {
    await balancer.stop();
    for (const replica of running) await replica.stop();
    await dropDatabase(database.name);
  });

  async function start(extensions: readonly ServiceModule[]): Promise<void> {
    const replica = await startTestServiceOn(database.url, env, extensions);
    running.push(replica);
    balancer.add(replica.url);
    await until('the replica gets requests', () => balancer.isReady(replica.url));
  }

  it('fails no request', async () => {
    const history = new History();
    const client = await prepareClient(balancer.url);
    const creates = new Creates(client, { transfers: true });
    const sender = new Sender(balancer.url, client, history.add);
    let isUpgraded = false;
    const load = sender.sendMany(
      () => (isUpgraded ? null : creates.next()),
      () => true,
    );
    for (let replaced = 0; replaced < 2; replaced += 1) {
      await start([labels]);
      await running.shift()!.stop();
    }
    isUpgraded = true;
    await load;
    sender.close();
    expect(creates.given.length).toBeGreaterThan(100);
    expect(history.outcomes()).toEqual({ acknowledged: creates.given.length, rejected: 0, unknown: 0 });
    const unlabeled = await running[0]!.sql(
      `SELECT FROM transactions WHERE reference LIKE 'create %' AND label = ''`,
    );
    expect(unlabeled.length).toBeGreaterThan(0);
    const app = await contextOn(running[0]!);
    const { faults } = await app.get(LedgerVerification).run(() => undefined);
    await app.close();
    expect(faults).toEqual([]);
  });
});
