import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { pendingSchemaChanges } from '../../src/platform/database/migrations/migrate';
import { schema } from '../support/core';
import { createDatabase, dropDatabase } from '../support/databases';

const describeSchema = readFileSync(join(__dirname, '../../scripts/describe-schema.sql'), 'utf8');
const recorded = readFileSync(join(__dirname, '../../migrations/schema.sql'), 'utf8');

/** Compares like `npm run migrations:check`, on a copy of the migrated database after `change`. */
async function inspect(change?: string): Promise<{ missing: string[]; text: string }> {
  const { name, url } = await createDatabase();
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    if (change !== undefined) await client.query(change);
    const missing = await pendingSchemaChanges(url, schema);
    const { rows } = await client.query<{ statement: string }>(describeSchema);
    return { missing, text: rows.map(({ statement }) => `${statement};\n`).join('\n') };
  } finally {
    await client.end();
    await dropDatabase(name);
  }
}

describe('The migrations', () => {
  it('result in the mapped tables and in migrations/schema.sql', async () => {
    expect(await inspect()).toEqual({ missing: [], text: recorded });
  });

  it.each([
    ['a column', 'ALTER TABLE users DROP COLUMN name'],
    ['a NOT NULL', 'ALTER TABLE users ALTER COLUMN email DROP NOT NULL'],
    ['a check', 'ALTER TABLE transactions DROP CONSTRAINT "CHK_05c0fd1d77d8600259be7c60d5"'],
    ['a unique constraint', 'ALTER TABLE credentials DROP CONSTRAINT credentials_kind_email_key'],
    ['an index', 'DROP INDEX transactions_pending'],
    ['an index of a list', 'DROP INDEX transactions_account_reference_source_status_type'],
    ['the order of an index', 'DROP INDEX transfers_newest; CREATE INDEX transfers_newest ON transfers (id)'],
    ['a table with indexes of a list', 'DROP TABLE request_log CASCADE'],
    ['a filtered column', 'ALTER TABLE subscriptions DROP COLUMN customer_email CASCADE'],
  ])('are rejected without %s of the mapped tables', async (_, loss) => {
    const { missing, text } = await inspect(loss);
    expect(missing).not.toEqual([]);
    expect(text).not.toBe(recorded);
  });

  it('are told which indexes a list needs', async () => {
    const { missing } = await inspect('DROP INDEX payment_requests_customer_email_reference_status');
    expect(missing).toEqual([
      'CREATE INDEX "payment_requests_customer_email_reference_status" ON "payment_requests" ' +
        '((ARRAY[lower(customer_email), reference]) NULLS FIRST, status, id) WHERE reference IS NOT NULL',
    ]);
  });

  it.each([
    ['a table that is not mapped', 'DROP TABLE shared_limits'],
    ['a column of such a table', 'ALTER TABLE idempotency_records DROP COLUMN fingerprint'],
    ['a default', 'ALTER TABLE shared_limits ALTER COLUMN points DROP DEFAULT'],
    [
      'the condition of a check',
      'ALTER TABLE users DROP CONSTRAINT "CHK_1885dcb9bcc22fe4a173d73df4"; ' +
        'ALTER TABLE users ADD CONSTRAINT "CHK_1885dcb9bcc22fe4a173d73df4" CHECK (status IS NOT NULL)',
    ],
    [
      'a function',
      'CREATE FUNCTION planted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
    ],
    [
      'a trigger',
      'CREATE TRIGGER planted BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()',
    ],
    ['a view', 'CREATE VIEW planted AS SELECT id FROM users'],
  ])('are rejected when they differ from migrations/schema.sql in %s', async (_, change) => {
    expect((await inspect(change)).text).not.toBe(recorded);
  });
});
