import { DAY_MS } from '../../../src/kernel/clock';
import { absent, at, get, MALFORMED, Permissions } from '../../system/permissions/request';
import { Home } from '../../system/permissions/cast';

const YESTERDAY = new Date(Date.now() - DAY_MS).toISOString();
const balance = ({ accountId }: Home) => `/v1/accounts/${accountId}/balance`;

/** Who may call the operations of balances. The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  matrix: `
                           anon self other unlinked member owner susp closed platform admin expired revoked
    getOwnBalance          401  200+ 200-  403      200+   200+  200+ 401    403      403   401     401
    getOwnBalance, as_of   401  200+ 200-  403      200+   200+  200+ 401    403      403   401     401
    getBalance             401  403  403   403      403    403   403  401    200+     200+  401     401
    getBalance, as_of      401  403  403   403      403    403   403  401    200+     200+  401     401
    getBalance, absent     401  403  403   403      403    403   403  401    404      404   401     401
    getBalance, malformed  401  403  403   403      403    403   403  401    404      404   401     401
  `,
  requests: {
    getOwnBalance: get(at('/v1/account/balance'), ({ accountId }) => accountId),
    'getOwnBalance, as_of': get(at(`/v1/account/balance?as_of=${YESTERDAY}`), ({ accountId }) => accountId),
    getBalance: get(balance, ({ accountId }) => accountId),
    'getBalance, as_of': get(
      (home) => `${balance(home)}?as_of=${YESTERDAY}`,
      ({ accountId }) => accountId,
    ),
    'getBalance, absent': get(() => `/v1/accounts/${absent('acc')}/balance`),
    'getBalance, malformed': get(() => `/v1/accounts/${MALFORMED}/balance`),
  },
};
