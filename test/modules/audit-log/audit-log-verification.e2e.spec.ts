import { INestApplicationContext } from '@nestjs/common';
import { Client } from 'pg';
import { AuditLogVerification } from '../../../src/modules/audit-log';
import { aUser, logIn } from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { contextOn, emptyFunction } from '../ledger/context';

let service: TestService;
let app: INestApplicationContext;

beforeAll(async () => {
  service = await startTestService();
  app = await contextOn(service);
  const user = await aUser(service.api);
  await Promise.all(Array.from({ length: 8 }, () => logIn(service.api, user.email)));
});
afterAll(async () => {
  await app.close();
  await service.stop();
});

const verify = () => app.get(AuditLogVerification).run(() => undefined);

/** Writes as a superuser with the triggers disabled, verifies, and undoes the statements. */
async function faultsAfter(...statements: string[]): Promise<readonly string[]> {
  const client = new Client({ connectionString: service.databaseUrl });
  await client.connect();
  try {
    await client.query('SET session_replication_role = replica');
    await client.query('CREATE TABLE kept AS SELECT * FROM audit_log');
    await client.query('CREATE TABLE kept_head AS SELECT * FROM audit_log_head');
    for (const statement of statements) await client.query(statement);
    const { faults } = await verify();
    await client.query('DELETE FROM audit_log; INSERT INTO audit_log SELECT * FROM kept; DROP TABLE kept');
    await client.query(
      'DELETE FROM audit_log_head; INSERT INTO audit_log_head SELECT * FROM kept_head; DROP TABLE kept_head',
    );
    return faults;
  } finally {
    await client.end();
  }
}

describe('The verification of the audit log', () => {
  afterEach(async () => expect(await verify()).toMatchObject({ faults: [] }));

  it('passes and counts the entries', async () => {
    const [{ count }] = (await service.sql<{ count: string }>('SELECT count(*) FROM audit_log')) as [
      { count: string },
    ];
    expect(await verify()).toEqual({ entries: Number(count), faults: [] });
    expect(Number(count)).toBeGreaterThan(8);
  });

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
    expect(faults).toEqual([
      expect.stringMatching(/^audit_log: entry 4 \(aud_.*\): its content does not match its hash$/),
    ]);
  });

  it.each([
    ['a deleted entry', ['DELETE FROM audit_log WHERE sequence = 4'], ['audit_log: entry 4 is missing']],
    [
      'deleted entries',
      ['DELETE FROM audit_log WHERE sequence IN (1, 2)'],
      ['audit_log: entries 1 to 2 are missing'],
    ],
    [
      'a deleted end',
      ['DELETE FROM audit_log WHERE sequence > 6'],
      [expect.stringMatching(/^audit_log: entries 7 to \d+ are missing$/)],
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
      [expect.stringContaining('entry 4 (')],
    ],
    [
      'an infinite time',
      ["UPDATE audit_log SET created_at = 'infinity' WHERE sequence = 4"],
      ['audit_log: entry 4 is missing'],
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
    ]);
    await restore();
  });
});
