import {
  absent,
  at,
  get,
  MALFORMED,
  patch,
  Permissions,
  post,
  remove,
  Request,
} from '../../system/permissions/request';
import { Home } from '../../system/permissions/cast';
import { PASSWORD, someEmail } from '../../support/people';

const newAccount = () => ({
  email: someEmail(),
  password: PASSWORD,
  name: 'Another Ltd',
  type: 'individual',
});
const account = ({ accountId }: Home) => `/v1/accounts/${accountId}`;
/** Closes an account with or without an active subscription. */
const closing = (of: (home: Home) => string, subscribed: boolean): Request => ({
  ...remove(async (home) => {
    await (subscribed ? home.subscriptionId() : home.unsubscribe());
    return of(home);
  }),
  apart: true,
});

/** Who may call the operations of accounts (interface 4.3, and the back office). The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  matrix: `
                                          anon self other unlinked member owner susp closed platform admin expired revoked
    createAccount                         201  201  201   201      201    201   201  401    201      201   401     401
    inviteAccount                         401  403  403   403      403    403   403  401    201      201   401     401
    listAccounts                          401  403  403   403      403    403   403  401    200+     200+  401     401
    getOwnAccount                         401  200+ 200-  403      200+   200+  200+ 401    403      403   401     401
    updateOwnAccount                      401  200  200   401      401    200   403  401    401      401   401     401
    updateOwnAccount, nothing             401  200  200   401      401    200   200  401    401      401   401     401
    closeOwnAccount                       401  200  200   403      403    200   200  401    403      403   401     401
    closeOwnAccount, active subscription  401  409b 200   403      403    409b  409b 401    403      403   401     401
    getAccount                            401  403  403   403      403    403   403  401    200      200   401     401
    getAccount, absent                    401  403  403   403      403    403   403  401    404      404   401     401
    getAccount, malformed                 401  403  403   403      403    403   403  401    404      404   401     401
    updateAccount                         401  403  403   403      403    403   403  401    403      200   401     401
    updateAccount, status                 401  403  403   403      403    403   403  401    403      200   401     401
    updateAccount, absent                 401  403  403   403      403    403   403  401    403      404   401     401
    updateAccount, malformed              401  403  403   403      403    403   403  401    403      404   401     401
    closeAccount                          401  403  403   403      403    403   403  401    403      200   401     401
    closeAccount, active subscription     401  403  403   403      403    403   403  401    403      409b  401     401
    closeAccount, absent                  401  403  403   403      403    403   403  401    403      404   401     401
    closeAccount, malformed               401  403  403   403      403    403   403  401    403      404   401     401
  `,
  requests: {
    createAccount: post('/v1/accounts', () => newAccount()),
    inviteAccount: post('/v1/account-invitations', () => {
      const { password: _, ...body } = newAccount();
      return body;
    }),
    listAccounts: get(at('/v1/accounts?limit=100'), ({ accountId }) => accountId),
    getOwnAccount: get(at('/v1/account'), ({ accountId }) => accountId),
    updateOwnAccount: patch(at('/v1/account'), { name: 'King Ltd' }),
    'updateOwnAccount, nothing': patch(at('/v1/account'), {}),
    closeOwnAccount: closing(at('/v1/account'), false),
    'closeOwnAccount, active subscription': closing(at('/v1/account'), true),
    getAccount: get(account),
    'getAccount, absent': get(() => `/v1/accounts/${absent('acc')}`),
    'getAccount, malformed': get(() => `/v1/accounts/${MALFORMED}`),
    updateAccount: patch(account, { name: 'King Ltd' }),
    'updateAccount, status': patch(account, { status: 'pending' }),
    'updateAccount, absent': patch(() => `/v1/accounts/${absent('acc')}`, { name: 'Nobody' }),
    'updateAccount, malformed': patch(() => `/v1/accounts/${MALFORMED}`, { name: 'Nobody' }),
    closeAccount: closing(account, false),
    'closeAccount, active subscription': closing(account, true),
    'closeAccount, absent': remove(() => `/v1/accounts/${absent('acc')}`),
    'closeAccount, malformed': remove(() => `/v1/accounts/${MALFORMED}`),
  },
};
