import {
  absent,
  at,
  get,
  MALFORMED,
  patch,
  Permissions,
  post,
  remove,
} from '../../system/permissions/request';
import { Home } from '../../system/permissions/cast';

const order = (account_id: string) => ({ account_id, amount: 1, currency: 'USD' });
const credit = (accountId: string) => ({ ...order(accountId), type: 'credit' });
const settled = () => ({ outcome: 'succeeded' });
const transaction = async ({ transactionId }: Home) => `/v1/transactions/${await transactionId()}`;

/** Who may call the operations of transactions (interface 4.4). The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  matrix: `
                                          anon self other unlinked member owner susp closed platform admin expired revoked
    createTransaction                     401  201  404   404      201    201   403  401    201      201   401     401
    createTransaction, absent account     401  404  404   404      404    404   404  401    404      404   401     401
    createTransaction, malformed account  401  404  404   404      404    404   404  401    404      404   401     401
    createTransactions                    401  201  404   404      201    201   403  401    201      201   401     401
    createTransactions, independent       401  201  201   201      201    201   201  401    201      201   401     401
    listTransactions                      401  200+ 200-  200-     200+   200+  200+ 401    200+     200+  401     401
    listTransactions, account_id          401  200+ 200-  200-     200+   200+  200+ 401    200+     200+  401     401
    listTransactions, absent account      401  200- 200-  200-     200-   200-  200- 401    200-     200-  401     401
    listTransactions, starting_after      401  200  200   200      200    200   200  401    200      200   401     401
    listTransactions, ending_before       401  200  200   200      200    200   200  401    200      200   401     401
    listTransactions, absent cursor       401  200  200   200      200    200   200  401    200      200   401     401
    getTransaction                        401  200  404   404      200    200   200  401    200      200   401     401
    getTransaction, absent                401  404  404   404      404    404   404  401    404      404   401     401
    getTransaction, malformed             401  404  404   404      404    404   404  401    404      404   401     401
    updateTransaction                     401  200  404   404      200    200   403  401    200      200   401     401
    updateTransaction, amount             401  409  409   409      409    409   409  401    409      409   401     401
    updateTransaction, absent             401  404  404   404      404    404   404  401    404      404   401     401
    cancelTransaction                     401  200  404   404      200    200   403  401    200      200   401     401
    cancelTransaction, absent             401  404  404   404      404    404   404  401    404      404   401     401
    settleTransaction                     401  403  403   403      403    403   403  401    200      200   401     401
    settleTransaction, absent             401  403  403   403      403    403   403  401    404      404   401     401
    settleTransaction, malformed          401  403  403   403      403    403   403  401    404      404   401     401
  `,
  requests: {
    createTransaction: post('/v1/transactions', ({ accountId }) => credit(accountId)),
    'createTransaction, absent account': post('/v1/transactions', () => credit(absent('acc'))),
    'createTransaction, malformed account': post('/v1/transactions', () => credit(MALFORMED)),
    createTransactions: post('/v1/transactions/batch', ({ accountId }) => ({
      transactions: [credit(accountId)],
    })),
    'createTransactions, independent': post('/v1/transactions/batch', ({ accountId }) => ({
      mode: 'independent',
      transactions: [credit(accountId)],
    })),
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
  },
};
