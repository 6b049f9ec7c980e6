import { absent, at, get, MALFORMED, Permissions, post, Request } from '../../../system/permissions/request';
import { Home } from '../../../system/permissions/cast';

const payment = async ({ paymentRequestId }: Home) => `/v1/payments/${await paymentRequestId()}`;
const unappliedPayment = async ({ unappliedPaymentId }: Home) =>
  `/v1/unapplied-payments/${await unappliedPaymentId()}`;
const unappliedMoney = (path: Request['path'], amount: number): Request =>
  post(
    async (home) => `${await path(home)}/unapplied-payments`,
    () => ({ amount }),
  );
const resolution = (path: Request['path'], outcome: string): Request =>
  post(
    async (home) => `${await path(home)}/resolution`,
    () => ({ outcome }),
  );

/** Who may call the operations of unapplied payments. The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  matrix: `
                                           anon self other unlinked member owner susp closed platform admin expired revoked
    recordUnappliedPayment                 401  403  403   403      403    403   403  401    201      201   401     401
    recordUnappliedPayment, right amount   401  403  403   403      403    403   403  401    409      409   401     401
    recordUnappliedPayment, absent         401  403  403   403      403    403   403  401    404      404   401     401
    recordUnappliedPayment, malformed      401  403  403   403      403    403   403  401    404      404   401     401
    listUnappliedPayments                  401  403  403   403      403    403   403  401    200+     200+  401     401
    listUnappliedPayments, account_id      401  403  403   403      403    403   403  401    200+     200+  401     401
    listUnappliedPayments, absent account  401  403  403   403      403    403   403  401    200-     200-  401     401
    listUnappliedPayments, absent cursor   401  403  403   403      403    403   403  401    200      200   401     401
    getUnappliedPayment                    401  403  403   403      403    403   403  401    200      200   401     401
    getUnappliedPayment, absent            401  403  403   403      403    403   403  401    404      404   401     401
    getUnappliedPayment, malformed         401  403  403   403      403    403   403  401    404      404   401     401
    resolveUnappliedPayment                401  403  403   403      403    403   403  401    200      200   401     401
    resolveUnappliedPayment, retry         401  403  403   403      403    403   403  401    409      409   401     401
    resolveUnappliedPayment, absent        401  403  403   403      403    403   403  401    404      404   401     401
    resolveUnappliedPayment, malformed     401  403  403   403      403    403   403  401    404      404   401     401
  `,
  requests: {
    recordUnappliedPayment: unappliedMoney(payment, 1249),
    'recordUnappliedPayment, right amount': unappliedMoney(payment, 1250),
    'recordUnappliedPayment, absent': unappliedMoney(() => `/v1/payments/${absent('pay')}`, 1249),
    'recordUnappliedPayment, malformed': unappliedMoney(() => `/v1/payments/${MALFORMED}`, 1249),
    listUnappliedPayments: get(at('/v1/unapplied-payments'), (home) => home.unappliedPaymentId()),
    'listUnappliedPayments, account_id': get(
      ({ accountId }) => `/v1/unapplied-payments?account_id=${accountId}`,
      (home) => home.unappliedPaymentId(),
    ),
    'listUnappliedPayments, absent account': get(
      () => `/v1/unapplied-payments?account_id=${absent('acc')}`,
      (home) => home.unappliedPaymentId(),
    ),
    'listUnappliedPayments, absent cursor': get(
      () => `/v1/unapplied-payments?starting_after=${absent('unp')}`,
    ),
    getUnappliedPayment: get(unappliedPayment),
    'getUnappliedPayment, absent': get(() => `/v1/unapplied-payments/${absent('unp')}`),
    'getUnappliedPayment, malformed': get(() => `/v1/unapplied-payments/${MALFORMED}`),
    resolveUnappliedPayment: resolution(unappliedPayment, 'returned'),
    'resolveUnappliedPayment, retry': resolution(unappliedPayment, 'retry'),
    'resolveUnappliedPayment, absent': resolution(
      () => `/v1/unapplied-payments/${absent('unp')}`,
      'returned',
    ),
    'resolveUnappliedPayment, malformed': resolution(() => `/v1/unapplied-payments/${MALFORMED}`, 'returned'),
  },
};
