import { Module, OnModuleInit } from '@nestjs/common';
import { Refusal } from '../../src/kernel/refusal';
import {
  Transaction,
  TransactionHook,
  TransactionHooks,
  TransactionsModule,
} from '../../src/modules/transactions';
import { Reply } from '../support/api';
import { aTransaction } from '../support/movements';
import { anAccount, created, Owner, Person, theAdmin } from '../support/people';
import { startTestService, TestService } from '../support/service';

/** What a team would write in a module of its own, and add to the list of modules. */
function teamModule(hook: TransactionHook) {
  @Module({ imports: [TransactionsModule] })
  class TeamModule implements OnModuleInit {
    constructor(private readonly hooks: TransactionHooks) {}

    onModuleInit(): void {
      this.hooks.join(hook);
    }
  }
  return TeamModule;
}

/** Writes down every step; refuses those whose transaction has the reference `veto`, unless they create it. */
const diary = (name: string): TransactionHook => ({
  name,
  async before(tx, step, transaction) {
    const [row] = await tx.read<{ balance: string }>(
      'SELECT posted AS balance, count_attempt() FROM accounts WHERE id = $1',
      [transaction.accountId],
    );
    told.push(`${name} before ${step}: ${transaction.status}, posted ${row!.balance}`);
    if (refuses(step, transaction, name))
      throw new Refusal('forbidden', `The ${name} team refuses to ${step}.`);
  },
  after(tx, step, { accountId, id, status, reference }, now) {
    const write =
      'INSERT INTO diary (team, step, account_id, transaction_id, status, at) VALUES ($1, $2, $3, $4, $5, $6)';
    tx.write(write, [reference === 'unwritable' ? null : name, step, accountId, id, status, now]);
  },
});

/** `veto <step>` is the second team's, so that the first has agreed before. */
function refuses(step: string, { reference }: Transaction, name: string): boolean {
  return name === 'second' && reference === `veto ${step}`;
}

const told: string[] = [];
const pending = { metadata: { sandbox_outcome: 'pending' } };

describe('the hooks of teams', () => {
  let service: TestService;
  let admin: Person;
  let owner: Owner;

  beforeAll(async () => {
    const teams = [diary('first'), diary('second')].map(teamModule);
    service = await startTestService({ ACCESS_TOKEN_TTL: '86400' }, undefined, teams);
    await service.sql(`CREATE TABLE diary (
      number bigserial PRIMARY KEY, team text NOT NULL, step text NOT NULL,
      account_id text NOT NULL, transaction_id text NOT NULL, status text NOT NULL, at timestamptz NOT NULL)`);
    await service.sql('CREATE SEQUENCE attempts');
    await service.sql('CREATE TABLE attempts_to_fail (attempts int NOT NULL)');
    // A sequence counts also what is rolled back.
    await service.sql(`CREATE FUNCTION count_attempt() RETURNS bigint LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('attempts') <= coalesce((SELECT max(attempts) FROM attempts_to_fail), 0) THEN
          RAISE EXCEPTION 'somebody else was first' USING ERRCODE = 'serialization_failure';
        END IF;
        RETURN 1;
      END $$`);
    admin = await theAdmin(service.api);
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    owner = await anAccount(service.api);
    told.length = 0;
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

  /** Everything that is stored of the account, the teams' tables included. */
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

  it('run in the order of the modules, all before and then all after, for a creation', async () => {
    const { id } = await record({ type: 'credit', amount: 5 });
    expect(told).toEqual([
      'first before create: succeeded, posted 0',
      'second before create: succeeded, posted 0',
    ]);
    expect(await stepsOf(id)).toEqual(both('create', 'succeeded'));
  });

  it('see a creation that fails at once as one step', async () => {
    const { id } = await record({ type: 'credit', metadata: { sandbox_outcome: 'failed' } });
    expect(await stepsOf(id)).toEqual(both('create', 'failed'));
  });

  it.each([
    ['settle', 'succeeded', (id: string) => settle(id, 'succeeded')],
    ['fail', 'failed', (id: string) => settle(id, 'failed')],
    ['cancel', 'canceled', (id: string) => owner.api.delete(`/v1/transactions/${id}`)],
    ['cancel', 'canceled', () => owner.api.delete('/v1/account')],
  ])('run for %s, and what they write is committed with it', async (step, status, take) => {
    const { id } = await record(pending);
    told.length = 0;
    expect((await take(id)).status).toBe(200);
    expect(told).toEqual([
      `first before ${step}: pending, posted 0`,
      `second before ${step}: pending, posted 0`,
    ]);
    expect(await stepsOf(id)).toEqual([...both('create', 'pending'), ...both(step, status)]);
  });

  it('run for a settlement by time', async () => {
    const { id } = await record({});
    service.clock.move({ seconds: 61 });
    await service.sweep();
    expect(await stepsOf(id)).toEqual([...both('create', 'pending'), ...both('settle', 'succeeded')]);
  });

  it('are not asked about what is impossible anyway', async () => {
    const { id } = await record({ type: 'credit' });
    told.length = 0;
    expect((await owner.api.delete(`/v1/transactions/${id}`)).status).toBe(409);
    expect(told).toEqual([]);
  });

  it.each([
    [
      'create',
      () => owner.api.post('/v1/transactions', aTransaction(owner.accountId, { reference: 'veto create' })),
    ],
    ['settle', (id: string) => settle(id, 'succeeded')],
    ['fail', (id: string) => settle(id, 'failed')],
    ['cancel', () => owner.api.delete('/v1/account')],
  ])('veto %s, and then nothing has changed', async (step, take) => {
    await record(pending);
    const { id } = step === 'create' ? { id: '' } : await record({ ...pending, reference: `veto ${step}` });
    await record(pending);
    const before = await stored();
    expect(await take(id)).toMatchObject({
      status: 403,
      body: { message: `The second team refuses to ${step}.` },
    });
    expect(await stored()).toBe(before);
  });

  it('veto a settlement by time without holding up anything else, and are asked again', async () => {
    const other = await anAccount(service.api);
    const vetoed = await record({ reference: 'veto settle' });
    const alike = await record({});
    const { id } = await created(other.api, '/v1/transactions', aTransaction(other.accountId));
    service.clock.move({ seconds: 61 });
    await service.sweep();
    const status = async ({ api }: Owner, of: string) =>
      (await api.get(`/v1/transactions/${of}`)).body.status;
    expect(await status(owner, vetoed.id)).toBe('pending');
    expect(await status(owner, alike.id)).toBe('succeeded');
    expect(await status(other, id)).toBe('succeeded');
    await owner.api.patch(`/v1/transactions/${vetoed.id}`, { reference: null });
    await service.sweep();
    expect(await status(owner, vetoed.id)).toBe('succeeded');
  });

  it('undo the step when what they write is refused by the database', async () => {
    const before = await stored();
    const body = aTransaction(owner.accountId, { type: 'credit', reference: 'unwritable' });
    expect((await owner.api.post('/v1/transactions', body)).status).toBe(500);
    expect(await stored()).toBe(before);
  });

  it('run again when the database asks for it, and what they write stands there once', async () => {
    await service.sql('INSERT INTO attempts_to_fail SELECT last_value + 1 FROM attempts');
    const { id } = await record({ type: 'credit', amount: 5 });
    expect(told).toEqual([
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

it('a hook keeps a limit across accounts by a lock of its own, also for what comes at the same moment', async () => {
  const house = teamModule({
    name: 'house',
    async before(tx, step, { amount }) {
      if (step !== 'create') return;
      const [row] = await tx.read<{ total: number }>('SELECT total FROM house FOR UPDATE', []);
      if (row!.total + amount > 1000) throw new Refusal('forbidden', 'The house has reached its limit.');
    },
    after: (tx, _step, { amount }) => tx.write('UPDATE house SET total = total + $1', [amount]),
  });
  const service = await startTestService({}, undefined, [house]);
  try {
    await service.sql('CREATE TABLE house (total integer NOT NULL)');
    await service.sql('INSERT INTO house VALUES (0)');
    const owners = await Promise.all(Array.from({ length: 24 }, () => anAccount(service.api)));
    const credit = ({ api, accountId }: Owner): Promise<Reply> =>
      api.post('/v1/transactions', aTransaction(accountId, { type: 'credit', amount: 100 }));
    const replies = await Promise.all(owners.map(credit));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(await service.sql('SELECT total FROM house')).toEqual([{ total: 1000 }]);
  } finally {
    await service.stop();
  }
});
