import { auditLogGuards } from '../../../src/modules/audit-log/infrastructure/audit-entry.schema';
import { journalGuards } from '../../../src/modules/ledger/infrastructure/entry.schema';
import { guardFaults, triggerDigests } from '../../../src/platform/database/table-guards';
import { startTestDatabase, TestDatabase } from '../../support/database';

describe('The triggers that protect a table', () => {
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
