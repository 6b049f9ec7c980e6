import { DAY_MS } from '../../src/kernel/clock';
import { newId } from '../../src/kernel/ids';
import { PASSWORD, someEmail } from '../support/people';
import { Caller, Home } from './cast';

export interface Request {
  /** Who comes as `self`: the member in the path, or the account. */
  readonly about: 'user' | 'account';
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: (home: Home) => string | Promise<string>;
  readonly body?: (home: Home, caller: Caller) => object | Promise<object>;
  /** What an answer must hold to show what the row is about; rows without it do not look. */
  readonly shows?: (home: Home) => string | Promise<string>;
  /** Asking alone changes what other rows are about, so it is played by a cast of its own. */
  readonly apart?: true;
}

type Body = Request['body'];

const absent = (prefix: Parameters<typeof newId>[0]) => newId(prefix, new Date());
const MALFORMED = 'no-id-at-all';
const YESTERDAY = new Date(Date.now() - DAY_MS).toISOString();
const NEW_PASSWORD = 'another long enough one';

const order = (account_id: string) => ({ account_id, amount: 1, currency: 'USD' });
const credit = (accountId: string) => ({ ...order(accountId), type: 'credit' });
const invoice = (accountId: string) => ({ ...order(accountId), customer_email: 'customer@example.com' });
const plan = (accountId: string) => ({ ...invoice(accountId), interval: 'month' });
const settled = () => ({ outcome: 'succeeded' });
const newUser = (more: object = {}) => ({ email: someEmail(), password: PASSWORD, ...more });
const newAccount = () => ({
  email: someEmail(),
  password: PASSWORD,
  name: 'Another Ltd',
  type: 'individual',
});

const get = (path: Request['path'], shows?: Request['shows']): Request => ({
  about: 'account',
  method: 'GET',
  path,
  shows,
});
const post = (path: string | Request['path'], body: Body): Request => ({
  about: 'account',
  method: 'POST',
  path: typeof path === 'string' ? () => path : path,
  body,
});
const patch = (path: Request['path'], body: object): Request => ({
  about: 'account',
  method: 'PATCH',
  path,
  body: () => body,
});
const remove = (path: Request['path'], body?: Body): Request => ({
  about: 'account',
  method: 'DELETE',
  path,
  body,
});
const ofUser = (request: Request): Request => ({ ...request, about: 'user' });

const user = async ({ member }: Home) => `/v1/users/${(await member()).id}`;
const account = ({ accountId }: Home) => `/v1/accounts/${accountId}`;
const balance = ({ accountId }: Home) => `/v1/accounts/${accountId}/balance`;
const transaction = async ({ transactionId }: Home) => `/v1/transactions/${await transactionId()}`;
const payment = async ({ paymentRequestId }: Home) => `/v1/payments/${await paymentRequestId()}`;
const subscription = async ({ subscriptionId }: Home) => `/v1/subscriptions/${await subscriptionId()}`;
const late = async ({ latePaymentId }: Home) => `/v1/late-payments/${await latePaymentId()}`;
const sessions = ({ sessionId }: Home) => sessionId();
const at = (path: string) => () => path;

const settlement = (path: Request['path'], amount: number): Request => ({
  about: 'account',
  method: 'POST',
  path: async (home) => `${await path(home)}/settlement`,
  body: () => ({ outcome: 'succeeded', amount }),
});

/** The closing of an account, with or without an active subscription. */
const closing = (of: (home: Home) => string, subscribed: boolean): Request => ({
  ...remove(async (home) => {
    await (subscribed ? home.subscriptionId() : home.unsubscribe());
    return of(home);
  }),
  apart: true,
});

const lateMoney = (path: Request['path'], amount: number): Request =>
  post(
    async (home) => `${await path(home)}/late-payments`,
    () => ({ amount }),
  );
const resolution = (path: Request['path'], outcome: string): Request =>
  post(
    async (home) => `${await path(home)}/resolution`,
    () => ({ outcome }),
  );

/** How each row of the matrix is asked for. */
export const requests: Readonly<Record<string, Request>> = {
  getLiveness: get(at('/health/live')),
  getReadiness: get(at('/health/ready')),

  login: post('/v1/auth/login', (_, { email }) => ({ email, password: PASSWORD })),
  'login, wrong password': post('/v1/auth/login', (_, { email }) => ({ email, password: NEW_PASSWORD })),
  refreshTokens: post('/v1/auth/refresh', (_, { refreshToken }) => ({ refresh_token: refreshToken })),
  changePassword: post('/v1/auth/password', () => ({ current_password: PASSWORD, password: NEW_PASSWORD })),
  'changePassword, wrong current one': post('/v1/auth/password', () => ({
    current_password: NEW_PASSWORD,
    password: PASSWORD,
  })),
  listSessions: get(at('/v1/auth/sessions'), sessions),
  endSession: remove(at('/v1/auth/session')),
  "endSession, the account's": remove(at('/v1/auth/session'), async (home) => ({
    session_id: await home.sessionId(),
  })),
  'endSession, absent': remove(at('/v1/auth/session'), () => ({ session_id: absent('ses') })),
  'endSession, malformed': remove(at('/v1/auth/session'), () => ({ session_id: MALFORMED })),

  createUser: post('/v1/users', () => newUser()),
  'createUser, with role': post('/v1/users', () => newUser({ role: 'platform' })),
  'createUser, with status': post('/v1/users', () => newUser({ status: 'active' })),
  'createUser, with account_id': post('/v1/users', ({ accountId }) => newUser({ account_id: accountId })),
  'createUser, with absent account_id': post('/v1/users', () => newUser({ account_id: absent('acc') })),
  listUsers: get(at('/v1/users?limit=100'), async ({ member }) => (await member()).id),
  getUser: ofUser(get(user)),
  'getUser, absent': ofUser(get(() => `/v1/users/${absent('usr')}`)),
  'getUser, malformed': ofUser(get(() => `/v1/users/${MALFORMED}`)),
  updateUser: ofUser(patch(user, { name: 'Grace Hopper' })),
  'updateUser, nothing': ofUser(patch(user, {})),
  'updateUser, password': ofUser(patch(user, { password: NEW_PASSWORD })),
  'updateUser, status': ofUser(patch(user, { status: 'suspended' })),
  'updateUser, role': ofUser(patch(user, { role: 'user' })),
  'updateUser, absent': ofUser(patch(() => `/v1/users/${absent('usr')}`, { name: 'Nobody' })),
  'updateUser, malformed': ofUser(patch(() => `/v1/users/${MALFORMED}`, { name: 'Nobody' })),
  deleteUser: ofUser(remove(user)),
  'deleteUser, absent': ofUser(remove(() => `/v1/users/${absent('usr')}`)),
  'deleteUser, malformed': ofUser(remove(() => `/v1/users/${MALFORMED}`)),

  createAccount: post('/v1/accounts', () => newAccount()),
  listAccounts: get(at('/v1/accounts?limit=100'), ({ accountId }) => accountId),
  getOwnAccount: get(at('/v1/account'), ({ accountId }) => accountId),
  updateOwnAccount: patch(at('/v1/account'), { name: 'King Ltd' }),
  'updateOwnAccount, nothing': patch(at('/v1/account'), {}),
  closeOwnAccount: closing(at('/v1/account'), false),
  'closeOwnAccount, subscribed': closing(at('/v1/account'), true),
  getAccount: get(account),
  'getAccount, absent': get(() => `/v1/accounts/${absent('acc')}`),
  'getAccount, malformed': get(() => `/v1/accounts/${MALFORMED}`),
  updateAccount: patch(account, { name: 'King Ltd' }),
  'updateAccount, status': patch(account, { status: 'pending' }),
  'updateAccount, absent': patch(() => `/v1/accounts/${absent('acc')}`, { name: 'Nobody' }),
  'updateAccount, malformed': patch(() => `/v1/accounts/${MALFORMED}`, { name: 'Nobody' }),
  closeAccount: closing(account, false),
  'closeAccount, subscribed': closing(account, true),
  'closeAccount, absent': remove(() => `/v1/accounts/${absent('acc')}`),
  'closeAccount, malformed': remove(() => `/v1/accounts/${MALFORMED}`),
  getOwnBalance: get(at('/v1/account/balance'), ({ accountId }) => accountId),
  'getOwnBalance, as_of': get(at(`/v1/account/balance?as_of=${YESTERDAY}`), ({ accountId }) => accountId),
  getBalance: get(balance, ({ accountId }) => accountId),
  'getBalance, as_of': get(
    (home) => `${balance(home)}?as_of=${YESTERDAY}`,
    ({ accountId }) => accountId,
  ),
  'getBalance, absent': get(() => `/v1/accounts/${absent('acc')}/balance`),
  'getBalance, malformed': get(() => `/v1/accounts/${MALFORMED}/balance`),

  createTransaction: post('/v1/transactions', ({ accountId }) => credit(accountId)),
  'createTransaction, absent account': post('/v1/transactions', () => credit(absent('acc'))),
  'createTransaction, malformed one': post('/v1/transactions', () => credit(MALFORMED)),
  listTransactions: get(at('/v1/transactions'), (home) => home.transactionId()),
  'listTransactions, account_id': get(
    ({ accountId }) => `/v1/transactions?account_id=${accountId}`,
    (home) => home.transactionId(),
  ),
  'listTransactions, absent account': get(
    () => `/v1/transactions?account_id=${absent('acc')}`,
    (home) => home.transactionId(),
  ),
  'listTransactions, starting_after': get(
    async (home) => `/v1/transactions?starting_after=${await home.transactionId()}`,
  ),
  'listTransactions, ending_before': get(
    async (home) => `/v1/transactions?ending_before=${await home.transactionId()}`,
  ),
  'listTransactions, absent cursor': get(() => `/v1/transactions?starting_after=${absent('txn')}`),
  getTransaction: get(transaction),
  'getTransaction, absent': get(() => `/v1/transactions/${absent('txn')}`),
  'getTransaction, malformed': get(() => `/v1/transactions/${MALFORMED}`),
  updateTransaction: patch(transaction, { reference: 'invoice-1' }),
  'updateTransaction, amount': patch(transaction, { amount: 1 }),
  'updateTransaction, absent': patch(() => `/v1/transactions/${absent('txn')}`, { reference: 'invoice-1' }),
  cancelTransaction: remove(transaction),
  'cancelTransaction, absent': remove(() => `/v1/transactions/${absent('txn')}`),
  settleTransaction: post(async (home) => `${await transaction(home)}/settlement`, settled),
  'settleTransaction, absent': post(() => `/v1/transactions/${absent('txn')}/settlement`, settled),
  'settleTransaction, malformed': post(() => `/v1/transactions/${MALFORMED}/settlement`, settled),

  createPaymentRequest: post('/v1/payments', ({ accountId }) => invoice(accountId)),
  'createPaymentRequest, absent acc.': post('/v1/payments', () => invoice(absent('acc'))),
  'createPaymentRequest, malformed': post('/v1/payments', () => invoice(MALFORMED)),
  listPaymentRequests: get(at('/v1/payments'), (home) => home.paymentRequestId()),
  'listPaymentRequests, account_id': get(
    ({ accountId }) => `/v1/payments?account_id=${accountId}`,
    (home) => home.paymentRequestId(),
  ),
  'listPaymentRequests, starting_after': get(
    async (home) => `/v1/payments?starting_after=${await home.paymentRequestId()}`,
  ),
  'listPaymentRequests, ending_before': get(
    async (home) => `/v1/payments?ending_before=${await home.paymentRequestId()}`,
  ),
  getPaymentRequest: get(payment),
  'getPaymentRequest, absent': get(() => `/v1/payments/${absent('pay')}`),
  getPaymentRequestStatus: get(async (home) => `${await payment(home)}/status`),
  'getPaymentRequestStatus, absent': get(() => `/v1/payments/${absent('pay')}/status`),
  'getPaymentRequestStatus, malformed': get(() => `/v1/payments/${MALFORMED}/status`),
  cancelPaymentRequest: remove(payment),
  'cancelPaymentRequest, absent': remove(() => `/v1/payments/${absent('pay')}`),
  settlePaymentRequest: settlement(payment, 1250),
  'settlePaymentRequest, other amount': settlement(payment, 1249),
  'settlePaymentRequest, absent': settlement(() => `/v1/payments/${absent('pay')}`, 1250),
  recordLatePayment: lateMoney(payment, 1249),
  'recordLatePayment, right amount': lateMoney(payment, 1250),
  'recordLatePayment, absent': lateMoney(() => `/v1/payments/${absent('pay')}`, 1249),
  'recordLatePayment, malformed': lateMoney(() => `/v1/payments/${MALFORMED}`, 1249),

  listLatePayments: get(at('/v1/late-payments'), (home) => home.latePaymentId()),
  'listLatePayments, account_id': get(
    ({ accountId }) => `/v1/late-payments?account_id=${accountId}`,
    (home) => home.latePaymentId(),
  ),
  'listLatePayments, absent account': get(
    () => `/v1/late-payments?account_id=${absent('acc')}`,
    (home) => home.latePaymentId(),
  ),
  'listLatePayments, absent cursor': get(() => `/v1/late-payments?starting_after=${absent('late')}`),
  getLatePayment: get(late),
  'getLatePayment, absent': get(() => `/v1/late-payments/${absent('late')}`),
  'getLatePayment, malformed': get(() => `/v1/late-payments/${MALFORMED}`),
  resolveLatePayment: resolution(late, 'returned'),
  'resolveLatePayment, retry': resolution(late, 'retry'),
  'resolveLatePayment, absent': resolution(() => `/v1/late-payments/${absent('late')}`, 'returned'),
  'resolveLatePayment, malformed': resolution(() => `/v1/late-payments/${MALFORMED}`, 'returned'),

  createSubscription: post('/v1/subscriptions', ({ accountId }) => plan(accountId)),
  'createSubscription, absent account': post('/v1/subscriptions', () => plan(absent('acc'))),
  'createSubscription, malformed one': post('/v1/subscriptions', () => plan(MALFORMED)),
  listSubscriptions: get(at('/v1/subscriptions'), (home) => home.subscriptionId()),
  'listSubscriptions, account_id': get(
    ({ accountId }) => `/v1/subscriptions?account_id=${accountId}`,
    (home) => home.subscriptionId(),
  ),
  'listSubscriptions, starting_after': get(
    async (home) => `/v1/subscriptions?starting_after=${await home.subscriptionId()}`,
  ),
  'listSubscriptions, ending_before': get(
    async (home) => `/v1/subscriptions?ending_before=${await home.subscriptionId()}`,
  ),
  getSubscription: get(subscription),
  'getSubscription, absent': get(() => `/v1/subscriptions/${absent('sub')}`),
  'getSubscription, malformed': get(() => `/v1/subscriptions/${MALFORMED}`),
  cancelSubscription: remove(subscription),
  'cancelSubscription, absent': remove(() => `/v1/subscriptions/${absent('sub')}`),
};
