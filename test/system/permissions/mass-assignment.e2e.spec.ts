import { documentedOperations } from '../../support/operations';
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
} from '../../support/people';
import { startTestService, TestService } from '../../support/service';

interface Target {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  /** A valid body. */
  readonly body: object;
  /** The stored entity that the operation creates or changes. */
  readonly tables: readonly (keyof typeof storedAs)[];
  /** Members that exist but that this caller must not send, with the expected error. */
  readonly rejected?: Readonly<Record<string, string>>;
}

/** The entities by table, with the names of their members in the code where they differ. */
const storedAs = {
  users: ['accountId', 'createdAt', 'updatedAt'],
  credentials: ['subjectId', 'emailKey', 'passwordHash', 'accountId'],
  accounts: ['pendingIn', 'lastIdAt', 'lastIdNumber', 'createdAt', 'updatedAt', 'closedAt', 'available'],
  transactions: ['accountId', 'createdAt', 'updatedAt'],
  transfers: [
    'accountId',
    'fromAccountId',
    'fromName',
    'parts',
    'counterparty',
    'direction',
    'releasedAmount',
    'reversedAmount',
    'reversalOf',
    'sourceTransactionId',
    'expiresAt',
    'approvalId',
    'createdAt',
    'updatedAt',
  ],
  payment_requests: ['accountId', 'customerEmail', 'expiresAt', 'createdAt', 'updatedAt', 'payment_url'],
  subscriptions: ['accountId', 'customerEmail', 'nextPaymentAt', 'createdAt', 'updatedAt'],
  unapplied_payments: ['accountId', 'paymentRequestId', 'dueAt', 'createdAt', 'updatedAt', 'returnedAt'],
  adjustments: ['accountId', 'createdBy', 'approvalId', 'createdAt', 'updatedAt', 'eventCount'],
  approvals: [
    'accountId',
    'objectId',
    'requestedBy',
    'decidedBy',
    'rejectionReason',
    'expiresAt',
    'eventCount',
  ],
  api_keys: [
    'accountId',
    'lastFour',
    'allowedAddresses',
    'createdAt',
    'lastUsedAt',
    'expiresAt',
    'revokedAt',
    'key',
  ],
  webhook_endpoints: [
    'accountId',
    'eventTypes',
    'secrets',
    'disabledAt',
    'disabledReason',
    'failingSince',
    'pausedUntil',
    'nextDueAt',
    'leasedUntil',
    'noticeDueAt',
    'createdAt',
    'updatedAt',
  ],
  second_factors: [
    'subjectId',
    'pendingSecret',
    'confirmedAt',
    'lastStep',
    'recoveryCodes',
    'wrongCodes',
    'wrongCodesSince',
  ],
  notes: ['objectId', 'authorId', 'createdAt'],
  saved_views: ['ownerId', 'isShared', 'createdAt'],
  sessions: [
    'userId',
    'openedAccountId',
    'accountId',
    'userAgent',
    'createdAt',
    'lastUsedAt',
    'authenticatedAt',
    'secondFactor',
    'expiresAt',
    'endedAt',
  ],
} as const;

/** The values that an attacker would send. All other members get a plain string. */
const wishes: Readonly<Record<string, unknown>> = {
  role: 'admin',
  membershipRole: 'owner',
  status: 'active',
  type: 'business',
  currency: 'EUR',
  disabled: false,
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

/** Members that only admins may send. */
const byAdmin = [
  'inviteAccount',
  'redeliverAllFailedWebhooks',
  'updateAccount',
  'closeAccount',
  'settlePaymentRequest',
  'settleTransaction',
  'recordUnappliedPayment',
  'resolveUnappliedPayment',
  'createAdjustment',
  'requestApproval',
  'approveApproval',
  'rejectApproval',
  'createAccountNote',
  'createUserNote',
  'createSavedView',
  'expireWebhookSecret',
];

/**
 * They would end the session or close the account that the others use, or change how its user logs in, or they need an
 * email, a code of the second factor or a second admin.
 */
const skipped = [
  'changePassword',
  'changeEmail',
  'endSession',
  'closeAccount',
  'requestPasswordReset',
  'resetPassword',
  'confirmSecondFactor',
  'replaceRecoveryCodes',
  'disableSecondFactor',
  'approveApproval',
];

const withCode = (method: Target['method']): Target => ({
  method,
  body: { otp: '123456' },
  tables: ['second_factors'],
});

type Ids = Record<
  | 'transaction'
  | 'transfer'
  | 'received'
  | 'other'
  | 'paymentRequest'
  | 'unappliedPayment'
  | 'webhook'
  | 'apiKey'
  | 'approval',
  string
>;

/** Every operation with a body, and the members that it accepts. */
function targets(
  user: Person,
  account: Owner,
  ids: Ids,
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
      },
    ],
    enrolSecondFactor: [
      user,
      '/v1/auth/otp',
      {
        method: 'POST',
        body: { password: PASSWORD },
        tables: ['second_factors'],
      },
    ],
    confirmSecondFactor: [user, '/v1/auth/otp/confirmation', withCode('POST')],
    replaceRecoveryCodes: [user, '/v1/auth/otp/recovery-codes', withCode('POST')],
    disableSecondFactor: [user, '/v1/auth/otp', withCode('DELETE')],
    refreshTokens: [
      user,
      '/v1/auth/refresh',
      {
        method: 'POST',
        body: { refresh_token: user.refreshToken },
        tables: ['sessions'],
      },
    ],
    changePassword: [
      user,
      '/v1/auth/password',
      {
        method: 'POST',
        body: { current_password: PASSWORD, password: 'another long enough one' },
        tables: ['credentials', 'users'],
      },
    ],
    changeEmail: [
      user,
      '/v1/auth/email',
      {
        method: 'POST',
        body: { current_password: PASSWORD, email: someEmail() },
        tables: ['credentials', 'users'],
      },
    ],
    requestPasswordReset: [
      user,
      '/v1/auth/password-reset',
      { method: 'POST', body: { email: user.email }, tables: ['credentials'] },
    ],
    resetPassword: [
      user,
      '/v1/auth/password-reset/confirmation',
      {
        method: 'POST',
        body: { token: 'unknown', password: 'another long enough one' },
        tables: ['credentials'],
      },
    ],
    endSession: [user, '/v1/auth/session', { method: 'DELETE', body: {}, tables: ['sessions'] }],
    createApiKey: [
      account,
      '/v1/api-keys',
      {
        method: 'POST',
        body: { name: 'Web shop' },
        tables: ['api_keys'],
      },
    ],
    createUser: [
      user,
      '/v1/users',
      {
        method: 'POST',
        body: newUser(),
        tables: inUsers,
        rejected: { role: unauthorized, status: unauthorized, account_id: unauthorized },
      },
    ],
    inviteUser: [
      account,
      '/v1/user-invitations',
      {
        method: 'POST',
        body: { email: someEmail() },
        tables: inUsers,
        rejected: { account_id: unauthorized },
      },
    ],
    updateUser: [
      user,
      `/v1/users/${user.id}`,
      {
        method: 'PATCH',
        body: { name: 'Grace Hopper' },
        tables: inUsers,
        rejected: { role: unauthorized },
      },
    ],
    createAccount: [
      user,
      '/v1/accounts',
      {
        method: 'POST',
        body: { ...newUser(), name: 'King Ltd', type: 'business' },
        tables: inAccounts,
      },
    ],
    inviteAccount: [
      account,
      '/v1/account-invitations',
      {
        method: 'POST',
        body: { email: someEmail(), name: 'King Ltd', type: 'business' },
        tables: inAccounts,
      },
    ],
    updateOwnVersion: [
      account,
      '/v1/account/version',
      {
        method: 'PATCH',
        body: { version: '2026-11-26' },
        tables: ['credentials', 'sessions'],
      },
    ],
    updateOwnAccount: [
      account,
      '/v1/account',
      {
        method: 'PATCH',
        body: settings,
        tables: inAccounts,
      },
    ],
    updateAccount: [
      account,
      `/v1/accounts/${account.accountId}`,
      {
        method: 'PATCH',
        body: settings,
        tables: inAccounts,
      },
    ],
    closeAccount: [
      account,
      `/v1/accounts/${account.accountId}`,
      { method: 'DELETE', body: {}, tables: inAccounts },
    ],
    createAccountNote: [
      account,
      `/v1/accounts/${account.accountId}/notes`,
      { method: 'POST', body: { text: 'Called twice' }, tables: ['notes', 'accounts'] },
    ],
    createUserNote: [
      user,
      `/v1/users/${user.id}/notes`,
      { method: 'POST', body: { text: 'Called twice' }, tables: ['notes', 'users'] },
    ],
    createSavedView: [
      user,
      '/v1/saved-views',
      {
        method: 'POST',
        body: { page: 'users', name: `View ${someEmail()}`, query: { status: 'active' } },
        tables: ['saved_views', 'users'],
      },
    ],
    createAdjustment: [
      account,
      `/v1/accounts/${account.accountId}/adjustments`,
      {
        method: 'POST',
        body: { amount: 1, currency: 'USD', direction: 'credit', reason: 'A fee was charged twice.' },
        tables: ['adjustments', 'accounts'],
      },
    ],
    requestApproval: [
      user,
      '/v1/approvals',
      {
        method: 'POST',
        body: { type: 'close_account', object_id: account.accountId, reason: 'As agreed.' },
        tables: ['approvals', 'accounts'],
      },
    ],
    approveApproval: [
      user,
      `/v1/approvals/${ids.approval}/approve`,
      { method: 'POST', body: { reason: 'As agreed.' }, tables: ['approvals'] },
    ],
    rejectApproval: [
      user,
      `/v1/approvals/${ids.approval}/reject`,
      { method: 'POST', body: { reason: 'Not needed.' }, tables: ['approvals'] },
    ],
    createTransaction: [
      account,
      '/v1/transactions',
      {
        method: 'POST',
        body: { ...order(account.accountId), type: 'credit' },
        tables: ['transactions', 'accounts'],
      },
    ],
    createTransactions: [
      account,
      '/v1/transactions/batch',
      {
        method: 'POST',
        body: { transactions: [{ ...order(account.accountId), type: 'credit' }] },
        tables: ['transactions', 'accounts'],
      },
    ],
    updateTransaction: [
      account,
      `/v1/transactions/${ids.transaction}`,
      {
        method: 'PATCH',
        body: { reference: 'invoice-1' },
        tables: ['transactions'],
        rejected: { amount: conflict, currency: conflict, type: conflict },
      },
    ],
    settleTransaction: [
      account,
      `/v1/transactions/${ids.transaction}/settlement`,
      {
        method: 'POST',
        body: { outcome: 'succeeded' },
        tables: ['transactions', 'accounts'],
      },
    ],
    createTransfer: [
      account,
      '/v1/transfers',
      {
        method: 'POST',
        body: { from_account_id: account.accountId, to_account_id: ids.other, amount: 1, currency: 'USD' },
        tables: ['transfers', 'accounts'],
      },
    ],
    createTransfers: [
      account,
      '/v1/transfers/batch',
      {
        method: 'POST',
        body: {
          transfers: [
            { from_account_id: account.accountId, to_account_id: ids.other, amount: 1, currency: 'USD' },
          ],
        },
        tables: ['transfers', 'accounts'],
      },
    ],
    captureTransfer: [
      account,
      `/v1/transfers/${ids.transfer}/capture`,
      { method: 'POST', body: { amount: 1 }, tables: ['transfers', 'accounts'] },
    ],
    reverseTransfer: [
      account,
      `/v1/transfers/${ids.received}/reversal`,
      {
        method: 'POST',
        body: { amount: 1 },
        tables: ['transfers', 'accounts'],
      },
    ],
    createPaymentRequest: [
      account,
      '/v1/payments',
      {
        method: 'POST',
        body: { ...order(account.accountId), customer_email: 'customer@example.com' },
        tables: ['payment_requests', 'accounts'],
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
      },
    ],
    settlePaymentRequest: [
      account,
      `/v1/payments/${ids.paymentRequest}/settlement`,
      {
        method: 'POST',
        body: { outcome: 'succeeded', amount: 1 },
        tables: ['payment_requests', 'accounts'],
      },
    ],
    recordUnappliedPayment: [
      account,
      `/v1/payments/${ids.paymentRequest}/unapplied-payments`,
      { method: 'POST', body: { amount: 2 }, tables: ['unapplied_payments', 'accounts'] },
    ],
    resolveUnappliedPayment: [
      account,
      `/v1/unapplied-payments/${ids.unappliedPayment}/resolution`,
      {
        method: 'POST',
        body: { outcome: 'returned' },
        tables: ['unapplied_payments'],
      },
    ],
    createWebhook: [
      account,
      '/v1/webhooks',
      {
        method: 'POST',
        body: { url: 'https://hooks.example.com/' },
        tables: ['webhook_endpoints', 'accounts'],
      },
    ],
    updateWebhook: [
      account,
      `/v1/webhooks/${ids.webhook}`,
      {
        method: 'PATCH',
        body: { url: 'https://hooks.example.com/next' },
        tables: ['webhook_endpoints'],
      },
    ],
    redeliverFailedWebhooks: [
      account,
      `/v1/webhooks/${ids.webhook}/redeliveries`,
      { method: 'POST', body: {}, tables: ['webhook_endpoints'] },
    ],
    redeliverAllFailedWebhooks: [
      account,
      '/v1/webhook-deliveries/redeliveries',
      {
        method: 'POST',
        body: {},
        tables: ['webhook_endpoints'],
      },
    ],
    expireWebhookSecret: [
      account,
      `/v1/webhooks/${ids.webhook}/secret/expiration`,
      { method: 'POST', body: { reason: 'It leaked.' }, tables: ['webhook_endpoints'] },
    ],
    revokeApiKey: [
      account,
      `/v1/api-keys/${ids.apiKey}`,
      { method: 'DELETE', body: { reason: 'It leaked.' }, tables: ['api_keys'] },
    ],
  };
}

describe('A body member that an operation does not document', () => {
  let service: TestService;
  let user: Person;
  let account: Owner;
  let all: ReturnType<typeof targets>;
  /** By operation with a body: the members that the document names. */
  let documented: ReadonlyMap<string, readonly string[]>;

  beforeAll(async () => {
    service = await startTestService({ SMTP_URL: 'smtp://localhost:1', MAIL_FROM: 'pay@countinghouse.test' });
    const operations = await documentedOperations(service.url);
    documented = new Map(
      operations.flatMap(({ id, body }) => (body ? [[id, Object.keys(body.members)]] : [])),
    );
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
    const late = await created(api, `/v1/payments/${paymentRequest.id}/unapplied-payments`, { amount: 2 });
    const approval = await created(api, '/v1/approvals', {
      type: 'make_admin',
      object_id: user.id,
      reason: 'As agreed.',
    });
    const webhook = await created(account.api, '/v1/webhooks', { url: 'https://hooks.example.com/' });
    const apiKey = await created(account.api, '/v1/api-keys', { name: 'Web shop' });
    const other = await anAccount(service.api);
    const send = (from_account_id: string, to_account_id: string, capture: string): Promise<any> =>
      created(api, '/v1/transfers', { from_account_id, to_account_id, amount: 2, currency: 'USD', capture });
    for (const { accountId } of [account, other])
      await created(api, '/v1/transactions', { ...order(accountId), type: 'credit', amount: 10 });
    const transfer = await send(account.accountId, other.accountId, 'later');
    const received = await send(other.accountId, account.accountId, 'now');
    all = targets(user, account, {
      transaction: transaction.id,
      paymentRequest: paymentRequest.id,
      unappliedPayment: late.id,
      webhook: webhook.id,
      apiKey: apiKey.id,
      approval: approval.id,
      transfer: transfer.id,
      received: received.id,
      other: other.accountId,
    });
  });
  afterAll(() => service.stop());

  it('is tested on every operation with a body', () => {
    expect(Object.keys(all).toSorted()).toEqual([...documented.keys()].toSorted());
  });

  it('is every one that gives power or money, but for role and status, which few operations take', () => {
    const terms = ['amount', 'currency', 'type']; // of what is created
    const accepted = Object.keys(wishes)
      .filter((member) => !terms.includes(member))
      .map((member) => [member, [...documented.keys()].filter((id) => documented.get(id)!.includes(member))])
      .filter(([, operations]) => operations!.length > 0);
    expect(Object.fromEntries(accepted)).toEqual({
      role: ['createUser', 'updateUser', 'inviteUser', 'createApiKey'],
      status: ['createUser', 'updateUser', 'updateAccount', 'updateWebhook'],
    });
  });

  it.each(Object.keys(targets({} as Person, {} as Owner, {} as Ids)))(
    'is rejected by %s and changes nothing',
    async (operation) => {
      const [owner, path, target] = all[operation]!;
      const caller = byAdmin.includes(operation) ? (await theAdmin(service.api)).api : owner.api;
      const unlisted = (await membersOf(target)).filter(
        (member) => member in (target.rejected ?? {}) || !documented.get(operation)!.includes(member),
      );
      const before = await everything();
      const outcomes: Record<string, string> = {};
      for (const member of unlisted) {
        const body = JSON.stringify({ ...target.body, [member]: member in wishes ? wishes[member] : 'x' });
        const reply = await caller.call(target.method, path, body);
        outcomes[member] = reply.status < 300 ? `${reply.status}` : reply.body.error;
      }
      expect(unlisted.length).toBeGreaterThan(5);
      expect(outcomes).toEqual(
        Object.fromEntries(
          unlisted.map((member) => [member, target.rejected?.[member] ?? 'invalid_request']),
        ),
      );
      expect(await everything()).toBe(before);
    },
  );

  it.each(['id', 'posted', 'status', 'currency_code'])(
    'is rejected inside settings as well: %s',
    async (member) => {
      const before = await everything();
      const { status, body } = await account.api.patch('/v1/account', {
        settings: { language: 'fr', [member]: 'x' },
      });
      expect([status, body.error]).toEqual([400, 'invalid_request']);
      expect(await everything()).toBe(before);
    },
  );

  it('is the only reason for the error: without it, the same bodies are accepted', async () => {
    const admin = await theAdmin(service.api);
    for (const [operation, [owner, path, { method, body }]] of Object.entries(all)) {
      if (skipped.includes(operation)) continue;
      const caller = byAdmin.includes(operation) ? admin.api : owner.api;
      const reply = await caller.call(method, path, JSON.stringify(body));
      expect([operation, reply.status < 300]).toEqual([operation, true]);
    }
    await logIn(service.api, user.email);
  });

  /** The columns of the entity, and the names of its members in responses and in the code. */
  async function membersOf({ tables }: Target): Promise<string[]> {
    const columns = await service.sql<{ column_name: string }>(
      `SELECT column_name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = ANY($1)`,
      [tables],
    );
    const others = tables.flatMap((table) => storedAs[table]);
    return [...new Set([...columns.map((column) => column.column_name), ...others])];
  }

  /** All rows of the database, except the log of the requests themselves. */
  async function everything(): Promise<string> {
    const tables = await service.sql<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'request_log' ORDER BY 1`,
    );
    const dump: object[] = [];
    for (const { name } of tables)
      dump.push(await service.sql(`SELECT t::text AS row FROM "${name}" t ORDER BY 1`));
    return JSON.stringify(dump);
  }
});
