import { absent, at, get, MALFORMED, Permissions, post, remove } from '../../system/permissions/request';
import { Home } from '../../system/permissions/cast';

const order = (account_id: string) => ({ account_id, amount: 1, currency: 'USD' });
const invoice = (accountId: string) => ({ ...order(accountId), customer_email: 'customer@example.com' });
const plan = (accountId: string) => ({ ...invoice(accountId), interval: 'month' });
const subscription = async ({ subscriptionId }: Home) => `/v1/subscriptions/${await subscriptionId()}`;

/** Who may call the operations of subscriptions. The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  matrix: `
                                           anon self other unlinked member owner susp closed platform admin expired revoked
    createSubscription                     401  201  404a  404a     201    201   403  401    201      201   401     401
    createSubscription, absent account     401  404a 404a  404a     404a   404a  404a 401    404a     404a  401     401
    createSubscription, malformed account  401  404a 404a  404a     404a   404a  404a 401    404a     404a  401     401
    listSubscriptions                      401  200+ 200-  200-     200+   200+  200+ 401    200+     200+  401     401
    listSubscriptions, account_id          401  200+ 200-  200-     200+   200+  200+ 401    200+     200+  401     401
    listSubscriptions, starting_after      401  200  200   200      200    200   200  401    200      200   401     401
    listSubscriptions, ending_before       401  200  200   200      200    200   200  401    200      200   401     401
    getSubscription                        401  200  404   404      200    200   200  401    200      200   401     401
    getSubscription, absent                401  404  404   404      404    404   404  401    404      404   401     401
    getSubscription, malformed             401  404  404   404      404    404   404  401    404      404   401     401
    cancelSubscription                     401  200  404   404      200    200   403  401    200      200   401     401
    cancelSubscription, absent             401  404  404   404      404    404   404  401    404      404   401     401
  `,
  requests: {
    createSubscription: post('/v1/subscriptions', ({ accountId }) => plan(accountId)),
    'createSubscription, absent account': post('/v1/subscriptions', () => plan(absent('acc'))),
    'createSubscription, malformed account': post('/v1/subscriptions', () => plan(MALFORMED)),
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
  },
};
