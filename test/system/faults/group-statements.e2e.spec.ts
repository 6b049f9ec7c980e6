import { INestApplicationContext } from '@nestjs/common';
import { Client } from 'pg';
import { AuditLogVerification } from '../../../src/modules/back-office';
import { Principal } from '../../../src/modules/auth';
import { LedgerVerification } from '../../../src/modules/ledger';
import { Transactions } from '../../../src/modules/transactions/application/transactions.service';
import { PreparingClient } from '../../../src/platform/database/engine/connection';
import { contextOn } from '../../modules/ledger/context';
import { anAccount, created, Owner, theAdmin } from '../../support/people';
import { aTransaction } from '../../support/request-bodies';
import { startTestService, TestService } from '../../support/service';

/** Creations that start together and share one database transaction. Two of them belong to one account. */
const TYPES = ['credit', 'payment', 'refund', 'credit', 'refund'] as const;
const CREDITED = 1_000_000;

let service: TestService;
let app: INestApplicationContext;
let caller: Principal;
let accounts: Owner[];
let groups = 0;

beforeAll(async () => {
  service = await startTestService();
  app = await contextOn(service, [], { JWT_SECRETS: 'a secret that is only used in tests' });
  const admin = await theAdmin(service.api);
  caller = {
    sessionId: null,
    userId: admin.id,
    openedAccountId: null,
    accountId: null,
    membershipRole: null,
    role: 'admin',
    secondFactor: false,
    subjectId: admin.id,
    device: { ip: '127.0.0.1', userAgent: null, requestId: 'group' },
    authenticatedAt: service.clock.now(),
    scopes: null,
    pinnedVersion: null,
  };
  accounts = await Promise.all(TYPES.slice(1).map(() => anAccount(service.api)));
  for (const { accountId } of accounts)
    await created(
      admin.api,
      '/v1/transactions',
      aTransaction(accountId, { type: 'credit', amount: CREDITED }),
    );
  await service.sql(`
    CREATE FUNCTION fail(code text) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'injected' USING ERRCODE = code; END $$;
    CREATE TABLE failing_commits (code text);
    CREATE FUNCTION fail_commit() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM fail(NEW.code); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER deferred AFTER INSERT ON failing_commits DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION fail_commit()`);
});
afterAll(async () => {
  await app.close();
  await service.stop();
});

interface Creation {
  readonly accountId: string;
  readonly type: string;
  /** The Idempotency-Key and the reference. */
  readonly key: string;
}

function newGroup(): Creation[] {
  groups += 1;
  return TYPES.map((type, index) => ({
    accountId: accounts[index % accounts.length]!.accountId,
    type,
    key: `group ${groups}, ${index}`,
  }));
}

/** Starts all creations in the same turn of the event loop. @returns the ids of the transactions */
function create(creations: readonly Creation[]): Promise<PromiseSettledResult<string>[]> {
  return Promise.allSettled(
    creations.map(async ({ accountId, type, key }) => {
      const body = { account_id: accountId, amount: 10, currency: 'USD', type, reference: key } as const;
      const operation = { principal: caller.subjectId, accountId: null, key, request: JSON.stringify(body) };
      const render = (transaction: { id: string }) => ({ id: transaction.id });
      const { body: stored } = await app
        .get(Transactions)
        .create(caller, body as never, { ...operation, render });
      return (JSON.parse(stored) as { id: string }).id;
    }),
  );
}

type Fault = { readonly code: string } | 'cut';

/**
 * Lets a statement of the next database transaction fail.
 * @param at its number, from 0 for the BEGIN; null for none
 */
class InjectedFault {
  /** The statements of that transaction, up to its COMMIT. */
  readonly statements: string[] = [];
  private readonly original = Object.getOwnPropertyDescriptor(PreparingClient.prototype, 'query')!;
  private client: Client | null = null;
  private ended = false;

  constructor(at: number | null, fault: Fault) {
    const send = this.original.value as (this: Client, ...args: unknown[]) => unknown;
    const intercept = (client: Client, args: unknown[]): unknown[] => {
      const [config] = args as [string | { text: string }];
      const text = typeof config === 'string' ? config : config.text;
      if (this.ended) return args;
      if (text === 'BEGIN') this.client ??= client;
      if (this.client !== client) return args;
      this.statements.push(text);
      this.ended = text === 'COMMIT' || text === 'ROLLBACK';
      if (this.statements.length - 1 !== at) return args;
      this.ended = true; // all other statements are sent as they are, also those of the same transaction
      if (fault === 'cut') return [{ text: 'SELECT pg_terminate_backend(pg_backend_pid())' }];
      if (text !== 'COMMIT') return [{ text: `SELECT fail('${fault.code}')` }];
      const deferred = send.call(client, { text: `INSERT INTO failing_commits VALUES ('${fault.code}')` });
      (deferred as Promise<unknown>).catch(() => undefined);
      return args;
    };
    const value = function query(this: Client, ...args: unknown[]): unknown {
      return send.apply(this, intercept(this, args));
    };
    Object.defineProperty(PreparingClient.prototype, 'query', { ...this.original, value });
  }

  stop(): void {
    Object.defineProperty(PreparingClient.prototype, 'query', this.original);
  }
}

async function createWith(
  creations: readonly Creation[],
  at: number | null,
  fault: Fault,
): Promise<{ results: PromiseSettledResult<string>[]; statements: string[] }> {
  const injected = new InjectedFault(at, fault);
  const results = await create(creations).finally(() => injected.stop());
  return { results, statements: injected.statements };
}

const idsOf = (results: readonly PromiseSettledResult<string>[]): (string | null)[] =>
  results.map((result) => (result.status === 'fulfilled' ? result.value : null));
const rejectionsOf = (results: readonly PromiseSettledResult<string>[]): unknown[] =>
  results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));

/**
 * The ids of the transactions that are stored for creations, which have one each at most. Their events were written by the
 * same database transactions.
 */
async function storedIds(creations: readonly Creation[]): Promise<(string | null)[]> {
  const rows = await service.sql<{ id: string; reference: string; apart: boolean }>(
    `SELECT id, reference, EXISTS (SELECT FROM events WHERE object_id = t.id AND events.xmin <> t.xmin) AS apart
     FROM transactions AS t WHERE reference = ANY ($1)`,
    [creations.map(({ key }) => key)],
  );
  expect(rows.filter(({ apart }) => apart)).toEqual([]);
  expect(new Set(rows.map(({ reference }) => reference)).size).toBe(rows.length);
  return creations.map(({ key }) => rows.find(({ reference }) => reference === key)?.id ?? null);
}

/** Everything that the books and the audit log say is right, and each transaction has one entry. */
async function expectSoundBooks(): Promise<void> {
  expect((await app.get(LedgerVerification).run(() => undefined)).faults).toEqual([]);
  expect((await app.get(AuditLogVerification).run(() => undefined)).faults).toEqual([]);
  const unequal = await service.sql(
    `SELECT id FROM transactions FULL JOIN (SELECT object_id AS id, digest FROM account_audit_entries
       WHERE action = 'transaction.create') AS entry USING (id)
     GROUP BY id HAVING count(*) <> 1 OR count(transactions.account_id) <> 1 OR count(entry.digest) <> 1`,
  );
  expect(unequal).toEqual([]);
}

describe('When a statement of a group fails', () => {
  const RETRIED: readonly string[] = ['40001', '40P01'];
  const faults: [name: string, fault: Fault][] = [
    ['violates a constraint', { code: '23505' }],
    ['is not serializable', { code: '40001' }],
    ['is in a deadlock', { code: '40P01' }],
    ['takes too long', { code: '57014' }],
    ['loses its connection', 'cut'],
  ];

  it.each(faults)('because it %s, no creation is lost, doubled or partial', async (_, fault) => {
    const { statements, results } = await createWith(newGroup(), null, fault);
    expect(rejectionsOf(results)).toEqual([]);
    expect(statements.at(-1)).toBe('COMMIT');
    expect(statements.filter((text) => text.startsWith('INSERT INTO transactions'))).toHaveLength(1); // they share it
    for (const at of statements.keys()) {
      const creations = newGroup();
      const where = `${at}: ${statements[at]}`;
      const { results: first } = await createWith(creations, at, fault);
      const stored = await storedIds(creations);
      // What was acknowledged is stored under its id, and what was rejected is not, since no COMMIT succeeded.
      expect([where, idsOf(first)]).toEqual([where, stored]);
      const rejected = rejectionsOf(first);
      const concernsAll = fault === 'cut' || ['BEGIN', 'COMMIT'].includes(statements[at]!);
      if (fault !== 'cut' && RETRIED.includes(fault.code)) expect([where, rejected]).toEqual([where, []]);
      else if (!concernsAll) expect([where, rejected.length <= 1]).toEqual([where, true]);
      const again = await create(creations);
      expect([where, rejectionsOf(again)]).toEqual([where, []]);
      expect([where, idsOf(again)]).toEqual([where, await storedIds(creations)]);
      for (const [index, id] of stored.entries()) if (id !== null) expect(idsOf(again)[index]).toBe(id);
    }
    await expectSoundBooks();
  });

  it('because of the row of one creation, that one alone is refused', async () => {
    const tables = await service.sql<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.columns JOIN pg_tables ON tablename = table_name
       WHERE schemaname = 'public' AND (column_name = 'account_id' OR table_name = 'accounts' AND column_name = 'id')`,
    );
    const poisoned = accounts.at(-1)!.accountId;
    await service.sql(`CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF '${poisoned}' IN (to_jsonb(NEW)->>'account_id', to_jsonb(NEW)->>'id') THEN PERFORM fail('23514'); END IF;
        RETURN NEW;
      END $$`);
    const refusing: string[] = [];
    for (const { name } of tables) {
      await service.sql(
        `CREATE TRIGGER poison BEFORE INSERT OR UPDATE ON "${name}" FOR EACH ROW EXECUTE FUNCTION poison()`,
      );
      const creations = newGroup();
      const results = await create(creations);
      const rejected = creations.filter((_creation, index) => results[index]!.status === 'rejected');
      if (rejected.length > 0) {
        refusing.push(name);
        expect([name, rejected]).toEqual([name, creations.filter(({ accountId }) => accountId === poisoned)]);
      }
      expect([name, idsOf(results)]).toEqual([name, await storedIds(creations)]);
      await service.sql(`DROP TRIGGER poison ON "${name}"`);
      expect(rejectionsOf(await create(creations))).toEqual([]);
    }
    expect(refusing).toEqual(
      expect.arrayContaining([
        'accounts',
        'transactions',
        'journal_entries',
        'events',
        'account_audit_entries',
      ]),
    );
    await expectSoundBooks();
  });
});
