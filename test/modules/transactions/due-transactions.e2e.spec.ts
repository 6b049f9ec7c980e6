import { Module, OnModuleInit } from '@nestjs/common';
import { Client } from 'pg';
import { newId } from '../../../src/kernel/ids';
import { LedgerVerification } from '../../../src/modules/ledger';
import { SCRIPTED_FAILURE } from '../../../src/modules/processors';
import { TransactionHooks } from '../../../src/modules/transactions';
import { TransactionsModule } from '../../../src/modules/transactions/transactions.module';
import { SESSION_TIMEOUTS_MS } from '../../../src/platform/database/engine/data-source';
import { contextOn } from '../ledger/context';
import { aTransaction } from '../../support/request-bodies';
import { anAccount, created, Owner } from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { eventually } from '../../support/until';

const PATH = '/v1/transactions';
const AMOUNT = 3;

/** A module whose hook fails for some accounts. */
const broken = new Set<string>();
@Module({ imports: [TransactionsModule] })
class BreakingModule implements OnModuleInit {
  constructor(private readonly hooks: TransactionHooks) {}

  onModuleInit(): void {
    const before = async (
      _tx: unknown,
      transition: string,
      { accountId }: { accountId: string },
    ): Promise<void> => {
      if (transition === 'settle' && broken.has(accountId)) throw new Error('the rule engine is down');
    };
    this.hooks.register({ name: 'breaking', before });
  }
}

describe('The settlement of scheduled transactions', () => {
  let service: TestService;

  beforeEach(async () => {
    broken.clear();
    service = await startTestService({}, undefined, [{ module: BreakingModule }]);
  });
  /** The audit finds no fault after any test. */
  afterEach(async () => {
    const app = await contextOn(service);
    const { faults } = await app.get(LedgerVerification).run(() => undefined);
    await app.close();
    await service.stop();
    expect(faults).toEqual([]);
  });

  /** Payments of an account that are due at the same time: one created by HTTP, and copies of it. */
  async function payments(count: number, script = 'succeeded'): Promise<Owner> {
    const owner = await anAccount(service.api);
    const { id } = await created(
      owner.api,
      PATH,
      aTransaction(owner.accountId, { amount: AMOUNT, metadata: { sandbox_outcome: script } }),
    );
    const ids = Array.from({ length: count - 1 }, () => newId('txn', service.clock.now()));
    await service.sql(
      `INSERT INTO transactions (account_id, id, amount, currency, type, status, settles_at, due_outcome, created_at, updated_at)
       SELECT account_id, copy, amount, currency, type, status, settles_at, due_outcome, created_at, updated_at
       FROM transactions, unnest($2::text[]) AS copy WHERE id = $1`,
      [id, ids],
    );
    await service.sql('UPDATE accounts SET pending_in = $2 WHERE id = $1', [owner.accountId, count * AMOUNT]);
    return owner;
  }

  const statuses = async (): Promise<Record<string, number>> => {
    const rows = await service.sql<{ status: string; count: string }>(
      'SELECT status, count(*) FROM transactions GROUP BY status',
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
  };
  const postings = async (): Promise<number> =>
    (await service.sql("SELECT 1 FROM journal_entries WHERE leg = 'customer'")).length;

  it('happens after the delay, with the scripted outcome', async () => {
    await payments(2);
    await payments(3, 'failed');
    service.clock.move({ seconds: 55 });
    await service.runDueTasks();
    expect(await statuses()).toEqual({ pending: 5 });
    service.clock.move({ seconds: 6 });
    await service.runDueTasks();
    expect(await statuses()).toEqual({ succeeded: 2, failed: 3 });
    const failed = await service.sql(
      "SELECT DISTINCT failure_reason FROM transactions WHERE status = 'failed'",
    );
    expect(failed).toEqual([{ failure_reason: SCRIPTED_FAILURE }]);
    await service.runDueTasks();
    expect(await postings()).toBe(2);
  });

  it('happens once when three replicas process 1,000 transactions at the same time', async () => {
    const replicas = [service, await service.replica(), await service.replica()];
    const owners = [];
    for (const count of [1, 9, 90, 200, 201, 250, 249]) owners.push(await payments(count));
    for (const { clock } of replicas) clock.move({ seconds: 61 });
    await Promise.all(replicas.map((replica) => replica.runDueTasks()));
    expect(await statuses()).toEqual({ succeeded: 1000 });
    expect(await postings()).toBe(1000);
    expect((await owners[3]!.api.get('/v1/account/balance')).body).toMatchObject({
      posted: 600,
      pending_in: 0,
    });
    for (const replica of replicas)
      expect(replica.logged.filter((line) => line.includes('"level":50'))).toEqual([]);
    await replicas[1]!.stop();
    await replicas[2]!.stop();
  });

  it('is complete or absent for each transaction when the service stops, and another replica continues', async () => {
    const replica = await service.replica();
    for (let index = 0; index < 6; index += 1) await payments(150);
    replica.clock.move({ seconds: 61 });
    const running = replica.runDueTasks();
    await replica.stop();
    await running;
    const { pending = 0, succeeded = 0 } = await statuses();
    expect(pending + succeeded).toBe(900);
    expect(await postings()).toBe(succeeded);
    expect(replica.logged.filter((line) => line.includes('"level":50'))).toEqual([]);
    service.clock.move({ seconds: 61 });
    await service.runDueTasks();
    expect(await statuses()).toEqual({ succeeded: 900 });
  });

  it('is not blocked by transactions that fail, however many, and tries them again', async () => {
    const failing = await payments(121);
    broken.add(failing.accountId);
    service.clock.move({ seconds: 1 });
    const healthy = await payments(2);
    service.clock.move({ seconds: 61 });
    await service.tryDueTasks();
    expect((await healthy.api.get('/v1/account/balance')).body).toMatchObject({ posted: 2 * AMOUNT });
    expect(await statuses()).toEqual({ pending: 121, succeeded: 2 });
    const logged = service.logged.filter((line) => / postponed txn_\w+ by 1 s/.test(line));
    expect(logged).toHaveLength(121);
    expect(logged.join()).not.toContain('the rule engine is down');
    broken.clear();
    service.clock.move({ seconds: 1 });
    await service.tryDueTasks();
    expect(await statuses()).toEqual({ succeeded: 123 });
  });

  it('is not blocked by an account that is locked, whose transactions are settled after that', async () => {
    const locked = await payments(40);
    service.clock.move({ seconds: 1 });
    const others = [await payments(100), await payments(2)];
    service.clock.move({ seconds: 61 });
    const holder = new Client({ connectionString: service.databaseUrl });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [locked.accountId]);
    const begun = performance.now();
    await service.tryDueTasks();
    expect(performance.now() - begun).toBeLessThan(SESSION_TIMEOUTS_MS.lock_timeout);
    expect(await statuses()).toEqual({ pending: 40, succeeded: 102 });
    for (const [index, { api }] of others.entries())
      expect((await api.get('/v1/account/balance')).body.posted).toBe([100, 2][index]! * AMOUNT);
    await holder.end();
    service.clock.move({ seconds: 10 });
    await service.runDueTasks();
    expect(await statuses()).toEqual({ succeeded: 142 });
  });

  it('is done every second by a service that runs background work', async () => {
    const { accountId, api, token } = await anAccount(service.api);
    const replica = await service.replica({ RUN_WORKER: 'true', SETTLEMENT_DELAY_SECONDS: '0' });
    const { id } = await created(replica.api.as(token), PATH, aTransaction(accountId));
    await eventually(async () => (await api.get(`${PATH}/${id}`)).body.status).toBe('succeeded');
    await replica.stop();
  });
});
