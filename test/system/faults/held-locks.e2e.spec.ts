import { Client } from 'pg';
import { describeOnOneServer } from '../../support/citus';
import { aUser, anAccount, created, logIn, Owner, Person, theAdmin } from '../../support/people';
import { aTransaction } from '../../support/request-bodies';
import { startTestService, TestService } from '../../support/service';
import { eventually } from '../../support/until';

/** The rows of these tables, and of tables with an `account_id`, belong to somebody, whose requests may wait. */
const OWNED = ['accounts', 'users', 'credentials', 'sessions', 'refresh_tokens'];

let service: TestService;
let holder: Client;
let admin: Person;
let user: Person;
let accounts: Owner[];

beforeAll(async () => {
  service = await startTestService();
  admin = await theAdmin(service.api);
  user = await aUser(service.api);
  accounts = await Promise.all(Array.from({ length: 10 }, () => anAccount(service.api)));
  await service.api.post('/v1/auth/login', { email: user.email, password: 'not this password' });
});
beforeEach(async () => {
  holder = new Client({ connectionString: service.databaseUrl });
  await holder.connect();
  await holder.query('BEGIN');
});
afterEach(() => holder.end());
afterAll(() => service.stop());

/** Creates transactions as an admin and logs in, all at once, while the lock is held. What waits for it fails in the end. */
async function expectNoneWaits(): Promise<void> {
  await Promise.all([
    ...accounts.flatMap(({ accountId }) => [
      created(admin.api, '/v1/transactions', aTransaction(accountId)),
      created(admin.api, '/v1/transactions', aTransaction(accountId, { type: 'credit' })),
    ]),
    ...accounts.map(({ email }) => logIn(service.api, email)),
  ]);
  await holder.query('ROLLBACK');
}

/** Tables in which background work looks for what is due, and which a creation does not use. */
const LOOKED_UP = [
  'subscriptions',
  'approvals',
  'unapplied_payments',
  'hosted_checkouts',
  'webhook_endpoints',
];

describeOnOneServer('While background work hangs', 'there the start waits for the locks, too', () => {
  it('requests are served, and the replica stays ready and says so', async () => {
    await holder.query(`LOCK TABLE ${LOOKED_UP.join(', ')} IN ACCESS EXCLUSIVE MODE`);
    const replica = await service.replica({ RUN_WORKER: 'true' });
    try {
      // Half as many as DATABASE_POOL_SIZE. In the transaction of the holder, the first answer would stay the answer.
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      const countWaiting = async () => (await service.sql(waiting)).length;
      await eventually(countWaiting).toBe(2);
      expect((await replica.api.get('/health/ready')).body).toEqual({ status: 'ok' });
      const operator = await theAdmin(replica.api);
      for (const { accountId } of accounts)
        await created(operator.api, '/v1/transactions', aTransaction(accountId));
      expect(await countWaiting()).toBe(2);
      // The others do not get a connection in time.
      const readiness = async () => (await replica.api.get('/health/ready')).body;
      await eventually(readiness).toEqual({ status: 'degraded' });
    } finally {
      await holder.query('ROLLBACK');
      await replica.stop();
    }
  });
});

describe('Beside a transaction that stays open, creations of operators and logins do not wait', () => {
  it('for its lock on every row that tenants share', async () => {
    const { rows } = await holder.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables AS t WHERE schemaname = 'public' AND tablename <> ALL ($1)
         AND NOT EXISTS (SELECT FROM information_schema.columns AS c
                         WHERE c.table_name = t.tablename AND c.column_name = 'account_id')`,
      [OWNED],
    );
    const names = rows.map(({ name }) => name);
    expect(names).toContain('audit_log_head');
    for (const name of names) await holder.query(`SELECT FROM "${name}" FOR UPDATE`);
    await expectNoneWaits();
  });

  it('for its entry of the audit log', async () => {
    const inserted = await holder.query(
      `WITH receipt AS (INSERT INTO audit_log_receipts (id, digest) VALUES ('aud_0', '') RETURNING id, digest)
       INSERT INTO audit_log_unsealed (id, created_at, action, outcome, details, digest)
       SELECT id, now(), 'login', 'succeeded', '{}', digest FROM receipt`,
    );
    expect(inserted.rowCount).toBe(1);
    await expectNoneWaits();
  });

  it('for its entry of the audit log of an account', async () => {
    const { accountId } = accounts[0]!;
    await holder.query(
      `INSERT INTO account_audit_receipts (account_id, id, digest) VALUES ($1, 'aud_0', '')`,
      [accountId],
    );
    await holder.query(
      `INSERT INTO account_audit_entries (account_id, id, created_at, action, outcome, details, digest)
       VALUES ($1, 'aud_0', now(), 'transaction.create', 'succeeded', '{}', '')`,
      [accountId],
    );
    await expectNoneWaits();
  });

  it('for another account that a request of an operator waits for', async () => {
    const other = await anAccount(service.api);
    await holder.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [other.accountId]);
    const waiting = created(admin.api, '/v1/transactions', aTransaction(other.accountId));
    await expectNoneWaits();
    await waiting;
  });
});

describe('Beside an account whose row stays locked', () => {
  it('others are served within a second while transfers to it keep coming', async () => {
    const receiver = await anAccount(service.api);
    const [giver, taker] = [await anAccount(service.api), await anAccount(service.api)];
    for (const { accountId } of [giver, ...accounts])
      await created(admin.api, '/v1/transactions', aTransaction(accountId, { type: 'credit' }));
    const transfer = (from: Owner, to: Owner) =>
      created(from.api, '/v1/transfers', {
        from_account_id: from.accountId,
        to_account_id: to.accountId,
        amount: 1,
        currency: 'USD',
      });
    const timed = async (work: Promise<unknown>): Promise<number> => {
      const begun = performance.now();
      await work;
      return performance.now() - begun;
    };
    await holder.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [receiver.accountId]);
    const waiting: Promise<unknown>[] = [];
    const elapsedMs: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      waiting.push(...accounts.map((sender) => transfer(sender, receiver)));
      const bystanders = [transfer(giver, taker), taker.api.get('/v1/account/balance')];
      elapsedMs.push(...(await Promise.all(bystanders.map(timed))));
    }
    await holder.query('ROLLBACK');
    await Promise.all(waiting);
    const ascending = elapsedMs.toSorted((one, other) => one - other);
    expect(ascending[Math.floor(elapsedMs.length * 0.9)]).toBeLessThan(1_000);
  });
});
