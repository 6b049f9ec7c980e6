import { Home } from '../../system/permissions/cast';
import { absent, MALFORMED, Permissions, post } from '../../system/permissions/request';

const nothing = () => ({});
const email = async ({ paymentRequestId }: Home) => `/v1/payments/${await paymentRequestId()}/email`;

/** Who may send emails about payment requests again. The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  matrix: `
                                 anon self other unlinked member owner susp closed platform admin expired revoked
    sendPaymentEmail             401  201  404   404      201    201   403  401    201      201   401     401
    sendPaymentEmail, absent     401  404  404   404      404    404   404  401    404      404   401     401
    sendPaymentEmail, malformed  401  404  404   404      404    404   404  401    404      404   401     401
  `,
  requests: {
    sendPaymentEmail: post(email, nothing),
    'sendPaymentEmail, absent': post(() => `/v1/payments/${absent('pay')}/email`, nothing),
    'sendPaymentEmail, malformed': post(() => `/v1/payments/${MALFORMED}/email`, nothing),
  },
};
