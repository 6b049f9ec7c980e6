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

const outcome = (path: Request['path']): Request =>
  post(
    async (home) => `/v1/test/payments/${await path(home)}/outcome`,
    () => ({ outcome: 'succeeded' }),
  );

/** Who may call the operations for tests. The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  settings: { TEST_OPERATIONS: 'true' },
  matrix: `
                                anon self other unlinked member owner susp closed platform admin expired revoked
    advanceClock                401  403  403   403      403    403   403  401    403      200   401     401
    simulatePayment             401  403  403   403      403    403   403  401    403      200   401     401
    simulatePayment, absent     401  403  403   403      403    403   403  401    403      404   401     401
    simulatePayment, malformed  401  403  403   403      403    403   403  401    403      404   401     401
    scriptFault                 401  403  403   403      403    403   403  401    403      200   401     401
    listFaults                  401  403  403   403      403    403   403  401    403      200   401     401
    clearFaults                 401  403  403   403      403    403   403  401    403      200   401     401
    resetService                401  403  403   403      403    403   403  401    403      200   401     401
  `,
  requests: {
    advanceClock: post('/v1/test/clock', () => ({ advance: '1 second' })),
    simulatePayment: outcome((home: Home) => home.paymentRequestId()),
    'simulatePayment, absent': outcome(() => absent('pay')),
    'simulatePayment, malformed': outcome(() => MALFORMED),
    scriptFault: post('/v1/test/faults', () => ({ operation: 'listUsers', fault: 'unavailable' })),
    listFaults: get(at('/v1/test/faults')),
    clearFaults: remove(at('/v1/test/faults')),
    resetService: post('/v1/test/reset', () => ({})),
  },
};
