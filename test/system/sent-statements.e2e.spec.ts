import { Pool } from 'pg';
import { PreparingClient } from '../../src/platform/database/engine/connection';
import { databaseUrl, dropDatabase } from '../support/databases';
import { createPartitionedTemplate } from '../support/partitioned';
import { SentStatements, StatementRules } from '../support/sent-statements';

/** Plants statements that a distributed PostgreSQL refuses, and similar ones that it takes. */
describe('The rules for statements', () => {
  let template: string;
  let pool: Pool;
  let rules: StatementRules;

  beforeAll(async () => {
    template = await createPartitionedTemplate();
    pool = new Pool({ connectionString: databaseUrl(template), Client: PreparingClient });
    rules = await StatementRules.on(databaseUrl(template));
  });
  afterAll(async () => {
    await rules.close();
    await pool.end();
    await dropDatabase(template);
  });

  type Rule = Exclude<keyof StatementRules, 'close'>;
  async function faultsOf(rule: Rule, sql: string, values: unknown[]): Promise<string[]> {
    const sent = new SentStatements();
    await pool.query(sql, values).finally(() => sent.stop());
    return sent.faults(rules[rule]);
  }

  it.each<[rule: Rule, sql: string, values: unknown[], fault: string]>([
    [
      'namesAccount',
      'SELECT amount FROM transactions WHERE id = $1',
      ['txn_1'],
      'reaches 4 partitions of transactions',
    ],
    [
      'namesAccount',
      'SELECT posted FROM accounts WHERE email = $1',
      ['a@b.c'],
      'reaches 4 partitions of accounts',
    ],
    [
      'locksOneAccount',
      `UPDATE transactions SET due_outcome = NULL WHERE (account_id, id) IN (
         SELECT account_id, id FROM transactions WHERE settles_at <= $1 LIMIT 10 FOR UPDATE SKIP LOCKED)`,
      [new Date()],
      'reaches 4 partitions of transactions',
    ],
    [
      'locksOneAccount',
      'SELECT id FROM subscriptions WHERE id = $1 FOR UPDATE',
      ['sub_1'],
      'reaches 4 partitions',
    ],
    [
      'changesByImmutableFunctions',
      `UPDATE transactions SET updated_at = greatest($2, updated_at + interval '1 ms') WHERE account_id = $1`,
      ['acc_1', new Date()],
      'calls timestamptz_pl_interval(timestamp with time zone,interval)',
    ],
    [
      'changesByImmutableFunctions',
      'DELETE FROM hosted_checkouts WHERE account_id = $1 AND due_at < now()',
      ['acc_1'],
      'calls now()',
    ],
    [
      'selectsColumns',
      'SELECT count(*) FROM (SELECT FROM transactions WHERE status = $1 LIMIT 9) AS found',
      ['pending'],
      'spans accounts with a subselect that has no columns',
    ],
  ])('%s reports %s', async (rule, sql, values, fault) => {
    expect(await faultsOf(rule, sql, values)).toEqual([expect.stringContaining(fault)]);
  });

  it.each<[rule: Rule, sql: string, values: unknown[]]>([
    ['namesAccount', 'SELECT amount FROM transactions WHERE account_id = $1 AND id = $2', ['acc_1', 'txn_1']],
    ['namesAccount', 'SELECT posted FROM accounts WHERE id = $1', ['acc_1']],
    ['locksOneAccount', 'SELECT account_id, id FROM transactions WHERE settles_at <= $1', [new Date()]],
    ['locksOneAccount', 'SELECT id FROM subscriptions WHERE account_id = $1 FOR UPDATE', ['acc_1']],
    [
      'changesByImmutableFunctions',
      `UPDATE transactions SET updated_at = greatest($2, updated_at) WHERE account_id = $1`,
      ['acc_1', new Date()],
    ],
    [
      'changesByImmutableFunctions',
      'SELECT id FROM sessions WHERE expires_at < now() AND id <> $1',
      ['ses_1'],
    ],
    [
      'selectsColumns',
      'SELECT count(*) FROM (SELECT 1 FROM transactions WHERE status = $1 LIMIT 9) AS found',
      ['pending'],
    ],
    ['selectsColumns', 'SELECT EXISTS (SELECT FROM transactions WHERE account_id = $1)', ['acc_1']],
  ])('%s accepts %s', async (rule, sql, values) => {
    expect(await faultsOf(rule, sql, values)).toEqual([]);
  });
});
