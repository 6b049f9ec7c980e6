import { INestApplicationContext } from '@nestjs/common';
import { Client } from 'pg';
import { AuditLogVerification } from '../../../../src/modules/back-office';
import { digestEntry } from '../../../../src/modules/back-office/audit-log/audit-entry';
import { PostgresSnapshot } from '../../../../src/platform/database/engine/postgres-snapshot';
import { describeOnOneServer } from '../../../support/citus';
import { aUser, anAccount, logIn, PASSWORD, someEmail, theAdmin } from '../../../support/people';
import { startTestService, TestService } from '../../../support/service';
import { contextOn, emptyFunction } from '../../ledger/context';

let service: TestService;
let app: INestApplicationContext;

beforeAll(async () => {
  service = await startTestService();
  app = await contextOn(service);
  const user = await aUser(service.api);
  const email = someEmail();
  await user.api.post('/v1/auth/email', { current_password: PASSWORD, email });
  await Promise.all(Array.from({ length: 8 }, () => logIn(service.api, email)));
  const account = await anAccount(service.api);
  const admin = await theAdmin(service.api);
  await service.runDueTasks();
  await Promise.all(Array.from({ length: 3 }, () => logIn(service.api, email)));
  const credit = { account_id: account.id, amount: 100, currency: 'USD', type: 'credit' };
  await admin.api.post('/v1/transactions', credit);
});
afterAll(async () => {
  await app.close();
  await service.stop();
});

/** Statements that change the first unsealed entry as the service would have recorded it. */
async function forgedEntry(): Promise<string[]> {
  const [row] = await service.sql<any>('SELECT * FROM audit_log_unsealed ORDER BY id LIMIT 1');
  const digest = digestEntry({
    id: row.id,
    createdAt: row.created_at,
    actorId: 'usr_forged',
    actorRole: row.actor_role,
    sessionId: row.session_id,
    action: row.action,
    objectId: row.object_id,
    accountId: row.account_id,
    outcome: row.outcome,
    reason: row.reason,
    details: row.details,
    ip: row.ip,
    userAgent: row.user_agent,
    requestId: row.request_id,
  });
  return [
    `UPDATE audit_log_unsealed SET actor_id = 'usr_forged', digest = '\\x${digest.toString('hex')}' WHERE id = '${row.id}'`,
  ];
}

const verify = () => app.get(AuditLogVerification).run(() => undefined);

const TABLES = [
  'audit_log_changes',
  'audit_log',
  'audit_log_head',
  'audit_log_unsealed',
  'audit_log_receipts',
  'account_audit_entries',
  'account_audit_receipts',
];

/** Writes as a superuser with the triggers disabled, does the work, and undoes the statements. */
async function whileChanged<T>(
  statements: readonly string[],
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ connectionString: service.databaseUrl });
  await client.connect();
  try {
    await client.query('SET session_replication_role = replica');
    for (const table of TABLES) await client.query(`CREATE TABLE kept_${table} AS TABLE ${table}`);
    for (const statement of statements) await client.query(statement);
    const result = await work(client);
    for (const table of TABLES)
      await client.query(
        `DELETE FROM ${table}; INSERT INTO ${table} TABLE kept_${table}; DROP TABLE kept_${table}`,
      );
    return result;
  } finally {
    await client.end();
  }
}

const faultsAfter = (...statements: string[]): Promise<readonly string[]> =>
  whileChanged(statements, async () => (await verify()).faults);

describeOnOneServer('The verification of the audit log', 'workers keep their triggers', () => {
  afterEach(async () => expect(await verify()).toMatchObject({ faults: [] }));

  it('passes and counts the entries', async () => {
    const [{ count }] = (await service.sql<{ count: string }>('SELECT count(*) FROM audit_log')) as [
      { count: string },
    ];
    expect(await verify()).toEqual({ entries: Number(count), unsealed: 4, erased: 0, faults: [] });
    expect(Number(count)).toBeGreaterThan(8);
  });

  const lost = /^audit_log: entry aud_\w+ was recorded and is missing$/;
  const LOST = expect.stringMatching(lost);

  it.each([
    "action = 'account.reinstate'",
    'actor_id = NULL',
    "actor_role = 'admin'",
    'session_id = NULL',
    "object_id = 'usr_other'",
    "account_id = 'acc_other'",
    "outcome = 'failed'",
    "reason = 'another'",
    `details = '{"changed": []}'`,
    "created_at = created_at - interval '1 ms'",
    "ip = '203.0.113.7'",
    'user_agent = NULL',
    "request_id = 'another'",
    "id = 'aud_other'",
  ])('reports a changed entry: %s', async (assignment) => {
    const faults = await faultsAfter(`UPDATE audit_log SET ${assignment} WHERE sequence = 4`);
    expect(faults.filter((fault) => !lost.test(fault))).toEqual([
      expect.stringMatching(/^audit_log: entry 4 \(aud_.*\): its content does not match its hash$/),
    ]);
  });

  it.each([
    [
      'a deleted entry',
      ['DELETE FROM audit_log WHERE sequence = 4'],
      ['audit_log: entry 4 is missing', LOST],
    ],
    [
      'deleted entries',
      ['DELETE FROM audit_log WHERE sequence IN (1, 2)'],
      ['audit_log: entries 1 to 2 are missing', LOST, LOST],
    ],
    [
      'a deleted end',
      ['DELETE FROM audit_log WHERE sequence > 6'],
      [...Array.from({ length: 9 }, () => LOST), 'audit_log: entries 7 to 15 are missing'],
    ],
    [
      'swapped entries',
      ['UPDATE audit_log SET sequence = 9 - sequence WHERE sequence IN (4, 5)'].flatMap((sql) => [
        'ALTER TABLE audit_log DROP CONSTRAINT audit_log_pkey',
        sql,
        'ALTER TABLE audit_log ADD CONSTRAINT audit_log_pkey PRIMARY KEY (sequence)',
      ]),
      [4, 5, 6].map((at) => expect.stringContaining(`entry ${at} (`)),
    ],
    [
      'a deleted entry whose gap is closed',
      [
        'DELETE FROM audit_log WHERE sequence = 4',
        'UPDATE audit_log SET sequence = -sequence WHERE sequence > 4',
        'UPDATE audit_log SET sequence = -sequence - 1 WHERE sequence < 0',
        'UPDATE audit_log_head SET sequence = sequence - 1',
      ],
      [expect.stringContaining('entry 4 ('), LOST],
    ],
    [
      'an infinite time',
      ["UPDATE audit_log SET created_at = 'infinity' WHERE sequence = 4"],
      ['audit_log: entry 4 is missing', LOST],
    ],
    [
      'an entry that is added without the head',
      [
        `INSERT INTO audit_log (sequence, id, created_at, action, outcome, details, hash)
         SELECT max(sequence) + 1, 'aud_added', now(), 'login', 'succeeded', '{}', '\\x00' FROM audit_log`,
      ],
      [
        expect.stringContaining('(aud_added): its content does not match its hash'),
        expect.stringContaining('the head of the chain does not match entry'),
      ],
    ],
    ['a missing head', ['DELETE FROM audit_log_head'], ['audit_log: the head of the chain is missing']],
  ])('reports %s', async (_, statements, expected) => {
    expect(await faultsAfter(...statements)).toEqual(expected);
  });

  const FIRST_UNSEALED = 'id = (SELECT min(id) FROM audit_log_unsealed)';
  it.each([
    [
      'an entry that is deleted before it is sealed',
      [`DELETE FROM audit_log_unsealed WHERE ${FIRST_UNSEALED}`],
      [LOST],
    ],
    ['all of them', ['DELETE FROM audit_log_unsealed'], [LOST, LOST, LOST]],
    ['one beside its account', ['DELETE FROM account_audit_entries'], [LOST]],
    [
      'one beside its account that is changed',
      ['UPDATE account_audit_entries SET actor_id = NULL'],
      [
        expect.stringMatching(
          /^audit_log: the unsealed entry aud_\w+: its content does not match its digest$/,
        ),
      ],
    ],
    [
      'one beside its account whose receipt is changed',
      [
        "UPDATE account_audit_receipts SET digest = '\\x00' WHERE id IN (SELECT id FROM account_audit_entries)",
      ],
      [
        expect.stringMatching(
          /^audit_log: the unsealed entry aud_\w+: its content does not match its receipt$/,
        ),
      ],
    ],
    [
      'an entry that is changed before it is sealed',
      [`UPDATE audit_log_unsealed SET actor_id = NULL WHERE ${FIRST_UNSEALED}`],
      [
        expect.stringMatching(
          /^audit_log: the unsealed entry aud_\w+: its content does not match its digest$/,
        ),
      ],
    ],
    [
      'one whose digest is changed, too',
      [`UPDATE audit_log_unsealed SET digest = '\\x00' WHERE ${FIRST_UNSEALED}`],
      [
        expect.stringMatching(
          /^audit_log: the unsealed entry aud_\w+: its content does not match its digest$/,
        ),
      ],
    ],
  ])('reports %s', async (_, statements, expected) => {
    expect(await faultsAfter(...statements)).toEqual(expected);
  });

  it.each([
    ['missing', 'DELETE FROM audit_log_changes', 'are missing'],
    [
      'altered',
      "UPDATE audit_log_changes SET changes = replace(changes::text, '@', '@not.')::json",
      'do not match their hash',
    ],
    ['of another salt', "UPDATE audit_log_changes SET salt = '\\x00'", 'do not match their hash'],
    ['erased by halves', 'UPDATE audit_log_changes SET salt = NULL', 'do not match their hash'],
    [
      'added',
      "INSERT INTO audit_log_changes SELECT id, '\\x00', '[]' FROM audit_log WHERE sequence = 1",
      'do not match their hash',
    ],
  ])('reports old and new values that are %s', async (_, statement, fault) => {
    expect(await faultsAfter(statement)).toEqual([
      expect.stringMatching(`^audit_log: entry aud_\\w+: its old and new values ${fault}$`),
    ]);
  });

  it('reports an unsealed entry without a receipt', async () => {
    expect(await faultsAfter(`DELETE FROM audit_log_receipts WHERE ${FIRST_UNSEALED}`)).toEqual([
      expect.stringMatching(
        /^audit_log: the unsealed entry aud_\w+: its content does not match its receipt$/,
      ),
    ]);
  });

  it('reports an entry whose receipt is changed', async () => {
    const forged =
      "UPDATE audit_log_receipts SET digest = '\\x00' WHERE id = (SELECT id FROM audit_log WHERE sequence = 4)";
    expect(await faultsAfter(forged)).toEqual([
      expect.stringMatching(/^audit_log: entry 4 \(aud_\w+\): its content does not match its receipt$/),
    ]);
  });

  it('reads a log of any size in batches: it neither sorts nor hashes a table, and finds entries by an index', async () => {
    const streams = jest.spyOn(PostgresSnapshot.prototype, 'stream');
    const queries = jest.spyOn(PostgresSnapshot.prototype, 'query');
    const statements = [
      `INSERT INTO audit_log (sequence, id, created_at, action, outcome, details, hash)
       SELECT 1000 + number, 'aud_' || number, now(), 'login', 'succeeded', '{}', '\\x00'
       FROM generate_series(1, 20000) AS number`,
      `INSERT INTO audit_log_receipts SELECT id, '\\x00' FROM audit_log WHERE sequence > 1000`,
      'ANALYZE audit_log, audit_log_receipts',
    ];
    const plans = await whileChanged(statements, async (client) => {
      await verify();
      const explain = async (sql: string, params?: unknown[]): Promise<string> =>
        JSON.stringify((await client.query(`EXPLAIN (FORMAT JSON) ${sql}`, params)).rows);
      const plansOfStreams = [];
      for (const [sql] of streams.mock.calls.filter(([text]) => /^SELECT .* FROM \w*audit_/.test(text)))
        plansOfStreams.push(await explain(`DECLARE planned CURSOR FOR ${sql}`));
      await client.query('SET enable_seqscan = off');
      const plansOfQueries = new Map<string, string>();
      for (const [sql, params] of queries.mock.calls)
        plansOfQueries.set(sql, await explain(sql, [...params]));
      return { ofStreams: plansOfStreams, ofQueries: [...plansOfQueries.values()] };
    });
    expect([plans.ofStreams.length, plans.ofQueries.length]).toEqual([6, 4]);
    expect(plans.ofStreams.filter((plan) => /"(Sort|Hash[^"]*)"/.test(plan))).toEqual([]);
    expect(plans.ofQueries.filter((plan) => plan.includes('"Seq Scan"'))).toEqual([]);
    jest.restoreAllMocks();
  });

  it('reports an entry that was changed with its digest before it was sealed', async () => {
    const forged = await forgedEntry();
    expect(await faultsAfter(...forged)).toEqual([
      expect.stringMatching(
        /^audit_log: the unsealed entry aud_\w+: its content does not match its receipt$/,
      ),
    ]);
  });

  const changed = (table: string, trigger: string): string =>
    `${table}: the trigger ${trigger} is missing, disabled or changed`;

  it('reports a disabled trigger', async () => {
    await service.sql('ALTER TABLE audit_log DISABLE TRIGGER audit_log_append_only');
    expect((await verify()).faults).toEqual([changed('audit_log', 'audit_log_append_only')]);
    await service.sql('ALTER TABLE audit_log ENABLE TRIGGER audit_log_append_only');
  });

  it('reports triggers whose function was emptied', async () => {
    const restore = await emptyFunction(service, 'audit_log_reject_change');
    expect((await verify()).faults).toEqual([
      changed('audit_log', 'audit_log_append_only'),
      changed('audit_log_head', 'audit_log_head_kept'),
      changed('audit_log_unsealed', 'audit_log_unsealed_append_only'),
      changed('audit_log_receipts', 'audit_log_receipts_append_only'),
      changed('account_audit_entries', 'account_audit_entries_append_only'),
      changed('account_audit_receipts', 'account_audit_receipts_append_only'),
      changed('audit_log_changes', 'audit_log_changes_kept'),
    ]);
    await restore();
  });
});
