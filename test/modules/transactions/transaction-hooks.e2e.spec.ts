import { Module, OnModuleInit } from '@nestjs/common';
import { DomainError } from '../../../src/kernel/domain-error';
import { Transaction, TransactionHook, TransactionHooks } from '../../../src/modules/transactions';
import { TransactionsModule } from '../../../src/modules/transactions/transactions.module';
import { Reply } from '../../support/api';
import { aTransaction } from '../../support/request-bodies';
import { anAccount, created, Owner, Person, theAdmin } from '../../support/people';
import { startTestService, TestService } from '../../support/service';

/** A module of an extension that registers a hook. */
function moduleWith(hook: TransactionHook) {
  @Module({ imports: [TransactionsModule] })
  class TeamModule implements OnModuleInit {
    constructor(private readonly hooks: TransactionHooks) {}

    onModuleInit(): void {
      this.hooks.register(hook);
    }
  }
  return TeamModule;
}

/** Records every transition, and rejects those of transactions with the reference `veto`, except creations. */
const diary = (name: string): TransactionHook => ({
  name,
  async before(tx, step, transaction) {
    // Apart from the account, which may be on a server that does not have the function.
    await tx.query('SELECT count_attempt()', []);
    const [row] = await tx.query<{ balance: string }>(
      'SELECT posted AS balance FROM accounts WHERE id = $1',
      [transaction.accountId],
    );
    hookCalls.push(`${name} before ${step}: ${transaction.status}, posted ${row!.balance}`);
    if (rejects(step, transaction, name))
      throw new DomainError('forbidden', `The ${name} module rejects ${step}.`);
  },
  after(tx, step, { accountId, id, status, reference }, now) {
    const write =
      'INSERT INTO diary (team, step, account_id, transaction_id, status, at) VALUES ($1, $2, $3, $4, $5, $6)';
    tx.enqueue(write, [reference === 'unwritable' ? null : name, step, accountId, id, status, now]);
  },
});

/** Only the second module rejects `veto <transition>`, after the first has accepted it. */
function rejects(step: string, { reference }: Transaction, name: string): boolean {
  return name === 'second' && reference === `veto ${step}`;
}

const hookCalls: string[] = [];
const pending = { metadata: { sandbox_outcome: 'pending' } };

describe('Transaction hooks', () => {
  let service: TestService;
  let admin: Person;
  let owner: Owner;

  beforeAll(async () => {
    const teams = [diary('first'), diary('second')].map((hook) => ({ module: moduleWith(hook) }));
    service = await startTestService({ ACCESS_TOKEN_TTL: '86400' }, undefined, teams);
    await service.sql(`CREATE TABLE diary (
      number bigserial PRIMARY KEY, team text NOT NULL, step text NOT NULL,
      account_id text NOT NULL, transaction_id text NOT NULL, status text NOT NULL, at timestamptz NOT NULL)`);
    await service.sql('CREATE SEQUENCE attempts');
    await service.sql('CREATE TABLE attempts_to_fail (attempts int NOT NULL)');
    // A sequence also counts attempts that are rolled back.
    await service.sql(`CREATE FUNCTION count_attempt() RETURNS bigint LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('attempts') <= coalesce((SELECT max(attempts) FROM attempts_to_fail), 0) THEN
          RAISE EXCEPTION 'another transaction was first' USING ERRCODE = 'serialization_failure';
        END IF;
        RETURN 1;
      END $$`);
    admin = await theAdmin(service.api);
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    owner = await anAccount(service.api);
    hookCalls.length = 0;
  });

  const record = (members: object): Promise<any> =>
    created(owner.api, '/v1/transactions', aTransaction(owner.accountId, members));
  const settle = (id: string, outcome: string): Promise<Reply> =>
    admin.api.post(`/v1/transactions/${id}/settlement`, { outcome });
  const stepsOf = (id: string): Promise<object[]> =>
    service.sql('SELECT team, step, status FROM diary WHERE transaction_id = $1 ORDER BY number', [id]);
  const both = (step: string, status: string) => [
    { team: 'first', step, status },
    { team: 'second', step, status },
  ];

  /** All rows of the account, including those of the extensions. */
  async function stored(): Promise<string> {
    const tables = [
      'accounts',
      'transactions',
      'journal_entries',
      'payment_requests',
      'subscriptions',
      'diary',
      'credentials',
      'sessions',
    ];
    const found = tables.map(
      (table) => `SELECT t::text AS row FROM ${table} t WHERE strpos(t::text, $1) > 0`,
    );
    return JSON.stringify(await service.sql(`${found.join(' UNION ALL ')} ORDER BY row`, [owner.accountId]));
  }

  it('run in the order of the modules, first all `before` and then all `after`', async () => {
    const { id } = await record({ type: 'credit', amount: 5 });
    expect(hookCalls).toEqual([
      'first before create: succeeded, posted 0',
      'second before create: succeeded, posted 0',
    ]);
    expect(await stepsOf(id)).toEqual(both('create', 'succeeded'));
  });

  it('run once for a creation that fails immediately', async () => {
    const { id } = await record({ type: 'credit', metadata: { sandbox_outcome: 'failed' } });
    expect(await stepsOf(id)).toEqual(both('create', 'failed'));
  });

  it.each([
    ['settle', 'succeeded', (id: string) => settle(id, 'succeeded')],
    ['fail', 'failed', (id: string) => settle(id, 'failed')],
    ['cancel', 'canceled', (id: string) => owner.api.delete(`/v1/transactions/${id}`)],
    ['cancel', 'canceled', () => owner.api.delete('/v1/account')],
  ])('run for %s, and their writes are committed with it', async (step, status, take) => {
    const { id } = await record(pending);
    hookCalls.length = 0;
    expect((await take(id)).status).toBe(200);
    expect(hookCalls).toEqual([
      `first before ${step}: pending, posted 0`,
      `second before ${step}: pending, posted 0`,
    ]);
    expect(await stepsOf(id)).toEqual([...both('create', 'pending'), ...both(step, status)]);
  });

  it('run for a scheduled settlement', async () => {
    const { id } = await record({});
    service.clock.move({ seconds: 61 });
    await service.runDueTasks();
    expect(await stepsOf(id)).toEqual([...both('create', 'pending'), ...both('settle', 'succeeded')]);
  });

  it('do not run for invalid transitions', async () => {
    const { id } = await record({ type: 'credit' });
    hookCalls.length = 0;
    expect((await owner.api.delete(`/v1/transactions/${id}`)).status).toBe(409);
    expect(hookCalls).toEqual([]);
  });

  it.each([
    [
      'create',
      () => owner.api.post('/v1/transactions', aTransaction(owner.accountId, { reference: 'veto create' })),
    ],
    ['settle', (id: string) => settle(id, 'succeeded')],
    ['fail', (id: string) => settle(id, 'failed')],
    ['cancel', () => owner.api.delete('/v1/account')],
  ])('reject %s, and nothing changes', async (step, take) => {
    await record(pending);
    const { id } = step === 'create' ? { id: '' } : await record({ ...pending, reference: `veto ${step}` });
    await record(pending);
    const before = await stored();
    expect(await take(id)).toMatchObject({
      status: 403,
      body: { message: `The second module rejects ${step}.` },
    });
    expect(await stored()).toBe(before);
  });

  it('reject a scheduled settlement without delaying others, and run again at the next attempt', async () => {
    const other = await anAccount(service.api);
    const vetoed = await record({ reference: 'veto settle' });
    const alike = await record({});
    const { id } = await created(other.api, '/v1/transactions', aTransaction(other.accountId));
    service.clock.move({ seconds: 61 });
    await service.runDueTasks();
    const status = async ({ api }: Owner, of: string) =>
      (await api.get(`/v1/transactions/${of}`)).body.status;
    expect(await status(owner, vetoed.id)).toBe('pending');
    expect(await status(owner, alike.id)).toBe('succeeded');
    expect(await status(other, id)).toBe('succeeded');
    await owner.api.patch(`/v1/transactions/${vetoed.id}`, { reference: null });
    service.clock.move({ seconds: 1 });
    await service.runDueTasks();
    expect(await status(owner, vetoed.id)).toBe('succeeded');
  });

  it('undo the transition when the database rejects their writes', async () => {
    const before = await stored();
    const body = aTransaction(owner.accountId, { type: 'credit', reference: 'unwritable' });
    expect((await owner.api.post('/v1/transactions', body)).status).toBe(500);
    expect(await stored()).toBe(before);
  });

  it('run again after a serialization failure, and their writes are stored once', async () => {
    await service.sql('INSERT INTO attempts_to_fail SELECT last_value + 1 FROM attempts');
    const { id } = await record({ type: 'credit', amount: 5 });
    expect(hookCalls).toEqual([
      'first before create: succeeded, posted 0',
      'second before create: succeeded, posted 0',
    ]);
    expect(await stepsOf(id)).toEqual(both('create', 'succeeded'));
    const [{ attempts }] = (await service.sql<{ attempts: string }>(
      'SELECT last_value AS attempts FROM attempts',
    )) as [{ attempts: string }];
    const [{ failed }] = (await service.sql<{ failed: number }>(
      'SELECT max(attempts) AS failed FROM attempts_to_fail',
    )) as [{ failed: number }];
    expect(Number(attempts)).toBe(failed + 2);
  });
});

it('A hook enforces a limit across accounts with its own lock, also for concurrent requests', async () => {
  const limit = moduleWith({
    name: 'limit',
    async before(tx, step, { amount }) {
      if (step !== 'create') return;
      const [row] = await tx.query<{ total: number }>('SELECT total FROM limits FOR UPDATE', []);
      if (row!.total + amount > 1000)
        throw new DomainError('forbidden', 'The limit across accounts is reached.');
    },
    after: (tx, _step, { amount }) => tx.enqueue('UPDATE limits SET total = total + $1', [amount]),
  });
  const service = await startTestService({}, undefined, [{ module: limit }]);
  try {
    await service.sql('CREATE TABLE limits (total integer NOT NULL)');
    await service.sql('INSERT INTO limits VALUES (0)');
    const owners = await Promise.all(Array.from({ length: 24 }, () => anAccount(service.api)));
    const credit = ({ api, accountId }: Owner): Promise<Reply> =>
      api.post('/v1/transactions', aTransaction(accountId, { type: 'credit', amount: 100 }));
    const replies = await Promise.all(owners.map(credit));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(await service.sql('SELECT total FROM limits')).toEqual([{ total: 1000 }]);
  } finally {
    await service.stop();
  }
});

it('A hook sees what others at the same time have written for its account, and they share database transactions', async () => {
  const sum = moduleWith({
    name: 'sum',
    async before(tx, _step, { accountId, amount }) {
      const sql = 'SELECT total FROM sums WHERE account_id = $1';
      const [row] = await tx.read<{ total: number }>(sql, [accountId]);
      if ((row?.total ?? 0) + amount > 1000) throw new DomainError('forbidden', 'The limit is reached.');
    },
    after: (tx, _step, { accountId, amount }) =>
      tx.enqueue(
        `INSERT INTO sums VALUES ($1, $2) ON CONFLICT (account_id) DO UPDATE SET total = sums.total + excluded.total`,
        [accountId, amount],
      ),
  });
  const service = await startTestService({}, undefined, [{ module: sum }]);
  try {
    await service.sql('CREATE TABLE sums (account_id text PRIMARY KEY, total integer NOT NULL)');
    const owners = await Promise.all(Array.from({ length: 4 }, () => anAccount(service.api)));
    const credit = ({ api, accountId }: Owner): Promise<Reply> =>
      api.post('/v1/transactions', aTransaction(accountId, { type: 'credit', amount: 100 }));
    const replies = await Promise.all(Array.from({ length: 64 }, (_, index) => credit(owners[index % 4]!)));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(40);
    expect(await service.sql('SELECT DISTINCT total FROM sums')).toEqual([{ total: 1000 }]);
    const committed = await service.sql('SELECT DISTINCT xmin::text FROM transactions');
    expect(committed.length).toBeLessThan(40);
  } finally {
    await service.stop();
  }
});

describe('Before a transition', () => {
  let service: TestService;
  let sql = '';
  let method: 'query' | 'read';

  beforeAll(async () => {
    const writing = moduleWith({
      name: 'writing',
      async before(tx) {
        await tx[method](sql, []);
      },
    });
    service = await startTestService({}, undefined, [{ module: writing }]);
  });
  afterAll(() => service.stop());

  it.each<[what: string, statement: string, by?: typeof method]>([
    ['an UPDATE', "UPDATE accounts SET name = 'changed'"],
    ['a WITH that modifies data', "WITH changed AS (UPDATE accounts SET name = 'changed') SELECT 1"],
    ['a SELECT INTO', 'SELECT name INTO copied FROM accounts'],
    ['two statements', "SELECT 1; UPDATE accounts SET name = 'changed'"],
    ['a SELECT that locks, as a read', 'SELECT FROM accounts FOR NO KEY UPDATE', 'read'],
  ])('a hook cannot run %s: the request fails and nothing is written', async (_, statement, by = 'query') => {
    const owner = await anAccount(service.api);
    [sql, method] = [statement, by];
    const { status } = await owner.api.post(
      '/v1/transactions',
      aTransaction(owner.accountId, { type: 'credit' }),
    );
    expect(status).toBe(500);
    expect((await owner.api.get('/v1/account')).body.name).not.toBe('changed');
    expect((await owner.api.get('/v1/transactions')).body.data).toEqual([]);
  });
});

describe('The transaction that a hook gets', () => {
  let service: TestService;
  let change: (transaction: Transaction) => unknown;

  beforeAll(async () => {
    const changing = moduleWith({
      name: 'changing',
      async before(_tx, _transition, transaction) {
        if (transaction.reference === 'before') change(transaction);
      },
      after(_tx, _transition, transaction) {
        if (transaction.reference === 'after') change(transaction);
      },
    });
    service = await startTestService({}, undefined, [{ module: changing }]);
  });
  afterAll(() => service.stop());

  const changes: [string, (transaction: Transaction) => unknown][] = [
    ['amount', (transaction) => Object.assign(transaction, { amount: 999_999 })],
    ['nested metadata', ({ metadata }) => Object.assign(metadata.order as object, { number: 2 })],
    ['status', (transaction) => transaction.apply('cancel', new Date(0))],
  ];
  const cases = changes.flatMap(([member, by]) =>
    ['before', 'after'].map((phase) => ({ member, by, phase })),
  );
  it.each(cases)(
    'cannot be changed in "$phase" ($member): the request fails and nothing is written',
    async ({ by, phase }) => {
      const owner = await anAccount(service.api);
      change = by;
      const metadata = { order: { number: 1 }, sandbox_outcome: 'pending' };
      const body = aTransaction(owner.accountId, { type: 'credit', reference: phase, metadata });
      expect((await owner.api.post('/v1/transactions', body)).status).toBe(500);
      expect((await owner.api.get('/v1/transactions')).body.data).toEqual([]);
    },
  );

  it('has its dates as copies: a change to them is not stored', async () => {
    const owner = await anAccount(service.api);
    change = ({ createdAt }) => createdAt.setTime(0);
    const body = aTransaction(owner.accountId, { type: 'credit', reference: 'before' });
    const { created_at: createdAt } = await created(owner.api, '/v1/transactions', body);
    expect(createdAt).not.toMatch(/^1970/);
  });
});
