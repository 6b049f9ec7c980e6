import {
  anAccount,
  aUser,
  created,
  logIn,
  Owner,
  PASSWORD,
  Person,
  someEmail,
  theAdmin,
} from '../support/people';
import { startTestService, TestService } from '../support/service';

interface Target {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  /** A body that would be accepted as it is. */
  readonly body: object;
  /** The stored entity that the body is about. */
  readonly tables: readonly (keyof typeof storedAs)[];
  /** The members that the interface lists for the operation. */
  readonly listed: readonly string[];
  /** Members that are known but not this caller's to send, and how they are refused. */
  readonly refused?: Readonly<Record<string, string>>;
}

/** The entities by their tables, with the names that their members have in the code where those differ. */
const storedAs = {
  users: ['accountId', 'createdAt', 'updatedAt'],
  credentials: ['subjectId', 'emailKey', 'passwordHash', 'accountId'],
  accounts: ['pendingIn', 'lastIdAt', 'lastIdNumber', 'createdAt', 'updatedAt', 'closedAt', 'available'],
  transactions: ['accountId', 'createdAt', 'updatedAt'],
  payment_requests: ['accountId', 'customerEmail', 'expiresAt', 'createdAt', 'updatedAt', 'payment_url'],
  subscriptions: ['accountId', 'customerEmail', 'nextPaymentAt', 'createdAt', 'updatedAt'],
  late_payments: ['accountId', 'paymentRequestId', 'dueAt', 'createdAt', 'updatedAt', 'returnedAt'],
  sessions: [
    'userId',
    'openedAccountId',
    'accountId',
    'userAgent',
    'createdAt',
    'lastUsedAt',
    'expiresAt',
    'endedAt',
  ],
} as const;

/** What an attacker would send; any other member is sent a plain string. */
const wishes: Readonly<Record<string, unknown>> = {
  role: 'admin',
  standing: 'owner',
  status: 'active',
  type: 'business',
  currency: 'EUR',
  barred: false,
  posted: 1_000_000,
  held: 0,
  pending_in: 0,
  pendingIn: 0,
  available: 1_000_000,
  amount: 1,
  last_id_number: 0,
  lastIdNumber: 0,
  created_at: '2020-01-01T00:00:00.000Z',
  updated_at: '2020-01-01T00:00:00.000Z',
  closed_at: null,
  ended_at: null,
};

const settings = { settings: { language: 'fr' } };
const inAccounts = ['accounts', 'credentials'] as const;
const inUsers = ['users', 'credentials'] as const;

const order = (account_id: string) => ({ account_id, amount: 1, currency: 'USD' });
const newUser = () => ({ email: someEmail(), password: PASSWORD });

/** What only an admin may do. */
const byAdmin = [
  'updateAccount',
  'settlePaymentRequest',
  'settleTransaction',
  'recordLatePayment',
  'resolveLatePayment',
];

/** Every operation that takes a body, and what it may hold. */
function targets(
  user: Person,
  account: Owner,
  ids: { transaction: string; paymentRequest: string; latePayment: string },
): Record<string, [caller: Person, path: string, Target]> {
  const unauthorized = 'unauthorized';
  const conflict = 'conflict';
  return {
    login: [
      user,
      '/v1/auth/login',
      {
        method: 'POST',
        body: { email: user.email, password: PASSWORD },
        tables: ['sessions', 'credentials'],
        listed: ['email', 'password'],
      },
    ],
    refreshTokens: [
      user,
      '/v1/auth/refresh',
      {
        method: 'POST',
        body: { refresh_token: user.refreshToken },
        tables: ['sessions'],
        listed: ['refresh_token'],
      },
    ],
    changePassword: [
      user,
      '/v1/auth/password',
      {
        method: 'POST',
        body: { current_password: PASSWORD, password: 'another long enough one' },
        tables: ['credentials', 'users'],
        listed: ['current_password', 'password'],
      },
    ],
    endSession: [
      user,
      '/v1/auth/session',
      { method: 'DELETE', body: {}, tables: ['sessions'], listed: ['session_id'] },
    ],
    createUser: [
      user,
      '/v1/users',
      {
        method: 'POST',
        body: newUser(),
        tables: inUsers,
        listed: ['email', 'password', 'name'],
        refused: { role: unauthorized, status: unauthorized, account_id: unauthorized },
      },
    ],
    updateUser: [
      user,
      `/v1/users/${user.id}`,
      {
        method: 'PATCH',
        body: { name: 'Grace Hopper' },
        tables: inUsers,
        listed: ['name', 'status', 'password'],
        refused: { role: unauthorized },
      },
    ],
    createAccount: [
      user,
      '/v1/accounts',
      {
        method: 'POST',
        body: { ...newUser(), name: 'King Ltd', type: 'business' },
        tables: inAccounts,
        listed: ['email', 'name', 'type', 'password', 'settings'],
      },
    ],
    updateOwnAccount: [
      account,
      '/v1/account',
      {
        method: 'PATCH',
        body: settings,
        tables: inAccounts,
        listed: ['name', 'email', 'settings'],
      },
    ],
    updateAccount: [
      account,
      `/v1/accounts/${account.accountId}`,
      {
        method: 'PATCH',
        body: settings,
        tables: inAccounts,
        listed: ['name', 'email', 'settings', 'status'],
      },
    ],
    createTransaction: [
      account,
      '/v1/transactions',
      {
        method: 'POST',
        body: { ...order(account.accountId), type: 'credit' },
        tables: ['transactions', 'accounts'],
        listed: ['account_id', 'amount', 'currency', 'type', 'reference', 'metadata'],
      },
    ],
    updateTransaction: [
      account,
      `/v1/transactions/${ids.transaction}`,
      {
        method: 'PATCH',
        body: { reference: 'invoice-1' },
        tables: ['transactions'],
        listed: ['reference', 'metadata'],
        refused: { amount: conflict, currency: conflict, type: conflict },
      },
    ],
    settleTransaction: [
      account,
      `/v1/transactions/${ids.transaction}/settlement`,
      {
        method: 'POST',
        body: { outcome: 'succeeded' },
        tables: ['transactions', 'accounts'],
        listed: ['outcome', 'failure_reason'],
      },
    ],
    createPaymentRequest: [
      account,
      '/v1/payments',
      {
        method: 'POST',
        body: { ...order(account.accountId), customer_email: 'customer@example.com' },
        tables: ['payment_requests', 'accounts'],
        listed: ['account_id', 'amount', 'currency', 'customer_email', 'reference', 'metadata', 'expires_at'],
      },
    ],
    createSubscription: [
      account,
      '/v1/subscriptions',
      {
        method: 'POST',
        body: {
          ...order(account.accountId),
          customer_email: 'customer@example.com',
          interval: 'month',
        },
        tables: ['subscriptions', 'payment_requests', 'accounts'],
        listed: ['account_id', 'amount', 'currency', 'customer_email', 'interval', 'reference', 'metadata'],
      },
    ],
    settlePaymentRequest: [
      account,
      `/v1/payments/${ids.paymentRequest}/settlement`,
      {
        method: 'POST',
        body: { outcome: 'succeeded', amount: 1 },
        tables: ['payment_requests', 'accounts'],
        listed: ['outcome', 'amount'],
      },
    ],
    recordLatePayment: [
      account,
      `/v1/payments/${ids.paymentRequest}/late-payments`,
      { method: 'POST', body: { amount: 2 }, tables: ['late_payments', 'accounts'], listed: ['amount'] },
    ],
    resolveLatePayment: [
      account,
      `/v1/late-payments/${ids.latePayment}/resolution`,
      {
        method: 'POST',
        body: { outcome: 'returned' },
        tables: ['late_payments'],
        listed: ['outcome'],
      },
    ],
  };
}

describe('A member that an operation does not list', () => {
  let service: TestService;
  let user: Person;
  let account: Owner;
  let all: ReturnType<typeof targets>;

  beforeAll(async () => {
    service = await startTestService();
    user = await aUser(service.api);
    account = await anAccount(service.api);
    const transaction = await created(account.api, '/v1/transactions', {
      ...order(account.accountId),
      type: 'payment',
    });
    const paymentRequest = await created(account.api, '/v1/payments', {
      ...order(account.accountId),
      customer_email: 'customer@example.com',
    });
    const { api } = await theAdmin(service.api);
    const late = await created(api, `/v1/payments/${paymentRequest.id}/late-payments`, { amount: 2 });
    all = targets(user, account, {
      transaction: transaction.id,
      paymentRequest: paymentRequest.id,
      latePayment: late.id,
    });
  });
  afterAll(() => service.stop());

  it('is tried on every operation with a body', async () => {
    const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApi;
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    const withBody = operations
      .filter(({ requestBody }) => requestBody !== undefined)
      .map(({ operationId }) => operationId);
    expect(Object.keys(all).toSorted()).toEqual(withBody.toSorted());
  });

  it.each(
    Object.keys(targets({} as Person, {} as Owner, { transaction: '', paymentRequest: '', latePayment: '' })),
  )('is refused by %s and changes nothing', async (operation) => {
    const [owner, path, target] = all[operation]!;
    const caller = byAdmin.includes(operation) ? (await theAdmin(service.api)).api : owner.api;
    const unlisted = (await membersOf(target)).filter((member) => !target.listed.includes(member));
    const before = await everything();
    const answers: Record<string, string> = {};
    for (const member of unlisted) {
      const body = JSON.stringify({ ...target.body, [member]: member in wishes ? wishes[member] : 'x' });
      const reply = await caller.call(target.method, path, body);
      answers[member] = reply.status < 300 ? `${reply.status}` : reply.body.error;
    }
    expect(unlisted.length).toBeGreaterThan(5);
    expect(answers).toEqual(
      Object.fromEntries(unlisted.map((member) => [member, target.refused?.[member] ?? 'invalid_request'])),
    );
    expect(await everything()).toBe(before);
  });

  it.each(['id', 'posted', 'status', 'currency_code'])(
    'is refused inside settings as well: %s',
    async (member) => {
      const before = await everything();
      const { status, body } = await account.api.patch('/v1/account', {
        settings: { language: 'fr', [member]: 'x' },
      });
      expect([status, body.error]).toEqual([400, 'invalid_request']);
      expect(await everything()).toBe(before);
    },
  );

  it('is told from one that is listed: without it the same bodies are accepted', async () => {
    const admin = await theAdmin(service.api);
    for (const [operation, [owner, path, { method, body }]] of Object.entries(all)) {
      if (operation === 'changePassword' || operation === 'endSession') continue; // they would end what the others use
      const caller = byAdmin.includes(operation) ? admin.api : owner.api;
      const reply = await caller.call(method, path, JSON.stringify(body));
      expect([operation, reply.status < 300]).toEqual([operation, true]);
    }
    await logIn(service.api, user.email);
  });

  /** The columns of the entity, and what its members are called in answers and in the code. */
  async function membersOf({ tables }: Target): Promise<string[]> {
    const columns = await service.sql<{ column_name: string }>(
      `SELECT column_name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = ANY($1)`,
      [tables],
    );
    const others = tables.flatMap((table) => storedAs[table]);
    return [...new Set([...columns.map((column) => column.column_name), ...others])];
  }

  /** All that the service stores. */
  async function everything(): Promise<string> {
    const tables = await service.sql<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
    );
    const dump: object[] = [];
    for (const { name } of tables)
      dump.push(await service.sql(`SELECT t::text AS row FROM "${name}" t ORDER BY 1`));
    return JSON.stringify(dump);
  }
});

interface OpenApi {
  readonly paths: Record<
    string,
    Record<string, { readonly operationId: string; readonly requestBody?: object }>
  >;
}
