import {
  absent,
  at,
  get,
  MALFORMED,
  Permissions,
  post,
  remove,
  Request,
} from '../../system/permissions/request';
import { Home } from '../../system/permissions/cast';

const order = (account_id: string) => ({ account_id, amount: 1, currency: 'USD' });
const invoice = (accountId: string) => ({ ...order(accountId), customer_email: 'customer@example.com' });
const payment = async ({ paymentRequestId }: Home) => `/v1/payments/${await paymentRequestId()}`;
const settlement = (path: Request['path'], amount: number): Request => ({
  about: 'account',
  method: 'POST',
  path: async (home) => `${await path(home)}/settlement`,
  body: () => ({ outcome: 'succeeded', amount }),
});

/** Who may call the operations of payment requests (interface 4.5). The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  matrix: `
                                             anon self other unlinked member owner susp closed platform admin expired revoked
    createPaymentRequest                     401  201  404a  404a     201    201   403  401    201      201   401     401
    createPaymentRequest, absent account     401  404a 404a  404a     404a   404a  404a 401    404a     404a  401     401
    createPaymentRequest, malformed account  401  404a 404a  404a     404a   404a  404a 401    404a     404a  401     401
    listPaymentRequests                      401  200+ 200-  200-     200+   200+  200+ 401    200+     200+  401     401
    listPaymentRequests, account_id          401  200+ 200-  200-     200+   200+  200+ 401    200+     200+  401     401
    listPaymentRequests, starting_after      401  200  200   200      200    200   200  401    200      200   401     401
    listPaymentRequests, ending_before       401  200  200   200      200    200   200  401    200      200   401     401
    getPaymentRequest                        401  200  404   404      200    200   200  401    200      200   401     401
    getPaymentRequest, absent                401  404  404   404      404    404   404  401    404      404   401     401
    getPaymentRequestStatus                  401  200  404   404      200    200   200  401    200      200   401     401
    getPaymentRequestStatus, absent          401  404  404   404      404    404   404  401    404      404   401     401
    getPaymentRequestStatus, malformed       401  404  404   404      404    404   404  401    404      404   401     401
    cancelPaymentRequest                     401  200  404   404      200    200   403  401    200      200   401     401
    cancelPaymentRequest, absent             401  404  404   404      404    404   404  401    404      404   401     401
    settlePaymentRequest                     401  403  403   403      403    403   403  401    200      200   401     401
    settlePaymentRequest, other amount       401  403  403   403      403    403   403  401    400      400   401     401
    settlePaymentRequest, absent             401  403  403   403      403    403   403  401    404      404   401     401
  `,
  requests: {
    createPaymentRequest: post('/v1/payments', ({ accountId }) => invoice(accountId)),
    'createPaymentRequest, absent account': post('/v1/payments', () => invoice(absent('acc'))),
    'createPaymentRequest, malformed account': post('/v1/payments', () => invoice(MALFORMED)),
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
  },
};
