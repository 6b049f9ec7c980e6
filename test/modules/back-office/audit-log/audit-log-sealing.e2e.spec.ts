import { INestApplicationContext } from '@nestjs/common';
import { Client } from 'pg';
import { AuditLogVerification } from '../../../../src/modules/back-office';
import { digestEntry, newAuditEntry } from '../../../../src/modules/back-office/audit-log/audit-entry';
import { AuditTrail, systemActor } from '../../../../src/platform/audit/audit-trail';
import { Database } from '../../../../src/platform/database/database';
import { untilOneWaits } from '../../../support/lock-waits';
import { anAccount, aUser, logIn, Person, theAdmin } from '../../../support/people';
import { startTestService, TestService } from '../../../support/service';
import { contextOn } from '../../ledger/context';

let service: TestService;
let app: INestApplicationContext;
let user: Person;

beforeAll(async () => {
  service = await startTestService();
  app = await contextOn(service);
  user = await aUser(service.api);
});
afterAll(async () => {
  await app.close();
  await service.stop();
});

const logIns = (count: number) =>
  Promise.all(Array.from({ length: count }, () => logIn(service.api, user.email)));

const verify = () => app.get(AuditLogVerification).run(() => undefined);

const chain = () =>
  service.sql<{ sequence: string; id: string; hash: Buffer }>(
    'SELECT sequence, id, hash FROM audit_log ORDER BY sequence',
  );

/** Records an entry in a transaction that stays open. @returns its id, and what commits it */
async function recordAndHold(action: string): Promise<{ id: string; commit: () => Promise<unknown> }> {
  let commit!: () => void;
  const held = new Promise<void>((resolve) => (commit = resolve));
  let recorded!: (id: string) => void;
  const id = new Promise<string>((resolve) => (recorded = resolve));
  const committed = app.get<Database>(Database).transaction(async (tx) => {
    app.get<AuditTrail>(AuditTrail).record(tx, systemActor, { action, objectId: null });
    const sql = 'SELECT id FROM audit_log_unsealed WHERE action = $1';
    recorded((await tx.query<{ id: string }>(sql, [action]))[0]!.id);
    await held;
  });
  return { id: await id, commit: () => (commit(), committed) };
}

describe('Sealing of the audit log', () => {
  afterEach(async () => expect(await verify()).toMatchObject({ unsealed: 0, faults: [] }));

  it('chains entries in the order in which they were recorded, without gaps', async () => {
    const { unsealed } = await verify();
    await logIns(20);
    expect(await verify()).toMatchObject({ unsealed: unsealed + 20, faults: [] });
    await service.runDueTasks();
    const rows = await chain();
    expect(rows.map(({ sequence }) => Number(sequence))).toEqual(rows.map((_, index) => index + 1));
    expect(rows.map(({ id }) => id)).toEqual(rows.map(({ id }) => id).toSorted());
    expect(await service.sql('SELECT sequence, hash FROM audit_log_head')).toEqual([
      { sequence: String(rows.length), hash: rows.at(-1)!.hash },
    ]);
  });

  it('chains entries beside accounts with all others, in the order in which they were recorded', async () => {
    const [admin, account] = [await theAdmin(service.api), await anAccount(service.api)];
    const credit = { account_id: account.id, amount: 100, currency: 'USD', type: 'credit' };
    await service.runDueTasks();
    const { length } = await chain();
    for (let count = 0; count < 3; count += 1) {
      await admin.api.post('/v1/transactions', credit);
      await logIns(1);
    }
    await service.runDueTasks();
    const sealed = await service.sql<any>(
      'SELECT id, action FROM audit_log WHERE sequence > $1 ORDER BY sequence',
      [length],
    );
    const pair = ['transaction.create', 'login'];
    expect(sealed.map(({ action }) => action)).toEqual([...pair, ...pair, ...pair]);
    expect(sealed.map(({ id }) => id)).toEqual(sealed.map(({ id }) => id).toSorted());
  });

  it('seals nothing twice that a worker of Citus still shows after it was sealed', async () => {
    const [admin, account] = [await theAdmin(service.api), await anAccount(service.api)];
    await admin.api.post('/v1/transactions', {
      account_id: account.id,
      amount: 100,
      currency: 'USD',
      type: 'credit',
    });
    const kept = await service.sql<any>('SELECT * FROM account_audit_entries');
    await service.runDueTasks();
    const before = await chain();
    await service.sql(
      `INSERT INTO account_audit_entries SELECT (json_populate_record(NULL::account_audit_entries, $1)).*`,
      [JSON.stringify({ ...kept[0], digest: `\\x${kept[0].digest.toString('hex')}` })],
    );
    await logIns(1);
    await service.runDueTasks();
    expect((await chain()).slice(0, -1)).toEqual(before);
    await service.sql('DELETE FROM account_audit_entries');
  });

  it('seals more than a batch', async () => {
    await app.get<Database>(Database).transaction(async (tx) => {
      for (let count = 0; count < 1_100; count += 1)
        app.get<AuditTrail>(AuditTrail).record(tx, systemActor, { action: 'test', objectId: null });
    });
    await service.runDueTasks();
  });

  it('shows an entry at once, and its place in the chain once it is sealed', async () => {
    const admin = await theAdmin(service.api);
    const newest = async () =>
      (await admin.api.get(`/v1/audit-log?actor_id=${user.id}&limit=1`)).body.data[0];
    await logIns(1);
    const entry = await newest();
    expect(entry.sequence).toBeNull();
    await service.runDueTasks();
    const [sealed] = await service.sql('SELECT sequence::integer FROM audit_log WHERE id = $1', [entry.id]);
    expect(await newest()).toEqual({ ...entry, ...sealed });
    expect((await admin.api.get(`/v1/audit-log/${entry.id}`)).body).toEqual({ ...entry, ...sealed });
  });

  it('seals an entry whose transaction commits late after those that did not wait for it', async () => {
    const late = await recordAndHold('late');
    await logIns(3);
    await service.runDueTasks();
    expect(await service.sql('SELECT FROM audit_log_unsealed')).toEqual([]);
    const before = await chain();
    await late.commit();
    await service.runDueTasks();
    const rows = await chain();
    expect(rows.slice(0, -1)).toEqual(before);
    expect(rows.at(-1)!.id).toBe(late.id);
    expect(late.id < before.at(-1)!.id).toBe(true);
  });

  it('extends one chain when replicas seal at the same time, and while entries are recorded', async () => {
    const replicas = await Promise.all([service.replica(), service.replica()]);
    const length = (await chain()).length;
    for (let round = 0; round < 5; round += 1)
      await Promise.all([logIns(10), ...[service, ...replicas].map((one) => one.runDueTasks())]);
    await service.runDueTasks();
    for (const replica of replicas) await replica.stop();
    expect(await chain()).toHaveLength(length + 50);
  });

  it.each([
    ['before it has the head', 'audit_log_head'],
    ['when it has added them to the chain', 'audit_log_unsealed'],
  ])('seals the entries of a replica that dies while it seals, %s', async (_, table) => {
    await logIns(5);
    const replica = await service.replica();
    const holder = new Client({ connectionString: service.databaseUrl });
    await holder.connect();
    await holder.query(`BEGIN; SELECT FROM ${table} FOR UPDATE`);
    const sealing = replica.tryDueTasks();
    await untilOneWaits(service);
    await service.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    await sealing;
    expect((await verify()).unsealed).toBe(5);
    await holder.end();
    await replica.stop();
    await service.tryDueTasks();
  });

  it('continues a chain to which a replica of the previous release adds entries', async () => {
    await logIns(2);
    const entry = newAuditEntry(systemActor, { action: 'previous', objectId: null }, service.clock.now());
    await service.sql(
      `WITH head AS (UPDATE audit_log_head SET sequence = sequence + 1, hash = sha256(hash || $3) RETURNING *)
       INSERT INTO audit_log (sequence, id, created_at, actor_id, action, outcome, details, hash)
       SELECT sequence, $1, $2, 'system', 'previous', 'succeeded', '{}', hash FROM head`,
      [entry.id, entry.createdAt, digestEntry(entry)],
    );
    await service.runDueTasks();
    expect((await chain()).slice(-3)[0]!.id).toBe(entry.id);
  });
});
