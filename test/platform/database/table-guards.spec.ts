import { auditLogGuards } from '../../../src/modules/back-office/audit-log/audit-entry.schema';
import { journalGuards } from '../../../src/modules/ledger/journal.repository';
import { guardFaults, triggerDigests } from '../../../src/platform/database/migrations/table-guards';
import { describeOnCitus, describeOnOneServer, Node, onNode } from '../../support/citus';
import { startTestDatabase, TestDatabase } from '../../support/database';

const TRIGGERS_OF_CITUS = 'it adds triggers of its own, and reports a function once for each shard';

describeOnOneServer('The triggers that protect a table', TRIGGERS_OF_CITUS, () => {
  let test: TestDatabase;
  beforeEach(async () => {
    test = await startTestDatabase();
  });
  afterEach(() => test.stop());

  const faults = () => test.database.snapshot((snapshot) => guardFaults(snapshot, journalGuards));
  const emptied = (name: string) =>
    `CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`;
  const append = `CREATE TRIGGER journal_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON journal_entries
                  FOR EACH STATEMENT`;

  it.each([journalGuards, ...auditLogGuards])(
    'are those of the migrations: $table',
    async ({ table, triggers }) => {
      expect(await test.database.snapshot((snapshot) => triggerDigests(snapshot, table))).toEqual(triggers);
    },
  );

  it.each([
    ['that is missing', 'DROP TRIGGER journal_append_only ON journal_entries'],
    ['that is disabled', 'ALTER TABLE journal_entries DISABLE TRIGGER journal_append_only'],
    ['that fires on replicas only', 'ALTER TABLE journal_entries ENABLE REPLICA TRIGGER journal_append_only'],
    ['whose function does nothing', emptied('journal_reject_change')],
    [
      'whose function has a setting',
      'ALTER FUNCTION journal_reject_change SET session_replication_role = replica',
    ],
    [
      'with a condition',
      `DROP TRIGGER journal_append_only ON journal_entries;
       ${append} WHEN (false) EXECUTE FUNCTION journal_reject_change()`,
    ],
    [
      'of fewer events',
      `DROP TRIGGER journal_append_only ON journal_entries;
       CREATE TRIGGER journal_append_only BEFORE TRUNCATE ON journal_entries
       FOR EACH STATEMENT EXECUTE FUNCTION journal_reject_change()`,
    ],
    [
      'with a function of the same name in another schema',
      `CREATE SCHEMA planted; ${emptied('planted.journal_reject_change')};
       DROP TRIGGER journal_append_only ON journal_entries;
       ${append} EXECUTE FUNCTION planted.journal_reject_change()`,
    ],
  ])('are reported: one %s', async (_, change) => {
    expect(await faults()).toEqual([]);
    await test.pool.query(change);
    expect(await faults()).toEqual([
      'journal_entries: the trigger journal_append_only is missing, disabled or changed',
    ]);
  });
});

describeOnCitus('The triggers that protect the shards of a table', () => {
  let test: TestDatabase;
  beforeEach(async () => {
    test = await startTestDatabase();
  });
  afterEach(() => test.stop());

  it('are reported where one is disabled', async () => {
    const faults = () => test.database.snapshot((snapshot) => guardFaults(snapshot, journalGuards));
    expect(await faults()).toEqual([]);
    const { rows } = await test.pool.query<Node & { shard: string; name: string; database: string }>(
      `SELECT nodename AS host, nodeport AS port, shardid AS shard, shard_name AS name, current_database() AS database
       FROM citus_shards WHERE table_name = 'journal_entries'::regclass ORDER BY shardid LIMIT 1`,
    );
    const { shard, name, database, ...node } = rows[0]!;
    await onNode(node, database, `ALTER TABLE ${name} DISABLE TRIGGER journal_balanced_${shard}`);
    expect(await faults()).toEqual([
      `journal_entries: the trigger journal_balanced is missing, disabled or changed on the shard ${shard}`,
    ]);
  });
});
