import { DAY_MS } from '../../../src/kernel/clock';
import { absent, at, get, MALFORMED, Permissions } from '../../system/permissions/request';
import { Home } from '../../system/permissions/cast';
import { created } from '../../support/people';

const YESTERDAY = new Date(Date.now() - DAY_MS).toISOString();
const balance = ({ accountId }: Home) => `/v1/accounts/${accountId}/balance`;

const postings = new WeakMap<Home, Promise<string>>();

/** A transaction that is posted to the account. @returns its id */
function aPosting(home: Home): Promise<string> {
  const body = { account_id: home.accountId, amount: 1, currency: 'USD', type: 'credit' };
  const posting =
    postings.get(home) ?? created(home.owner.api, '/v1/transactions', body).then(({ id }) => id as string);
  postings.set(home, posting);
  return posting;
}

/** Who may call the operations of balances and entries. The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  matrix: `
                           anon self other unlinked member owner susp closed platform admin expired revoked
    getOwnBalance          401  200+ 200-  403      200+   200+  200+ 401    403      403   401     401
    getOwnBalance, as_of   401  200+ 200-  403      200+   200+  200+ 401    403      403   401     401
    getBalance             401  403  403   403      403    403   403  401    200+     200+  401     401
    getBalance, as_of      401  403  403   403      403    403   403  401    200+     200+  401     401
    getBalance, absent     401  403  403   403      403    403   403  401    404      404   401     401
    getBalance, malformed  401  403  403   403      403    403   403  401    404      404   401     401
    listOwnEntries         401  200+ 200-  403      200+   200+  200+ 401    403      403   401     401
    listEntries            401  403  403   403      403    403   403  401    200+     200+  401     401
    listEntries, absent    401  403  403   403      403    403   403  401    404      404   401     401
    listEntries, malformed 401  403  403   403      403    403   403  401    404      404   401     401
  `,
  prepare: aPosting,
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
    listOwnEntries: get(at('/v1/account/entries'), aPosting),
    listEntries: get(({ accountId }) => `/v1/accounts/${accountId}/entries`, aPosting),
    'listEntries, absent': get(() => `/v1/accounts/${absent('acc')}/entries`),
    'listEntries, malformed': get(() => `/v1/accounts/${MALFORMED}/entries`),
  },
};
